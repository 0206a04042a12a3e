//! The knowledge graph: what is written later, and how relationships are kept and found.

use serde_json::{Value, json};

use crate::case::{person, until};
use crate::journals::run;

const LATER: &str = r#"
id: resolves-later
name: Resolves later
execution_mode: deterministic
inputs:
  - {name: people, type: list}
steps:
  - {name: later, step_type: tool, action: resolve_entities, inputs: {entities: "{people}"}, params: {within_seconds: 0}}
"#;

#[tokio::test]
async fn f_250_f_313_names_that_take_too_long_are_told_and_resolved_in_the_background() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(LATER).await;
    let fund = json!({ "name": "HERON FUND", "type": "ORG" });
    let officer = |index: usize, name: &str| json!({ "name": name, "type": "PERSON", "source_record_index": index, "relationship_type": "OFFICER_OF", "related_to": fund });
    let people = json!([officer(0, "Ada Heron"), officer(1, "HERON, ADA"), officer(2, "Bo Crane")]);
    let done = run(&ana, &agent, "resolves-later", json!({ "people": people })).await;
    let id = done["id"].as_str().unwrap();
    let said = ana.get(&format!("/executions/{id}/outputs/later")).await["output"].clone();
    assert_eq!((&said["pending"], &said["resolved"]), (&json!(3), &json!([])), "{said:#}");
    let told = done["warnings"][0]["first"][0].as_str().unwrap();
    assert!(told.contains("not resolved yet"), "the run says what is pending: {done:#}");
    // The sweeper does it, within a minute or so.
    let discoveries = format!("/executions/{id}/discoveries");
    let found = until("the names are resolved", || async {
        let found = ana.get(&discoveries).await["items"].as_array().unwrap().clone();
        (!found.is_empty()).then_some(found)
    })
    .await;
    let kinds = |kind: &str| found.iter().filter(|one| one["discovery_type"] == kind).count();
    assert_eq!((kinds("new_entity"), kinds("new_relationship")), (3, 2), "{found:#?}");
    let people = ana.get("/knowledge/entities?type=PERSON").await;
    assert_eq!(people["items"].as_array().unwrap().len(), 2, "{people:#}");
}

const FUNDED: &str = r#"
id: reads-funding
name: Reads funding
execution_mode: deterministic
inputs:
  - {name: found, type: list}
  - {name: who, type: entity_name}
steps:
  - {name: kept, step_type: tool, action: resolve_entities, inputs: {entities: "{found}"}}
  - {name: funds, step_type: tool, action: search_knowledge_graph, inputs: {entity_name: "{who}"}, params: {relationship_types: [FUNDS, CONTROLS], max_hops: 1}}
"#;

#[tokio::test]
async fn f_043_f_258_f_262_a_relationship_is_found_from_whichever_end_it_was_read() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(FUNDED).await;
    let one = |name: &str, relationship: &str, other: &str| json!({ "name": name, "type": "ORG", "relationship_type": relationship, "attributes": { "amount": 5 }, "related_to": { "name": other, "type": "ORG" } });
    let found = json!([
        one("Shelter Trust", "FUNDED_BY", "Owl Bank"),
        one("Small Ltd", "SUBSIDIARY_OF", "Owl Bank"),
    ]);
    let done =
        run(&ana, &agent, "reads-funding", json!({ "found": found, "who": "Owl Bank" })).await;
    let id = done["id"].as_str().unwrap();
    let output = ana.get(&format!("/executions/{id}/outputs/funds")).await["output"].clone();
    let mut edges: Vec<(String, String, String)> = output["relationships"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| ["source", "type", "target"].map(|key| edge[key].as_str().unwrap().to_owned()))
        .map(|[source, kind, target]| (source, kind, target))
        .collect();
    edges.sort();
    let edge =
        |kind: &str, target: &str| ("Owl Bank".to_owned(), kind.to_owned(), target.to_owned());
    assert_eq!(
        edges,
        [edge("CONTROLS", "Small Ltd"), edge("FUNDS", "Shelter Trust")],
        "{output:#}"
    );
    let record = &done["record"]["entities"];
    assert_eq!(record["relationships_discovered"], 2, "{done:#}");
}

const RELATED: &str = r#"
id: reads-relationships
name: Reads relationships
execution_mode: deterministic
inputs:
  - {name: found, type: list}
steps:
  - {name: kept, step_type: tool, action: resolve_entities, inputs: {entities: "{found}"}}
"#;

