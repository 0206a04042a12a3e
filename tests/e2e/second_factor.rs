//! A deployment that requires second factors: nothing irreversible is signed without one.

use countersign_cli::door::Door;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::case::{FACTORY, until};
use crate::effects::Elsewhere;
use crate::sign_in::{Account, door, grant, refusal, with_code};
use crate::what_is_sent::{bank, playbook};

async fn post(door: &Door, path: &str, body: Value) -> Value {
    door.post(&format!("{FACTORY}{path}"), &body).await.unwrap()
}

/// Two payments behind a gate that names somebody for later.
fn payments(signer: &Account, later: &Account) -> String {
    let escalation =
        format!("assurance: signed_in, escalation: {{to: [{}], after_minutes: 1440}}", later.email);
    playbook("pay-factor", ", account: acme")
        .replace("{signer}", &signer.email)
        .replace("assurance: signed_in", &escalation)
        .replace("{name: amount, type: string", "{name: amounts, type: list")
        .replace("inputs: {amount: \"{amount}\"", "inputs: {amount: \"{each}\"")
        + "    for_each: {in: \"{amounts}\", as: each}\n"
}

/// Somebody who signed in with a password alone, with these rights.
async fn account(name: &str, grants: &[&str]) -> Account {
    let account = Account::new(name).await;
    account.sign_in().await.unwrap();
    for right in grants {
        grant(&account.email, right).await;
    }
    account
}

/// The request that waits for the owner of the door: its path, and how it looks.
async fn request(door: &Door) -> (String, Value) {
    let open = until("the request", || async {
        let page = door.get(&format!("{FACTORY}/approvals?status=pending")).await.unwrap();
        page["items"].as_array().unwrap().first().cloned()
    })
    .await;
    let path = format!("{FACTORY}/approvals/{}", open["approval"].as_str().unwrap());
    let seen = door.get(&path).await.unwrap();
    (path, seen)
}

/// Everything that somebody who may vote on a request can do to it, but for the vote.
fn changes(seen: &Value) -> [(&'static str, Value); 3] {
    let deadline: Timestamp = seen["timing"]["deadline"].as_str().unwrap().parse().unwrap();
    let later = deadline.checked_add(SignedDuration::from_hours(2)).unwrap();
    let saw = json!({ "digest": seen["digest"], "version": seen["version"], "step": "pay", "indices": [1] });
    [("strike", saw), ("extend", json!({ "deadline": later })), ("escalate", json!({}))]
}

#[tokio::test]
async fn k_08_an_irreversible_effect_is_not_signed_without_a_second_factor() {
    let elsewhere = Elsewhere::open().await;
    let ana = account("ana", &["global:analyst"]).await;
    let maria = account("maria", &["global:analyst", "decide"]).await;
    let bo = account("bo", &["global:analyst", "decide"]).await;
    let (asks, decides) = (ana.door().await, maria.door().await);
    post(&asks, "/connectors", json!({ "yaml": bank(elsewhere.port, "web") })).await;
    let profile = json!({ "name": "Agent", "handle": "factor-agent", "approvers": [maria.email] });
    let profile = post(&asks, "/profiles", profile).await["id"].clone();
    let profile = profile.as_str().unwrap();
    let source =
        json!({ "connector_id": "test-bank", "credentials": { "token": "sekrit-token-2" } });
    post(&asks, &format!("/profiles/{profile}/data-sources"), source).await;
    post(&asks, "/playbooks", json!({ "yaml": payments(&maria, &bo) })).await;
    let inputs = json!({ "amounts": ["10.00", "20.00"] });
    let run = json!({ "profile": profile, "playbook": "pay-factor", "inputs": inputs, "run_context": "background" });
    let run = post(&asks, "/executions", run).await["id"].as_str().unwrap().to_owned();

    let (path, seen) = request(&decides).await;
    let vote = json!({ "digest": seen["digest"], "version": seen["version"] });
    let votes = [("approve", vote.clone()), ("reject", vote)];
    for (word, body) in votes.iter().chain(&changes(&seen)) {
        let refused = decides.post(&format!("{path}/{word}"), body).await;
        assert_eq!(refusal(refused), (403, "MFA_REQUIRED".to_owned()), "{word}");
        assert_eq!(decides.get(&path).await.unwrap(), seen, "{word} changed the request");
    }
    assert!(elsewhere.received().is_empty(), "something was sent");

    let enabled = ["--software-token-mfa-settings", "Enabled=true,PreferredMfa=true"];
    maria.at_pool("admin-set-user-mfa-preference", &enabled).await;
    let with_factor = door(&with_code(&maria).await.access).await;
    for (word, body) in changes(&seen) {
        with_factor.post(&format!("{path}/{word}"), &body).await.unwrap();
    }
    let seen = with_factor.get(&path).await.unwrap();
    let vote = json!({ "digest": seen["digest"], "version": seen["version"] });
    with_factor.post(&format!("{path}/approve"), &vote).await.unwrap();
    until("the run is complete", || async {
        let now = asks.get(&format!("{FACTORY}/executions/{run}")).await.unwrap();
        (now["state"] == "complete").then_some(())
    })
    .await;
    assert_eq!(elsewhere.received().len(), 1, "what was struck out was sent");
}
