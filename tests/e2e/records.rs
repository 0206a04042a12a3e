//! What is kept of runs tells the truth: records, journals, statistics, notifications, the queue of approvals.

mod queue;

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, gated, person, refusal, rows, until};
use crate::effects::Elsewhere;
use crate::filings::{GOOD, upload};
use crate::what_is_sent;

/// Reads officers, finds out who they are, keeps them.
const OFFICERS: &str = r#"
id: records-officers
name: Officers
description: Reads officers and keeps them.
version: 1.0.0
required_connectors: [irs-990-xml]
execution_mode: deterministic
inputs:
  - {name: filings, type: list, required: true}
steps:
  - name: officers
    step_type: tool
    action: call_connector
    connector: irs-990-xml
    endpoint: parse_990_officers
    inputs: {source: "{filings}"}
  - name: entities
    step_type: tool
    action: extract_entities
    inputs: {data: "{officers.results}"}
  - name: resolved
    step_type: tool
    action: resolve_entities
    inputs: {entities: "{entities.entities}"}
  - name: keep
    step_type: tool
    action: save_to_workspace
    inputs: {data: "{officers.results}"}
    params: {table_name: officers, create_if_missing: true}
"#;

async fn officers(ana: &Person, agent: &str) -> Value {
    let filings = upload(ana, vec![("a.xml".to_owned(), GOOD.as_bytes().to_vec())]).await;
    let run = ana.start(agent, "records-officers", json!({ "filings": filings })).await;
    ana.reaches(&run, "complete").await
}

fn items(page: &Value) -> &Vec<Value> {
    page["items"].as_array().unwrap_or_else(|| panic!("no page: {page:#}"))
}

/// The agent's newest entry.
async fn newest(ana: &Person, agent: &str) -> Value {
    items(&ana.get(&format!("/profiles/{agent}/journal")).await)[0].clone()
}

#[tokio::test]
async fn f_316_f_404_a_run_leaves_a_record_and_what_is_new_is_new_once() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "irs-990-xml").await;
    ana.playbook(OFFICERS).await;
    let detailed = json!({ "journal_config": { "detail_level": "detailed" } });
    ana.door.patch(&format!("{FACTORY}/profiles/{agent}"), &detailed).await.unwrap();
    let first = officers(&ana, &agent).await;
    assert_eq!(first["strategy"], "pipeline");
    assert!(first["duration_ms"].as_u64().unwrap() > 0, "{first:#}");
    let record = &first["record"];
    let call = &record["connectors_called"][0];
    assert_eq!(
        (&call["step"], &call["connector"], &call["endpoint"], &call["status"]),
        (&json!("officers"), &json!("irs-990-xml"), &json!("parse_990_officers"), &json!("done"))
    );
    assert_eq!(call["results_count"], 1, "{record:#}");
    assert!(call["latency_ms"].as_u64().unwrap() > 0, "{record:#}");
    let found = record["entities"]["resolved"].as_u64().unwrap();
    assert!(found > 0 && record["entities"]["discovered"] == found, "{record:#}");
    let saved = json!([{ "destination": "data_workspace_table", "status": "success", "count": 1 }]);
    assert_eq!(record["output_destinations"], saved);
    let entry = newest(&ana, &agent).await;
    assert_eq!(entry["entities_discovered"], entry["entities_mentioned"], "{entry:#}");
    assert_eq!(entry["outputs_produced"][0]["rows"], 1, "{entry:#}");
    let found_by = |step: &str| {
        let mut notes = entry["detail_entries"].as_array().unwrap().iter();
        notes.find(|note| note["action"] == step).unwrap()["entities_found"].clone()
    };
    assert_eq!(found_by("resolved"), found, "{entry:#}");
    assert!(found_by("entities").as_u64().is_some_and(|n| n >= found), "{entry:#}");
    assert_eq!(found_by("keep"), Value::Null);

    let second = officers(&ana, &agent).await;
    let entities = &second["record"]["entities"];
    assert_eq!((&entities["resolved"], &entities["discovered"]), (&json!(found), &json!(0)));
    let entry = newest(&ana, &agent).await;
    assert_eq!(entry["entities_discovered"], json!([]), "{entry:#}");
    assert!(!entry["entities_mentioned"].as_array().unwrap().is_empty(), "{entry:#}");
    let summary = entry["summary"].as_str().unwrap();
    assert!(summary.contains(", 0 new."), "{summary}");
    assert_eq!(second["response"]["new_entities"], 0);
    statistics(&ana, &agent, found).await;
}

