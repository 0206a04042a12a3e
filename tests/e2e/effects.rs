//! What cannot be taken back: signed, done once, and never without the signature.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::case::{FACTORY, Person, person, revoke, step, until};
use crate::provider_server;
use crate::world::world;

/// A ledger of somebody else's: counts what is posted to it.
pub(crate) struct Elsewhere {
    pub(crate) port: u16,
    posts: Arc<AtomicUsize>,
    received: Arc<Mutex<Vec<String>>>,
}

impl Elsewhere {
    pub(crate) async fn open() -> Self {
        Self::busy(&[], 0).await
    }

    /// One that asks the callers of these posts, counted from 1, to come again after so many seconds.
    async fn busy(at: &[usize], seconds: u32) -> Self {
        let at = at.to_vec();
        let listener = provider_server::listener();
        let (port, posts) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&posts);
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut seen = vec![0; 64 * 1024];
                let read = stream.read(&mut seen).await.unwrap_or(0);
                if seen[..read].starts_with(b"POST") {
                    counted.fetch_add(1, Ordering::SeqCst);
                    kept.lock().unwrap().push(String::from_utf8_lossy(&seen[..read]).into_owned());
                }
                let status = match at.contains(&counted.load(Ordering::SeqCst)) {
                    true => format!("429 Too Many Requests\r\nretry-after: {seconds}"),
                    false => "201 Created".to_owned(),
                };
                let body = r#"{"id":"pay_1","state":"booked"}"#;
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        Self { port, posts, received }
    }

    /// What was posted, byte for byte.
    pub(crate) fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn posts(&self) -> usize {
        self.posts.load(Ordering::SeqCst)
    }
}

pub(crate) fn connector(port: u16) -> String {
    format!(
        r#"
id: test-ledger
name: Test ledger
type: rest_api
version: 1.0.0
description: Books payments.
connection:
  base_url: http://127.0.0.1:{port}
  auth: {{type: none}}
endpoints:
  book:
    description: Books a payment.
    method: POST
    path: /payments
    parameters:
      - {{name: amount, type: string, required: true}}
    response_mapping:
      entity_type: payment
      fields: {{id: id, state: state}}
"#
    )
}

pub(crate) fn playbook(id: &str, gate: &str) -> String {
    format!(
        r#"
id: {id}
name: Pay
description: Books one payment.
version: 1.0.0
required_connectors: [test-ledger]
execution_mode: deterministic
inputs:
  - {{name: amount, type: string, required: true}}
steps:
{gate}
  - name: pay
    step_type: tool
    action: call_connector
    connector: test-ledger
    endpoint: book
    inputs: {{amount: "{{amount}}"}}
"#
    )
}

pub(crate) async fn payer(elsewhere: &Elsewhere, signer: &Person) -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[signer]).await;
    ana.post("/connectors", &json!({ "yaml": connector(elsewhere.port) })).await;
    ana.bind(&agent, "test-ledger").await;
    (ana, agent)
}

async fn decide(maria: &Person, run: &str, word: &str) -> Value {
    let request = maria.request(run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    maria
        .post(
            &format!("{path}/{word}"),
            &json!({ "digest": seen["digest"], "version": seen["version"] }),
        )
        .await;
    seen
}

#[tokio::test]
async fn k_10_an_effect_outside_waits_for_a_signature_of_its_exact_arguments() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(&playbook("pay-alone", "")).await;
    let run = ana.start(&agent, "pay-alone", json!({ "amount": "12.50" })).await;
    ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(elsewhere.posts(), 0, "it was paid before anybody signed");
    let seen = decide(&maria, &run, "approve").await;
    let shown = serde_json::to_string(&seen).unwrap();
    assert!(shown.contains("12.50"), "the signer does not see the amount");
    let place = format!("http://127.0.0.1:{}/payments", elsewhere.port);
    assert!(shown.contains(&place), "the signer does not see where it goes: {shown}");
    let done = ana.reaches(&run, "complete").await;
    assert_eq!((step(&done, "pay")["status"].as_str(), elsewhere.posts()), (Some("done"), 1));
}

