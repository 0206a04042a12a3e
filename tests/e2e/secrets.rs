//! Where the text of a credential is not.

use serde_json::{Value, json};
use wiremock::MockServer;

use crate::case::{FACTORY, Person, person};
use crate::provider_server;
use crate::world::world;

/// A source that wants a key.
fn connector(server: &MockServer, auth: &str) -> String {
    format!(
        "
id: keyed
name: Keyed
type: rest_api
version: 1.0.0
description: Wants a key.
connection:
  base_url: {}
  auth: {auth}
endpoints:
  all:
    description: Everything.
    path: /all
    response_mapping: {{results_path: items, entity_type: thing, fields: {{id: id}}}}
",
        server.uri()
    )
}

/// Ana's agent, bound with this credential, and its binding.
async fn bound(ana: &Person, credentials: &Value) -> (String, String) {
    let agent = ana.agent(&[]).await;
    let body = json!({ "connector_id": "keyed", "credentials": credentials });
    let binding = ana.post(&format!("/profiles/{agent}/data-sources"), &body).await;
    assert!(!binding.to_string().contains("s3cr3t"), "{binding:#}");
    (agent, binding["id"].as_str().unwrap().to_owned())
}

/// A text that stands nowhere else.
fn secret() -> String {
    format!("s3cr3t-{}", uuid::Uuid::now_v7().simple())
}

/// Every item of every table of the deployment, as text.
async fn stored() -> (usize, String) {
    let outputs = world().stack.outputs.iter();
    let names = outputs.filter(|(name, _)| name.ends_with("TableName"));
    let mut all = (0, String::new());
    for name in names.filter_map(|(_, table)| table.as_str()) {
        let items = world().aws(&["dynamodb", "scan", "--table-name", name]).await.unwrap();
        all.0 += 1;
        all.1.push_str(&items.to_string());
    }
    all
}

#[tokio::test]
async fn f_009_no_text_of_a_credential_is_in_a_table() {
    use base64::Engine as _;
    let ana = person("ana", &["global:analyst"]).await;
    let server = provider_server::start().await;
    ana.post("/connectors", &json!({ "yaml": connector(&server, "{type: bearer_token}") })).await;
    let (first, second) = (secret(), secret());
    let (agent, binding) = bound(&ana, &json!({ "token": first })).await;
    let path = format!("{FACTORY}/profiles/{agent}/data-sources/{binding}/credentials");
    ana.door.put(&path, &json!({ "token": second })).await.unwrap();
    let (tables, stored) = stored().await;
    assert!(tables >= 7 && stored.contains(&binding), "the binding is there: {tables} tables");
    for secret in [&first, &second] {
        assert!(!stored.contains(secret.as_str()), "a credential is in a table");
        // A binary attribute is shown in base64, so its plain text would be too, at one of three places.
        for before in 0..3 {
            let padded = format!("{}{secret}", "x".repeat(before));
            let text = base64::engine::general_purpose::STANDARD_NO_PAD.encode(padded);
            let inner = &text[4..text.len() - 4];
            assert!(!stored.contains(inner), "a credential is in a table, in base64");
        }
    }
}

/// How many sealed credentials of a person there are.
async fn sealed(of: &Person) -> i64 {
    let table = world().stack.outputs["VaultTableName"].as_str().unwrap();
    let values = json!({ ":of": { "S": format!("OWNER#{}", of.id) } }).to_string();
    let query = [
        "dynamodb",
        "query",
        "--table-name",
        table,
        "--key-condition-expression",
        "PK = :of",
        "--expression-attribute-values",
        &values,
        "--consistent-read",
    ];
    world().aws(&query).await.unwrap()["Count"].as_i64().unwrap()
}

#[tokio::test]
async fn f_009_a_credential_is_sealed_exactly_as_long_as_a_data_source_has_it() {
    let ana = person("ana", &["global:analyst"]).await;
    let server = provider_server::start().await;
    ana.post("/connectors", &json!({ "yaml": connector(&server, "{type: bearer_token}") })).await;
    let (agent, binding) = bound(&ana, &json!({ "token": secret() })).await;
    // The connector is bound already: nothing is sealed for a second data source.
    let body = json!({ "connector_id": "keyed", "credentials": { "token": secret() } });
    let twice = ana.refused(&format!("/profiles/{agent}/data-sources"), Some(&body)).await;
    assert_eq!(twice, (409, "NAME_TAKEN".to_owned()));
    let source = format!("{FACTORY}/profiles/{agent}/data-sources/{binding}");
    let credentials = format!("{source}/credentials");
    // Of several at once some are told that it was changed in between.
    let put = async || drop(ana.door.put(&credentials, &json!({ "token": secret() })).await);
    tokio::join!(put(), put(), put());
    assert_eq!(sealed(&ana).await, 1, "the one that the data source has");
    tokio::join!(put(), async { drop(ana.door.delete(&source).await) }, put());
    // Where the removal found others at it each time, it is asked for again.
    drop(ana.door.delete(&source).await);
    assert_eq!(ana.get(&format!("/profiles/{agent}/data-sources")).await, json!([]));
    assert_eq!(sealed(&ana).await, 0, "nobody could see or remove it");
    let again = ana.post(&format!("/profiles/{agent}/data-sources"), &body).await;
    let again = again["id"].as_str().unwrap();
    let credentials = format!("{FACTORY}/profiles/{agent}/data-sources/{again}/credentials");
    ana.door.delete(&credentials).await.unwrap();
    assert_eq!(sealed(&ana).await, 0);
    ana.door.put(&credentials, &json!({ "token": secret() })).await.unwrap();
    assert_eq!(sealed(&ana).await, 1);
    ana.door.delete(&format!("{FACTORY}/profiles/{agent}")).await.unwrap();
    assert_eq!(sealed(&ana).await, 0, "its credentials go with the agent");
}
