//! That a POST only reads counts where somebody other than its author vouches for it (K-25).

use countersign_cli::CliError;
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, ResponseTemplate};

use crate::case::{FACTORY, Person, admin, person, step};
use crate::effects::{Elsewhere, connector, payer, playbook};
use crate::world::world;
use crate::{provider_server, sources};

fn claiming(port: u16, version: &str) -> String {
    let text = connector(port).replace("method: POST", "method: POST\n    safe: true");
    text.replace("version: 1.0.0", &format!("version: {version}"))
}

async fn irreversible(ana: &Person, connector: &str) -> bool {
    let view = ana.get(&format!("/connectors/{connector}/schema")).await;
    view[0]["irreversible"].as_bool().unwrap()
}

/// Starts the playbook and waits until it either asks or is done; whether it asked.
async fn asks(ana: &Person, agent: &str, id: &str) -> bool {
    let run = ana.start(agent, id, json!({ "amount": "1.00" })).await;
    let now = crate::case::until("the run asks or ends", || async {
        let now = ana.run(&run).await;
        let state = now["state"].as_str().unwrap_or_default().to_owned();
        ["awaiting_approval", "complete", "error"].contains(&state.as_str()).then_some(now)
    })
    .await;
    assert_ne!(now["state"], "error", "{now:#}");
    if now["state"] == "complete" {
        assert_eq!(step(&now, "pay")["status"], "done");
    }
    now["state"] == "awaiting_approval"
}

async fn accept(ana: &Person, definition: &Value) -> Result<Value, CliError> {
    let path = format!("/api/admin/connectors/{}/test-ledger/safe-endpoints/book", ana.username);
    admin(world()).put(&path, &json!({ "definition": definition })).await
}

/// Gives the agent's only binding these values of its own.
async fn rebind(ana: &Person, agent: &str, overrides: &Value) {
    let sources = format!("/profiles/{agent}/data-sources");
    let source = ana.get(&sources).await[0]["id"].clone();
    let path = format!("{FACTORY}{sources}/{}", source.as_str().unwrap());
    let body = json!({ "config_overrides": overrides, "permissions": {}, "is_enabled": true });
    ana.door.put(&path, &body).await.unwrap();
}

fn status(said: Result<Value, CliError>) -> u16 {
    match said {
        Err(CliError::Refused { status, .. }) => status,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn k_25_safe_counts_once_an_administrator_accepted_it_for_this_definition() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    let path = format!("{FACTORY}/connectors/test-ledger");
    let put = |version: &'static str| {
        let body = json!({ "yaml": claiming(elsewhere.port, version) });
        let (door, path) = (&ana.door, &path);
        async move { door.put(path, &body).await.unwrap() }
    };
    let written = put("1.0.1").await;
    assert!(written["warnings"].to_string().contains("safe"), "the author is told: {written:#}");
    ana.playbook(&playbook("look-up", "")).await;
    assert!(irreversible(&ana, "test-ledger").await && asks(&ana, &agent, "look-up").await);
    assert_eq!(elsewhere.posts(), 0, "an author's word was enough");

    let list = format!("/api/admin/connectors/{}/test-ledger/safe-endpoints", ana.username);
    assert_eq!(status(ana.door.get(&list).await), 403, "only administrators look");
    let seen = admin(world()).get(&list).await.unwrap();
    assert_eq!(seen["endpoints"][0]["is_accepted"], false, "{seen:#}");
    assert_eq!(status(accept(&ana, &json!("0".repeat(64))).await), 409);
    let accepted = accept(&ana, &seen["definition"]).await.unwrap();
    assert!(accepted["endpoints"][0]["accepted_by"].is_string(), "{accepted:#}");
    assert!(!irreversible(&ana, "test-ledger").await && !asks(&ana, &agent, "look-up").await);
    assert_eq!(elsewhere.posts(), 1);

    // A new version is another definition; the old acceptance says nothing of it.
    put("1.0.2").await;
    assert!(irreversible(&ana, "test-ledger").await && asks(&ana, &agent, "look-up").await);
    assert_eq!(status(accept(&ana, &seen["definition"]).await), 409);
    let seen = admin(world()).get(&list).await.unwrap();
    accept(&ana, &seen["definition"]).await.unwrap();
    assert!(!asks(&ana, &agent, "look-up").await);

    // An address of the agent's own voids it, for this agent, and so does a header that may name another operation.
    let moved = json!({ "base_url": format!("http://127.0.0.1:{}/", elsewhere.port) });
    let named = json!({ "headers": { "X-Amz-Target": "Ledger.DeletePayment" } });
    for overrides in [moved, named] {
        rebind(&ana, &agent, &overrides).await;
        assert!(asks(&ana, &agent, "look-up").await, "{overrides} was taken for what was accepted");
    }
    rebind(&ana, &agent, &json!({ "headers": { "User-Agent": "Desk desk@example.org" } })).await;
    assert!(!asks(&ana, &agent, "look-up").await, "who asks changes nothing");

    // And it can be taken back.
    admin(world()).delete(&format!("{list}/book")).await.unwrap();
    assert!(asks(&ana, &agent, "look-up").await);
    assert_eq!(elsewhere.posts(), 3);
}

