//! Profiles: changed in part, with skills, without fields that do nothing, and removed with all that is theirs.

mod removed;

use countersign_cli::CliError;
use serde_json::{Value, json};

use crate::case::{self, FACTORY, Person, Refusal, person};

/// The status, code and places of a refusal.
fn refusal(said: Result<Value, CliError>) -> (u16, String, Vec<String>) {
    let Refusal { status, code, places, .. } = case::refusal(said);
    (status, code, places)
}

async fn patch(who: &Person, path: &str, body: &Value) -> Result<Value, CliError> {
    who.door.patch(&format!("{FACTORY}{path}"), body).await
}

#[tokio::test]
async fn f_177_a_profile_is_changed_in_part() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let path = format!("/profiles/{agent}");
    let before = ana.get(&path).await;

    let days = json!({ "journal_config": { "retention_days": 7 }, "icon": "x", "version": 1 });
    let after = patch(&ana, &path, &days).await.unwrap();
    let mut expect = before.clone();
    expect["journal_config"]["retention_days"] = json!(7);
    expect["icon"] = json!("x");
    expect["version"] = json!(2);
    expect["updated_at"] = after["updated_at"].clone();
    assert_eq!(after, expect);
    assert_eq!(ana.get(&path).await, expect);

    let cleared = patch(&ana, &path, &json!({ "icon": null, "is_active": false })).await.unwrap();
    assert_eq!((&cleared["icon"], &cleared["is_active"]), (&Value::Null, &json!(false)));

    let conflict = (409, "VERSION_CONFLICT".to_owned(), Vec::new());
    assert_eq!(refusal(patch(&ana, &path, &json!({ "name": "B", "version": 1 })).await), conflict);
    let invalid = |code: &str, places: &[&str]| {
        (422, code.to_owned(), places.iter().map(|&place| place.to_owned()).collect::<Vec<_>>())
    };
    for (body, expect) in [
        (json!({ "nam": "B" }), invalid("PROFILE_INVALID", &["nam"])),
        (json!({ "name": null }), invalid("PROFILE_INVALID", &["name"])),
        (json!({ "is_active": null }), invalid("INVALID_INPUT", &["is_active"])),
        (
            json!({ "created_at": "2026-01-01T00:00:00Z" }),
            invalid("INVALID_INPUT", &["created_at"]),
        ),
        (json!([{ "name": "B" }]), invalid("INVALID_INPUT", &[""])),
        (json!({ "name": "B", "version": "2" }), invalid("INVALID_INPUT", &["version"])),
    ] {
        assert_eq!(refusal(patch(&ana, &path, &body).await), expect, "{body}");
    }
    assert_eq!(ana.get(&path).await, cleared, "nothing was stored");

    let shipped = "/profiles?from=system&limit=1";
    let shipped = ana.get(shipped).await["items"][0]["id"].as_str().unwrap().to_owned();
    let said = patch(&ana, &format!("/profiles/{shipped}"), &json!({ "name": "B" })).await;
    assert_eq!(refusal(said).0, 403);
    let bob = person("bob", &["global:analyst"]).await;
    assert_eq!(refusal(patch(&bob, &path, &json!({ "name": "B" })).await).0, 404);
}

#[tokio::test]
async fn f_362_a_schedule_is_changed_in_part() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let body = json!({
        "name": "Mornings", "profile_id": agent, "cron_expression": "0 6 * * *", "query_template": "What is new?",
    });
    let made = ana.post("/schedules", &body).await;
    let path = format!("/schedules/{}", made["id"].as_str().unwrap());
    let later = patch(&ana, &path, &json!({ "cron_expression": "0 9 * * *" })).await.unwrap();
    assert_eq!(
        (&later["cron_expression"], &later["name"], &later["version"]),
        (&json!("0 9 * * *"), &json!("Mornings"), &json!(2))
    );
    let said = patch(&ana, &path, &json!({ "timezone": "Europe/Atlantis" })).await;
    assert_eq!(refusal(said).2, ["timezone"]);
}

#[tokio::test]
async fn what_only_a_run_would_find_out_is_refused_when_it_is_stored() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let refused = async |kind: &str, body: &Value| {
        let said = ana.door.post(&format!("{FACTORY}/{kind}"), body).await;
        let (status, _, found) = refusal(said);
        assert_eq!(status, 422, "{body}");
        found
    };
    let destination = json!({ "type": "chat", "condition": "{count} >> 1" });
    let profile = json!({
        "name": "A", "handle": format!("{}-late", ana.username), "approvers": ["bea", "bea"],
        "output_config": { "destinations": [destination] },
    });
    let mut found = refused("profiles", &profile).await;
    found.sort_unstable();
    assert_eq!(found, ["approvers[1]", "output_config.destinations[0].condition"]);
    let mut trigger = json!({ "name": "A", "profile_id": agent, "on": { "type": "webhook" } });
    trigger["inputs"] = json!({ "since": { "body.since": null } });
    assert_eq!(refused("triggers", &trigger).await, ["inputs.since"]);
    let schedule = json!({
        "name": "A", "profile_id": agent, "cron_expression": "0 6 * * *", "query_template": "since {date",
    });
    assert_eq!(refused("schedules", &schedule).await, ["query_template"]);
    let connector = "id: pay\nname: Pay\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints:\n  pay:\n    description: Pays.\n    method: POST\n    path: /pay\n    parameters: [{ name: grant, required: true }]\n    body: { grant: {grant} }\n";
    assert_eq!(refused("connectors", &json!({ "yaml": connector })).await, ["yaml:12:20"]);
}