/// The same two runs in figures.
async fn statistics(ana: &Person, agent: &str, discovered: u64) {
    let figures = ana.get(&format!("/statistics?profile={agent}")).await;
    let total = &figures["total"];
    assert_eq!((&total["runs"], &total["success_rate"]), (&json!(2), &json!(1.0)), "{figures:#}");
    assert_eq!((&total["connector_calls"], &figures["is_complete"]), (&json!(2), &json!(true)));
    assert_eq!(total["entities_discovered"], discovered);
    assert_eq!(figures["agents"][0]["profile_id"], agent);
    assert_eq!(figures["days"][0]["entities_discovered"], discovered);
    let connector = &figures["connectors"][0];
    assert_eq!((&connector["calls"], &connector["failed"]), (&json!(2), &json!(0)), "{figures:#}");
    assert_eq!((&connector["error_rate"], &connector["results"]), (&json!(0.0), &json!(2)));
    assert!(connector["mean_latency_ms"].as_u64().unwrap() > 0, "{figures:#}");
    assert_eq!(
        (&total["merged"], &total["ambiguous"]),
        (&figures["resolution"]["auto"], &json!(0))
    );
    let none = ana.get("/statistics?from=2001-01-01&to=2001-01-02").await;
    assert_eq!((&none["total"]["runs"], &none["agents"]), (&json!(0), &json!([])), "{none:#}");
    assert_eq!(ana.refused("/statistics?from=2002-01-01&to=2001-01-02", None).await.0, 422);
}

#[tokio::test]
async fn f_347_f_228_runs_and_journals_are_narrowed_and_read_over_all_agents() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let (one, other) = (ana.agent(&[&maria]).await, ana.agent(&[&maria]).await);
    ana.playbook(&gated("records-narrowed", "")).await;
    let denied = ana.start(&one, "records-narrowed", rows()).await;
    decide(&maria, &denied, "reject").await;
    ana.reaches(&denied, "rejected").await;
    let waiting = ana.start(&other, "records-narrowed", rows()).await;
    ana.reaches(&waiting, "awaiting_approval").await;

    let check = async |query: &str, expect: &[&str]| {
        let page = ana.get(&format!("/executions?{query}")).await;
        let ids: Vec<&str> = items(&page).iter().map(|run| run["id"].as_str().unwrap()).collect();
        assert_eq!(ids, expect, "{query}");
    };
    check("", &[&waiting, &denied]).await;
    check("status=rejected", &[&denied]).await;
    check("status=awaiting_approval&limit=1", &[&waiting]).await;
    check("status=running", &[]).await;
    check(&format!("profile={other}"), &[&waiting]).await;
    check("playbook=records-narrowed&run_context=background", &[&waiting, &denied]).await;
    check("playbook=another", &[]).await;
    check("to=2001-01-01", &[]).await;
    check("from=2001-01-01", &[&waiting, &denied]).await;
    let unknown = refusal(ana.door.get(&format!("{FACTORY}/executions?status=well")).await);
    let told = "must be one of `running`, `awaiting_approval`, `complete`, ";
    assert!(unknown.status == 422 && unknown.said.contains(told), "{}", unknown.said);
    assert_eq!(ana.refused("/executions?state=complete", None).await.0, 422);
    // What starts no run is no run's status: an empty list would say that there was none.
    for (status, place) in [
        ("suppressed", "monitors"),
        ("outside_active_hours", "monitors"),
        ("skipped", "occurrences"),
    ] {
        let path = format!("{FACTORY}/executions?status={status}");
        let refused = refusal(ana.door.get(&path).await);
        assert!(refused.status == 422 && refused.said.contains(place), "{}", refused.said);
    }

    let check = async |path: &str, expect: &[&str]| {
        let runs: Vec<String> = until(&format!("entries at `{path}`"), || async {
            let page = ana.get(path).await;
            let runs =
                items(&page).iter().map(|entry| entry["execution_id"].as_str().unwrap().to_owned());
            let runs: Vec<String> = runs.collect();
            (runs.len() == expect.len()).then_some(runs)
        })
        .await;
        assert_eq!(runs, expect, "{path}");
    };
    check("/journal", &[&waiting, &denied]).await;
    check("/journal?status=awaiting_approval", &[&waiting]).await;
    check("/journal?status=partial&query=which+runs+were+denied", &[]).await;
    check("/journal?query=records+denied", &[]).await;
    check("/journal?query=Gated+rows", &[&waiting, &denied]).await;
    check(&format!("/profiles/{one}/journal?status=awaiting_approval"), &[]).await;
    check(&format!("/profiles/{one}/journal?query=was+denied"), &[&denied]).await;
    let stranger = person("zoe", &["global:reader"]).await;
    assert_eq!(stranger.get("/journal").await["items"], json!([]));
}

