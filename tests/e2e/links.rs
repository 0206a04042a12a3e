//! What a playbook's links are checked for (section 12): when it is validated, saved and started.

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person};

/// Steps that link as they should.
const SOUND: &str = r#"
id: sound-links
name: Sound links
inputs:
  - {name: rows, type: list}
  - {name: who, type: entity_name}
steps:
  - {name: past, step_type: tool, action: query_journal, inputs: {query: "{who}", date_from: "{30_days_ago}"}}
  - {name: by_input, step_type: tool, action: transform_data, inputs: {data: "{rows}"}}
  - {name: by_literal, step_type: tool, action: transform_data, inputs: {data: [{a: 1}]}}
  - {name: by_step, step_type: tool, action: transform_data, inputs: {data: "{past.entries}"}}
  - {name: by_field, step_type: tool, action: search_knowledge_graph, inputs: {entity_names: "{past.entries[*].summary}"}}
  - {name: by_item, step_type: tool, action: send_notification, inputs: {message: "{past.entries[0].summary}"}}
"#;

/// The same playbook with more steps.
fn with(steps: &str) -> String {
    format!("{SOUND}{steps}")
}

async fn judged(who: &Person, yaml: &str) -> Value {
    who.post("/playbooks/validate", &json!({ "yaml": yaml })).await
}

/// What is reported of a step.
fn report<'j>(judged: &'j Value, step: &str) -> &'j Value {
    let steps = judged["steps"].as_array().unwrap().iter();
    let mut own = steps.filter(|report| report["step_name"] == step);
    own.next().unwrap_or_else(|| panic!("nothing is said of `{step}`: {judged:#}"))
}

/// The kind of each error of a step, and the field it is about.
fn errors(judged: &Value, step: &str) -> Vec<(String, String)> {
    let text = |error: &Value, key: &str| error[key].as_str().unwrap().to_owned();
    let all = report(judged, step)["errors"].as_array().unwrap().iter();
    all.map(|error| (text(error, "error_type"), text(error, "field"))).collect()
}

fn one(kind: &str, field: &str) -> Vec<(String, String)> {
    vec![(kind.to_owned(), field.to_owned())]
}

#[tokio::test]
async fn f_160_f_161_f_162_what_links_is_valid_and_what_does_not_says_why() {
    let ana = person("ana", &["global:analyst"]).await;
    let sound = judged(&ana, SOUND).await;
    assert_eq!(sound["is_valid"], true, "{sound:#}");
    let wrong = r#"
  - {name: nothing, step_type: tool, action: transform_data}
  - {name: whole, step_type: tool, action: transform_data, inputs: {data: "{past}"}}
  - {name: count, step_type: tool, action: transform_data, inputs: {data: "{past.count}"}}
  - {name: many, step_type: tool, action: send_notification, inputs: {message: "{past.entries[*].summary}"}}
  - {name: nobody, step_type: tool, action: transform_data, inputs: {data: "{gone.data}"}}
  - {name: no_field, step_type: tool, action: transform_data, inputs: {data: "{past.entris}"}}
  - {name: early, step_type: tool, action: transform_data, inputs: {data: "{late.data}"}}
  - {name: late, step_type: tool, action: transform_data, inputs: {data: [{a: 1}]}}
"#;
    let judged = judged(&ana, &with(wrong)).await;
    assert_eq!(judged["is_valid"], false);
    assert_eq!(errors(&judged, "nothing"), one("missing_required", "inputs.data"));
    for step in ["whole", "count"] {
        assert_eq!(errors(&judged, step), one("type_mismatch", "inputs.data"), "{step}");
    }
    assert_eq!(errors(&judged, "many"), one("type_mismatch", "inputs.message"));
    assert_eq!(errors(&judged, "nobody"), one("nonexistent_step", "inputs.data"));
    for step in ["no_field", "early"] {
        assert_eq!(errors(&judged, step), one("unresolved_reference", "inputs.data"), "{step}");
    }
    for step in ["past", "by_input", "by_literal", "by_step", "by_field", "by_item", "late"] {
        assert_eq!(report(&judged, step)["is_valid"], true, "{step}: {judged:#}");
    }
    // The same rules hold when it is saved.
    let (status, _) = ana.refused("/playbooks", Some(&json!({ "yaml": with(wrong) }))).await;
    assert_eq!(status, 422);
}

