//! The parts of a graph, and what an agent's settings do with spellings.

use serde_json::{Value, json};

use crate::case::{Person, person, step};
use crate::filings::{GOOD, upload};

/// Two names into two parts of the graph, and one into a part that the agent does not have.
const NAMED: &str = "
id: names-parts
name: Names parts of the graph
execution_mode: deterministic
steps:
  - {name: own, step_type: tool, action: resolve_entities, inputs: {entities: [{name: ADA MARROWBY, type: PERSON}]}}
  - {name: second, step_type: tool, action: resolve_entities, inputs: {entities: [{name: JON QUILLFEATHER, type: PERSON}]}, params: {namespace: second}}
  - {name: third, step_type: tool, action: resolve_entities, on_error: skip, inputs: {entities: [{name: ANN LEE, type: PERSON}]}, params: {namespace: third}}
  - {name: found, step_type: tool, action: search_knowledge_graph, inputs: {entity_names: [ada, jon]}, params: {namespace: second}}
";

async fn agent(ana: &Person, handle: &str, config: &Value) -> String {
    let handle = format!("{}-{handle}", ana.username);
    let body = json!({ "name": "Reader", "handle": handle, "knowledge_config": config });
    ana.post("/profiles", &body).await["id"].as_str().unwrap().to_owned()
}

async fn people(ana: &Person, part: &str) -> Vec<String> {
    let page = ana.get(&format!("/knowledge/entities?type=PERSON&namespace={part}")).await;
    let items = page["items"].as_array().unwrap().iter();
    items.map(|one| one["canonical_name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn f_170_f_274_a_step_names_a_part_of_the_graph_that_its_agent_has() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = agent(&ana, "parts", &json!({ "graph_namespaces": ["first", "second"] })).await;
    ana.playbook(NAMED).await;
    let run = ana.start(&agent, "names-parts", json!({})).await;
    let run = ana.reaches(&run, "partial").await;
    assert_eq!(people(&ana, "first").await, ["Ada Marrowby"], "the first is the default");
    assert_eq!(people(&ana, "second").await, ["Jon Quillfeather"]);
    let third = step(&run, "third");
    assert_eq!((&third["status"], &third["code"]), (&json!("failed"), &json!("BAD_PARAM")));
    assert!(third["message"].as_str().unwrap().contains("third"), "{third:#}");
    assert!(people(&ana, "third").await.is_empty());
    let path = format!("/executions/{}/outputs/found", run["id"].as_str().unwrap());
    let found = ana.get(&path).await["output"].clone();
    assert_eq!((&found["count"], &found["not_found"]), (&json!(1), &json!(["ada"])), "{found:#}");
}

const READ: &str = "
id: reads-spellings
name: Reads officers
required_connectors: [irs-990-xml]
inputs:
  - {name: filings, type: list}
steps:
  - {name: officers, step_type: tool, action: call_connector, connector: irs-990-xml, endpoint: parse_990_officers, inputs: {source: '{filings}'}}
";

#[tokio::test]
async fn f_170_without_entity_resolution_two_spellings_are_two_people() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(READ).await;
    let filing = |name: &str| GOOD.replace("ANN LEE", name).into_bytes();
    let files = vec![
        ("a.xml".to_owned(), filing("MARGARET THORNQUIST")),
        ("b.xml".to_owned(), filing("MARGARET E THORNQUIST")),
    ];
    let filings = upload(&ana, files).await;
    for (part, resolves, expect) in [("as-written", false, 2), ("resolved", true, 1)] {
        let config = json!({
            "graph_namespaces": [part], "auto_enrich": true, "entity_resolution": resolves,
        });
        let agent = agent(&ana, part, &config).await;
        ana.bind(&agent, "irs-990-xml").await;
        let run = ana.start(&agent, "reads-spellings", json!({ "filings": filings })).await;
        ana.reaches(&run, "complete").await;
        let people = people(&ana, part).await;
        assert_eq!(people.len(), expect, "{part}: {people:?}");
    }
}
