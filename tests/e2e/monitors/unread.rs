//! What a monitor's look could not read: shown to whoever signs its run.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::{SAVE, Watch, monitor, playbook};
use crate::case::{PATIENCE, person, step};
use crate::provider_server;
use crate::world::world;

/// The invoices of an accounting system.
#[derive(Clone, Default)]
pub(super) struct Invoices(Arc<Mutex<Vec<Value>>>);

impl Invoices {
    pub(super) fn add(&self, invoice: Value) {
        self.0.lock().unwrap().push(invoice);
    }

    fn set(&self, invoices: &Value) {
        *self.0.lock().unwrap() = invoices.as_array().unwrap().clone();
    }
}

impl Respond for Invoices {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        ResponseTemplate::new(200).set_body_json(json!({ "invoices": *self.0.lock().unwrap() }))
    }
}

fn connector(server: &MockServer) -> String {
    format!(
        "
id: notices
name: Invoices
type: rest_api
version: 1.0.0
description: Lists invoices.
connection: {{base_url: '{}', auth: {{type: none}}}}
endpoints:
  get_recent:
    description: Lists invoices.
    path: /invoices
    expected_fields: [amount]
    response_mapping: {{results_path: invoices, entity_type: invoice, fields: {{id: id, amount: amount}}}}
    output_schema:
      type: record_set
      fields: [{{name: id, type: string}}, {{name: amount, type: decimal}}]
",
        server.uri()
    )
}

/// A monitor of these invoices, of which there is one, with this playbook; it has looked for the first time.
async fn watching(invoices: &Invoices, yaml: &str) -> (MockServer, Watch) {
    let server = provider_server::start().await;
    Mock::given(path("/invoices")).respond_with(invoices.clone()).mount(&server).await;
    invoices.add(json!({ "id": "INV-1", "amount": "100.00" }));
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    ana.post("/connectors", &json!({ "yaml": connector(&server) })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(yaml).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed: super::Feed::open().await, ana, maria, agent, monitor };
    watch.outcome("baseline").await;
    (server, watch)
}

#[tokio::test]
async fn issue_14_a_look_that_starts_no_run_says_what_it_could_not_read() {
    let invoices = Invoices::default();
    let (_server, watch) = watching(&invoices, &playbook(SAVE)).await;
    assert_eq!(watch.of("state").await["warnings"], Value::Null);
    // The source has lost a field, and nothing is new.
    invoices.set(&json!([{ "id": "INV-1" }]));
    let state = watch.look().await;
    assert_eq!(state["last_outcome"], "suppressed", "{state:#}");
    assert_eq!(state["warnings"]["count"], 1, "{state:#}");
    assert!(state["warnings"]["first"][0].as_str().unwrap().starts_with("`look`: "), "{state:#}");
    let since = state["warnings"]["since"].clone();
    assert_eq!(watch.look().await["warnings"]["since"], since, "they are the same");
    let journal = async || {
        let page = watch.ana.get(&format!("/profiles/{}/journal", watch.agent)).await;
        page["items"].as_array().unwrap().clone()
    };
    let entries = journal().await;
    assert_eq!(entries.len(), 1, "one for all looks: {entries:#?}");
    let summary = entries[0]["summary"].as_str().unwrap();
    assert!(summary.contains("`Notices`") && summary.contains("1 warning"), "{summary}");
    let name = &watch.ana.username;
    let show = ["monitors", "--as", name.as_str(), "show", watch.monitor.as_str()];
    let (is_well, said) = world().command(&show).await;
    assert!(is_well && said.contains("warnings"), "{said}");

    invoices.set(&json!([{ "id": "INV-1", "amount": "100.00" }]));
    assert_eq!(watch.look().await["warnings"], Value::Null, "it could read everything");
    assert_eq!(journal().await.len(), 1);
}

#[tokio::test]
async fn issue_14_what_a_step_that_stops_at_warnings_found_is_parked_at_once() {
    let invoices = Invoices::default();
    let stops = "endpoint: get_recent\n    on_warning: stop";
    let yaml = playbook(SAVE).replace("endpoint: get_recent", stops);
    let (_server, watch) = watching(&invoices, &yaml).await;
    invoices.add(json!({ "id": "INV-2", "amount": "four thousand" }));
    watch.look().await;
    let parked = watch.of("batches?state=parked").await["items"][0].clone();
    assert_eq!(
        (&parked["attempt"], &parked["run_status"]),
        (&json!(1), &Value::Null),
        "{parked:#}"
    );
    let item = watch.of("parked").await["items"][0].clone();
    let why = item["refused_for"].as_str().unwrap();
    assert!(why.contains("stops at warnings") && why.contains("four thousand"), "{why}");
    assert_eq!(watch.runs().await, 0, "it could only end in that error");
    let mail = watch.mail("Notices: 1 item is parked").await;
    assert!(mail.text.contains("WARNINGS_FOUND"), "{}", mail.text);
    assert_eq!(watch.look().await["last_outcome"], "suppressed");
}

#[tokio::test]
async fn f_311_what_a_monitors_look_could_not_read_is_shown_to_whoever_signs() {
    let (server, invoices) = (provider_server::start().await, Invoices::default());
    Mock::given(path("/invoices")).respond_with(invoices.clone()).mount(&server).await;
    let add = |id: &str, amount: &str| {
        invoices.0.lock().unwrap().push(json!({ "id": id, "amount": amount }));
    };
    add("INV-1", "100.00");
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    ana.post("/connectors", &json!({ "yaml": connector(&server) })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    ana.playbook(&playbook(SAVE)).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let feed = super::Feed::open().await;
    let watch = Watch { feed, ana, maria, agent, monitor };
    watch.outcome("baseline").await;

    add("INV-2", "four thousand");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    let waiting = watch.ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(step(&waiting, "look")["status"], "done", "{waiting:#}");
    assert_eq!(step(&waiting, "look")["warnings"], 1, "{waiting:#}");
    let request = watch.maria.request(&run).await;
    let seen = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = watch.maria.get(&seen).await;
    let said = "record 1, field `amount`: `four thousand` is not of type decimal";
    assert_eq!(seen["warnings"][0]["step"], "look", "{seen:#}");
    assert_eq!(seen["warnings"][0]["first"], json!([said]), "counted among what is new: {seen:#}");
    let approver = watch.maria.approver();
    let link = approver.link(0, PATIENCE).await.unwrap();
    let page = approver.open(&link).await.unwrap().html;
    assert!(page.contains("four thousand"), "{page}");
    watch.decide("approve").await;
    let done = watch.ana.reaches(&run, "complete").await;
    assert!(done["warnings"].to_string().contains("four thousand"), "{done:#}");
}
