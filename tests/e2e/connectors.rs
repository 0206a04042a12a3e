//! Connectors at the door: tried, counted, refused.

mod templates;

use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use countersign_cli::CliError;

use crate::case::{FACTORY, Person, person, step, until};
use crate::provider_server;
use crate::world::world;

/// A source that answers with whatever status it is told to.
struct Source {
    port: u16,
    status: Arc<AtomicU16>,
    asked: Arc<AtomicUsize>,
    heard: Arc<Mutex<String>>,
}

const ITEMS: &str = r#"{"items":[{"name":"Harbor","founded":"1999-01-02","size":3},{"name":"Mill","founded":null,"size":4}]}"#;

impl Source {
    async fn open() -> Self {
        let listener = provider_server::listener();
        let port = listener.local_addr().unwrap().port();
        let (status, asked) = (Arc::new(AtomicU16::new(200)), Arc::new(AtomicUsize::new(0)));
        let (told, counted) = (Arc::clone(&status), Arc::clone(&asked));
        let heard = Arc::new(Mutex::new(String::new()));
        let noted = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut seen = vec![0; 16 * 1024];
                let read = stream.read(&mut seen).await.unwrap_or_default();
                *noted.lock().unwrap() = String::from_utf8_lossy(&seen[..read]).into_owned();
                counted.fetch_add(1, Ordering::SeqCst);
                let status = told.load(Ordering::SeqCst);
                let body = if status == 200 { ITEMS } else { "{}" };
                let head = format!(
                    "HTTP/1.1 {status} Said\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(head.as_bytes()).await;
            }
        });
        Self { port, status, asked, heard }
    }

    fn say(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// The last request.
    fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn yaml(&self, auth: &str, version: &str) -> String {
        format!(
            r"
id: shelf
name: Shelf
type: rest_api
version: {version}
description: Organisations on a shelf.
category: corporate
tags: [shelves]
connection:
  base_url: http://127.0.0.1:{}
  auth: {auth}
  rate_limit: {{requests_per_month: 50}}
endpoints:
  list:
    description: All of them.
    path: /items
    response_mapping:
      entity_type: organisation
      results_path: items
      entity_extraction: [{{field: name, entity_type: ORG}}]
  drop:
    description: Removes all of them.
    method: DELETE
    path: /items
",
            self.port
        )
    }
}

async fn shelf(auth: &str) -> (Source, Person) {
    let (source, ana) = (Source::open().await, person("ana", &["global:analyst"]).await);
    ana.post("/connectors", &json!({ "yaml": source.yaml(auth, "1.0.0") })).await;
    (source, ana)
}

async fn tried(ana: &Person, body: Value) -> Value {
    ana.post("/connectors/shelf/test", &body).await
}

#[tokio::test]
async fn f_331_an_endpoint_is_tried_and_its_schema_inferred() {
    let (source, ana) = shelf("{type: none}").await;
    let said = tried(&ana, json!({ "endpoint": "list", "infer": true, "rows": 1 })).await;
    assert_eq!((&said["ok"], &said["count"]), (&json!(true), &json!(2)), "{said:#}");
    assert_eq!(said["output"]["results"].as_array().unwrap().len(), 1);
    assert_eq!(
        said["output_schema"]["fields"],
        json!([
            { "name": "name", "type": "string" },
            { "name": "founded", "type": "date" },
            { "name": "size", "type": "integer" },
        ])
    );
    let dropped = tried(&ana, json!({ "endpoint": "drop" })).await;
    assert_eq!(
        (&dropped["ok"], &dropped["error"]["code"]),
        (&json!(false), &json!("CONNECTOR_WRONG_FUNCTION"))
    );
    assert_eq!(source.asked(), 1, "a test changed something");
    let bob = person("bob", &["global:analyst"]).await;
    let refused = |who: &Person, body: Value| {
        let door = who.door.clone();
        async move {
            match door.post(&format!("{FACTORY}/connectors/shelf/test"), &body).await {
                Err(CliError::Refused { status, title, .. }) => (status, title),
                other => panic!("{body} was not refused: {other:?}"),
            }
        }
    };
    assert_eq!(refused(&bob, json!({ "endpoint": "list" })).await.0, 404, "somebody else's");
    let (status, said) = refused(&ana, json!({ "endpoint": "lst" })).await;
    assert_eq!(status, 422);
    assert!(said.contains("did you mean `list`?"), "{said}");
    let (status, said) = refused(&ana, json!({ "endpoint": "list", "inputs": { "no": 1 } })).await;
    assert_eq!(status, 422);
    assert!(said.contains("inputs.no"), "{said}");
}

