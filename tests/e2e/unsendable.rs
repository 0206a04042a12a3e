//! What whoever signs is told of calls that could not be sent any more as they were when their gate opened.

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person, step};
use crate::effects::{Elsewhere, connector, payer, playbook};

const GATE: &str = "  - {name: ask, step_type: approval, prompt: \"Pay {amount}?\"}";

async fn approve(maria: &Person, path: &str) {
    let seen = maria.get(path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
}

/// The path of the open request of a run.
async fn asked(maria: &Person, run: &str) -> String {
    format!("/approvals/{}", maria.request(run).await["approval"].as_str().unwrap())
}

fn problem(seen: &Value) -> (&str, &str) {
    let problem = &seen["send_problems"][0];
    let word = |field: &str| problem[field].as_str().unwrap_or_default();
    (word("if_approved"), word("code"))
}

#[tokio::test]
async fn f_200_a_call_of_a_connector_that_was_unbound_is_known_to_fail_before_anybody_signs() {
    let elsewhere = Elsewhere::open().await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(&playbook("pay-unbound", GATE)).await;
    let run = ana.start(&agent, "pay-unbound", json!({ "amount": "12.50" })).await;
    let path = asked(&maria, &run).await;
    let seen = maria.get(&path).await;
    assert_eq!((&seen["send_problems"], &seen["not_sent"]), (&Value::Null, &json!(0)));
    let (link, door) = (maria.link().await, maria.approver());
    let page = door.open(&link).await.unwrap();
    assert!(page.html.contains("Approving sends 1 request"), "{}", page.html);

    let sources = format!("/profiles/{agent}/data-sources");
    let bound = ana.get(&sources).await;
    let source = bound[0]["id"].as_str().unwrap();
    ana.door.delete(&format!("{FACTORY}{sources}/{source}")).await.unwrap();
    let seen = maria.get(&path).await;
    assert_eq!(problem(&seen), ("fails", "CONNECTOR_NOT_BOUND"), "{seen:#}");
    assert_eq!(seen["not_sent"], 1);
    let page = door.open(&link).await.unwrap();
    for said in ["As things stand, approving sends nothing", "is not bound to this profile"] {
        assert!(page.html.contains(said), "`{said}` is missing: {}", page.html);
    }
    assert!(!page.html.contains("Approving sends"), "{}", page.html);

    // It can be put right before anybody signs.
    ana.bind(&agent, "test-ledger").await;
    assert_eq!(maria.get(&path).await["send_problems"], Value::Null);
    let bound = ana.get(&sources).await;
    let source = bound[0]["id"].as_str().unwrap();
    ana.door.delete(&format!("{FACTORY}{sources}/{source}")).await.unwrap();
    approve(&maria, &path).await;
    let ended = ana.reaches(&run, "error").await;
    assert_eq!(step(&ended, "pay")["code"], "CONNECTOR_NOT_BOUND", "what was said is true");
    assert_eq!(elsewhere.posts(), 0);
    assert_eq!(maria.get(&path).await["send_problems"], Value::Null, "it is closed");
}

#[tokio::test]
async fn f_200_a_call_with_a_credential_that_was_changed_is_known_to_ask_again() {
    let elsewhere = Elsewhere::open().await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[&maria]).await;
    let yaml = connector(elsewhere.port).replace("{type: none}", "{type: bearer_token}");
    ana.post("/connectors", &json!({ "yaml": yaml })).await;
    let sources = format!("/profiles/{agent}/data-sources");
    let source = json!({ "connector_id": "test-ledger", "credentials": { "token": "first" } });
    let bound = ana.post(&sources, &source).await;
    let credentials = format!("{FACTORY}{sources}/{}/credentials", bound["id"].as_str().unwrap());
    ana.playbook(&playbook("pay-changed", GATE)).await;
    let run = ana.start(&agent, "pay-changed", json!({ "amount": "12.50" })).await;
    let first = asked(&maria, &run).await;
    assert_eq!(maria.get(&first).await["send_problems"], Value::Null);

    ana.door.put(&credentials, &json!({ "token": "second" })).await.unwrap();
    let seen = maria.get(&first).await;
    assert_eq!(problem(&seen), ("asks_again", "STEP_NEEDS_SIGNATURE"), "{seen:#}");
    approve(&maria, &first).await;
    let again = asked(&maria, &run).await;
    assert_ne!(again, first);
    assert_eq!(maria.get(&again).await["send_problems"], Value::Null);
    assert_eq!(elsewhere.posts(), 0, "what was signed had the credential before");

    ana.door.delete(&credentials).await.unwrap();
    let seen = maria.get(&again).await;
    assert_eq!(problem(&seen), ("fails", "CONNECTOR_CREDENTIAL"), "{seen:#}");
}
