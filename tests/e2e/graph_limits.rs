//! What is too large for the knowledge graph is left out of it, and keeps nothing else.

use serde_json::{Value, json};

use crate::case::person;
use crate::journals::run;

const KEEPS: &str = r#"
id: keeps-names
name: Keeps names
execution_mode: deterministic
inputs:
  - {name: people, type: list}
steps:
  - {name: kept, step_type: tool, action: resolve_entities, inputs: {entities: "{people}"}}
"#;

#[tokio::test]
async fn f_048_names_that_are_too_large_are_left_out_and_told() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(KEEPS).await;
    let people = json!([
        { "name": "Ada Heron", "type": "PERSON" },
        { "name": "B".repeat(100_000), "type": "PERSON" },
        { "name": "Owl", "type": "K".repeat(3_000) },
    ]);
    let done = run(&ana, &agent, "keeps-names", json!({ "people": people })).await;
    let id = done["id"].as_str().unwrap();
    let said = ana.get(&format!("/executions/{id}/outputs/kept")).await["output"].clone();
    let resolved: Vec<&Value> = said["resolved"].as_array().unwrap().iter().collect();
    assert_eq!((resolved.len(), &said["warning_count"]), (1, &json!(2)), "{said:#}");
    let expect = json!([
        "entities[1] is left out: `name` has 100000 characters; at most 300 are read",
        "entities[2] is left out: `type` has 3000 characters; at most 64 are read",
    ]);
    assert_eq!(said["warnings"], expect);
    assert_eq!(done["warnings"][0]["first"], expect, "the run says so too: {done:#}");
    let found = ana.get("/knowledge/entities").await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found:#}");
}

const TWICE: &str = r#"
id: keeps-twice
name: Keeps names twice at once
execution_mode: deterministic
inputs:
  - {name: some, type: list}
  - {name: others, type: list}
steps:
  - {name: one, step_type: tool, action: resolve_entities, inputs: {entities: "{some}"}}
  - {name: other, step_type: tool, action: resolve_entities, inputs: {entities: "{others}"}}
"#;

#[tokio::test]
async fn k_71_people_of_one_name_whom_two_steps_meet_at_once_stay_two() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(TWICE).await;
    let names = ["Ada Heron", "Bo Crane", "Cy Wren", "Di Lark", "Eli Finch"];
    let people = |number: &str| -> Value {
        let one = |(n, name): (usize, &&str)| {
            let npi = format!("{number}{n}");
            json!({ "name": name, "type": "PERSON", "external_ids": { "npi": npi } })
        };
        names.iter().enumerate().map(one).collect()
    };
    let inputs = json!({ "some": people("111111111"), "others": people("222222222") });
    let done = run(&ana, &agent, "keeps-twice", inputs).await;
    let id = done["id"].as_str().unwrap();
    for step in ["one", "other"] {
        let said = ana.get(&format!("/executions/{id}/outputs/{step}")).await["output"].clone();
        assert_eq!((&said["pending"], &said["merge_count"]), (&json!(0), &json!(0)), "{said:#}");
    }
    let found = ana.get("/knowledge/entities?type=PERSON").await;
    let found = found["items"].as_array().unwrap();
    assert_eq!(found.len(), 10, "{found:#?}");
    let has = |one: &Value, number: &str| {
        one["external_ids"]["npi"].as_str().is_some_and(|npi| npi.starts_with(number))
    };
    for number in ["111111111", "222222222"] {
        let of_step = found.iter().filter(|one| has(one, number)).count();
        assert_eq!(of_step, 5, "{number}: {found:#?}");
    }
}