#[tokio::test]
async fn f_315_a_source_that_fails_rests_and_its_last_answer_stands_in() {
    let (source, ana) = shelf("{type: none}").await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "shelf").await;
    ana.playbook(&reading("read-again")).await;
    let run = ana.start(&agent, "read-again", json!({})).await;
    ana.reaches(&run, "complete").await;
    source.say(503);
    for _ in 0..5 {
        // A test tells how the source is now.
        let said = tried(&ana, json!({ "endpoint": "list" })).await;
        assert_eq!(said["error"]["code"], "CONNECTOR_UNAVAILABLE", "{said:#}");
    }
    let asked = source.asked();
    let resting = tried(&ana, json!({ "endpoint": "list" })).await;
    let message = resting["error"]["message"].as_str().unwrap();
    assert!(message.contains("is tried again at"), "{message}");
    let run = ana.start(&agent, "read-again", json!({})).await;
    ana.reaches(&run, "complete").await;
    let output = ana.get(&format!("/executions/{run}/outputs/read")).await;
    let output = &output["output"];
    assert_eq!((&output["_stale"], &output["count"]), (&json!(true), &json!(2)), "{output:#}");
    assert_eq!(source.asked(), asked, "a source that rests was asked");
    let health = ana.get("/connectors/shelf/health").await;
    assert_eq!(health["breaker"], "open", "{health:#}");
    assert!(health["budget"][0]["left"].as_u64().unwrap() < 50, "{health:#}");
}

/// A playbook of one step, `read`.
fn reading(id: &str) -> String {
    format!(
        "
id: {id}
name: Read the shelf
description: Lists what is there.
version: 1.0.0
required_connectors: [shelf]
execution_mode: deterministic
steps:
  - {{name: read, step_type: tool, action: call_connector, connector: shelf, endpoint: list, on_error: stop}}
"
    )
}

#[tokio::test]
async fn f_306_a_refused_credential_is_marked_and_its_owner_is_told() {
    let (source, ana) = shelf("{type: bearer_token}").await;
    source.say(401);
    let agent = ana.agent(&[]).await;
    let bound = ana
        .post(
            &format!("/profiles/{agent}/data-sources"),
            &json!({ "connector_id": "shelf", "credentials": { "token": "a secret of ana" } }),
        )
        .await;
    ana.playbook(&reading("read-shelf")).await;
    let run = ana.start(&agent, "read-shelf", json!({})).await;
    let done = ana.reaches(&run, "error").await;
    assert_eq!(step(&done, "read")["code"], "CONNECTOR_AUTH_FAILED");
    assert!(!done.to_string().contains("a secret of ana"));
    let path = format!("/profiles/{agent}/data-sources/{}", bound["id"].as_str().unwrap());
    assert_eq!(ana.get(&path).await["health"], "auth_failed");
    until("the mail", || async {
        let mails = world().mailbox().to(&ana.email).await.unwrap();
        mails.into_iter().find(|mail| mail.subject.contains("rejects your credential"))
    })
    .await;
    // Another credential makes the binding well again, and is the one that is used.
    let again = json!({ "token": "another secret" });
    ana.door.put(&format!("{FACTORY}{path}/credentials"), &again).await.unwrap();
    assert_eq!(ana.get(&path).await["health"], "ok");
    source.say(200);
    let said = tried(&ana, json!({ "endpoint": "list", "profile": agent })).await;
    assert_eq!(said["ok"], true, "{said:#}");
    assert!(source.heard().contains("Bearer another secret"), "{}", source.heard());
}