#[tokio::test]
async fn f_393_a_field_that_nothing_reads_is_refused_wherever_it_is_written() {
    let ana = person("ana", &["global:analyst"]).await;
    let body = json!({
        "name": "A", "handle": format!("{}-inert", ana.username), "tool_packs": ["knowledge"],
        "model_temperature": 1, "knowledge_config": { "write_collection": "a" },
        "skills": [{ "skill_type": "built_in", "reference": "knowledge_builder" }],
    });
    let mut places = vec![
        "tool_packs",
        "model_temperature",
        "knowledge_config.write_collection",
        "skills[0].reference",
    ];
    places.sort_unstable();
    let sorted = |mut found: Vec<String>| {
        found.sort_unstable();
        found
    };
    let (status, code, found) = refusal(ana.door.post(&format!("{FACTORY}/profiles"), &body).await);
    assert_eq!((status, code.as_str(), sorted(found)), (422, "PROFILE_INVALID", strings(&places)));
    let said = ana.post("/profiles/validate", &body).await;
    assert_eq!(said["is_valid"], false, "{said:#}");
    let errors = said["errors"].as_array().unwrap();
    let found = errors.iter().map(|error| error["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(sorted(found), strings(&places), "{said:#}");
    assert!(errors.iter().all(|error| error["hint"].is_string()), "{said:#}");

    let agent = ana.agent(&[]).await;
    let said =
        patch(&ana, &format!("/profiles/{agent}"), &json!({ "max_research_rounds": 9 })).await;
    assert_eq!(refusal(said).2, ["max_research_rounds"]);
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// A playbook that counts rows, and says so.
fn counting(id: &str) -> String {
    format!(
        r#"
id: {id}
name: Count
description: Counts rows.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: rows, type: list, required: true}}
  - {{name: most, type: number, required: true}}
steps:
  - name: counted
    step_type: tool
    action: transform_data
    inputs: {{data: "{{rows}}"}}
    operations: [{{type: filter, field: a, operator: lte, value: "{{most}}"}}]
output:
  template: "{id}: {{counted.count}} for {{caller_name}} at {{caller_email}}"
"#
    )
}

#[tokio::test]
async fn f_174_the_skill_of_the_highest_priority_is_followed_with_its_parameters() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(&counting("count-low")).await;
    ana.playbook(&counting("count-high")).await;
    let skill = |reference: &str, priority: i64, most: i64| {
        json!({ "skill_type": "playbook", "reference": reference, "priority": priority,
            "parameters": { "rows": [{ "a": 1 }, { "a": 2 }, { "a": 3 }], "most": most } })
    };
    let body = json!({
        "name": "Counter", "handle": format!("{}-counter", ana.username),
        "skills": [skill("count-low", 1, 1), skill("count-high", 2, 2)],
    });
    let made = ana.post("/profiles", &body).await;
    assert!(made.get("warnings").is_none(), "{made:#}");
    let agent = made["id"].as_str().unwrap();
    let answer = async |start: Value| {
        let run = ana.post("/executions", &start).await;
        let run = ana.reaches(run["id"].as_str().unwrap(), "complete").await;
        // Markdown escapes what comes from outside.
        let content = run["response"]["content"].as_str().unwrap_or_default();
        let content = content.replace(['\\', '`'], "");
        content.split("\n---\n").next().unwrap_or_default().trim().to_owned()
    };
    let email = &ana.email;
    let said = answer(json!({ "profile": agent })).await;
    assert_eq!(said, format!("count-high: 2 for ana at {email}"), "A-011");
    let said = answer(json!({ "profile": agent, "inputs": { "most": 3 } })).await;
    assert_eq!(said, format!("count-high: 3 for ana at {email}"));
    let said = answer(json!({ "profile": agent, "playbook": "count-low" })).await;
    assert_eq!(said, format!("count-low: 1 for ana at {email}"));

    let mut off = made["skills"].clone();
    off[1]["enabled"] = json!(false);
    let path = format!("/profiles/{agent}");
    patch(&ana, &path, &json!({ "skills": off })).await.unwrap();
    let start = json!({ "profile": agent, "playbook": "count-high" });
    let said = ana.door.post(&format!("{FACTORY}/executions"), &start).await;
    assert_eq!(refusal(said), (422, "INVALID_INPUT".to_owned(), strings(&["playbook"])));

    off[0]["parameters"] = json!({ "most": "many", "year": 1 });
    off[1]["reference"] = json!("count-nothing");
    let said = patch(&ana, &path, &json!({ "skills": off })).await;
    let places = ["skills[0].parameters.year", "skills[0].parameters.most"];
    assert_eq!(refusal(said), (422, "PROFILE_INVALID".to_owned(), strings(&places)));
    off[0]["parameters"] = json!({});
    let warned = patch(&ana, &path, &json!({ "skills": off })).await.unwrap();
    let warning = warned["warnings"][0]["message"].as_str().unwrap_or_default();
    assert!(warning.contains("there is no playbook `count-nothing`"), "{warned:#}");
}

#[tokio::test]
async fn f_322_a_profile_is_replaced_whole() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let path = format!("/profiles/{agent}");
    patch(&ana, &path, &json!({ "icon": "x", "description": "Before." })).await.unwrap();
    let handle = ana.get(&path).await["handle"].clone();
    let whole = json!({
        "name": "Replaced", "handle": handle, "journal_config": { "retention_days": 7 }, "version": 2,
    });
    let put = async |body: &Value| ana.door.put(&format!("{FACTORY}{path}"), body).await;
    let after = put(&whole).await.unwrap();
    assert_eq!((&after["name"], &after["version"]), (&json!("Replaced"), &json!(3)), "{after:#}");
    assert_eq!(after["journal_config"]["retention_days"], 7);
    assert_eq!(after["icon"], Value::Null, "what is left out has its default: {after:#}");
    assert_eq!(ana.get(&path).await, after);
    assert_eq!(refusal(put(&whole).await).1, "VERSION_CONFLICT", "it is of version 2");
}