/// A connector that says of some address that it answers queries.
fn querying(address: &str) -> String {
    format!(
        r#"
id: test-graph
name: Test graph
type: graphql
version: 1.0.0
description: Says what there is.
connection: {{endpoint: "{address}/job/deploy/build"}}
endpoints:
  look:
    description: Looks.
    query: "query($amount: String!) {{ pings(amount: $amount) {{ id }} }}"
    variables:
      - {{name: amount, type: string, required: true}}
    response_mapping: {{results_path: pings, fields: {{id: id}}}}
"#
    )
}

#[tokio::test]
async fn k_25_a_query_of_graphql_is_signed_until_an_administrator_accepted_its_definition() {
    let server = provider_server::start().await;
    let answer = json!({ "data": { "pings": [{ "id": "1" }] } });
    let answer = ResponseTemplate::new(200).set_body_json(answer);
    Mock::given(any()).respond_with(answer).mount(&server).await;
    let sent = async || server.received_requests().await.unwrap().len();
    let (ana, maria) = (
        person("ana", &["global:analyst"]).await,
        person("maria", &["global:analyst", "decide"]).await,
    );
    let agent = ana.agent(&[&maria]).await;
    let written = ana.post("/connectors", &json!({ "yaml": querying(&server.uri()) })).await;
    assert!(written["warnings"].to_string().contains("nobody has accepted yet"), "{written:#}");
    ana.bind(&agent, "test-graph").await;
    let ask = playbook("look-round", "").replace("test-ledger", "test-graph");
    ana.playbook(&ask.replace("endpoint: book", "endpoint: look")).await;

    // Neither a test of the connector nor a run sends what nobody has accepted or signed.
    let test = json!({ "endpoint": "look", "inputs": { "amount": "1.00" } });
    let tried = ana.post("/connectors/test-graph/test", &test).await;
    assert_eq!(tried["error"]["code"], "CONNECTOR_WRONG_FUNCTION", "{tried:#}");
    assert!(irreversible(&ana, "test-graph").await && asks(&ana, &agent, "look-round").await);
    assert_eq!(sent().await, 0, "an author's word was enough");

    sources::accept(&ana, "test-graph").await;
    let tried = ana.post("/connectors/test-graph/test", &test).await;
    assert_eq!((&tried["ok"], &tried["count"]), (&json!(true), &json!(1)), "{tried:#}");
    assert!(!irreversible(&ana, "test-graph").await && !asks(&ana, &agent, "look-round").await);
    assert_eq!(sent().await, 2);

    // What the agent's binding changes of the request was not accepted.
    let moved = json!({ "base_url": format!("{}/other", server.uri()) });
    for overrides in [moved, json!({ "headers": { "X-Original-URL": "/drop" } })] {
        rebind(&ana, &agent, &overrides).await;
        assert!(
            asks(&ana, &agent, "look-round").await,
            "{overrides} was taken for what was accepted"
        );
    }
    assert_eq!(sent().await, 2);
}

const LINK: &str =
    "  - {name: ask, step_type: approval, prompt: \"Pay {amount}?\", assurance: link}";

#[tokio::test]
async fn k_06_a_link_before_an_effect_is_refused_when_the_playbook_is_saved() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let ana = person("ana", &["global:analyst"]).await;
    let yaml = playbook("pay-by-link", LINK);
    // Nobody knows yet what the endpoint does: it is saved, and found when it runs.
    ana.playbook(&yaml).await;
    ana.post("/connectors", &json!({ "yaml": connector(elsewhere.port) })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "test-ledger").await;
    let body =
        json!({ "profile": agent, "playbook": "pay-by-link", "inputs": { "amount": "5.00" } });
    let started = ana.post("/executions", &body).await;
    assert!(started["warnings"].to_string().contains("link_code"), "{started:#}");
    maria.request(started["id"].as_str().unwrap()).await;
    // Now it is known.
    let saved = ana
        .door
        .post(&format!("{FACTORY}/playbooks"), &json!({ "yaml": playbook("pay-again", LINK) }))
        .await;
    let Err(CliError::Refused { status, code, title, .. }) = saved else {
        panic!("saved: {saved:?}")
    };
    assert_eq!((status, code.as_deref()), (422, Some("PLAYBOOK_INVALID")), "{title}");
    assert!(title.contains("yaml:11:") && title.contains("link alone"), "{title}");
    let judged = ana.post("/playbooks/validate", &json!({ "yaml": yaml })).await;
    assert!(judged.to_string().contains("P030"), "{judged:#}");
    let code = yaml.replace("assurance: link}", "assurance: link_code}");
    ana.door
        .put(&format!("{FACTORY}/playbooks/pay-by-link"), &json!({ "yaml": code }))
        .await
        .unwrap();
}
