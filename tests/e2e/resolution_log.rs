//! Each way in which two names are found to be one stands in the resolution log (F-247).

use serde_json::{Value, json};

use crate::case::person;

const RESOLVE: &str = "
id: resolve-anybody
name: Resolve anybody
inputs:
  - {name: entities, type: list}
steps:
  - {name: resolved, step_type: tool, action: resolve_entities, inputs: {entities: '{entities}'}}
";

fn officer(name: &str) -> Value {
    json!({
        "name": name, "type": "PERSON", "relationship_type": "OFFICER_OF",
        "related_to": { "name": "OWL FUND", "type": "ORG" },
    })
}

/// The same, as `extract_entities` says whom somebody was seen with.
fn seen_with_fund(name: &str) -> Value {
    let mut officer = officer(name);
    officer["context"] = json!(["OWL FUND"]);
    officer
}

fn organisation(name: &str, ein: &str) -> Value {
    json!({ "name": name, "type": "ORG", "external_ids": { "ein": ein } })
}

#[tokio::test]
async fn f_247_every_match_method_is_in_the_log() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(RESOLVE).await;
    let entities = json!([
        officer("Ann Lee"),
        officer("LEE, ANN"),
        officer("Robert Smith"),
        officer("Bob Smith"),
        seen_with_fund("Margaret Holloway"),
        seen_with_fund("M. Holloway"),
        organisation("Harbour Light Trust", "990000017"),
        organisation("Seafarers Aid", "990000017"),
    ]);
    let run = ana.start(&agent, "resolve-anybody", json!({ "entities": entities })).await;
    ana.reaches(&run, "complete").await;
    let log = ana.get("/entity-resolution/log?action=auto_merge").await;
    let rows = log["items"].as_array().unwrap();
    let method_of = |part: &str| {
        let has = |row: &&Value| {
            let name = |field: &str| row[field].as_str().unwrap_or_default().to_lowercase();
            name("source_entity_name").contains(part) || name("target_entity_name").contains(part)
        };
        let row = rows.iter().find(has).unwrap_or_else(|| panic!("{part}: {log:#}"));
        row["match_method"].as_str().unwrap().to_owned()
    };
    assert_eq!(method_of("ann"), "exact_name");
    assert_eq!(method_of("bob"), "fuzzy_name");
    assert_eq!(method_of("m. holloway"), "context_overlap");
    assert_eq!(method_of("seafarers"), "external_id");
    assert_eq!(rows.len(), 4, "{log:#}");
}
