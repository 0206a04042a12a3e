//! Files and credentials that were acknowledged before a kill.

use std::sync::Mutex;

use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::case::{FACTORY, Person, until};
use crate::provider_server;

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

const COUNTS: &str = "
id: counts-kept
name: Counts
description: Counts what arrives.
version: 1.0.0
execution_mode: deterministic
inputs: [{name: rows, type: list, required: true}]
steps:
  - {name: count, step_type: tool, action: transform_data, inputs: {data: \"{rows}\"}, operations: [{type: limit, count: 1}]}
";

/// What somebody keeps in the stack while it is killed.
pub(super) struct Kept {
    server: MockServer,
    agent: String,
    binding: String,
    /// Fires for each file.
    trigger: String,
    files: Mutex<Vec<String>>,
    /// The number of the last token that was stored.
    token: Mutex<u64>,
}

impl Kept {
    pub(super) async fn set(ana: &Person) -> Self {
        let server = provider_server::start().await;
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
        ana.playbook(COUNTS).await;
        let trigger = json!({
            "name": "Each file", "profile_id": agent, "playbook_id": "counts-kept",
            "on": { "type": "file", "folder": "kept" }, "inputs": { "rows": [{ "name": "{file.name}" }] },
        });
        let trigger = ana.post("/triggers", &trigger).await["id"].as_str().unwrap().to_owned();
        let (files, token) = (Mutex::default(), Mutex::new(0));
        Self { server, agent, binding, trigger, files, token }
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

    /// Every file is there and has fired its trigger once, and the last token is sent, or the one whose answer never came.
    pub(super) async fn check(&self, ana: &Person) {
        let listed = listed(ana).await;
        for file in self.files.lock().unwrap().iter() {
            assert!(listed.contains(file), "{file} is gone");
        }
        self.every_file_fires(ana).await;
        let run = ana.start(&self.agent, "reads-kept", json!({})).await;
        ana.reaches(&run, "complete").await;
        let seen = self.server.received_requests().await.unwrap();
        let sent = seen.last().unwrap().headers["authorization"].to_str().unwrap().to_owned();
        let mut last = self.token.lock().unwrap();
        let expect = [*last, *last + 1].map(|number| format!("Bearer token-{number}"));
        let number = expect.iter().position(|one| *one == sent);
        *last += number.unwrap_or_else(|| panic!("{sent}, not {expect:?}")) as u64;
    }

    /// What told of a file that arrived was in a queue when the stack was killed, or not read yet.
    async fn every_file_fires(&self, ana: &Person) {
        let path = format!("/triggers/{}/occurrences?limit=100", self.trigger);
        let mut files = self.files.lock().unwrap().clone();
        files.sort_unstable();
        until("every file that was acknowledged fires once", || async {
            let mut fired = all(ana, &path, |one| &one["fired_by"]["name"]).await;
            fired.retain(|name| files.binary_search(name).is_ok());
            fired.sort_unstable();
            assert!(fired.windows(2).all(|two| two[0] != two[1]), "a file fired twice: {fired:?}");
            (fired == files).then_some(())
        })
        .await;
    }
}

/// The names of all files of the folder.
async fn listed(ana: &Person) -> Vec<String> {
    all(ana, "/uploads?folder=kept&limit=100", |item| &item["name"]).await
}

/// One field of all items of a list.
async fn all(ana: &Person, path: &str, field: fn(&Value) -> &Value) -> Vec<String> {
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let page = ana.get(&format!("{path}{after}")).await;
        let items = page["items"].as_array().unwrap();
        found.extend(items.iter().map(|item| field(item).as_str().unwrap_or_default().to_owned()));
        match page["next"].as_str() {
            Some(next) => after = format!("&cursor={next}"),
            None => return found,
        }
    }
}