#[tokio::test]
async fn f_383_f_384_f_410_a_handle_is_resolved_and_completed() {
    let ana = person("ana", &["global:analyst"]).await;
    for (name, handle) in [("Zebra finance", "zebra-finance"), ("Zebra grants", "zebra-grants")] {
        ana.post("/profiles", &json!({ "name": name, "handle": handle })).await;
    }
    let called = ana.get("/resolve-handle?handle=@zebra-grants").await;
    assert_eq!(
        (&called["name"], &called["handle"], &called["is_active"], &called["is_system"]),
        (&json!("Zebra grants"), &json!("zebra-grants"), &json!(true), &json!(false))
    );
    assert_eq!(ana.get("/resolve-handle?handle=zebra-grants").await, called);
    let offered = async |query: &str| -> Vec<String> {
        let page = ana.get(&format!("/available-agents{query}")).await;
        let items = page["items"].as_array().unwrap().iter();
        items.map(|one| one["handle"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(offered("?begins=@zebra").await, ["zebra-finance", "zebra-grants"]);
    assert_eq!(offered("?begins=Zebra G").await, ["zebra-grants"], "by its name");
    assert_eq!(offered("?begins=zebra&limit=1").await, ["zebra-finance"]);
    assert_eq!(ana.get("/available-agents?begins=zebra&limit=1").await["total"], 2);

    // The deployment ships one of this handle until somebody has an own one; that one switched off is not offered.
    let shipped = ana.get("/resolve-handle?handle=political-finance-tracker").await;
    assert_eq!(shipped["is_system"], true, "{shipped:#}");
    assert_eq!(offered("?begins=political").await, ["political-finance-tracker"]);
    let own = json!({ "name": "Mine", "handle": "political-finance-tracker" });
    let own = ana.post("/profiles", &own).await["id"].clone();
    let called = ana.get("/resolve-handle?handle=political-finance-tracker").await;
    assert_eq!((&called["id"], &called["is_system"]), (&own, &json!(false)));
    let path = format!("/profiles/{}", own.as_str().unwrap());
    patch(&ana, &path, &json!({ "is_active": false })).await.unwrap();
    assert!(offered("?begins=political").await.is_empty(), "that handle means the one that is off");
    for (kind, expect) in [("active", 2), ("inactive", 1)] {
        let page = ana.get(&format!("/profiles?from=own&kind={kind}")).await;
        assert_eq!(page["items"].as_array().unwrap().len(), expect, "{kind}: {page:#}");
    }

    let bea = person("bea", &["global:reader"]).await;
    assert_eq!(bea.refused("/resolve-handle?handle=zebra-grants", None).await.0, 404);
    let said = async |query: &str| refusal(ana.door.get(&format!("{FACTORY}{query}")).await);
    let invalid = |place: &str| (422, "INVALID_INPUT".to_owned(), vec![place.to_owned()]);
    assert_eq!(said("/resolve-handle?handle=Not a handle").await, invalid("handle"));
    assert_eq!(said("/available-agents?limit=51").await, invalid("limit"));
    assert_eq!(said("/available-agents?prefix=z").await, invalid("prefix"));
}
