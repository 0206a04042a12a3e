//! Gates in the runs of monitors: what may open by itself, and who could sign (K-11).

use serde_json::{Value, json};

use super::{Feed, SAVE, Watch, monitor, playbook};
use crate::case::{FACTORY, Person, person, refusal, step};
use crate::effects::{Elsewhere, connector};

/// Ana's agent, which watches a feed; `signers` sign.
async fn agent(feed: &Feed, ana: &Person, signers: &[&Person], yaml: &str) -> String {
    ana.post("/connectors", &json!({ "yaml": feed.connector() })).await;
    let agent = ana.agent(signers).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(yaml).await;
    agent
}

/// A monitor whose gates may open by themselves: its clock looks first, and what is there counts as new.
async fn unattended(feed: Feed, ana: Person, maria: Person, agent: String) -> Watch {
    feed.publish("first");
    let mut body = monitor(&agent);
    body["approval_policy"] = json!("auto_approve");
    body["process_first"] = json!(true);
    let made = ana.post("/monitors", &body).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed, ana, maria, agent, monitor };
    watch.outcome("started").await;
    watch
}

#[tokio::test]
async fn f_132_k_11_a_reversible_gate_of_a_monitors_run_opens_by_itself() {
    let (feed, ana) = (Feed::open().await, person("ana", &["global:analyst"]).await);
    let maria = person("maria", &["global:analyst", "decide"]).await;
    // Nobody else signs for this agent, and nobody has to.
    let agent = agent(&feed, &ana, &[], &playbook(SAVE)).await;
    let watch = unattended(feed, ana, maria, agent).await;
    let run = watch.begun().await;
    let done = watch.ana.reaches(&run, "complete").await;
    assert_eq!(step(&done, "sign_off")["code"], "AUTO_APPROVED", "{done:#}");
    assert_eq!(step(&done, "keep")["status"], "done", "{done:#}");

    // Whoever asks for a look is there to be asked, so somebody has to be able to sign.
    let look = format!("/monitors/{}/run-now", watch.monitor);
    let refused = watch.ana.refused(&look, Some(&json!({}))).await;
    assert_eq!(refused, (422, "APPROVAL_UNREACHABLE".to_owned()));
    let signs = json!({ "approvers": [watch.maria.username] });
    let agent = format!("{FACTORY}/profiles/{}", watch.agent);
    watch.ana.door.patch(&agent, &signs).await.unwrap();
    watch.feed.publish("second");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    let waiting = watch.ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(waiting["run_context"], "monitor", "{waiting:#}");
}

const PAY: &str = "call_connector\n    connector: test-ledger\n    endpoint: book\n    inputs: {amount: \"1.00\"}";

#[tokio::test]
async fn f_132_k_11_an_irreversible_gate_of_a_monitors_run_waits_for_people() {
    let (feed, elsewhere) = (Feed::open().await, Elsewhere::open().await);
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    ana.post("/connectors", &json!({ "yaml": connector(elsewhere.port) })).await;
    let agent = agent(&feed, &ana, &[&maria], &playbook(PAY)).await;
    ana.bind(&agent, "test-ledger").await;
    let watch = unattended(feed, ana, maria, agent).await;
    let run = watch.run().await;
    watch.maria.request(&run).await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(elsewhere.posts(), 0, "it was paid before anybody signed");
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    assert_eq!(elsewhere.posts(), 1);
}

#[tokio::test]
async fn f_366_a_monitor_whose_gate_nobody_can_open_is_not_saved() {
    let (feed, ana) = (Feed::open().await, person("ana", &["global:analyst"]).await);
    let agent = agent(&feed, &ana, &[], &playbook(SAVE)).await;
    let path = format!("{FACTORY}/monitors");
    let said = refusal(ana.door.post(&path, &monitor(&agent)).await);
    assert_eq!((said.status, said.code.as_str()), (422, "APPROVAL_UNREACHABLE"), "{}", said.said);
    assert!(said.places.contains(&"profile.approvers[0]".to_owned()), "{}", said.said);
    let valid = ana.post("/monitors/validate", &monitor(&agent)).await;
    assert_eq!(valid["is_valid"], false, "{valid:#}");

    // One that does not look may be written before its agent is ready; resuming it asks again.
    let mut paused = monitor(&agent);
    paused["is_active"] = json!(false);
    let made = ana.post("/monitors", &paused).await;
    let resume = format!("/monitors/{}/resume", made["id"].as_str().unwrap());
    let refused = ana.refused(&resume, Some(&json!({}))).await;
    assert_eq!(refused, (422, "APPROVAL_UNREACHABLE".to_owned()));
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let signs: Value = json!({ "approvers": [maria.username] });
    ana.door.patch(&format!("{FACTORY}/profiles/{agent}"), &signs).await.unwrap();
    assert_eq!(ana.post(&resume, &json!({})).await["is_active"], true);
}

#[tokio::test]
async fn f_132_k_11_require_of_a_playbook_stands_above_what_a_monitor_says() {
    let (feed, ana) = (Feed::open().await, person("ana", &["global:analyst"]).await);
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let asks = playbook(SAVE).replace("steps:", "approval_policy: require\nsteps:");
    let agent = agent(&feed, &ana, &[&maria], &asks).await;
    let watch = unattended(feed, ana, maria, agent).await;
    let run = watch.begun().await;
    let waiting = watch.ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(waiting["approval_policy"], "require", "{waiting:#}");
}

/// A model's step behind the look.
const WRITE: &str = "save_to_workspace\n    inputs: {data: \"{look.results}\"}\n    params: {table_name: notices, create_if_missing: true}
  - name: write
    step_type: llm_task
    action: synthesize_report
    inputs: {data: \"{look.results}\"}
    params: {instructions: What is new.}
    output_schema: {type: object, fields: [{name: report, type: string, description: The report}]}";

#[tokio::test]
async fn f_183_k_58_a_monitor_starts_no_deterministic_run_that_calls_a_model() {
    let (feed, ana) = (Feed::open().await, person("ana", &["global:analyst"]).await);
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let yaml = playbook(WRITE).replace("execution_mode: deterministic\n", "");
    let agent = agent(&feed, &ana, &[&maria], &yaml).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed, ana, maria, agent, monitor };
    watch.look().await;
    // The agent is changed after its monitor was saved.
    let mode = json!({ "default_execution_mode": "deterministic" });
    let path = format!("{FACTORY}/profiles/{}", watch.agent);
    watch.ana.door.patch(&path, &mode).await.unwrap();
    watch.feed.publish("second");
    watch.look().await;
    let failed = watch.of("state").await;
    assert!(failed.to_string().contains("calls a model"), "{failed:#}");
    let runs = watch.ana.get("/executions").await;
    assert_eq!(runs["items"], json!([]), "{runs:#}");
}