#[tokio::test]
async fn f_163_steps_that_need_each_other_are_named() {
    let ana = person("ana", &["global:analyst"]).await;
    let circle = r#"
  - {name: a, step_type: tool, action: transform_data, inputs: {data: "{b.data}"}}
  - {name: b, step_type: tool, action: transform_data, inputs: {data: "{a.data}"}}
"#;
    let said = judged(&ana, &with(circle)).await;
    assert_eq!(said["is_valid"], false);
    assert!(said.to_string().contains("these steps need each other: a → b → a"), "{said:#}");
}

#[tokio::test]
async fn f_165_k_58_a_task_of_a_model_must_say_what_it_answers_and_needs_a_mode_with_one() {
    let ana = person("ana", &["global:analyst"]).await;
    let task = "  - {name: judge, step_type: llm_task, action: llm_analyze, inputs: {text: hi}";
    let bare = judged(&ana, &with(&format!("{task}}}\n"))).await;
    let is_missing = |judged: &Value| {
        judged["errors"].as_array().unwrap().iter().any(|one| one["code"] == "P023")
    };
    assert!(is_missing(&bare), "{bare:#}");
    let schema = "output_schema: {type: object, fields: [{name: verdict, type: string}]}";
    let declared = judged(&ana, &with(&format!("{task}, {schema}}}\n"))).await;
    assert!(!is_missing(&declared), "{declared:#}");
    let deterministic =
        format!("execution_mode: deterministic{}", with(&format!("{task}, {schema}}}\n")));
    let said = judged(&ana, &deterministic).await;
    let codes = said["errors"].as_array().unwrap().iter();
    assert!(codes.into_iter().any(|one| one["code"] == "P022"), "{said:#}");
}

