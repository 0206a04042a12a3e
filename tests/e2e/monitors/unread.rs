//! What a monitor's look could not read: shown to whoever signs its run.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::{SAVE, Watch, monitor, playbook};
use crate::case::{PATIENCE, person, step};

/// The invoices of an accounting system.
#[derive(Clone, Default)]
struct Invoices(Arc<Mutex<Vec<Value>>>);

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
    response_mapping: {{results_path: invoices, entity_type: invoice, fields: {{id: id, amount: amount}}}}
    output_schema:
      type: record_set
      fields: [{{name: id, type: string}}, {{name: amount, type: decimal}}]
",
        server.uri()
    )
}

#[tokio::test]
async fn f_311_what_a_monitors_look_could_not_read_is_shown_to_whoever_signs() {
    let (server, invoices) = (MockServer::start().await, Invoices::default());
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
