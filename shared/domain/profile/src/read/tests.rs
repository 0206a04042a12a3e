use countersign_document::Problem;
use countersign_identity::UserId;
use serde_json::{Value, json};

use super::Template;
use crate::{Profile, ProfileId, ProfileSpec};

/// The places of all problems, whatever their order.
fn check(value: &Value, expect: &[&str]) {
    let mut told: Vec<String> = match ProfileSpec::from_json(value) {
        Ok(_) => Vec::new(),
        Err(error) => error.problems().iter().map(Problem::path).collect(),
    };
    let mut expect: Vec<String> = expect.iter().map(|path| (*path).to_owned()).collect();
    told.sort();
    expect.sort();
    assert_eq!(told, expect, "{value}");
}

#[test]
fn f_168_f_172_a_name_is_enough_and_the_rest_has_defaults() {
    let spec = ProfileSpec::from_json(&json!({"name": "Nonprofit Investigator"})).unwrap();
    assert_eq!(
        serde_json::to_value(&spec).unwrap(),
        json!({
            "name": "Nonprofit Investigator", "handle": "nonprofit-investigator", "description": "", "icon": null,
            "model_preference": null, "model_temperature": null, "max_research_rounds": 3, "system_prompt_additions": null,
            "knowledge_config": {"read_collections": [], "write_collection": null, "graph_namespaces": [],
                "auto_enrich": false, "entity_resolution": false},
            "output_config": {"auto_enrich_graph": false, "destinations": []},
            "journal_config": {"auto_journal": true, "detail_level": "summary", "retention_days": 90},
            "default_execution_mode": "hybrid", "default_run_context": "interactive", "default_approval_policy": "require",
            "tool_packs": [], "skills": [], "approvers": [],
        })
    );
}

#[test]
fn k_62_a_profile_cannot_ask_when_its_run_is_over() {
    let destinations = json!([{"type": "chat"}, {"type": "chat", "confirm": true}]);
    check(
        &json!({"name": "A", "output_config": {"destinations": destinations}}),
        &["output_config.destinations[1].confirm"],
    );
}

#[test]
fn f_393_every_problem_has_its_field_path() {
    check(
        &json!({
            "handle": "Not Kebab", "model_preference": "gpt", "max_research_rounds": 0,
            "output_config": {"destinations": [{"type": "chat"}, {"type": "folder"}]},
            "journal_config": {"detail_level": "sumary", "retention_days": 9999},
            "skills": [{"reference": "x"}], "approvers": ["a b"], "tool_pack": [],
        }),
        &[
            "name",
            "handle",
            "model_preference",
            "max_research_rounds",
            "output_config.destinations[1].config",
            "journal_config.detail_level",
            "journal_config.retention_days",
            "skills[0].skill_type",
            "approvers[0]",
            "tool_pack",
        ],
    );
    check(&json!([]), &[""]);
    check(&json!({"name": "🔍"}), &["handle"]);
    check(&json!({"name": " "}), &["name"]);
    check(&json!({"name": "a".repeat(101)}), &["name"]);
    check(&json!({"name": "A", "data_sources": ["irs-990-xml"]}), &["data_sources"]);
}

/// The message of the one problem of these fields.
fn unavailable(fields: &Value) -> String {
    let mut whole = json!({"name": "A"});
    whole.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let error = ProfileSpec::from_json(&whole).unwrap_err();
    let [problem] = error.problems() else { panic!("{fields}: {error}") };
    assert_eq!(problem.code, "unavailable", "{fields}");
    assert!(problem.hint.is_some(), "{fields}");
    format!("{}: {}", problem.path(), problem.message)
}

#[test]
fn f_393_a_value_that_could_have_no_effect_is_refused_with_the_reason() {
    for (field, value) in [
        ("max_research_rounds", json!(4)),
        ("system_prompt_additions", json!("Be brief.")),
        ("default_execution_mode", json!("llm_augmented")),
        ("tool_packs", json!(["knowledge"])),
    ] {
        let said = unavailable(&json!({field: value}));
        assert!(said.starts_with(&format!("{field}: `{field}` has no effect: ")), "{said}");
    }
    for (field, value) in [("read_collections", json!(["a"])), ("write_collection", json!("a"))] {
        let said = unavailable(&json!({"knowledge_config": {field: value}}));
        let expect = format!("knowledge_config.{field}: `{field}` has no effect: ");
        assert!(said.starts_with(&expect), "{said}");
    }
}

