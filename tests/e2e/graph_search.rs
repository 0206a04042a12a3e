//! `search_knowledge_graph` over a graph that an earlier run has filled (F-043).

use serde_json::{Value, json};

use crate::case::person;

const FILL: &str = "
id: fill-graph
name: Fill the graph
execution_mode: deterministic
inputs:
  - {name: people, type: list}
steps:
  - {name: resolved, step_type: tool, action: resolve_entities, inputs: {entities: '{people}'}}
";

const SEARCH: &str = "
id: search-graph
name: Search the graph
execution_mode: deterministic
steps:
  - {name: around, step_type: tool, action: search_knowledge_graph, inputs: {entity_name: owl fund}, params: {max_hops: 1}}
  - {name: far, step_type: tool, action: search_knowledge_graph, inputs: {entity_names: [owl fund, nobody at all]}, params: {max_hops: 2}}
  - {name: alone, step_type: tool, action: search_knowledge_graph, inputs: {entity_name: owl fund}, params: {include_related: false}}
  - {name: boards, step_type: tool, action: search_knowledge_graph, inputs: {entity_name: owl fund}, params: {relationship_types: [BOARD_MEMBER_OF]}}
  - {name: people, step_type: tool, action: search_knowledge_graph, inputs: {entity_name: ann}, params: {entity_types: [PERSON], include_related: false}}
  - {name: by_id, step_type: tool, action: search_knowledge_graph, inputs: {external_id: 'ein:99-0000017'}, params: {max_hops: 1}}
  - {name: no_such_id, step_type: tool, action: search_knowledge_graph, inputs: {external_id: 'ein:99-0000018'}}
";

fn officer(name: &str, of: &str, relationship: &str) -> Value {
    json!({
        "name": name, "type": "PERSON", "source_field": "name", "source_record_index": 0, "relationship_type": relationship,
        "attributes": { "title": "DIRECTOR" }, "related_to": { "name": of, "type": "ORG" }, "source_connector": "filings",
    })
}

fn names(found: &Value) -> Vec<&str> {
    let entities = found["entities"].as_array().unwrap().iter();
    let mut names: Vec<&str> = entities.map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn f_043_entities_are_found_with_what_is_around_them() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(FILL).await;
    ana.playbook(SEARCH).await;
    let people = json!([
        officer("ANN THORNQUIST", "OWL FUND", "OFFICER_OF"),
        officer("JON QUILLFEATHER", "OWL FUND", "BOARD_MEMBER_OF"),
        officer("JON QUILLFEATHER", "MILL TRUST", "OFFICER_OF"),
        json!({ "name": "OWL FUND", "type": "ORG", "source_field": "name", "source_record_index": 1, "external_ids": { "ein": "990000017" } }),
    ]);
    let run = ana.start(&agent, "fill-graph", json!({ "people": people })).await;
    ana.reaches(&run, "complete").await;
    let run = ana.start(&agent, "search-graph", json!({})).await;
    ana.reaches(&run, "complete").await;
    let found = async |step: &str| {
        ana.get(&format!("/executions/{run}/outputs/{step}")).await["output"].clone()
    };
    let around = found("around").await;
    assert_eq!(names(&around), ["Ann Thornquist", "Jon Quillfeather", "OWL FUND"], "{around:#}");
    assert_eq!((&around["count"], &around["is_cut"]), (&json!(3), &json!(false)));
    let ann =
        around["entities"].as_array().unwrap().iter().find(|one| one["name"] == "Ann Thornquist");
    let ann = ann.unwrap();
    assert_eq!((&ann["type"], &ann["external_ids"]), (&json!("PERSON"), &json!({})), "{ann:#}");
    assert!(
        ann["aliases"].is_array() && ann["confidence"].as_f64().is_some_and(|c| c > 0.5),
        "{ann:#}"
    );
    let relationships = around["relationships"].as_array().unwrap();
    let of = |person: &str| relationships.iter().find(|one| one["source"] == person).unwrap();
    assert_eq!(relationships.len(), 2, "{around:#}");
    let officer = of("Ann Thornquist");
    assert_eq!((&officer["target"], &officer["type"]), (&json!("OWL FUND"), &json!("OFFICER_OF")));
    assert_eq!(officer["properties"]["title"], "DIRECTOR", "{officer:#}");
    assert!(officer["confidence"].as_f64().is_some_and(|confidence| confidence > 0.5));
    assert_eq!(of("Jon Quillfeather")["type"], "BOARD_MEMBER_OF");
    let far = found("far").await;
    assert!(names(&far).contains(&"MILL TRUST"), "two steps away: {far:#}");
    assert_eq!(far["not_found"], json!(["nobody at all"]));
    assert_eq!((&far["warnings"], &far["warning_count"]), (&json!([]), &json!(0)));
    assert_eq!(names(&found("alone").await), ["OWL FUND"]);
    assert_eq!(names(&found("boards").await), ["Jon Quillfeather", "OWL FUND"]);
    assert_eq!(names(&found("people").await), ["Ann Thornquist"]);
    assert_eq!(names(&found("by_id").await), names(&around));
    let none = found("no_such_id").await;
    assert_eq!((&none["count"], &none["not_found"]), (&json!(0), &json!(["ein:99-0000018"])));
    // The same lookups through the API, by subtype as well.
    for (query, expect) in [
        ("external_id=ein:99-0000017", 1),
        ("external_id=ein:99-0000018", 0),
        ("subtype=TRUST", 1),
        ("subtype=TRUST&q=owl", 0),
        ("external_id=ein:99-0000017&type=PERSON", 0),
        ("external_id=ein:99-0000017&q=owl", 1),
    ] {
        let page = ana.get(&format!("/knowledge/entities?{query}")).await;
        assert_eq!(page["items"].as_array().unwrap().len(), expect, "{query}: {page:#}");
    }
    assert_eq!(ana.refused("/knowledge/entities?external_id=990000017", None).await.0, 422);
}

