//! A deployment that requires second factors: nothing irreversible is signed without one.

use countersign_cli::door::Door;
use serde_json::{Value, json};

use crate::case::{FACTORY, until};
use crate::effects::Elsewhere;
use crate::sign_in::{Account, door, grant, refusal, with_code};
use crate::what_is_sent::{bank, playbook};

async fn post(door: &Door, path: &str, body: Value) -> Value {
    door.post(&format!("{FACTORY}{path}"), &body).await.unwrap()
}

/// The request that waits for the owner of the door.
async fn request(door: &Door) -> (String, Value) {
    let open = until("the request", || async {
        let page = door.get(&format!("{FACTORY}/approvals?status=pending")).await.unwrap();
        page["items"].as_array().unwrap().first().cloned()
    })
    .await;
    let path = format!("{FACTORY}/approvals/{}", open["approval"].as_str().unwrap());
    let seen = door.get(&path).await.unwrap();
    let body = json!({ "digest": seen["digest"], "version": seen["version"] });
    (format!("{path}/approve"), body)
}

#[tokio::test]
async fn k_08_an_irreversible_effect_is_not_signed_without_a_second_factor() {
    let elsewhere = Elsewhere::open().await;
    let (ana, maria) = (Account::new("ana").await, Account::new("maria").await);
    for account in [&ana, &maria] {
        account.sign_in().await.unwrap();
        grant(&account.email, "global:analyst").await;
    }
    grant(&maria.email, "decide").await;
    let (asks, decides) = (ana.door().await, maria.door().await);
    post(&asks, "/connectors", json!({ "yaml": bank(elsewhere.port, "web") })).await;
    let profile = json!({ "name": "Agent", "handle": "factor-agent", "approvers": [maria.email] });
    let profile = post(&asks, "/profiles", profile).await["id"].clone();
    let profile = profile.as_str().unwrap();
    let source =
        json!({ "connector_id": "test-bank", "credentials": { "token": "sekrit-token-2" } });
    post(&asks, &format!("/profiles/{profile}/data-sources"), source).await;
    let text = playbook("pay-factor", ", account: acme").replace("{signer}", &maria.email);
    post(&asks, "/playbooks", json!({ "yaml": text })).await;
    let inputs = json!({ "amount": "10.00" });
    let run = json!({ "profile": profile, "playbook": "pay-factor", "inputs": inputs, "run_context": "background" });
    let run = post(&asks, "/executions", run).await["id"].as_str().unwrap().to_owned();
    let (approve, body) = request(&decides).await;
    let refused = decides.post(&approve, &body).await;
    assert_eq!(refusal(refused), (403, "MFA_REQUIRED".to_owned()));
    assert!(elsewhere.received().is_empty(), "something was sent");
    let enabled = ["--software-token-mfa-settings", "Enabled=true,PreferredMfa=true"];
    maria.at_pool("admin-set-user-mfa-preference", &enabled).await;
    let session = with_code(&maria).await;
    door(&session.access).await.post(&approve, &body).await.unwrap();
    until("the run is complete", || async {
        let now = asks.get(&format!("{FACTORY}/executions/{run}")).await.unwrap();
        (now["state"] == "complete").then_some(())
    })
    .await;
    assert_eq!(elsewhere.received().len(), 1);
}
