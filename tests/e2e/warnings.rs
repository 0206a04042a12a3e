//! What could not be read: told, signed, and asked about again when it comes after a signature.

mod failed_steps;
mod held_back;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::case::{Person, person, step, until};
use crate::provider_server;
use crate::world::world;

/// An accounting system: it lists invoices, one with an amount no number, and takes payments.
struct Accounts {
    port: u16,
    payments: Arc<AtomicUsize>,
}

impl Accounts {
    async fn open() -> Self {
        let listener = provider_server::listener();
        let (port, payments) =
            (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&payments);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut seen = vec![0; 64 * 1024];
                let read = stream.read(&mut seen).await.unwrap_or(0);
                let pays = seen[..read].starts_with(b"POST");
                counted.fetch_add(usize::from(pays), Ordering::SeqCst);
                let body = if pays {
                    r#"{"id":"pay_1","state":"booked"}"#
                } else {
                    r#"{"invoices":[{"no":"1","amount":"100.00"},{"no":"2","amount":"four thousand"}]}"#
                };
                let is_gone = seen[..read].starts_with(b"GET /notes");
                let status = if is_gone { "410 Gone" } else { "200 OK" };
                let head = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        Self { port, payments }
    }

    fn paid(&self) -> usize {
        self.payments.load(Ordering::SeqCst)
    }

    fn connector(&self) -> String {
        format!(
            r#"
id: test-accounts
name: Test accounts
type: rest_api
version: 1.0.0
description: Lists invoices and pays them.
connection:
  base_url: http://127.0.0.1:{}
  auth: {{type: none}}
endpoints:
  invoices:
    description: Lists invoices.
    method: GET
    path: /invoices
    response_mapping:
      entity_type: invoice
      results_path: invoices
      fields: {{no: no, amount: amount}}
    output_schema:
      type: record_set
      fields:
        - {{name: no, type: string}}
        - {{name: amount, type: number}}
  newest:
    description: Lists the newest invoices, two of a page.
    method: GET
    path: /invoices
    pagination: {{type: page, page_size: 2, max_pages: 2}}
    response_mapping:
      entity_type: invoice
      results_path: invoices
      fields: {{no: no}}
    output_schema:
      type: record_set
      fields:
        - {{name: no, type: string}}
  top:
    description: The newest invoices, of which the first page is wanted.
    method: GET
    path: /invoices
    pagination: {{type: page, page_size: 2, max_pages: 1, first_only: true}}
    response_mapping: {{entity_type: invoice, results_path: invoices, fields: {{no: no}}}}
  renamed:
    description: Invoices whose sums have another name since.
    method: GET
    path: /invoices
    expected_fields: [no, sum]
    response_mapping: {{entity_type: invoice, results_path: invoices, fields: {{no: no, sum: total, note: note}}}}
  notes:
    description: Notes about payments; nothing is there any more.
    method: GET
    path: /notes
    response_mapping: {{entity_type: note, results_path: notes, fields: {{text: text}}}}
  pay:
    description: Pays.
    method: POST
    path: /payments
    parameters:
      - {{name: total, type: string, required: true}}
      - {{name: note, type: string}}
    response_mapping:
      entity_type: payment
      fields: {{id: id, state: state}}
"#,
            self.port
        )
    }
}

const READ: &str = "
  - name: read
    step_type: tool
    action: call_connector
    connector: test-accounts
    endpoint: invoices
";

const ASK: &str = "
  - name: ask
    step_type: approval
    prompt: Pay?
";

/// Writes a document about what was read.
const WRITE: &str = r#"
  - name: write
    step_type: tool
    action: route_output
    inputs: {data: "{read.results}"}
    params:
      destinations:
        - type: document
          format: markdown
          config: {folder_id: warned, create_if_missing: true, filename_template: "warned_{date}.md"}
"#;

/// The steps as given, and a payment behind them.
fn playbook(id: &str, steps: &str) -> String {
    format!(
        r#"
id: {id}
name: Pay invoices
description: Lists invoices and pays them.
version: 1.0.0
required_connectors: [test-accounts]
execution_mode: deterministic
inputs:
  - {{name: total, type: string, required: true}}
steps:
{steps}
  - name: pay
    step_type: tool
    action: call_connector
    connector: test-accounts
    endpoint: pay
    inputs: {{total: "{{total}}"}}
"#
    )
}

/// As [`playbook`], with one payment for each of two items.
fn playbook_of_list(id: &str, steps: &str) -> String {
    let call = r#"inputs: {total: "{total}"}"#;
    let each = r#"inputs: {total: "{each.amount}"}
    for_each: {in: "{payments}", as: each, key: "{each.no}"}"#;
    playbook(id, steps)
        .replace("{name: total, type: string", "{name: payments, type: list")
        .replace(call, each)
}

struct Case {
    accounts: Accounts,
    ana: Person,
    maria: Person,
    run: String,
}