#[tokio::test]
async fn f_257_f_259_to_f_267_f_271_each_relationship_keeps_its_properties() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(RELATED).await;
    let relationships = [
        (
            "FUNDS",
            "Marble Bank",
            "ORG",
            json!({ "amount": 5, "currency": "USD", "date": "2024-06-30", "date_range_start": "2023-07-01", "date_range_end": "2024-06-30", "filing_type": "990" }),
        ),
        (
            "OFFICER_OF",
            "Ada Kite",
            "PERSON",
            json!({ "title": "CHAIR", "compensation": 7, "hours_per_week": 3 }),
        ),
        (
            "BOARD_MEMBER_OF",
            "Bo Crane",
            "PERSON",
            json!({ "role": "Chair", "start_date": "2020-01-01" }),
        ),
        (
            "CONTROLS",
            "Holding Kestrel",
            "ORG",
            json!({ "ownership_percentage": 51, "control_type": "majority_owner" }),
        ),
        (
            "RELATED_TO",
            "Cy Wren",
            "PERSON",
            json!({ "relationship_type": "family", "description": "a sister" }),
        ),
        (
            "DONATED_TO",
            "Di Lark",
            "PERSON",
            json!({ "amount": 9, "date": "2024-03-01", "filing_id": "FEC-77", "employer": "Acme", "occupation": "CEO" }),
        ),
        (
            "LOCATED_IN",
            "Flint Harbor",
            "LOCATION",
            json!({ "address": "1 Main St", "is_registered_address": false, "is_headquarters": true }),
        ),
        ("OPERATES_IN", "Old Quarry", "LOCATION", json!({})),
        (
            "WORKS_FOR",
            "Ed Swift",
            "PERSON",
            json!({ "title": "Cook", "start_date": "2021-05-01", "end_date": "2024-01-01" }),
        ),
        ("MEMBER_OF", "Flo Heron", "PERSON", json!({ "role": "maintainer" })),
    ];
    let found: Vec<Value> = relationships
        .iter()
        .enumerate()
        .map(|(index, (kind, name, of_type, attributes))| {
            json!({ "name": name, "type": of_type, "source_record_index": index, "relationship_type": kind,
                "attributes": attributes, "source_connector": "filings", "related_to": { "name": "KITE TRUST", "type": "ORG" } })
        })
        .collect();
    let done = run(&ana, &agent, "reads-relationships", json!({ "found": found })).await;
    let trust = ana.get("/knowledge/entities?q=kite+trust&type=ORG").await["items"][0].clone();
    let id = trust["entity_id"].as_str().unwrap();
    let near = ana.get(&format!("/knowledge/entities/{id}/neighbours?max_hops=1")).await;
    for (kind, name, _, attributes) in &relationships {
        let edges = near["relationships"].as_array().unwrap().iter();
        let mut own = edges.filter(|edge| {
            edge["type"] == *kind
                && [&edge["source"], &edge["target"]].contains(&&json!("KITE TRUST"))
        });
        let edge = own.next().unwrap_or_else(|| panic!("no {kind} of {name}: {near:#}"));
        for (property, value) in attributes.as_object().unwrap() {
            assert_eq!(edge["properties"][property], *value, "{kind}: {edge:#}");
        }
        assert_eq!(edge["properties"]["source_connector"], "filings", "where it was read (F-269)");
        assert_eq!(edge["properties"]["source_execution_id"], done["id"], "{kind}: {edge:#}");
        assert!(edge["confidence"].as_f64().is_some_and(|one| one > 0.0), "{kind}: {edge:#}");
        assert_eq!(edge["provenance"][0]["execution_id"], done["id"]);
    }
}

#[tokio::test]
async fn f_252_an_entity_says_what_was_read_of_it_where_and_when() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(RELATED).await;
    let one = |name: &str| json!([{ "name": name, "type": "ORG", "source_record_index": 0, "external_ids": { "ein": "99-0000017" }, "source_connector": "filings" }]);
    for name in ["OWL FOUNDATION", "The Owl Charity"] {
        run(&ana, &agent, "reads-relationships", json!({ "found": one(name) })).await;
    }
    let all = ana.get("/knowledge/entities?type=ORG").await["items"].clone();
    assert_eq!(all.as_array().unwrap().len(), 1, "one number, one entity: {all:#}");
    let path = format!("/knowledge/entities/{}", all[0]["entity_id"].as_str().unwrap());
    let owl = ana.get(&path).await;
    assert_eq!((&owl["type"], &owl["subtype"]), (&json!("ORG"), &json!("FOUNDATION")), "{owl:#}");
    assert_eq!(owl["external_ids"], json!({ "ein": "990000017" }), "{owl:#}");
    let names = [&owl["name"], &owl["aliases"]].map(Value::to_string).concat();
    assert!(names.contains("OWL FOUNDATION") && names.contains("The Owl Charity"), "{owl:#}");
    assert!(!owl["canonical_name"].as_str().unwrap().is_empty(), "{owl:#}");
    assert!(owl["confidence"].as_f64().is_some_and(|one| one > 0.0), "{owl:#}");
    assert!(owl["source_count"].as_u64().is_some_and(|count| count >= 1), "{owl:#}");
    let at = |field: &str| owl[field].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert!(at("first_seen") < at("last_seen") && at("created_at") < at("updated_at"), "{owl:#}");
    let bea = person("bea", &["global:reader"]).await;
    assert_eq!(bea.refused(&path, None).await.0, 404, "it belongs to whoever ran the agent");
}

#[tokio::test]
async fn f_248_a_review_shows_its_evidence_and_can_be_put_aside() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(RELATED).await;
    let one = |index: usize, name: &str| json!({ "name": name, "type": "PERSON", "source_record_index": index, "relationship_type": "OFFICER_OF", "related_to": { "name": "WREN FUND", "type": "ORG" } });
    let found = json!([one(0, "J DOE"), one(1, "JANE DOE")]);
    run(&ana, &agent, "reads-relationships", json!({ "found": found })).await;
    let reviews = ana.get("/entity-reviews").await;
    let review = &reviews["items"][0];
    assert_eq!(review["status"], "pending", "{reviews:#}");
    let path = format!("/entity-reviews/{}", review["id"].as_str().unwrap());
    let shown = ana.get(&path).await;
    for evidence in ["source", "candidate", "confidence", "match_details", "shared_executions"] {
        assert!(!shown[evidence].is_null(), "{evidence}: {shown:#}");
    }
    let aside = ana.post(&format!("{path}/skip"), &json!({})).await;
    assert_eq!(aside["status"], "skipped", "{aside:#}");
    assert_eq!(ana.get("/entity-reviews").await["items"], json!([]));
    let skipped = ana.get("/entity-reviews?status=skipped").await;
    assert_eq!(skipped["items"].as_array().unwrap().len(), 1, "{skipped:#}");
    // It is put aside, not decided: it can still be.
    let rejected = ana.post(&format!("{path}/reject"), &json!({})).await;
    assert_eq!(rejected["status"], "rejected", "{rejected:#}");
}
