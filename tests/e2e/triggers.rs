//! What else starts runs: a signed webhook, a file that arrives, the end of another run.

mod after;
pub(crate) mod asked;
mod command;
mod files;
mod keys;
mod limits;
mod overlaps;
mod versions;
mod webhooks;

use countersign_trigger::hook::Secret;
use jiff::Timestamp;
use reqwest::Client;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person, refusal, until};
use crate::world::world;

/// A playbook that asks nobody: takes a list, and a text that is only kept.
fn compute(id: &str) -> String {
    format!(
        r#"
id: {id}
name: Compute
description: Computes.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: rows, type: list, required: true}}
  - {{name: note, type: string, required: false}}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {{data: "{{rows}}"}}
    operations: [{{type: limit, value: 1}}]
"#
    )
}

/// A trigger of this agent.
fn trigger(agent: &str, playbook: &str, on: &Value, inputs: &Value) -> Value {
    json!({ "name": "Test trigger", "profile_id": agent, "playbook_id": playbook, "on": on, "inputs": inputs })
}

async fn made(ana: &Person, body: &Value) -> String {
    ana.post("/triggers", body).await["id"].as_str().unwrap().to_owned()
}

async fn changed(ana: &Person, trigger: &str, change: &Value) {
    ana.door.patch(&format!("{FACTORY}/triggers/{trigger}"), change).await.unwrap();
}

/// What has fired a trigger, newest first.
async fn fired(ana: &Person, trigger: &str) -> Vec<Value> {
    let page = ana.get(&format!("/triggers/{trigger}/occurrences")).await;
    page["items"].as_array().unwrap().clone()
}

/// Waits until a trigger has an occurrence in this state.
async fn comes_to(ana: &Person, trigger: &str, state: &str) -> Value {
    until(&format!("an occurrence of {trigger} is {state}"), || async {
        fired(ana, trigger).await.into_iter().find(|one| one["state"] == state)
    })
    .await
}

fn run_of(occurrence: &Value) -> String {
    occurrence["runs"][0].as_str().unwrap_or_else(|| panic!("no run: {occurrence:#}")).to_owned()
}

/// Somebody who was given a key of a webhook.
pub(crate) struct Sender {
    trigger: String,
    key: String,
    secret: Secret,
}

/// What the door of webhooks answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// After how many seconds the same message may come again.
    pub(crate) again_after: Option<u32>,
}

impl Answer {
    fn code(&self) -> (u16, &str) {
        (self.status, self.body["code"].as_str().unwrap_or_default())
    }

    /// Without the id of the request, which is always another one.
    fn bare(mut self) -> Self {
        self.body.as_object_mut().unwrap().shift_remove("instance");
        self
    }
}

impl Sender {
    pub(crate) async fn new(ana: &Person, trigger: &str) -> Self {
        let made = ana.post(&format!("/triggers/{trigger}/keys"), &json!({})).await;
        let secret = Secret::parse(made["secret"].as_str().unwrap()).unwrap();
        let key = made["id"].as_str().unwrap().to_owned();
        Self { trigger: trigger.to_owned(), key, secret }
    }

    /// The headers of a message that is sent so many seconds from now.
    fn headers(&self, message: &str, shift: i64, body: &str) -> Vec<(&'static str, String)> {
        let at = Timestamp::now().as_second() + shift;
        vec![
            ("content-type", "application/json".to_owned()),
            ("webhook-id", message.to_owned()),
            ("webhook-timestamp", at.to_string()),
            ("webhook-signature", self.secret.sign(message, at, body.as_bytes())),
        ]
    }

    async fn send(&self, message: &str, body: &Value) -> Answer {
        self.send_to(&world().stack.url(), message, body).await
    }

    /// The same to a deployment of its own.
    pub(crate) async fn send_to(&self, base: &str, message: &str, body: &Value) -> Answer {
        let body = body.to_string();
        call_at(base, &self.trigger, &self.headers(message, 0, &body), &body).await
    }

    /// The occurrence of a message that is taken.
    async fn fires(&self, ana: &Person, message: &str, body: &Value) -> Value {
        let answer = self.send(message, body).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        let id = answer.body["occurrence"].as_str().unwrap().to_owned();
        ana.get(&format!("/occurrences/{id}")).await
    }
}

async fn call(trigger: &str, headers: &[(&'static str, String)], body: &str) -> Answer {
    call_at(&world().stack.url(), trigger, headers, body).await
}

async fn call_at(
    base: &str,
    trigger: &str,
    headers: &[(&'static str, String)],
    body: &str,
) -> Answer {
    let client = Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{base}/hooks/{trigger}")).body(body.to_owned());
    let request =
        headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    let again_after = answer.headers().get("retry-after");
    let again_after = again_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let body = answer.json().await.unwrap_or(Value::Null);
    Answer { status, body, again_after }
}

#[tokio::test]
async fn issue_14_a_trigger_is_kept_changed_and_removed_and_is_its_owners() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute("kept-by-trigger")).await;
    let hook = json!({ "type": "webhook" });
    let whole = trigger(&agent, "kept-by-trigger", &hook, &json!({ "rows": "{body.rows}" }));
    let said = ana.post("/triggers/validate", &whole).await;
    assert_eq!(said["is_valid"], true, "{said:#}");
    let made = ana.post("/triggers", &whole).await;
    assert_eq!((&made["is_active"], &made["overlap"]), (&json!(true), &json!("allow")));
    let id = made["id"].as_str().unwrap();
    let path = format!("/triggers/{id}");
    let seen = ana.get(&path).await;
    assert_eq!(seen["hook_path"], format!("/hooks/{id}"), "{seen:#}");
    changed(&ana, id, &json!({ "name": "Other" })).await;
    assert_eq!(ana.get(&path).await["version"], 2);

    let keys = format!("{path}/keys");
    assert_eq!(maria.refused(&path, None).await.0, 404);
    assert_eq!(maria.refused(&keys, None).await.0, 404);
    assert_eq!(maria.refused(&keys, Some(&json!({}))).await.0, 404);
    assert_eq!(maria.refused("/triggers", Some(&whole)).await.0, 422, "it is ana's agent");

    let doubtful = [
        (json!({ "rows": "{file.name}" }), "inputs.rows"),
        (json!({ "rows": [], "nots": "a" }), "inputs.nots"),
        (json!({ "note": "a" }), "inputs.rows"),
    ];
    for (inputs, place) in doubtful {
        let body = trigger(&agent, "kept-by-trigger", &hook, &inputs);
        let said = refusal(ana.door.post(&format!("{FACTORY}/triggers"), &body).await);
        assert_eq!((said.status, said.places), (422, vec![place.to_owned()]), "{inputs}");
    }
    let gone = trigger(&agent, "never-written", &hook, &json!({}));
    assert_eq!(ana.refused("/triggers", Some(&gone)).await.0, 422);

    ana.door.delete(&format!("{FACTORY}/profiles/{agent}")).await.unwrap();
    assert_eq!(ana.refused(&path, None).await.0, 404, "F-178: it went with its agent");
}