#[tokio::test]
async fn f_166_a_report_has_each_step_with_its_errors_and_warnings() {
    let ana = person("ana", &["global:analyst"]).await;
    let loose = r#"
  - {name: loose, step_type: tool, action: send_notification, inputs: {message: "{past.count}"}}
  - {name: typo, step_type: tool, action: transform_data, inputs: {data: "{past.entris}"}}
"#;
    let judged = judged(&ana, &with(loose)).await;
    let steps = judged["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 8, "{judged:#}");
    for step in steps {
        let mut keys: Vec<&String> = step.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["errors", "is_valid", "step_name", "warnings"]);
    }
    let warning = |step: &str, kind: &str| {
        let warnings = report(&judged, step)["warnings"].as_array().unwrap();
        let found = warnings.iter().find(|warning| warning["warning_type"] == kind);
        found.unwrap_or_else(|| panic!("no {kind} at `{step}`: {judged:#}")).clone()
    };
    assert_eq!(warning("loose", "loose_type_coercion")["field"], "inputs.message");
    assert!(warning("by_literal", "unused_output")["message"].is_string());
    let typo = &report(&judged, "typo")["errors"][0];
    assert!(typo["suggested_fix"].as_str().unwrap().contains("entries"), "{typo:#}");
}

#[tokio::test]
async fn f_167_f_344_the_graph_has_who_uses_what_with_its_type() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(SOUND).await;
    let graph = ana.get("/playbooks/sound-links/graph").await;
    let edge = |to: &str| {
        let edges = graph["edges"].as_array().unwrap().iter();
        let mut own = edges.filter(|edge| edge["to"] == to && edge["from"] == "past");
        let edge = own.next().unwrap_or_else(|| panic!("nothing flows to `{to}`: {graph:#}"));
        (edge["field"].clone(), edge["type"].clone())
    };
    assert_eq!(edge("by_field"), (json!("entries[*].summary"), json!("string[]")));
    assert_eq!(edge("by_item"), (json!("entries[0].summary"), json!("string")));
    assert_eq!(edge("by_step").0, "entries");
    assert!(edge("by_step").1.as_str().unwrap().ends_with("[]"), "{graph:#}");
    let stages: Vec<u64> = graph["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| node["stage"].as_u64().unwrap())
        .collect();
    assert_eq!(stages, [0, 1, 2, 3, 4, 5], "steps run in listed order (F-151)");
}

#[tokio::test]
async fn f_164_f_008_f_395_what_the_agent_does_not_have_is_told_before_anything_runs() {
    let ana = person("ana", &["global:analyst"]).await;
    let yaml = r#"
id: unbound-filings
name: Unbound filings
inputs:
  - {name: filings, type: list}
steps:
  - name: officers
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: parse_990_officers
    inputs: {source: '{filings}'}
"#;
    ana.playbook(yaml).await;
    let agent = ana.agent(&[]).await;
    let body = json!({ "yaml": yaml, "profile_id": agent });
    let judged = ana.post("/playbooks/validate", &body).await;
    assert_eq!(judged["errors"][0]["code"], "P011", "{judged:#}");
    let start =
        json!({ "profile": agent, "playbook": "unbound-filings", "inputs": { "filings": [] } });
    assert_eq!(ana.refused("/executions", Some(&start)).await.0, 422);
    let sources = format!("/profiles/{agent}/data-sources");
    let bound = ana.post(&sources, &json!({ "connector_id": "irs-990-xml" })).await;
    let judged = ana.post("/playbooks/validate", &body).await;
    assert_eq!(judged["is_valid"], true, "{judged:#}");
    let shown = ana.get(&format!("{sources}/{}", bound["id"].as_str().unwrap())).await;
    let made: jiff::Timestamp = shown["created_at"].as_str().unwrap().parse().unwrap();
    let ago = jiff::Timestamp::now().duration_since(made);
    assert!(ago.abs() < jiff::SignedDuration::from_mins(10), "{shown:#}");
    // What the binding switches off, or does not allow, is as if it were not there.
    let binding = format!("{FACTORY}{sources}/{}", bound["id"].as_str().unwrap());
    for (permissions, is_enabled, code) in
        [(json!({}), false, "P011"), (json!({ "allowed_endpoints": ["parse_990"] }), true, "P012")]
    {
        let change =
            json!({ "config_overrides": {}, "permissions": permissions, "is_enabled": is_enabled });
        ana.door.put(&binding, &change).await.unwrap();
        let judged = ana.post("/playbooks/validate", &body).await;
        assert_eq!(judged["errors"][0]["code"], code, "{judged:#}");
        assert_eq!(ana.refused("/executions", Some(&start)).await.0, 422);
    }
    let shown = ana.get(&format!("{sources}/{}", bound["id"].as_str().unwrap())).await;
    assert_eq!(shown["created_at"], made.to_string(), "a change does not make it anew");
}

#[tokio::test]
async fn f_336_f_337_f_339_f_340_f_342_a_playbook_is_listed_shown_changed_validated_and_removed() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(SOUND).await;
    let listed = ana.get("/playbooks?limit=100").await;
    let mine: Vec<&Value> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["id"] == "sound-links" || one["id"] == "officer-cross-reference")
        .collect();
    assert_eq!(mine.len(), 2, "own ones and those of the deployment: {listed:#}");
    let shown = ana.get("/playbooks/sound-links").await;
    assert_eq!((&shown["name"], &shown["yaml"]), (&json!("Sound links"), &json!(SOUND)));
    let path = format!("{FACTORY}/playbooks/sound-links");
    let changed = SOUND.replace("name: Sound links", "name: Changed");
    ana.door.put(&path, &json!({ "yaml": changed })).await.unwrap();
    assert_eq!(ana.get("/playbooks/sound-links").await["name"], "Changed");
    let judged = ana.post("/playbooks/sound-links/validate", &json!({})).await;
    assert_eq!((&judged["is_valid"], judged["steps"].as_array().unwrap().len()), (&json!(true), 6));
    // What the deployment ships is nobody's to change (F-006).
    let shipped = format!("{FACTORY}/playbooks/officer-cross-reference");
    assert!(ana.door.delete(&shipped).await.is_err());
    ana.door.delete(&path).await.unwrap();
    assert_eq!(ana.refused("/playbooks/sound-links", None).await.0, 404);
}

#[tokio::test]
async fn k_55_a_name_that_could_mean_two_results_is_rejected() {
    let ana = person("ana", &["global:analyst"]).await;
    let two = r#"
  - {name: kept, step_type: tool, action: transform_data, output_key: shared, inputs: {data: [{a: 1}]}}
  - {name: shared, step_type: tool, action: transform_data, inputs: {data: [{a: 1}]}}
  - {name: reads, step_type: tool, action: transform_data, inputs: {data: "{shared.data}"}}
"#;
    let said = judged(&ana, &with(two)).await;
    let codes = said["errors"].as_array().unwrap().iter();
    assert!(codes.into_iter().any(|one| one["code"] == "P009"), "{said:#}");
    let plain = with(&two.replace("output_key: shared", "output_key: other"));
    assert_eq!(judged(&ana, &plain).await["is_valid"], true);
}