async fn started(id: &str, steps: &str) -> Case {
    following(id, |id| playbook(id, steps), json!({ "total": "100.00" })).await
}

async fn following(id: &str, playbook: impl FnOnce(&str) -> String, inputs: Value) -> Case {
    let accounts = Accounts::open().await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.post("/connectors", &json!({ "yaml": accounts.connector() })).await;
    ana.bind(&agent, "test-accounts").await;
    ana.playbook(&playbook(id)).await;
    let run = ana.start(&agent, id, inputs).await;
    Case { accounts, ana, maria, run }
}

impl Case {
    async fn seen(&self) -> (String, Value) {
        let request = self.maria.request(&self.run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let seen = self.maria.get(&path).await;
        (path, seen)
    }

    async fn approve(&self, path: &str, seen: &Value) {
        let body = json!({ "digest": seen["digest"], "version": seen["version"] });
        self.maria.post(&format!("{path}/approve"), &body).await;
    }
}

const SENTENCE: &str = "record 2, field `amount`: `four thousand` is not of type number";

#[tokio::test]
async fn f_311_what_could_not_be_read_is_shown_and_signed_with_the_gate() {
    let case = started("pay-warned", &format!("{READ}{ASK}{WRITE}")).await;
    let (path, seen) = case.seen().await;
    assert_eq!(seen["warnings"][0]["step"], "read");
    assert_eq!(
        (&seen["warnings"][0]["count"], &seen["warnings"][0]["first"]),
        (&json!(1), &json!([SENTENCE]))
    );
    let page = case.maria.approver().open(&case.maria.link().await).await.unwrap().html;
    assert!(page.contains("1 warning about what this is based on"), "{page}");
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("`{text}`: {page}"));
    assert!(place("1 warning about what") < place("<form"), "the warning is below: {page}");
    assert!(place("four thousand") < place("<form"), "{page}");
    case.approve(&path, &seen).await;
    let done = case.ana.reaches(&case.run, "complete").await;
    assert_eq!(case.accounts.paid(), 1, "it asked twice, or paid twice");
    assert_eq!(step(&done, "read")["warnings"], 1);
    assert_eq!(done["warnings"][0]["first"], json!([SENTENCE]));
    let about = |entry: &Value| entry["execution_id"] == case.run.as_str();
    let entry = until("the journal's entry", || async {
        let journal = case
            .ana
            .get(&format!("/profiles/{}/journal", done["profile_id"].as_str().unwrap()))
            .await;
        journal["items"].as_array().unwrap().iter().find(|entry| about(entry)).cloned()
    })
    .await;
    let summary = entry["summary"].as_str().unwrap();
    assert!(summary.contains("Warnings: 1 warning in `read`"), "{summary}");
    let documents = case.ana.get("/documents?folder=warned").await;
    let id = documents["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{documents:#}"));
    let body = case.ana.get(&format!("/documents/{id}")).await["body"].to_string();
    assert!(body.contains("**Not everything could be read.**"), "{body}");
    assert!(body.contains("four thousand"), "{body}");
    let (_, shown) = world().command(&["show", &case.run, "--as", &case.ana.username]).await;
    assert!(shown.contains("1 warning in read"), "{shown}");
    assert!(shown.contains(SENTENCE), "{shown}");
}

#[tokio::test]
async fn f_096_who_signs_sees_that_a_limit_cut_the_list_short() {
    let read = READ.replace("endpoint: invoices", "endpoint: newest");
    let case = started("pay-limited", &format!("{read}{ASK}")).await;
    let (path, seen) = case.seen().await;
    let limit = "page limit reached (`max_pages` is 2): 4 records read, the source may have more; a call goes on from `_next_cursor`";
    assert_eq!(
        (&seen["warnings"][0]["step"], &seen["warnings"][0]["first"]),
        (&json!("read"), &json!([limit]))
    );
    let page = case.maria.approver().open(&case.maria.link().await).await.unwrap().html;
    assert!(page.contains("1 warning about what this is based on"), "{page}");
    assert!(page.contains("4 records read, the source may have more"), "{page}");
    case.approve(&path, &seen).await;
    let done = case.ana.reaches(&case.run, "complete").await;
    assert_eq!((case.accounts.paid(), &step(&done, "read")["warnings"]), (1, &json!(1)));
}

#[tokio::test]
async fn f_096_a_list_of_which_the_beginning_is_wanted_is_no_warning_for_who_signs() {
    let read = READ.replace("endpoint: invoices", "endpoint: top");
    let case = started("pay-first", &format!("{read}{ASK}")).await;
    let (path, seen) = case.seen().await;
    assert_eq!(seen["warnings"], Value::Null, "{seen:#}");
    case.approve(&path, &seen).await;
    let done = case.ana.reaches(&case.run, "complete").await;
    assert_eq!((case.accounts.paid(), &step(&done, "read")["warnings"]), (1, &json!(0)));
    let output = case.ana.get(&format!("/executions/{}/outputs/read", case.run)).await;
    let output = &output["output"];
    assert_eq!((&output["count"], &output["has_more"]), (&json!(2), &json!(true)), "{output:#}");
    assert_eq!((&output["_next_cursor"], &output["warnings"]), (&json!(2), &json!([])));
}

