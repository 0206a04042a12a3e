//! A list to whose end records are added that have neither an id nor a date.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::detections::{looks, watching};
use crate::case::person;
use crate::provider_server;

/// The lines of a log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<&'static str>>>);

impl Respond for Lines {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let lines = self.0.lock().unwrap();
        let lines: Vec<Value> = lines.iter().map(|line| json!({ "line": line })).collect();
        ResponseTemplate::new(200).set_body_json(json!({ "lines": lines }))
    }
}

fn connector(server: &MockServer) -> String {
    format!(
        "
id: machine-log
name: Machine log
type: rest_api
version: 1.0.0
description: What a machine has logged.
connection: {{base_url: '{}', auth: {{type: none}}}}
endpoints:
  lines:
    description: All lines, the oldest first.
    path: /lines
    response_mapping: {{results_path: lines, entity_type: line, fields: {{line: line}}}}
",
        server.uri()
    )
}

#[tokio::test]
async fn f_213_what_is_added_to_the_end_of_a_list_is_found_once() {
    let (server, lines) = (provider_server::start().await, Lines::default());
    Mock::given(path("/lines")).respond_with(lines.clone()).mount(&server).await;
    let add = |added: &[&'static str]| lines.0.lock().unwrap().extend(added);
    add(&["started", "idle"]);
    let ana = person("ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": connector(&server) })).await;
    let agent = ana.agent(&[]).await;
    ana.bind(&agent, "machine-log").await;
    let action = "detect_new_data\n    connector: machine-log\n    endpoint: lines\n    params: {append_only: true}";
    let watch = watching(ana, agent, &looks(action, "results")).await;
    let begun = watch.mark().await;
    assert_eq!(
        (&begun["watermark_type"], &begun["watermark_value"]),
        (&json!("offset"), &json!("2")),
        "{begun:#}"
    );
    // Two that are alike are two, and one that is like a known one is new.
    add(&["idle", "idle", "stopped"]);
    let (seen, stood) = watch.found().await;
    let found: Vec<&Value> =
        seen["results"].as_array().unwrap().iter().map(|one| &one["line"]).collect();
    assert_eq!(found, ["idle", "idle", "stopped"], "{seen:#}");
    assert_eq!(stood["watermark"], "2", "{stood:#}");
    let batch = watch.of("batches/1").await;
    assert_eq!(batch["items"][2]["key"], "#5", "{batch:#}");
    assert_eq!(watch.mark().await["watermark_value"], "5");
    assert_eq!(watch.look().await["last_outcome"], "suppressed");

    lines.0.lock().unwrap().truncate(1);
    watch.ana.post(&format!("/monitors/{}/run-now", watch.monitor), &json!({})).await;
    let failed = watch.outcome("failed").await;
    let why = failed["last_error"].as_str().unwrap();
    assert!(why.contains("1 records, but 5 are known"), "{why}");
    assert_eq!(watch.mark().await["watermark_value"], "5", "nothing moves");
    watch.ana.post(&format!("/monitors/{}/reset-watermarks", watch.monitor), &json!({})).await;
    let (seen, _) = watch.found().await;
    assert_eq!((&seen["count"], &seen["watermark"]), (&json!(1), &json!("1")), "{seen:#}");
}