#[test]
fn f_172_the_detail_of_entries_that_no_run_writes_is_warned_of() {
    let told = |auto: bool| -> Vec<String> {
        let journal = json!({"auto_journal": auto, "detail_level": "detailed"});
        let read = ProfileSpec::read(&json!({"name": "A", "journal_config": journal})).unwrap();
        read.1.into_iter().map(|problem| problem.message).collect()
    };
    assert_eq!(told(true), [""; 0]);
    let expect = "`detail_level` has no effect: without `auto_journal` a run writes no entry";
    assert_eq!(told(false), [expect]);
}

#[test]
fn f_393_what_is_stored_can_be_sent_back() {
    let spec = ProfileSpec::from_json(&json!({"name": "A"})).unwrap();
    let shown = serde_json::to_value(&spec).unwrap();
    assert_eq!(ProfileSpec::from_json(&shown).unwrap(), spec);
    check(&json!({"name": "A", "default_execution_mode": "deterministic"}), &[]);
}

#[test]
fn f_174_no_skill_is_bound_twice() {
    let skill = |reference: &str| json!({"skill_type": "playbook", "reference": reference});
    check(&json!({"name": "A", "skills": [skill("a"), skill("b")]}), &[]);
    let twice = json!({"name": "A", "skills": [skill("a"), skill("b"), skill("a")]});
    check(&twice, &["skills[2].reference"]);
}

#[test]
fn f_288_the_condition_of_a_destination_is_read_when_it_is_written() {
    let with = |condition: &str| {
        let destination = json!({"type": "chat", "condition": condition});
        json!({"name": "A", "output_config": {"destinations": [{"type": "chat"}, destination]}})
    };
    check(&with("{count} > 1"), &[]);
    for wrong in ["{count} >> 1", "count > 0", "((", "AND", "{count", ""] {
        check(&with(wrong), &["output_config.destinations[1].condition"]);
    }
    file(
        "name: A\noutput_config:\n  destinations:\n    - type: chat\n      condition: '{count} >> 1'\n",
        &[(5, 28, "condition")],
    );
}

#[test]
fn k_13_nobody_is_named_twice() {
    check(&json!({"name": "A", "approvers": ["bea", "ada"]}), &[]);
    check(&json!({"name": "A", "approvers": ["bea", "ada", "bea"]}), &["approvers[2]"]);
}

#[test]
fn a_profile_survives_storage() {
    let spec = ProfileSpec::from_json(&json!({"name": "A", "output_config": {"destinations": [{"type": "chat"}]},
        "skills": [{"skill_type": "playbook", "reference": "officer-cross-reference", "priority": 10}]}))
    .unwrap();
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let profile =
        Profile::new(ProfileId::from_bytes([1; 16]), UserId::from_bytes([2; 16]), spec, now);
    let stored = serde_json::to_value(&profile).unwrap();
    assert_eq!(stored["handle"], "a");
    assert_eq!(serde_json::from_value::<Profile>(stored).unwrap(), profile);
}

#[test]
fn the_owner_signs_unless_others_are_named() {
    let spec = |approvers: Value| {
        ProfileSpec::from_json(&json!({"name": "A", "approvers": approvers})).unwrap()
    };
    let owner = UserId::from_bytes([2; 16]);
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let signers = |approvers| {
        Profile::new(ProfileId::from_bytes([1; 16]), owner.clone(), spec(approvers), now).signers()
    };
    assert_eq!(signers(json!([])), [owner.to_string()]);
    assert_eq!(signers(json!(["ada", "bo@example.org"])), ["ada", "bo@example.org"]);
}

