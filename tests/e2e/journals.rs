//! Agents and their journals: what is written down, found, and what an inactive agent does.

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person, rows, until};
use crate::responses::playbook;

async fn agent(who: &Person, handle: &str, config: &Value) -> String {
    let profile = json!({ "name": "Writer", "handle": handle, "journal_config": config });
    who.post("/profiles", &profile).await["id"].as_str().unwrap().to_owned()
}

async fn entries(who: &Person, agent: &str) -> Vec<Value> {
    who.get(&format!("/profiles/{agent}/journal")).await["items"].as_array().unwrap().clone()
}

async fn run(who: &Person, agent: &str, playbook: &str, inputs: Value) -> Value {
    let run = who.start(agent, playbook, inputs).await;
    who.reaches(&run, "complete").await
}

#[tokio::test]
async fn f_172_f_225_a_profile_says_whether_and_how_much_is_written_down() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(&playbook("written-down", "")).await;
    let handle = |what: &str| format!("{}-{what}", ana.username);
    let usual = agent(&ana, &handle("usual"), &json!({})).await;
    let config = ana.get(&format!("/profiles/{usual}")).await["journal_config"].clone();
    let default = json!({ "auto_journal": true, "detail_level": "summary", "retention_days": 90 });
    assert_eq!(config, default);
    let detailed = agent(&ana, &handle("detailed"), &json!({ "detail_level": "detailed" })).await;
    let silent = agent(&ana, &handle("silent"), &json!({ "auto_journal": false })).await;
    for agent in [&usual, &detailed, &silent] {
        run(&ana, agent, "written-down", rows()).await;
    }
    let (usual, detailed) = (entries(&ana, &usual).await, entries(&ana, &detailed).await);
    assert_eq!((usual.len(), detailed.len(), entries(&ana, &silent).await.len()), (1, 1, 0));
    let notes = |entry: &Value| entry["detail_entries"].as_array().map_or(0, Vec::len);
    assert_eq!((notes(&usual[0]), notes(&detailed[0]) > 0), (0, true), "{detailed:#?}");
    let wrong = json!({ "name": "W", "journal_config": { "retention_days": 0 } });
    assert_eq!(ana.refused("/profiles", Some(&wrong)).await.0, 422);
}

const PAST: &str = r#"
id: reads-its-past
name: Reads its past
execution_mode: deterministic
inputs:
  - {name: words, type: string}
  - {name: from, type: date}
  - {name: status, type: string}
steps:
  - {name: past, step_type: tool, action: query_journal, inputs: {query: "{words}", date_from: "{from}", status: "{status}"}, params: {limit: 2}}
"#;

#[tokio::test]
async fn f_066_f_223_a_step_finds_what_its_agent_did_before() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(&playbook("done-before", "")).await;
    ana.playbook(PAST).await;
    let agent = agent(&ana, &format!("{}-past", ana.username), &json!({})).await;
    for _ in 0..3 {
        run(&ana, &agent, "done-before", rows()).await;
    }
    let find = |inputs: Value| {
        let (ana, agent) = (&ana, &agent);
        async move {
            let done = run(ana, agent, "reads-its-past", inputs).await;
            let id = done["id"].as_str().unwrap();
            ana.get(&format!("/executions/{id}/outputs/past")).await["output"].clone()
        }
    };
    let found = find(json!({ "words": "sort", "status": "complete" })).await;
    assert_eq!(found["count"], 2, "the limit: {found:#}");
    let entry = &found["entries"][0];
    for field in
        ["summary", "created_at", "run_context", "steps_completed", "entities_discovered", "outputs_produced"]
    {
        assert!(!entry[field].is_null(), "{field}: {entry:#}");
    }
    assert_eq!(entry["task_status"], "complete");
    assert_eq!(found["date_range"]["from"], found["date_range"]["to"], "all of one day: {found:#}");
    assert_eq!(find(json!({ "words": "no such words" })).await["count"], 0);
    assert_eq!(find(json!({ "from": "2999-01-01" })).await["count"], 0);
    assert_eq!(find(json!({ "status": "error" })).await["count"], 0);
}

#[tokio::test]
async fn f_169_f_177_handles_are_of_their_owner_and_an_inactive_agent_never_runs() {
    let (ana, bea) =
        (person("ana", &["global:analyst"]).await, person("bea", &["global:analyst"]).await);
    let handle = format!("{}-same", ana.username);
    let of_ana = agent(&ana, &handle, &json!({})).await;
    let of_bea = agent(&bea, &handle, &json!({})).await;
    assert_ne!(of_ana, of_bea);
    let again = json!({ "name": "Again", "handle": handle });
    assert_eq!(ana.refused("/profiles", Some(&again)).await.0, 409);
    for wrong in ["Not Kebab", &"x".repeat(101)] {
        let body = json!({ "name": "Wrong", "handle": wrong });
        assert_eq!(ana.refused("/profiles", Some(&body)).await.0, 422, "{wrong}");
    }
    let copy = ana.post(&format!("/profiles/{of_ana}/duplicate"), &json!({})).await;
    assert_ne!(copy["handle"], handle.as_str(), "{copy:#}");
    ana.playbook(&playbook("never-inactive", "")).await;
    let path = format!("{FACTORY}/profiles/{of_ana}");
    ana.door.patch(&path, &json!({ "is_active": false })).await.unwrap();
    let start = json!({ "profile": of_ana, "playbook": "never-inactive", "inputs": rows() });
    let inactive = (409, "PROFILE_INACTIVE".to_owned());
    assert_eq!(ana.refused("/executions", Some(&start)).await, inactive);
    ana.door.patch(&path, &json!({ "is_active": true })).await.unwrap();
    run(&ana, &of_ana, "never-inactive", rows()).await;
    ana.door.delete(&path).await.unwrap();
    assert_eq!(ana.refused(&format!("/profiles/{of_ana}"), None).await.0, 404);
}

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
    let officer = |index: usize, name: &str| {
        json!({ "name": name, "type": "PERSON", "source_record_index": index, "relationship_type": "OFFICER_OF", "related_to": fund })
    };
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
    let one = |name: &str, relationship: &str, other: &str| {
        json!({ "name": name, "type": "ORG", "relationship_type": relationship, "attributes": { "amount": 5 }, "related_to": { "name": other, "type": "ORG" } })
    };
    let found = json!([
        one("Shelter Trust", "FUNDED_BY", "Owl Bank"),
        one("Small Ltd", "SUBSIDIARY_OF", "Owl Bank"),
    ]);
    let done = run(&ana, &agent, "reads-funding", json!({ "found": found, "who": "Owl Bank" })).await;
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
    let edge = |kind: &str, target: &str| ("Owl Bank".to_owned(), kind.to_owned(), target.to_owned());
    assert_eq!(edges, [edge("CONTROLS", "Small Ltd"), edge("FUNDS", "Shelter Trust")], "{output:#}");
    let record = &done["record"]["entities"];
    assert_eq!(record["relationships_discovered"], 2, "{done:#}");
}
