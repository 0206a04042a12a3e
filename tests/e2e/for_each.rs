//! One signature for a list of payments: each has a key, an outcome and a receipt of its own, and none is made twice.

mod lost;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_cli::CliError;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::case::{FACTORY, Person, person, step, until};
use crate::effects::connector;
use crate::saboteur::kill_at;

/// A payment as the bank got it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Payment {
    key: String,
    amount: String,
}

/// A bank that refuses some amounts, and one of whose callers dies when it has its payment.
pub(crate) struct Bank {
    pub(crate) port: u16,
    payments: Arc<Mutex<Vec<Payment>>>,
    refused: Arc<Mutex<BTreeSet<String>>>,
    kills: Arc<Mutex<Option<String>>>,
    takes: Arc<Mutex<Duration>>,
}

impl Bank {
    pub(crate) async fn open(refused: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let refused = refused.iter().map(|amount| (*amount).to_owned()).collect();
        let refused = Arc::new(Mutex::new(refused));
        let bank = Self {
            port,
            payments: Arc::default(),
            refused,
            kills: Arc::default(),
            takes: Arc::default(),
        };
        let (payments, refused) = (Arc::clone(&bank.payments), Arc::clone(&bank.refused));
        let (kills, takes) = (Arc::clone(&bank.kills), Arc::clone(&bank.takes));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut seen = vec![0; 64 * 1024];
                let read = stream.read(&mut seen).await.unwrap_or(0);
                let Some(payment) = payment(&String::from_utf8_lossy(&seen[..read])) else {
                    continue;
                };
                let refuses = refused.lock().unwrap().contains(&payment.amount);
                let (status, body) = if refuses {
                    ("422 Unprocessable Content", r#"{"error":"account closed"}"#)
                } else {
                    ("201 Created", r#"{"id":"pay_1","state":"booked"}"#)
                };
                let dies = kills.lock().unwrap().take_if(|amount| *amount == payment.amount);
                payments.lock().unwrap().push(payment);
                if dies.is_some() {
                    kill_at(&stream).expect("the function that sends is killed");
                    continue;
                }
                let time = *takes.lock().unwrap();
                tokio::time::sleep(time).await;
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        bank
    }

    pub(crate) fn payments(&self) -> Vec<Payment> {
        self.payments.lock().unwrap().clone()
    }

    pub(crate) fn amounts(&self) -> Vec<String> {
        self.payments().into_iter().map(|payment| payment.amount).collect()
    }

    /// The next caller that pays this amount dies.
    fn kills(&self, amount: &str) {
        *self.kills.lock().unwrap() = Some(amount.to_owned());
    }

    fn accepts_all(&self) {
        self.refused.lock().unwrap().clear();
    }
}

fn payment(request: &str) -> Option<Payment> {
    let (head, body) = request.split_once("\r\n\r\n").filter(|_| request.starts_with("POST"))?;
    let key = head.lines().find_map(|line| line.strip_prefix("idempotency-key: "))?.to_owned();
    let body: Value = serde_json::from_str(body).ok()?;
    Some(Payment { key, amount: body["amount"].as_str()?.to_owned() })
}

fn playbook(id: &str, more: &str) -> String {
    format!(
        r#"
id: {id}
name: Pay the vendors
description: Sends one payment for each invoice.
version: 1.0.0
required_connectors: [test-ledger]
execution_mode: deterministic
inputs:
  - {{name: invoices, type: list, required: true}}
steps:
  - {{name: ask, step_type: approval, prompt: "Pay these invoices?"}}
  - name: pay
    step_type: tool
    action: call_connector
    connector: test-ledger
    endpoint: book
    timeout_seconds: 3
    for_each: {{in: "{{invoices}}", as: invoice, key: "{{invoice.number}}"{more}}}
    inputs: {{amount: "{{invoice.amount}}"}}
"#
    )
}

pub(crate) struct Scene {
    pub(crate) bank: Bank,
    pub(crate) ana: Person,
    pub(crate) maria: Person,
    agent: String,
}

impl Scene {
    async fn set(id: &str, more: &str, refused: &[&str]) -> Self {
        Self::asking(id, more, refused, &[]).await
    }

    /// As [`Scene::set`], with others who may sign beside maria.
    pub(crate) async fn asking(id: &str, more: &str, refused: &[&str], others: &[&Person]) -> Self {
        Self::following(&playbook(id, more), refused, others).await
    }

    async fn following(playbook: &str, refused: &[&str], others: &[&Person]) -> Self {
        let bank = Bank::open(refused).await;
        let maria = person("maria", &["global:analyst", "decide"]).await;
        let ana = person("ana", &["global:analyst"]).await;
        let signers: Vec<&Person> = [&maria].into_iter().chain(others.iter().copied()).collect();
        let agent = ana.agent(&signers).await;
        ana.post("/connectors", &json!({ "yaml": connector(bank.port) })).await;
        ana.bind(&agent, "test-ledger").await;
        ana.playbook(playbook).await;
        Self { bank, ana, maria, agent }
    }

    pub(crate) async fn start(&self, id: &str, invoices: &Value) -> String {
        self.ana.start(&self.agent, id, json!({ "invoices": invoices })).await
    }

    pub(crate) async fn seen(&self, run: &str) -> (String, Value) {
        let request = self.maria.request(run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        (path.clone(), self.maria.get(&path).await)
    }

    pub(crate) async fn approve(&self, run: &str) -> Value {
        let (path, seen) = self.seen(run).await;
        let body = json!({ "digest": seen["digest"], "version": seen["version"] });
        self.maria.post(&format!("{path}/approve"), &body).await;
        seen
    }

    pub(crate) async fn over(&self, run: &str) -> Value {
        until("the run is over", || async {
            let now = self.ana.run(run).await;
            let state = now["state"].as_str().unwrap_or_default();
            (!["running", "awaiting_approval"].contains(&state)).then_some(now)
        })
        .await
    }

    async fn calls(&self, run: &str) -> Vec<Value> {
        let page = self.ana.get(&format!("/executions/{run}/calls/pay?limit=100")).await;
        page["items"].as_array().unwrap().clone()
    }

    /// Of two repetitions at once one is started, and the other is told its id.
    async fn repeat_twice_at_once(&self, run: &str) -> String {
        let (path, body) = (format!("{FACTORY}/executions/{run}/repeat"), json!({}));
        let both = tokio::join!(self.ana.door.post(&path, &body), self.ana.door.post(&path, &body));
        let (started, refused) = match both {
            (Ok(started), Err(refused)) | (Err(refused), Ok(started)) => (started, refused),
            both => panic!("one must be started: {both:?}"),
        };
        let started = started["id"].as_str().unwrap().to_owned();
        let CliError::Refused { status, code, title, .. } = refused else { panic!("{refused:?}") };
        assert_eq!((status, code.as_deref()), (409, Some("RUN_REPEATED")), "{title}");
        assert!(title.contains(&started), "{title}");
        started
    }
}

/// Invoices `INV-1` of 1.00, `INV-2` of 2.00, …
pub(crate) fn invoices(count: usize) -> Value {
    (1..=count)
        .map(|n| json!({ "number": format!("INV-{n}"), "amount": format!("{n}.00") }))
        .collect()
}

fn said<'v>(calls: &'v [Value], field: &str) -> Vec<&'v str> {
    calls.iter().map(|call| call[field].as_str().unwrap()).collect()
}

#[tokio::test]
async fn k_49_one_signature_pays_a_list_and_each_payment_has_its_own_key_and_receipt() {
    let scene = Scene::set("pay-list", ", parallel: 2", &[]).await;
    let run = scene.start("pay-list", &invoices(5)).await;
    let seen = scene.approve(&run).await;
    assert_eq!(seen["effects"][0]["count"], 5, "{seen:#}");
    let done = scene.over(&run).await;
    assert_eq!(
        (&done["state"], &step(&done, "pay")["status"]),
        (&json!("complete"), &json!("done"))
    );
    let mut paid = scene.bank.amounts();
    paid.sort();
    assert_eq!(paid, ["1.00", "2.00", "3.00", "4.00", "5.00"]);
    let keys: BTreeSet<String> =
        scene.bank.payments().into_iter().map(|payment| payment.key).collect();
    assert_eq!(keys.len(), 5);
    let calls = scene.calls(&run).await;
    assert_eq!(said(&calls, "key"), ["INV-1", "INV-2", "INV-3", "INV-4", "INV-5"]);
    assert_eq!(said(&calls, "status"), ["done"; 5]);
    assert!(calls.iter().all(|call| call["receipt"].as_str().unwrap().starts_with("rcpt_")));
    let shown: BTreeSet<String> =
        said(&calls, "idempotency_key").into_iter().map(str::to_owned).collect();
    assert_eq!(shown, keys, "what is listed is what was sent");
}

#[tokio::test]
async fn a_failure_stops_the_list_and_a_repetition_sends_only_the_rest_with_the_keys_of_the_first_run()
 {
    let scene = Scene::set("pay-rest", "", &["3.00"]).await;
    let run = scene.start("pay-rest", &invoices(5)).await;
    scene.approve(&run).await;
    let stopped = scene.over(&run).await;
    let pay = step(&stopped, "pay");
    assert_eq!((&stopped["state"], &pay["code"]), (&json!("error"), &json!("PARTLY_SENT")));
    let message = pay["message"].as_str().unwrap();
    assert!(message.starts_with("2 of 5 calls done, 1 failed, 2 not sent."), "{message}");
    assert_eq!(scene.bank.amounts(), ["1.00", "2.00", "3.00"]);
    assert_eq!(said(&scene.calls(&run).await, "status"), ["done", "done", "failed"]);

    scene.bank.accepts_all();
    let again = scene.repeat_twice_at_once(&run).await;
    let seen = scene.approve(&again).await;
    assert_eq!(seen["effects"][0]["count"], 3, "{seen:#}");
    assert!(seen["remarks"].to_string().contains("calls made before: 2"), "{seen:#}");
    let done = scene.over(&again).await;
    assert_eq!(done["state"], "complete", "{done:#}");
    let payments = scene.bank.payments();
    assert_eq!(scene.bank.amounts()[3..], ["3.00", "4.00", "5.00"]);
    assert_eq!(payments[2].key, payments[3].key, "the same payment carries the same key");

    let path = format!("/executions/{run}/repeat");
    let refused = scene.ana.refused(&path, Some(&json!({}))).await;
    assert_eq!(refused, (409, "RUN_REPEATED".to_owned()));
}

#[tokio::test]
async fn a_list_that_names_one_item_twice_asks_nobody() {
    let scene = Scene::set("pay-twice", "", &[]).await;
    let twice = json!([{ "number": "A", "amount": "1.00" }, { "number": "A", "amount": "1.00" }]);
    let run = scene.start("pay-twice", &twice).await;
    let over = scene.over(&run).await;
    let ask = step(&over, "ask");
    assert_eq!(ask["code"], "FOR_EACH_DUPLICATE", "{over:#}");
    assert!(ask["message"].as_str().unwrap().contains("items 1 and 2"), "{over:#}");
    assert_eq!(over["approvals"], json!([]));
    assert!(scene.bank.payments().is_empty());
}

#[tokio::test]
async fn an_empty_list_is_skipped_and_one_that_is_too_long_asks_nobody() {
    let scene = Scene::set("pay-bounds", ", max: 3", &[]).await;
    let run = scene.start("pay-bounds", &invoices(4)).await;
    assert_eq!(step(&scene.over(&run).await, "ask")["code"], "FOR_EACH_TOO_MANY");
    let run = scene.start("pay-bounds", &json!([])).await;
    scene.approve(&run).await;
    let done = scene.over(&run).await;
    assert_eq!(
        (&done["state"], &step(&done, "pay")["code"]),
        (&json!("complete"), &json!("FOR_EACH_EMPTY"))
    );
    assert!(scene.bank.payments().is_empty());
}

#[tokio::test]
async fn what_is_struck_out_is_not_paid_and_the_signature_covers_the_rest() {
    let scene = Scene::set("pay-struck", "", &[]).await;
    let run = scene.start("pay-struck", &invoices(5)).await;
    let (path, seen) = scene.seen(&run).await;
    let strike = json!({ "digest": seen["digest"], "version": seen["version"], "step": "pay", "indices": [1, 3] });
    let struck = scene.maria.post(&format!("{path}/strike"), &strike).await;
    assert_eq!((&struck["version"], &struck["effects"][0]["left"]), (&json!(2), &json!(3)));
    let old = json!({ "digest": seen["digest"], "version": seen["version"] });
    let (status, _) = scene.maria.refused(&format!("{path}/approve"), Some(&old)).await;
    assert_eq!(status, 409, "the old digest was signed");
    scene.approve(&run).await;
    let done = scene.over(&run).await;
    assert_eq!(done["state"], "complete", "{done:#}");
    assert_eq!(scene.bank.amounts(), ["1.00", "3.00", "5.00"]);
    assert_eq!(step(&done, "pay")["message"], "3 of 3 calls done, 2 struck out.");
}

#[tokio::test]
async fn a_list_that_takes_longer_than_one_invocation_goes_on_in_the_next() {
    let slow = playbook("pay-slowly", "").replace("timeout_seconds: 3", "timeout_seconds: 240");
    let scene = Scene::following(&slow, &[], &[]).await;
    *scene.bank.takes.lock().unwrap() = Duration::from_secs(27);
    let run = scene.start("pay-slowly", &invoices(3)).await;
    scene.approve(&run).await;
    let done = scene.over(&run).await;
    assert_eq!(done["state"], "complete", "{done:#}");
    assert_eq!(scene.bank.amounts(), ["1.00", "2.00", "3.00"]);
    assert_eq!(said(&scene.calls(&run).await, "status"), ["done"; 3]);
}

#[tokio::test]
async fn a_playbook_that_names_its_items_in_another_way_cannot_repeat_what_was_sent() {
    let scene = Scene::set("pay-renamed", "", &["2.00"]).await;
    let run = scene.start("pay-renamed", &invoices(3)).await;
    scene.approve(&run).await;
    assert_eq!(scene.over(&run).await["state"], "error");
    let renamed = playbook("pay-renamed", "").replace("{invoice.number}", "no. {invoice.number}");
    let path = format!("{FACTORY}/playbooks/pay-renamed");
    scene.ana.door.put(&path, &json!({ "yaml": renamed })).await.unwrap();
    let path = format!("/executions/{run}/repeat");
    let refused = scene.ana.refused(&path, Some(&json!({}))).await;
    assert_eq!(refused, (422, "INVALID_INPUT".to_owned()));
    assert_eq!(scene.bank.amounts(), ["1.00", "2.00"]);
}