#[test]
fn f_177_a_patch_changes_only_what_it_names() {
    let spec = ProfileSpec::from_json(
        &json!({"name": "A", "icon": "x", "journal_config": {"retention_days": 7}}),
    )
    .unwrap();
    let patched =
        spec.patched(&json!({"icon": null, "journal_config": {"auto_journal": false}})).unwrap();
    assert_eq!(
        (patched.icon, patched.journal_config.retention_days, patched.journal_config.auto_journal),
        (None, 7, false)
    );
    assert!(spec.patched(&json!({"name": ""})).is_err());
}

#[test]
fn the_library_form_names_its_data_sources() {
    let template = Template::from_yaml("name: A\nicon: 🔍\ndata_sources: [irs-990-xml]\n").unwrap();
    assert_eq!(template.data_sources, ["irs-990-xml"]);
    assert_eq!(template.spec.icon.as_deref(), Some("🔍"));
    let error = Template::from_yaml("name: [\n").unwrap_err().to_string();
    assert!(error.starts_with("the profile is not YAML: "), "{error}");
    let error = Template::from_yaml("name: A\ndata_sources: irs\n").unwrap_err().to_string();
    assert_eq!(
        error,
        "the profile is not valid: yaml:2:15: `data_sources` must be a list, found a string"
    );
}

/// What is wrong with a file, and where.
fn file(text: &str, expect: &[(u32, u32, &str)]) {
    let error = Template::from_yaml(text).unwrap_err();
    let told = error.problems().iter().map(|found| {
        let (line, column) = found.place();
        (line, column, found.code.as_str())
    });
    assert_eq!(told.collect::<Vec<_>>(), expect, "{error}");
}

#[test]
fn f_393_every_problem_of_a_file_has_its_line() {
    file(
        "name: A\nicn: x\nskills:\n  - { skill_type: playbok, reference: x }\nmax_research_rounds: 99\n",
        &[(2, 1, "unknown_key"), (4, 19, "choice"), (5, 22, "type")],
    );
    file(
        "name: A\noutput_config:\n  destinations:\n    - type: chat\n    - type: fax\n",
        &[(5, 13, "choice")],
    );
}

#[test]
fn f_176_r_035_an_agent_may_name_a_model_and_its_temperature() {
    let choice = |fields: Value| {
        let mut whole = json!({"name": "A"});
        whole.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let spec = ProfileSpec::from_json(&whole).unwrap();
        serde_json::to_value(spec.model_choice()).unwrap()
    };
    assert_eq!(choice(json!({})), json!(null));
    let named = json!({"model_preference": "openai/gpt-5-mini", "model_temperature": 0.2});
    assert_eq!(choice(named), json!({"model": "openai/gpt-5-mini", "temperature": 0.2}));
    assert!(unavailable(&json!({"model_temperature": 0.2})).contains("`model_preference`"));
    for wrong in [json!(2.1), json!(-1), json!("0.2")] {
        let named =
            json!({"name": "A", "model_preference": "openai/a", "model_temperature": wrong});
        check(&named, &["model_temperature"]);
    }
    check(&json!({"name": "A", "model_preference": "bard/a"}), &["model_preference"]);
}

#[test]
fn whoever_writes_data_sources_of_an_agent_that_is_stored_is_told_where_they_are_bound() {
    let value = json!({"name": "Desk", "data_sources": ["bank"], "nam": 1});
    let error = ProfileSpec::from_json(&value).unwrap_err();
    let hint = |at: &str| {
        let mut found = error.problems().iter().filter(|problem| problem.pointer == at);
        found.next().and_then(|problem| problem.hint.clone()).unwrap_or_default()
    };
    assert!(hint("/data_sources").contains("/data-sources"), "{error}");
    assert!(!hint("/nam").contains("/data-sources"), "{error}");
}

#[test]
fn f_314_an_agent_has_at_most_so_many_destinations() {
    let with = |count: usize| {
        let chats = vec![json!({"type": "chat"}); count];
        json!({"name": "A", "output_config": {"destinations": chats}})
    };
    check(&with(50), &[]);
    check(&with(51), &["output_config.destinations[50]"]);
}
