//! Files and credentials that were acknowledged before a kill.

use std::sync::Mutex;

use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::case::{FACTORY, Person};

const CONTENT: &[u8] = b"id,amount\n1,12.50\n";

const READS: &str = "
id: reads-kept
name: Reads
description: Reads with a credential.
version: 1.0.0
execution_mode: deterministic
steps:
  - {name: read, step_type: tool, action: call_connector, connector: kept, endpoint: all}
";

/// What somebody keeps in the stack while it is killed.
pub(super) struct Kept {
    server: MockServer,
    agent: String,
    binding: String,
    files: Mutex<Vec<String>>,
    /// The number of the last token that was stored.
    token: Mutex<u64>,
}

impl Kept {
    pub(super) async fn set(ana: &Person) -> Self {
        let server = MockServer::builder().start().await;
        let answer = ResponseTemplate::new(200).set_body_json(json!([{ "id": "1" }]));
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let yaml = format!(
            "
id: kept
name: Kept
type: rest_api
version: 1.0.0
description: Wants a token.
connection: {{base_url: '{}', auth: {{type: bearer_token}}}}
endpoints:
  all: {{description: Everything., path: /all, response_mapping: {{entity_type: thing, fields: {{id: id}}}}}}
",
            server.uri()
        );
        ana.post("/connectors", &json!({ "yaml": yaml })).await;
        let agent = ana.agent(&[]).await;
        let body = json!({ "connector_id": "kept", "credentials": { "token": "token-0" } });
        let binding = ana.post(&format!("/profiles/{agent}/data-sources"), &body).await;
        let binding = binding["id"].as_str().unwrap().to_owned();
        ana.playbook(READS).await;
        Self { server, agent, binding, files: Mutex::default(), token: Mutex::new(0) }
    }

    pub(super) fn len(&self) -> usize {
        self.files.lock().unwrap().len()
    }

    /// Uploads files until nobody answers.
    pub(super) async fn add_files(&self, ana: &Person) {
        loop {
            let name = format!("f-{}.csv", uuid::Uuid::now_v7().simple());
            let file = json!({ "name": name, "size": CONTENT.len() });
            let body = json!({ "folder": "kept", "files": [file] });
            let Ok(places) = ana.door.post(&format!("{FACTORY}/uploads"), &body).await else {
                return;
            };
            let place =
                places["items"].as_array().or_else(|| places.as_array()).unwrap()[0].clone();
            if ana.door.send(&place, CONTENT.to_vec()).await.is_err() {
                return;
            }
            self.files.lock().unwrap().push(name);
        }
    }

    /// Stores one token after the other until nobody answers.
    pub(super) async fn store_tokens(&self, ana: &Person) {
        let path =
            format!("{FACTORY}/profiles/{}/data-sources/{}/credentials", self.agent, self.binding);
        loop {
            let next = *self.token.lock().unwrap() + 1;
            let body = json!({ "token": format!("token-{next}") });
            if ana.door.put(&path, &body).await.is_err() {
                return;
            }
            *self.token.lock().unwrap() = next;
        }
    }

    /// Every file is there, and the last token is sent, or the one whose answer never came.
    pub(super) async fn check(&self, ana: &Person) {
        let listed = listed(ana).await;
        for file in self.files.lock().unwrap().iter() {
            assert!(listed.contains(file), "{file} is gone");
        }
        let run = ana.start(&self.agent, "reads-kept", json!({})).await;
        ana.reaches(&run, "complete").await;
        let seen = self.server.received_requests().await.unwrap();
        let sent = seen.last().unwrap().headers["authorization"].to_str().unwrap().to_owned();
        let mut last = self.token.lock().unwrap();
        let expect = [*last, *last + 1].map(|number| format!("Bearer token-{number}"));
        let number = expect.iter().position(|one| *one == sent);
        *last += number.unwrap_or_else(|| panic!("{sent}, not {expect:?}")) as u64;
    }
}

/// The names of all files of the folder.
async fn listed(ana: &Person) -> Vec<String> {
    let (mut names, mut after) = (Vec::new(), String::new());
    loop {
        let page = ana.get(&format!("/uploads?folder=kept&limit=100{after}")).await;
        let items = page["items"].as_array().unwrap();
        let name = |item: &Value| item["name"].as_str().unwrap_or_default().to_owned();
        names.extend(items.iter().map(name));
        match page["next"].as_str() {
            Some(next) => after = format!("&cursor={next}"),
            None => return names,
        }
    }
}