fn gift(record: u32, amount: &str) -> Value {
    json!({
        "name": "ADA PINFEATHER", "type": "PERSON", "source_field": "name", "source_record_index": record,
        "relationship_type": "DONATED_TO", "related_to": { "name": "KITE PAC", "type": "ORG" },
        "attributes": { "amount": amount, "date": "2024-01-31" }, "source_connector": "filings",
    })
}

#[tokio::test]
async fn f_264_two_gifts_are_one_relationship_whose_amounts_are_told_apart() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(FILL).await;
    let people = json!([gift(0, "100.00"), gift(1, "250.00")]);
    let run = ana.start(&agent, "fill-graph", json!({ "people": people })).await;
    ana.reaches(&run, "complete").await;
    let found = ana.get("/knowledge/entities?q=pinfeather").await;
    let id = found["items"][0]["entity_id"].as_str().unwrap();
    let near = ana.get(&format!("/knowledge/entities/{id}/neighbours?max_hops=1")).await;
    let gifts = &near["relationships"][0];
    assert_eq!(gifts["differing"], json!(["amount"]), "{near:#}");
    assert_eq!(gifts["properties"]["date"], "2024-01-31", "{near:#}");
    assert_eq!(gifts["properties"]["amount"], Value::Null, "{near:#}");
    let readings = gifts["provenance"].as_array().unwrap().iter();
    let mut amounts: Vec<&str> =
        readings.map(|one| one["properties"]["amount"].as_str().unwrap()).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, ["100.00", "250.00"], "{near:#}");
}

#[tokio::test]
async fn f_273_what_a_name_finds_is_listed_page_by_page() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(FILL).await;
    let officers = ["ANN THORNQUIST", "ANN QUILLFEATHER", "ANN PINFEATHER"];
    let people: Vec<Value> =
        officers.iter().map(|name| officer(name, "OWL FUND", "OFFICER_OF")).collect();
    let run = ana.start(&agent, "fill-graph", json!({ "people": people })).await;
    ana.reaches(&run, "complete").await;
    let first = ana.get("/knowledge/entities?q=ann&limit=2").await;
    let next = first["next"].as_str().unwrap();
    let second = ana.get(&format!("/knowledge/entities?q=ann&limit=2&cursor={next}")).await;
    assert_eq!(second["next"], Value::Null, "{second:#}");
    let items = [&first, &second].into_iter().flat_map(|page| page["items"].as_array().unwrap());
    let mut found: Vec<&str> = items.map(|one| one["canonical_name"].as_str().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, ["Ann Pinfeather", "Ann Quillfeather", "Ann Thornquist"]);
    let (status, code) = ana.refused("/knowledge/entities?q=a", None).await;
    assert_eq!((status, code.as_str()), (422, "INVALID_INPUT"));
}
