//! Records that are dated by the field that a step names (F-060).

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer};

use super::unread::Invoices;
use super::{SAVE, Watch, monitor, playbook};
use crate::case::person;
use crate::provider_server;

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
    response_mapping: {{results_path: invoices, entity_type: invoice, fields: {{id: id, created_at: created_at, paid_on: paid_on}}}}
    output_schema:
      type: record_set
      fields: [{{name: id, type: string}}, {{name: created_at, type: string}}, {{name: paid_on, type: string}}]
",
        server.uri()
    )
}

#[tokio::test]
async fn f_060_records_are_dated_by_the_field_that_the_step_names() {
    let (server, invoices) = (provider_server::start().await, Invoices::default());
    Mock::given(path("/invoices")).respond_with(invoices.clone()).mount(&server).await;
    let add = |id: &str, created_at: &str, paid_on: &str| {
        invoices.add(json!({ "id": id, "created_at": created_at, "paid_on": paid_on }));
    };
    add("INV-1", "2026-11-20T08:00:00Z", "2026-11-10T08:00:00Z");
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    ana.post("/connectors", &json!({ "yaml": connector(&server) })).await;
    let agent = ana.agent(&[&maria]).await;
    ana.bind(&agent, "notices").await;
    let named = "endpoint: get_recent\n    params: {date_field: paid_on}";
    ana.playbook(&playbook(SAVE).replace("endpoint: get_recent", named)).await;
    let made = ana.post("/monitors", &monitor(&agent)).await;
    let monitor = made["id"].as_str().unwrap().to_owned();
    let watch = Watch { feed: super::Feed::open().await, ana, maria, agent, monitor };
    watch.outcome("baseline").await;
    let begun = watch.mark().await;
    let at = |mark: &Value| mark["watermark_value"].as_str().unwrap().to_owned();
    assert!(at(&begun).starts_with("2026-11-10"), "not when it was made: {begun:#}");

    // Made long before the newest known one was, and paid after it; the other one the other way round.
    add("INV-2", "2026-11-01T08:00:00Z", "2026-11-15T08:00:00Z");
    add("INV-3", "2026-11-24T08:00:00Z", "2026-10-01T08:00:00Z");
    assert_eq!(watch.look().await["last_outcome"], "started");
    let run = watch.run().await;
    watch.ana.reaches(&run, "awaiting_approval").await;
    let found = watch.ana.get(&format!("/executions/{run}/outputs/look")).await;
    assert_eq!(found["output"]["count"], 1, "{found:#}");
    assert_eq!(found["output"]["results"][0]["id"], "INV-2", "{found:#}");
    watch.maria.request(&run).await;
    watch.decide("approve").await;
    watch.ana.reaches(&run, "complete").await;
    assert!(at(&watch.mark().await).starts_with("2026-11-15"));
}
