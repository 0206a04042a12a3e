//! Connectors at the door: tried, counted, refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::case::{Person, person, step, until};
use crate::world::world;

/// A source that answers with whatever status it is told to.
struct Source {
    port: u16,
    status: Arc<AtomicU16>,
    asked: Arc<AtomicUsize>,
}

const ITEMS: &str = r#"{"items":[{"name":"Harbor","founded":"1999-01-02","size":3},{"name":"Mill","founded":null,"size":4}]}"#;

impl Source {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (status, asked) = (Arc::new(AtomicU16::new(200)), Arc::new(AtomicUsize::new(0)));
        let (told, counted) = (Arc::clone(&status), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut seen = vec![0; 16 * 1024];
                let _ = stream.read(&mut seen).await;
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
        Self { port, status, asked }
    }

    fn say(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
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
  rate_limit: {{requests_per_minute: 50}}
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
    let foreign = tried(&bob, json!({ "endpoint": "list" })).await;
    assert_eq!(foreign["error"]["code"], "CONNECTOR_UNKNOWN");
}

#[tokio::test]
async fn f_315_a_source_that_fails_rests_and_its_last_answer_stands_in() {
    let (source, ana) = shelf("{type: none}").await;
    assert_eq!(tried(&ana, json!({ "endpoint": "list" })).await["ok"], true);
    source.say(503);
    for _ in 0..5 {
        let stale = tried(&ana, json!({ "endpoint": "list" })).await;
        assert_eq!(
            (&stale["ok"], &stale["output"]["_stale"]),
            (&json!(true), &json!(true)),
            "{stale:#}"
        );
    }
    let asked = source.asked();
    let resting = tried(&ana, json!({ "endpoint": "list" })).await;
    assert_eq!(resting["output"]["_stale"], true);
    assert_eq!(source.asked(), asked, "a source that rests was asked");
    let health = ana.get("/connectors/shelf/health").await;
    assert_eq!(health["breaker"], "open", "{health:#}");
    assert!(health["budget"][0]["left"].as_u64().unwrap() < 50, "{health:#}");
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
    ana.playbook(
        r#"
id: read-shelf
name: Read the shelf
description: Lists what is there.
version: 1.0.0
required_connectors: [shelf]
execution_mode: deterministic
steps:
  - {name: read, step_type: tool, action: call_connector, connector: shelf, endpoint: list, on_error: stop}
"#,
    )
    .await;
    let run = ana.start(&agent, "read-shelf", json!({})).await;
    let done = ana.reaches(&run, "error").await;
    assert_eq!(step(&done, "read")["code"], "CONNECTOR_AUTH_FAILED");
    assert!(!done.to_string().contains("a secret of ana"));
    let path = format!("/profiles/{agent}/data-sources/{}", bound["id"].as_str().unwrap());
    assert_eq!(ana.get(&path).await["health"], "auth_failed");
    until("the mail", || async {
        let mails = world().mailbox().to(&ana.email).await.unwrap();
        mails.into_iter().find(|mail| mail.subject.contains("refuses your credential"))
    })
    .await;
}

#[tokio::test]
async fn f_106_connectors_have_versions_categories_and_tags() {
    let (source, ana) = shelf("{type: none}").await;
    let next = json!({ "yaml": source.yaml("{type: none}", "1.1.0") });
    ana.door.put(&format!("{}/connectors/shelf", crate::case::FACTORY), &next).await.unwrap();
    let versions = ana.get("/connectors/shelf/versions").await;
    let versions: Vec<&Value> =
        versions["items"].as_array().unwrap().iter().map(|item| &item["version"]).collect();
    assert_eq!(versions, ["1.1.0", "1.0.0"]);
    for (filter, count) in
        [("tag=shelves", 1), ("category=corporate&from=own", 1), ("tag=none&from=own", 0)]
    {
        let page = ana.get(&format!("/connectors?{filter}")).await;
        assert_eq!(page["items"].as_array().unwrap().len(), count, "{filter}: {page:#}");
    }
}