#[tokio::test]
async fn f_330_a_connector_that_an_agent_has_is_not_removed() {
    let (_source, ana) = shelf("{type: bearer_token}").await;
    let agent = ana.agent(&[]).await;
    let path = format!("/profiles/{agent}/data-sources");
    // A number in place of a text: nothing of it comes back.
    let body = json!({ "connector_id": "shelf", "credentials": { "token": 8_151_623 } });
    let told = ana.door.post(&format!("{FACTORY}{path}"), &body).await.unwrap_err().to_string();
    assert!(told.contains("`token` must be a text") && !told.contains("8151623"), "{told}");
    let body = json!({ "connector_id": "shelf", "credentials": { "token": "a secret of ana" } });
    let bound = ana.post(&path, &body).await;
    let place = format!("{FACTORY}/connectors/shelf");
    assert_eq!(status(ana.door.delete(&place).await), (409, "CONNECTOR_BOUND".to_owned()));
    let binding = bound["id"].as_str().unwrap();
    // A change says everything: nothing is allowed by leaving it out.
    let half = json!({ "is_enabled": true });
    assert_eq!(status(ana.door.put(&format!("{FACTORY}{path}/{binding}"), &half).await).0, 422);
    ana.door.delete(&format!("{FACTORY}{path}/{binding}")).await.unwrap();
    ana.door.delete(&place).await.unwrap();
}

#[tokio::test]
async fn f_008_a_binding_with_a_misspelt_permission_is_refused() {
    let (source, ana) = shelf("{type: none}").await;
    let agent = ana.agent(&[]).await;
    let path = format!("/profiles/{agent}/data-sources");
    let with = |key: &str, value: Value| json!({ "connector_id": "shelf", key: value });
    for wrong in [
        with("permissions", json!({ "allowed_endpoint": ["drop"] })),
        with("permissions", json!({ "allowed_endpoints": ["lists"] })),
        with("permissions", json!({ "rate_limit_override": { "requests_per_minute": 0 } })),
        with("config_overrides", json!({ "base_url": "http://a.example" })),
        with("config_overrides", json!({ "max_file_size_mb": 1 })),
    ] {
        let refused = ana.refused(&path, Some(&wrong)).await;
        assert_eq!(refused, (422, "INVALID_INPUT".to_owned()), "{wrong}");
    }
    let bound = ana.post(&path, &with("permissions", json!({ "allowed_endpoints": [] }))).await;
    assert_eq!(bound["permissions"], json!({ "allowed_endpoints": [] }));
    let said = tried(&ana, json!({ "endpoint": "list", "profile": agent })).await;
    assert_eq!(said["error"]["code"], "CONNECTOR_ENDPOINT_NOT_ALLOWED", "{said:#}");
    assert_eq!(source.asked(), 0);
    let place = format!("{path}/{}", bound["id"].as_str().unwrap());
    let permissions = json!({ "allowed_endpoint": [] });
    let change = json!({ "is_enabled": true, "config_overrides": {}, "permissions": permissions });
    assert_eq!(status(ana.door.put(&format!("{FACTORY}{place}"), &change).await).0, 422);
    assert_eq!(ana.get(&place).await["permissions"], json!({ "allowed_endpoints": [] }));
}

/// Status and code of a request that must be refused.
fn status(said: Result<Value, CliError>) -> (u16, String) {
    match said {
        Err(CliError::Refused { status, code, .. }) => (status, code.unwrap_or_default()),
        other => panic!("not refused: {other:?}"),
    }
}