async fn decide(person: &Person, run: &str, word: &str) -> String {
    let request = person.request(run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = person.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    person.post(&format!("{path}/{word}"), &decision).await;
    path
}

#[tokio::test]
async fn f_224_f_208_the_journal_says_that_a_run_waits_as_long_as_it_does() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("records-waits", "")).await;
    let run = ana.start(&agent, "records-waits", rows()).await;
    let path = format!("/profiles/{agent}/journal?status=awaiting_approval");
    let entry = until("the entry of the run that waits", || async {
        items(&ana.get(&path).await).first().cloned()
    })
    .await;
    assert_eq!(
        (&entry["execution_id"], &entry["task_status"]),
        (&json!(run), &json!("awaiting_approval"))
    );
    assert_eq!(entry["steps_completed"], json!(["large"]), "{entry:#}");
    let summary = entry["summary"].as_str().unwrap();
    assert!(summary.contains("waits at sign_off for people to decide (appr_"), "{summary}");
    let sidebar = ana.get(&format!("/profiles/{agent}/journal/summary")).await;
    assert_eq!(sidebar["by_status"], json!({ "awaiting_approval": 1 }));
    let figures = ana.get(&format!("/statistics?profile={agent}")).await;
    assert_eq!(figures["total"]["by_status"], json!({ "awaiting_approval": 1 }), "{figures:#}");

    decide(&maria, &run, "approve").await;
    ana.reaches(&run, "complete").await;
    assert_eq!(ana.get(&path).await["items"], json!([]), "nothing waits any more");
    let id = entry["id"].as_str().unwrap();
    assert_eq!(ana.refused(&format!("/journal/{id}"), None).await.0, 404);
    let entry = newest(&ana, &agent).await;
    assert_eq!(
        (&entry["task_status"], &entry["approvals"][0]["by"]),
        (&json!("complete"), &json!(maria.username))
    );
}

#[tokio::test]
async fn f_072_f_190_notifications_are_listed_and_marked_as_read() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("records-notified", "    condition: \"1 > 2\"")).await;
    let run = ana.start(&agent, "records-notified", rows()).await;
    ana.reaches(&run, "complete").await;
    let page = ana.get("/notifications?unread=true").await;
    let [note] = items(&page).as_slice() else { panic!("{page:#}") };
    assert_eq!(note["notification_type"], "agent_job_complete");
    assert_eq!(note["title"], "Test agent: complete");
    let details = json!({
        "execution_id": run, "status": "complete", "entities_discovered": 0,
        "output_destinations": [{ "destination": "data_workspace_table", "status": "success", "count": 1 }],
    });
    assert_eq!(note["details"], details, "{note:#}");

    let path = format!("/notifications/{}/read", note["id"].as_str().unwrap());
    let read = ana.post(&path, &json!({})).await;
    assert!(read["read_at"].is_string(), "{read:#}");
    assert_eq!(ana.post(&path, &json!({})).await, read, "it was read once");
    assert_eq!(ana.get("/notifications?unread=true").await["items"], json!([]));
    assert_eq!(items(&ana.get("/notifications?unread=false").await).len(), 1);
    let zoe = person("zoe", &["global:reader"]).await;
    assert_eq!(zoe.refused(&path, Some(&json!({}))).await.0, 404);
    assert_eq!(zoe.get("/notifications").await["items"], json!([]));
}

