//! Agents and their journals: what is written down, found, and what an inactive agent does.

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person, rows};
use crate::outage::Record;
use crate::responses::playbook;

async fn agent(who: &Person, handle: &str, config: &Value) -> String {
    let profile = json!({ "name": "Writer", "handle": handle, "journal_config": config });
    who.post("/profiles", &profile).await["id"].as_str().unwrap().to_owned()
}

async fn entries(who: &Person, agent: &str) -> Vec<Value> {
    who.get(&format!("/profiles/{agent}/journal")).await["items"].as_array().unwrap().clone()
}

pub(crate) async fn run(who: &Person, agent: &str, playbook: &str, inputs: Value) -> Value {
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

#[tokio::test]
async fn f_225_an_entry_may_be_removed_after_the_days_of_its_agent() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(&playbook("kept-for-a-week", "")).await;
    let agent =
        agent(&ana, &format!("{}-week", ana.username), &json!({ "retention_days": 7 })).await;
    run(&ana, &agent, "kept-for-a-week", rows()).await;
    let entry = entries(&ana, &agent).await.remove(0);
    let id = entry["id"].as_str().unwrap();
    let written: jiff::Timestamp = entry["created_at"].as_str().unwrap().parse().unwrap();
    let stored = Record::in_table("TABLE_RUNS", &format!("JRNL#{}#{id}", ana.id), "ENTRY").await;
    assert_eq!(stored.expires_at() - written.as_second(), 7 * 24 * 3600, "{entry:#}");
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
    for field in [
        "summary",
        "created_at",
        "run_context",
        "steps_completed",
        "entities_discovered",
        "outputs_produced",
    ] {
        assert!(!entry[field].is_null(), "{field}: {entry:#}");
    }
    assert_eq!(entry["task_status"], "complete");
    let (from, to) = (found["date_range"]["from"].as_str(), found["date_range"]["to"].as_str());
    assert!(from.is_some() && from <= to, "from the oldest to the newest: {found:#}");
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

const LEARNS: &str = r#"
id: learns-people
name: Learns people
execution_mode: deterministic
inputs:
  - {name: people, type: list}
steps:
  - {name: resolved, step_type: tool, action: resolve_entities, inputs: {entities: "{people}"}}
"#;

const RECALLS: &str = r#"
id: recalls-people
name: Recalls people
execution_mode: deterministic
inputs:
  - {name: who, type: string}
  - {name: to, type: date}
steps:
  - {name: past, step_type: tool, action: query_journal, inputs: {query: "learns people", entity_name: "{who}", date_from: "{30_days_ago}", date_to: "{to}", status: complete}}
"#;

#[tokio::test]
async fn f_155_f_223_a_step_finds_when_its_agent_met_somebody() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(LEARNS).await;
    ana.playbook(RECALLS).await;
    let agent = agent(&ana, &format!("{}-recalls", ana.username), &json!({})).await;
    for name in ["Ada Heron", "Bo Crane", "Ada Heron"] {
        let people = json!([{ "name": name, "type": "PERSON" }]);
        run(&ana, &agent, "learns-people", json!({ "people": people })).await;
    }
    let find = |who: &'static str, days_ago: i64| {
        let (ana, agent) = (&ana, &agent);
        async move {
            let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
            let to = today - jiff::Span::new().days(days_ago);
            let inputs = json!({ "who": who, "to": to.to_string() });
            let done = run(ana, agent, "recalls-people", inputs).await;
            let id = done["id"].as_str().unwrap();
            ana.get(&format!("/executions/{id}/outputs/past")).await["output"].clone()
        }
    };
    let met = find("bo crane", -1).await;
    assert_eq!(met["count"], 1, "{met:#}");
    assert_eq!(met["entries"][0]["entities_discovered"][0]["name"], "Bo Crane", "{met:#}");
    assert_eq!(met["date_range"]["from"], met["date_range"]["to"], "one entry, one day: {met:#}");
    assert_eq!(find("cy wren", -1).await["count"], 0, "nobody met them");
    assert_eq!(find("bo crane", 10).await["count"], 0, "not before ten days ago");
}
