//! What the signer sees is what is sent, and nothing else.

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person, step};
use crate::effects::Elsewhere;

/// A connector with everything that a call can add to its arguments.
pub(crate) fn bank(port: u16, fixed: &str) -> String {
    format!(
        r#"
id: test-bank
name: Test bank
type: rest_api
version: 1.0.0
description: Sends payments.
connection:
  base_url: http://127.0.0.1:{port}
  auth: {{type: bearer_token}}
  headers: {{X-Channel: "{fixed}"}}
endpoints:
  pay:
    description: Sends a payment.
    method: POST
    path: /accounts/{{account}}/payments
    query: {{mode: instant}}
    parameters:
      - {{name: account, type: string, required: true}}
      - {{name: amount, type: string, required: true}}
      - {{name: currency, type: string, default: EUR}}
    body: {{amount: "{{amount}}", currency: "{{currency}}", debtor: "DE-FIXED"}}
    response_mapping:
      entity_type: payment
      fields: {{id: id, state: state}}
"#
    )
}

pub(crate) fn playbook(id: &str, account: &str) -> String {
    format!(
        r#"
id: {id}
name: Pay a vendor
description: Sends one payment once somebody has signed.
version: 1.0.0
required_connectors: [test-bank]
execution_mode: deterministic
inputs:
  - {{name: amount, type: string, required: true}}
  - {{name: account, type: string}}
steps:
  - {{name: ask, step_type: approval, prompt: "Pay the usual 10 EUR?", approvers: [{{signer}}], assurance: signed_in}}
  - name: pay
    step_type: tool
    action: call_connector
    connector: test-bank
    endpoint: pay
    inputs: {{amount: "{{amount}}"{account}}}
"#
    )
}

struct Case {
    elsewhere: Elsewhere,
    ana: Person,
    maria: Person,
    agent: String,
}

async fn case(id: &str, account: &str) -> Case {
    let elsewhere = Elsewhere::open().await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[&ana]).await;
    ana.post("/connectors", &json!({ "yaml": bank(elsewhere.port, "web") })).await;
    let source =
        json!({ "connector_id": "test-bank", "credentials": { "token": "sekrit-token-1" } });
    ana.post(&format!("/profiles/{agent}/data-sources"), &source).await;
    ana.playbook(&playbook(id, account).replace("{signer}", &maria.username)).await;
    Case { elsewhere, ana, maria, agent }
}