#[tokio::test]
async fn a_gate_before_it_signs_for_the_effect_behind_it() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    let gate = "  - {name: ask, step_type: approval, prompt: \"Pay {amount}?\"}";
    ana.playbook(&playbook("pay-gated", gate)).await;
    let run = ana.start(&agent, "pay-gated", json!({ "amount": "7.00" })).await;
    decide(&maria, &run, "approve").await;
    ana.reaches(&run, "complete").await;
    assert_eq!(elsewhere.posts(), 1, "one signature covers it, and it happens once");
}

#[tokio::test]
async fn what_is_refused_does_not_happen() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(&playbook("pay-refused", "")).await;
    let run = ana.start(&agent, "pay-refused", json!({ "amount": "99.00" })).await;
    decide(&maria, &run, "reject").await;
    ana.reaches(&run, "rejected").await;
    assert_eq!(elsewhere.posts(), 0);
}

/// A payment that was signed, and waits because the ledger is busy, when `change` happens. What a step has read may not stand for the
/// twelve seconds that it waits.
async fn while_it_waits(
    playbook_id: &str,
    change: impl AsyncFnOnce(&Person, &str),
) -> (Value, Elsewhere) {
    let (elsewhere, maria) =
        (Elsewhere::busy(&[1], 12).await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(&playbook(playbook_id, "")).await;
    let run = ana.start(&agent, playbook_id, json!({ "amount": "12.50" })).await;
    decide(&maria, &run, "approve").await;
    until("it was asked to wait", || async { (elsewhere.posts() == 1).then_some(()) }).await;
    change(&ana, &run).await;
    (paid_or_not(&ana, &run).await, elsewhere)
}

/// The step that pays, once it is over.
async fn paid_or_not(ana: &Person, run: &str) -> Value {
    let ended = until("the step is over", || async {
        let now = ana.door.get(&format!("{FACTORY}/executions/{run}")).await.ok()?;
        let status = step(&now, "pay")["status"].as_str()?.to_owned();
        ["failed", "done"].contains(&status.as_str()).then_some(now)
    })
    .await;
    step(&ended, "pay").clone()
}

/// Takes away the right to pay; what the person has done may still be read.
async fn demote(ana: &Person) {
    revoke(ana, "global:analyst").await;
    let grants = format!("/api/admin/users/{}/grants", ana.username);
    let admin = crate::case::admin(world());
    admin.post(&grants, &json!({ "scope": "global:reader" })).await.unwrap();
}

#[tokio::test]
async fn a_signed_call_that_waits_is_not_sent_when_its_run_is_ended_meanwhile() {
    let (pay, elsewhere) = while_it_waits("pay-ended", async |ana, run| {
        ana.post(&format!("/executions/{run}/cancel"), &json!({})).await;
    })
    .await;
    assert_eq!((pay["status"].as_str(), elsewhere.posts()), (Some("failed"), 1), "{pay}");
    assert_eq!(pay["code"], "RUN_STOPPED");
}

#[tokio::test]
async fn r_003_a_signed_call_that_waits_is_not_sent_when_a_right_is_taken_away_meanwhile() {
    let (pay, elsewhere) = while_it_waits("pay-revoked", async |ana, _| demote(ana).await).await;
    assert_eq!((pay["status"].as_str(), elsewhere.posts()), (Some("failed"), 1), "{pay}");
    assert_eq!(pay["code"], "PERMISSION_DENIED");
}

/// Payments one after the other, instead of one.
fn each(id: &str) -> String {
    let gate = "  - {name: ask, step_type: approval, prompt: Pay these?}";
    let list = "    for_each: {in: \"{amounts}\", as: item, parallel: 1}\n    inputs: {amount: \"{item.amount}\"}";
    playbook(id, gate)
        .replace("name: amount, type: string", "name: amounts, type: list")
        .replace("    inputs: {amount: \"{amount}\"}", list)
}

#[tokio::test]
async fn r_003_the_rights_of_a_list_are_not_older_when_a_later_call_has_waited() {
    // The first call takes six seconds, and the second waits for as long: each is less than what was read may stand, both are more.
    let (elsewhere, maria) =
        (Elsewhere::busy(&[1, 3], 6).await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(&each("pay-each-revoked")).await;
    let amounts = json!({ "amounts": [{ "amount": "1.00" }, { "amount": "2.00" }] });
    let run = ana.start(&agent, "pay-each-revoked", amounts).await;
    decide(&maria, &run, "approve").await;
    until("the second was asked to wait", || async { (elsewhere.posts() == 3).then_some(()) })
        .await;
    demote(&ana).await;
    let pay = paid_or_not(&ana, &run).await;
    assert_eq!((pay["code"].as_str(), elsewhere.posts()), (Some("PARTLY_SENT"), 3), "{pay}");
}

/// A second payment, of what the first one gave, behind a gate of its own; both only if there is something.
const SECOND: &str = r#"  - {name: ask_again, step_type: approval, prompt: "Pay again?", condition: "{pay.results} is defined"}
  - name: pay_again
    step_type: tool
    action: call_connector
    connector: test-ledger
    endpoint: book
    condition: "{pay.results} is defined"
    inputs: {amount: "{pay.results[0].state}"}
"#;

#[tokio::test]
async fn f_197_a_condition_leaves_out_what_depends_on_a_denied_call() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    let gate = r#"  - {name: ask, step_type: approval, prompt: "Pay?", on_reject: skip}"#;
    ana.playbook(&format!("{}{SECOND}", playbook("pay-twice", gate))).await;
    let run = ana.start(&agent, "pay-twice", json!({ "amount": "1.00" })).await;
    decide(&maria, &run, "reject").await;
    let done = ana.reaches(&run, "rejected").await;
    assert_eq!(step(&done, "pay")["code"], "GATE_DENIED", "{done:#}");
    for name in ["ask_again", "pay_again"] {
        assert_eq!(step(&done, name)["status"], "skipped", "{done:#}");
    }
    assert_eq!(done["approvals"].as_array().unwrap().len(), 1, "nobody was asked again: {done:#}");
    assert_eq!(elsewhere.posts(), 0);
}

/// A payment that asks for itself, and beside it something that needs nobody; what follows needs both.
const BESIDE: &str = r#"
id: pay-beside
name: Pay beside
description: Books one payment beside something else.
version: 1.0.0
required_connectors: [test-ledger]
execution_mode: deterministic
steps:
  - name: both
    step_type: tool
    action: parallel
    parallel_steps:
      - {name: pay, step_type: tool, action: call_connector, connector: test-ledger, endpoint: book, inputs: {amount: "3.00"}}
      - {name: rows, step_type: tool, action: transform_data, inputs: {data: [{a: 1}]}, params: {operations: []}}
  - {name: after, step_type: tool, action: transform_data, inputs: {data: "{pay.results}"}, params: {operations: []}}
"#;

#[tokio::test]
async fn r_045_r_069_what_waits_for_people_holds_up_nothing_in_its_stage_but_the_next_one() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(BESIDE).await;
    let run = ana.start(&agent, "pay-beside", json!({})).await;
    maria.request(&run).await;
    let waiting = until("what needs nobody is done", || async {
        let now = ana.run(&run).await;
        (step(&now, "rows")["status"] == "done").then_some(now)
    })
    .await;
    assert_eq!(waiting["state"], "awaiting_approval", "{waiting:#}");
    let stages = ["pay", "rows", "after"].map(|name| step(&waiting, name)["stage"].clone());
    assert_eq!(stages, [json!(1), json!(1), json!(2)], "{waiting:#}");
    for name in ["pay", "after"] {
        assert_ne!(step(&waiting, name)["status"], "done", "{waiting:#}");
    }
    assert_eq!(elsewhere.posts(), 0);
    decide(&maria, &run, "approve").await;
    let done = ana.reaches(&run, "complete").await;
    assert_eq!(step(&done, "after")["status"], "done", "{done:#}");
    assert_eq!(elsewhere.posts(), 1);
}
