//! The deployment's own credentials (F-103, K-37): used by whoever has none of their own, and only where a shipped connector goes
//! as it was shipped.

use countersign_cli::CliError;
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};

use crate::case::{FACTORY, Person, admin, person, refusal};
use crate::provider_server;
use crate::world::world;

/// What only the deployment knows.
const SECRET: &str = "s3cr3t-of-the-deployment";

/// A source that answers with nothing and keeps what it is asked.
async fn source() -> MockServer {
    let server = provider_server::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(json!({ "items": [{ "name": "Mill" }] }));
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

/// The key in the last request of a source, and how many there were.
async fn heard(server: &MockServer) -> (Option<String>, usize) {
    let requests = server.received_requests().await.unwrap();
    let last = requests.last().unwrap();
    let header = last.headers.get("x-api-key");
    (header.map(|key| key.to_str().unwrap().to_owned()), requests.len())
}

/// Ships a connector with this source, and stores a secret of its name when there is one.
async fn ship(id: &str, server: &MockServer, secret: Option<&str>) {
    let name = id.to_uppercase().replace('-', "_");
    let yaml = format!(
        "id: {id}\nname: Shelf\ntype: rest_api\nversion: 1.0.0\ndescription: A shelf.\nauth_fields: [{{ name: api_key, label: Key, env_var: {name} }}]\nconnection: {{ base_url: '{}', auth: {{ type: api_key, header: x-api-key }} }}\nendpoints:\n  list: {{ description: lists, path: /items, response_mapping: {{ results_path: items }} }}\n",
        server.uri()
    );
    let path = format!("/api/admin/library/connectors/{id}");
    admin(world()).put(&path, &json!({ "yaml": yaml })).await.unwrap();
    if let Some(secret) = secret {
        let name = format!("{}/connectors/{name}", world().stack.name);
        let made = ["secretsmanager", "create-secret", "--name", &name, "--secret-string", secret];
        world().aws(&made).await.unwrap();
    }
}

/// Tries the endpoint as the agent.
async fn tried(who: &Person, connector: &str, agent: &str) -> Value {
    let body = json!({ "endpoint": "list", "profile": agent });
    who.post(&format!("/connectors/{connector}/test"), &body).await
}

/// Binds a connector with these values.
async fn bind(who: &Person, agent: &str, body: &Value) -> Result<Value, CliError> {
    who.door.post(&format!("{FACTORY}/profiles/{agent}/data-sources"), body).await
}

fn reading(connector: &str) -> String {
    format!(
        "id: read-{connector}\nname: Read\ndescription: Lists what is there.\nversion: 1.0.0\nrequired_connectors: [{connector}]\nexecution_mode: deterministic\nsteps:\n  - {{name: read, step_type: tool, action: call_connector, connector: {connector}, endpoint: list, on_error: stop}}\n"
    )
}

#[tokio::test]
async fn f_103_k_37_a_run_without_a_credential_uses_the_deployments_and_an_own_one_comes_first() {
    let server = source().await;
    ship("shipped-shelf", &server, Some(SECRET)).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let bound = bind(&ana, &agent, &json!({ "connector_id": "shipped-shelf" })).await.unwrap();
    assert_eq!(bound["has_credential"], false);
    ana.playbook(&reading("shipped-shelf")).await;
    let run = ana.start(&agent, "read-shipped-shelf", json!({})).await;
    ana.reaches(&run, "complete").await;
    assert_eq!(heard(&server).await, (Some(SECRET.to_owned()), 1));
    let shown = ana.get(&format!("/executions/{run}/outputs/read")).await;
    assert!(!shown.to_string().contains(SECRET), "{shown:#}");

    let path = format!("/profiles/{agent}/data-sources/{}", bound["id"].as_str().unwrap());
    let own = json!({ "api_key": "a key of ana" });
    ana.door.put(&format!("{FACTORY}{path}/credentials"), &own).await.unwrap();
    let said = tried(&ana, "shipped-shelf", &agent).await;
    assert_eq!(said["ok"], true, "{said:#}");
    assert_eq!(heard(&server).await, (Some("a key of ana".to_owned()), 2));
}

#[tokio::test]
async fn f_103_a_connector_whose_secret_the_deployment_does_not_have_is_called_without() {
    let server = source().await;
    ship("bare-shelf", &server, None).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "bare-shelf").await;
    let said = tried(&ana, "bare-shelf", &agent).await;
    assert_eq!(said["error"]["code"], "CONNECTOR_CREDENTIAL", "{said:#}");
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn k_37_no_override_and_no_copy_carries_the_deployments_credential_elsewhere() {
    let (server, elsewhere) = (source().await, source().await);
    ship("moved-shelf", &server, Some(SECRET)).await;
    let ana = person("ana", &["global:analyst"]).await;
    for overrides in [
        json!({ "base_url": elsewhere.uri() }),
        json!({ "headers": { "x-forwarded-host": "b.example" } }),
        json!({ "rate_limit": { "requests_per_second": 100 } }),
    ] {
        let agent = ana.agent(&[]).await;
        let body = json!({ "connector_id": "moved-shelf", "config_overrides": overrides });
        let refused = refusal(bind(&ana, &agent, &body).await);
        assert_eq!(
            (refused.status, &refused.places[..]),
            (422, &["config_overrides".to_owned()][..])
        );
        assert!(refused.said.contains("a credential of your own"), "{}", refused.said);
        // The same in two steps.
        let bound = bind(&ana, &agent, &json!({ "connector_id": "moved-shelf" })).await.unwrap();
        let path =
            format!("{FACTORY}/profiles/{agent}/data-sources/{}", bound["id"].as_str().unwrap());
        let body = json!({ "config_overrides": overrides, "permissions": {}, "is_enabled": true });
        assert_eq!(refusal(ana.door.put(&path, &body).await).status, 422);
        // With a credential of one's own it can be written; once that is gone, nothing takes its place.
        let own = json!({ "api_key": "a key of ana" });
        ana.door.put(&format!("{path}/credentials"), &own).await.unwrap();
        ana.door.put(&path, &body).await.unwrap();
        ana.door.delete(&format!("{path}/credentials")).await.unwrap();
        let said = tried(&ana, "moved-shelf", &agent).await;
        assert_eq!(said["error"]["code"], "CONNECTOR_CREDENTIAL", "{overrides}: {said:#}");
    }
    // A copy has the same id and is ana's.
    ana.door
        .post(&format!("{FACTORY}/connectors/from-template/moved-shelf"), &json!({}))
        .await
        .unwrap();
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "moved-shelf").await;
    let said = tried(&ana, "moved-shelf", &agent).await;
    assert_eq!(said["error"]["code"], "CONNECTOR_CREDENTIAL", "{said:#}");
    for server in [server, elsewhere] {
        assert!(server.received_requests().await.unwrap().is_empty(), "a secret may have left");
    }
}