impl Case {
    async fn seen(&self, run: &str) -> (String, Value) {
        let request = self.maria.request(run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        (path.clone(), self.maria.get(&path).await)
    }

    async fn approve(&self, path: &str, seen: &Value) {
        let body = json!({ "digest": seen["digest"], "version": seen["version"] });
        self.maria.post(&format!("{path}/approve"), &body).await;
    }
}

fn fields(sends: &Value) -> Vec<(String, String)> {
    let sections = sends["sections"].as_array().unwrap();
    let fields =
        sections.iter().flat_map(|section| section["content"]["fields"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    fields.map(|field| (text(&field["name"]), text(&field["value"]))).collect()
}

#[tokio::test]
async fn r_052_behind_a_gate_the_signer_sees_the_request_and_exactly_that_is_received() {
    let case = case("pay-shown", ", account: \"{account}\"").await;
    let inputs = json!({ "amount": "1000000.00", "account": "DE99/other" });
    let run = case.ana.start(&case.agent, "pay-shown", inputs).await;
    let (path, seen) = case.seen(&run).await;
    let sends = &seen["effects"][0]["items"][0]["sends"];
    let url = format!("http://127.0.0.1:{}/accounts/DE99%2Fother/payments", case.elsewhere.port);
    assert_eq!(
        (&sends["target"]["method"], &sends["target"]["url"]),
        (&json!("POST"), &json!(url))
    );
    let shown = fields(sends);
    for (name, value) in [
        ("amount", "1000000.00"),
        ("currency", "EUR"),
        ("debtor", "DE-FIXED"),
        ("mode", "instant"),
        ("x-channel", "web"),
        ("authorization", "Bearer, then the credential's token"),
        ("user-agent", "Countersign"),
    ] {
        let pair = (name.to_owned(), value.to_owned());
        assert!(shown.contains(&pair), "the signer does not see `{name}: {value}`: {shown:?}");
    }
    assert!(!seen.to_string().contains("sekrit"), "the credential is shown");
    let page = page_of(&case.maria).await;
    assert!(page.contains("1000000.00") && page.contains("DE-FIXED"), "{page}");
    case.approve(&path, &seen).await;
    case.ana.reaches(&run, "complete").await;
    let received = case.elsewhere.received();
    assert_eq!(received.len(), 1);
    let (head, body) = received[0].split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("POST /accounts/DE99%2Fother/payments?mode=instant HTTP/1.1"),
        "{head}"
    );
    assert_eq!(body, r#"{"amount":"1000000.00","currency":"EUR","debtor":"DE-FIXED"}"#);
    let mut wire: Vec<(String, String)> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .filter(|(name, _)| {
            !["host", "content-length", "accept-encoding", "connection"].contains(&name.as_str())
        })
        .collect();
    let mut expected: Vec<(String, String)> = shown
        .into_iter()
        .filter(|(name, _)| !["amount", "currency", "debtor", "mode"].contains(&name.as_str()))
        .map(|(name, value)| {
            let secret = "Bearer sekrit-token-1".to_owned();
            if name == "authorization" { (name, secret) } else { (name, value) }
        })
        .collect();
    expected.push(("content-type".to_owned(), "application/json".to_owned()));
    wire.sort();
    expected.sort();
    assert_eq!(wire, expected, "what is received is not what was shown");
}

async fn page_of(maria: &Person) -> String {
    let link = maria.link().await;
    maria.approver().open(&link).await.unwrap().html
}

#[tokio::test]
async fn k_10_a_connector_changed_after_the_signature_asks_those_of_the_gate_again() {
    let case = case("pay-changed", ", account: \"{account}\"").await;
    let inputs = json!({ "amount": "10.00", "account": "DE1" });
    let run = case.ana.start(&case.agent, "pay-changed", inputs).await;
    let (path, seen) = case.seen(&run).await;
    let other = json!({ "yaml": bank(case.elsewhere.port, "branch") });
    case.ana.door.put(&format!("{FACTORY}/connectors/test-bank"), &other).await.unwrap();
    case.approve(&path, &seen).await;
    let (own, asked) = crate::case::until("the step asks for itself", || async {
        let (own, asked) = case.seen(&run).await;
        (own != path).then_some((own, asked))
    })
    .await;
    assert_eq!(case.elsewhere.posts(), 0, "something else than what was signed was sent");
    assert_eq!(asked["kind"], "tool");
    // The agent's own approver is ana; the gate named maria, and signing in.
    assert_eq!(asked["policy"]["approvers"], seen["policy"]["approvers"]);
    assert_eq!(asked["policy"]["assurance"], "signed_in");
    assert!(
        fields(&asked["effects"][0]["items"][0]["sends"])
            .contains(&("x-channel".to_owned(), "branch".to_owned()))
    );
    case.approve(&own, &asked).await;
    case.ana.reaches(&run, "complete").await;
    assert_eq!(case.elsewhere.posts(), 1);
}

#[tokio::test]
async fn nobody_is_asked_to_sign_what_cannot_be_sent() {
    let case = case("pay-incomplete", ", account: \"{account}\"").await;
    let run = case.ana.start(&case.agent, "pay-incomplete", json!({ "amount": "10.00" })).await;
    let ended = case.ana.reaches(&run, "error").await;
    let message = step(&ended, "ask")["message"].as_str().unwrap_or_default();
    assert!(message.contains("`pay` cannot be sent") && message.contains("account"), "{ended:#}");
    assert_eq!(case.elsewhere.posts(), 0);
}

#[tokio::test]
async fn a_164_each_signed_request_can_be_proved_by_its_path() {
    let case = case("pay-proved", ", account: \"{account}\"").await;
    let inputs = json!({ "amount": "10.00", "account": "DE1" });
    let run = case.ana.start(&case.agent, "pay-proved", inputs).await;
    let (path, seen) = case.seen(&run).await;
    let one = case.maria.get(&format!("{path}/effects/pay/1")).await;
    let text = one["text"].as_str().unwrap();
    let leaf = countersign_effect::effect_leaf(text);
    assert_eq!(one["leaf"], json!(leaf));
    let way: countersign_effect::tree::Path = serde_json::from_value(one["path"].clone()).unwrap();
    assert_eq!(json!(way.root(&leaf).unwrap()), seen["effects"][0]["root"]);
    for missing in ["pay/0", "pay/2", "ask/1"] {
        let (status, _) = case.maria.refused(&format!("{path}/effects/{missing}"), None).await;
        assert_eq!(status, 404, "{missing}");
    }
}

#[tokio::test]
async fn f_147_a_step_whose_condition_is_false_already_asks_for_nothing_later() {
    let case = case("pay-small", ", account: acme").await;
    let large = r#"
  - name: pay_large
    step_type: tool
    action: call_connector
    connector: test-bank
    endpoint: pay
    condition: "{amount} > 100000"
    inputs: {account: second, amount: "{amount}"}
"#;
    let steps = playbook("pay-small", ", account: acme").replace("{signer}", &case.maria.username);
    let steps = format!("{}{large}", steps.trim_end());
    case.ana
        .door
        .put(&format!("{FACTORY}/playbooks/pay-small"), &json!({ "yaml": steps }))
        .await
        .unwrap();
    let run = case.ana.start(&case.agent, "pay-small", json!({ "amount": "10.00" })).await;
    let (path, seen) = case.seen(&run).await;
    assert!(seen["later"].as_array().is_none_or(Vec::is_empty), "{seen:#}");
    let remarks = seen["remarks"].to_string();
    assert!(remarks.contains("`pay_large` will be skipped"), "{remarks}");
    let page = page_of(&case.maria).await;
    assert!(!page.contains("will ask for a signature"), "{page}");
    assert!(page.contains("only if"), "{page}");
    case.approve(&path, &seen).await;
    let done = case.ana.reaches(&run, "complete").await;
    assert_eq!(step(&done, "pay_large")["status"], "skipped");
    assert_eq!(case.elsewhere.received().len(), 1);
}