const NOTIFIES: &str = r#"
id: records-notifies
name: Notifies
description: Notifies.
version: 1.0.0
execution_mode: deterministic
inputs: []
steps:
  - name: tell
    step_type: tool
    action: send_notification
    inputs: {message: "Two filings are new."}
    params: {title: Filings, priority: urgent, action_url: /new, action_label: Look}
  - name: plain
    step_type: tool
    action: send_notification
    inputs: {message: "No more."}
"#;

#[tokio::test]
async fn f_072_a_step_notifies_with_what_it_was_given_and_else_with_what_is_usual() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let check = async |playbook: &str, expect: &str| {
        let said = ana.post("/playbooks/validate", &json!({ "yaml": playbook })).await;
        assert!(said["is_valid"] == json!(false) && said.to_string().contains(expect), "{said:#}");
    };
    check(&NOTIFIES.replace("urgent", "loud"), "`low`, `normal`, `high`, `urgent`").await;
    check(&NOTIFIES.replace("message: \"No more.\"", ""), "message").await;
    ana.playbook(NOTIFIES).await;
    let run = ana.start(&agent, "records-notifies", json!({})).await;
    ana.reaches(&run, "complete").await;
    let all = ana.get("/notifications").await;
    let told = async |step: &str| {
        let output = ana.get(&format!("/executions/{run}/outputs/{step}")).await["output"].clone();
        assert_eq!(output["success"], true, "{output:#}");
        let is_it = |one: &&Value| one["id"] == output["notification_id"];
        items(&all).iter().find(is_it).unwrap_or_else(|| panic!("{output:#} {all:#}")).clone()
    };
    let note = told("tell").await;
    let said = ["title", "message", "priority", "action_label"].map(|field| note[field].clone());
    assert_eq!(said, ["Filings", "Two filings are new.", "urgent", "Look"].map(Value::from));
    assert!(note["action_url"].as_str().unwrap().ends_with("/new"), "{note:#}");
    let plain = told("plain").await;
    let said = ["title", "priority"].map(|field| plain[field].clone());
    assert_eq!(said, ["Test agent", "normal"].map(Value::from), "{plain:#}");
    assert!(plain["action_url"].is_null() && plain["action_label"].is_null(), "{plain:#}");
}

#[tokio::test]
async fn f_039_an_argument_of_another_type_is_refused_before_anybody_is_asked_and_anything_sent() {
    let elsewhere = Elsewhere::open().await;
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let bank = what_is_sent::bank(elsewhere.port, "web");
    let bank = bank.replace("{name: amount, type: string", "{name: amount, type: integer");
    ana.post("/connectors", &json!({ "yaml": bank })).await;
    let source =
        json!({ "connector_id": "test-bank", "credentials": { "token": "sekrit-token-1" } });
    ana.post(&format!("/profiles/{agent}/data-sources"), &source).await;
    let playbook = what_is_sent::playbook("records-argument", ", account: \"1\"");
    // Nobody knows before the run what is in a list.
    let playbook = playbook.replace("{name: amount, type: string", "{name: amounts, type: list");
    let playbook = playbook.replace("amount: \"{amount}\"", "amount: \"{amounts[0]}\"");
    ana.playbook(&playbook.replace("{signer}", &maria.username)).await;
    let run = ana.start(&agent, "records-argument", json!({ "amounts": ["many"] })).await;
    let done = until("the run ends", || async {
        let now = ana.run(&run).await;
        ["error", "partial", "rejected"].contains(&now["state"].as_str().unwrap()).then_some(now)
    })
    .await;
    let text = done.to_string();
    assert!(text.contains("CONNECTOR_ARGUMENT"), "{done:#}");
    assert!(text.contains("the argument `amount` does not fit"), "{done:#}");
    assert_eq!(elsewhere.posts(), 0);
    assert_eq!(maria.get("/approvals").await["items"], json!([]), "nobody is asked");
    // What the endpoint does not declare is refused by name where it is written.
    let undeclared = what_is_sent::playbook("records-undeclared", ", account: \"1\", memo: \"x\"");
    let undeclared = json!({ "yaml": undeclared.replace("{signer}", &maria.username) });
    let said = refusal(ana.door.post(&format!("{FACTORY}/playbooks"), &undeclared).await);
    assert_eq!(said.status, 422, "{}", said.said);
    assert!(said.said.contains("the action takes no `memo` under `inputs`"), "{}", said.said);
}