#[tokio::test]
async fn f_091_who_signs_sees_that_a_column_is_empty_that_no_answer_is_without() {
    let read = READ.replace("endpoint: invoices", "endpoint: renamed");
    let case = started("pay-renamed", &format!("{read}{ASK}")).await;
    let (path, seen) = case.seen().await;
    let empty = "field `sum` is empty in all 2 records: the source may have renamed it, or its path is wrong";
    assert_eq!(
        seen["warnings"][0]["first"],
        json!([empty]),
        "`note` is expected by nobody: {seen:#}"
    );
    // Whoever writes the connector is told of all columns that are empty.
    let call = json!({ "endpoint": "renamed" });
    let said = case.ana.post("/connectors/test-accounts/test", &call).await;
    assert_eq!(said["empty_fields"], json!(["sum", "note"]), "{said:#}");
    case.approve(&path, &seen).await;
    case.ana.reaches(&case.run, "complete").await;
    assert_eq!(case.accounts.paid(), 1);
}

#[tokio::test]
async fn f_311_a_warning_after_the_signature_asks_again_before_anything_is_sent() {
    for (id, line) in [("pay-warned-late", ""), ("pay-warned-gate", "    on_warning: gate\n")] {
        asks_again(started(id, &format!("{ASK}{READ}{line}")).await, 1).await;
    }
}

#[tokio::test]
async fn f_311_a_warning_after_the_signature_of_a_list_asks_again_before_any_of_it_is_sent() {
    let payments = json!([{ "no": "1", "amount": "100.00" }, { "no": "2", "amount": "40.00" }]);
    let inputs = json!({ "payments": payments });
    let steps = format!("{ASK}{READ}");
    let case = following("pay-warned-list", |id| playbook_of_list(id, &steps), inputs).await;
    asks_again(case, 2).await;
}

/// A step warns after the gate, before so many payments.
async fn asks_again(case: Case, payments: usize) {
    let (path, seen) = case.seen().await;
    assert_eq!(seen["warnings"], Value::Null);
    assert_eq!(seen["effects"][0]["count"], json!(payments));
    case.approve(&path, &seen).await;
    let (own, asked) = until("the payment asks for itself", || async {
        let (own, asked) = case.seen().await;
        (own != path).then_some((own, asked))
    })
    .await;
    assert_eq!(case.accounts.paid(), 0, "it was paid on a signature that knew of no warning");
    assert_eq!(
        (&asked["kind"], &asked["warnings"][0]["first"]),
        (&json!("tool"), &json!([SENTENCE]))
    );
    let remark = asked["remarks"][0].as_str().unwrap();
    assert!(remark.contains("`ask` was approved before"), "{remark}");
    case.approve(&own, &asked).await;
    case.ana.reaches(&case.run, "complete").await;
    assert_eq!(case.accounts.paid(), payments);
}

#[tokio::test]
async fn f_311_who_writes_continue_is_not_asked_again() {
    let late = format!("{ASK}{READ}    on_warning: continue\n");
    let case = started("pay-warned-on", &late).await;
    let (path, seen) = case.seen().await;
    case.approve(&path, &seen).await;
    let done = case.ana.reaches(&case.run, "complete").await;
    assert_eq!((case.accounts.paid(), &step(&done, "read")["warnings"]), (1, &json!(1)));
}

#[tokio::test]
async fn f_311_who_writes_stop_pays_nothing() {
    let case = started("pay-warned-stop", &format!("{READ}    on_warning: stop\n{ASK}")).await;
    let ended = case.ana.reaches(&case.run, "error").await;
    let read = step(&ended, "read");
    assert_eq!((&read["status"], &read["code"]), (&json!("failed"), &json!("WARNINGS_FOUND")));
    assert!(read["message"].as_str().unwrap().contains(SENTENCE), "{read}");
    assert_eq!(case.accounts.paid(), 0);
}

#[tokio::test]
async fn f_311_what_on_warning_cannot_do_is_refused_with_its_place() {
    let ana = person("ana", &["global:analyst"]).await;
    for (steps, message) in [
        (format!("{ASK}    on_warning: stop\n{READ}"), "a gate reads nothing"),
        (format!("{READ}    on_warning: maybe\n"), "maybe"),
    ] {
        let body = json!({ "yaml": playbook("pay-warned-wrong", &steps) });
        let said = ana.post("/playbooks/validate", &body).await;
        let about = |one: &&Value| one["field"] == "on_warning";
        let found = said["errors"].as_array().unwrap().iter().find(about);
        let found = found.unwrap_or_else(|| panic!("{said:#}"));
        assert!(found["message"].as_str().unwrap().contains(message), "{found}");
        assert!(found["line"].is_u64() && found["column"].is_u64(), "{found}");
    }
}
