//! Sources that fail, through the API: what is tried again, what stands in, and what the run does without (F-307…F-312).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use super::output;
use crate::case::{Person, person, step};
use crate::provider_server;

/// A source that gives these answers, one after the other, and then the last for ever.
#[derive(Clone, Default)]
pub(super) struct Script {
    answers: Arc<Mutex<VecDeque<ResponseTemplate>>>,
    asked: Arc<Mutex<Vec<Instant>>>,
}

impl Script {
    pub(super) fn says(&self, answers: impl IntoIterator<Item = ResponseTemplate>) {
        *self.answers.lock().unwrap() = answers.into_iter().collect();
        self.asked.lock().unwrap().clear();
    }

    pub(super) fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// The pauses between its requests.
    pub(super) fn pauses(&self) -> Vec<Duration> {
        self.asked.lock().unwrap().windows(2).map(|two| two[1] - two[0]).collect()
    }
}

impl Respond for Script {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        self.asked.lock().unwrap().push(Instant::now());
        let mut answers = self.answers.lock().unwrap();
        let next = answers.front().cloned().unwrap();
        if answers.len() > 1 {
            answers.pop_front();
        }
        next
    }
}

fn good() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({ "items": [{ "name": "Mill" }] }))
}

fn says(status: u16) -> ResponseTemplate {
    ResponseTemplate::new(status)
}

fn connector(address: &str) -> String {
    format!(
        "id: test-frail
name: Frail
type: rest_api
version: 1.0.0
description: A source that fails.
connection: {{ base_url: '{address}', timeout_seconds: 3 }}
endpoints:
  list:
    description: All of them.
    path: /items
    parameters: [{{ name: q, type: string }}]
    response_mapping: {{ results_path: items, fields: {{ name: name }} }}
"
    )
}

/// Reads with these keys of the step, and goes on with what is there.
fn playbook(keys: &str) -> String {
    format!(
        "id: read-frail
name: Read
description: Reads a source that fails.
version: 1.0.0
execution_mode: deterministic
required_connectors: [test-frail]
inputs: [{{ name: q, type: string, default: a }}]
steps:
  - {{name: read, step_type: tool, action: call_connector, connector: test-frail, endpoint: list, inputs: {{q: \"{{q}}\"}}{keys}}}
  - {{name: other, step_type: tool, action: write_journal_entry, inputs: {{summary: the other step has run}}}}
"
    )
}

struct Case {
    ana: Person,
    agent: String,
}

impl Case {
    async fn of(address: &str, keys: &str) -> Self {
        let ana = person("ana", &["global:analyst"]).await;
        ana.post("/connectors", &json!({ "yaml": connector(address) })).await;
        let agent = ana.agent(&[]).await;
        ana.bind(&agent, "test-frail").await;
        ana.playbook(&playbook(keys)).await;
        Self { ana, agent }
    }

    /// A run that ends so; the run, and what the step read.
    async fn runs(&self, inputs: Value, state: &str) -> (Value, Value) {
        let run = self.ana.start(&self.agent, "read-frail", inputs).await;
        let ended = self.ana.reaches(&run, state).await;
        let read = match step(&ended, "read")["status"].as_str() {
            Some("done") => output(&self.ana, &run, "read").await,
            _ => Value::Null,
        };
        (ended, read)
    }

    /// A run whose source stays away: the step is skipped with this code, and the others have run.
    async fn skips(&self, inputs: Value, code: &str) -> Value {
        let (ended, _) = self.runs(inputs, "partial").await;
        let read = step(&ended, "read");
        assert_eq!(read["code"], code, "{ended:#}");
        assert_eq!(step(&ended, "other")["status"], "done", "{ended:#}");
        read.clone()
    }
}

async fn scripted(keys: &str) -> (MockServer, Script, Case) {
    let (server, script) = (provider_server::start().await, Script::default());
    Mock::given(any()).respond_with(script.clone()).mount(&server).await;
    let case = Case::of(&server.uri(), keys).await;
    (server, script, case)
}

/// An answer of an earlier run stands in, and says so.
fn is_stale(read: &Value) {
    assert_eq!((&read["_stale"], &read["count"]), (&json!(true), &json!(1)), "{read:#}");
    let said = read["warnings"][0].as_str().unwrap();
    assert!(said.contains("this is the answer of"), "{said}");
}

fn is_fresh(read: &Value) {
    assert_eq!(read["results"][0]["name"], "Mill", "{read:#}");
    assert_eq!((&read["_stale"], &read["warnings"]), (&Value::Null, &json!([])), "{read:#}");
}

#[tokio::test]
async fn f_307_a_throttled_call_waits_longer_each_time_and_then_the_last_answer_stands_in() {
    let (_server, source, case) = scripted("").await;
    source.says([says(429), says(429), says(429), good()]);
    is_fresh(&case.runs(json!({}), "complete").await.1);
    let at_least = |pauses: Vec<Duration>| {
        assert_eq!(pauses.len(), 3, "{pauses:?}");
        for (pause, seconds) in pauses.iter().zip([1, 2, 4]) {
            assert!(*pause >= Duration::from_secs(seconds), "{pauses:?}");
        }
    };
    at_least(source.pauses());
    // The source says how long; no more than three times.
    source.says([says(429).insert_header("retry-after", "0")]);
    is_stale(&case.runs(json!({}), "complete").await.1);
    assert_eq!(source.asked(), 4);
    case.skips(json!({ "q": "never asked" }), "CONNECTOR_THROTTLED").await;
    assert_eq!(source.asked(), 8);
}

#[tokio::test]
async fn f_308_a_source_that_is_down_is_asked_once_more_and_then_done_without() {
    let (_server, source, case) = scripted("").await;
    source.says([says(503), good()]);
    is_fresh(&case.runs(json!({}), "complete").await.1);
    assert_eq!(source.asked(), 2);
    source.says([says(500), says(502)]);
    is_stale(&case.runs(json!({}), "complete").await.1);
    assert_eq!(source.asked(), 2);
    let read = case.skips(json!({ "q": "never asked" }), "CONNECTOR_UNAVAILABLE").await;
    assert_eq!((source.asked(), &read["status"]), (4, &json!("failed")), "{read:#}");
}

#[tokio::test]
async fn f_309_a_call_without_an_answer_has_twice_the_time_once_and_is_then_done_without() {
    let (_server, source, case) = scripted("").await;
    // Longer than the connector's three seconds, and shorter than twice as long.
    let late = |millis| good().set_delay(Duration::from_millis(millis));
    source.says([late(60_000), late(4_000)]);
    is_fresh(&case.runs(json!({}), "complete").await.1);
    assert_eq!(source.asked(), 2);
    source.says([late(60_000)]);
    is_stale(&case.runs(json!({}), "complete").await.1);
    case.skips(json!({ "q": "never asked" }), "EGRESS_TIMEOUT").await;
    assert_eq!(source.asked(), 4);
    let longer = source.pauses()[2];
    assert!(longer >= Duration::from_secs(3), "{longer:?}");
}

#[tokio::test]
async fn f_310_a_connection_that_breaks_is_made_once_more_and_then_done_without() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let case = Case::of(&address, "").await;
    let serving = tokio::spawn(async move {
        // The first caller is hung up on, the second answered; then nobody listens any more.
        let mut seen = vec![0; 16 * 1024];
        for breaks in [true, false] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut seen).await;
            let body = r#"{"items":[{"name":"Mill"}]}"#;
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            if !breaks {
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        }
    });
    is_fresh(&case.runs(json!({}), "complete").await.1);
    serving.await.unwrap();
    is_stale(&case.runs(json!({}), "complete").await.1);
    let read = case.skips(json!({ "q": "never asked" }), "EGRESS_NETWORK").await;
    assert!(read["message"].as_str().is_some_and(|said| !said.is_empty()), "{read:#}");
}

#[tokio::test]
async fn f_311_an_answer_that_cannot_be_read_is_empty_and_said() {
    let (_server, source, case) = scripted("").await;
    source.says([ResponseTemplate::new(200).set_body_string("<html>maintenance</html>")]);
    let (ended, read) = case.runs(json!({}), "complete").await;
    assert_eq!((&read["count"], source.asked()), (&json!(0), 1), "{read:#}");
    let said = read["warnings"][0].as_str().unwrap();
    assert!(said.starts_with("page 1 was not as expected"), "{said}");
    assert_eq!(step(&ended, "read")["warnings"], 1);
}

#[tokio::test]
async fn f_148_f_149_f_312_a_step_is_retried_as_often_as_it_says_and_then_ends_as_it_says() {
    // One request for each try: a 4xx is not tried again by the call itself.
    for (keys, tries, state) in [
        (", on_error: skip", 1, "partial"),
        (", on_error: stop", 1, "error"),
        (", on_error: skip, retry_count: 2", 3, "partial"),
        (", on_error: stop, retry_count: 1", 2, "error"),
        (", on_error: retry", 2, "error"),
        (", on_error: retry, retry_count: 3", 4, "error"),
    ] {
        let (_server, source, case) = scripted(keys).await;
        source.says([says(503)]);
        let (ended, _) = case.runs(json!({}), state).await;
        assert_eq!(source.asked(), 2 * tries, "{keys}: {ended:#}");
        assert_eq!(step(&ended, "read")["code"], "CONNECTOR_UNAVAILABLE", "{keys}");
        let other = if state == "partial" { "done" } else { "not_run" };
        assert_eq!(step(&ended, "other")["status"], other, "{keys}: {ended:#}");
    }
    let (_server, source, case) = scripted(", on_error: retry").await;
    source.says([says(503), says(503), good()]);
    is_fresh(&case.runs(json!({}), "complete").await.1);
    assert_eq!(source.asked(), 3);
}

#[tokio::test]
async fn r_024_the_pauses_between_attempts_grow_as_the_step_says() {
    let keys = ", on_error: stop, retry_count: 2, backoff_multiplier: 8";
    let (_server, source, case) = scripted(keys).await;
    source.says([says(503)]);
    case.runs(json!({}), "error").await;
    // Each attempt asks twice; the second and the fourth pause are those of the step.
    let pauses = source.pauses();
    assert_eq!(pauses.len(), 5, "{pauses:?}");
    assert!(pauses[1] >= Duration::from_millis(500), "{pauses:?}");
    assert!(pauses[3] >= Duration::from_secs(4), "{pauses:?}");
}

#[tokio::test]
async fn f_149_a_step_has_the_time_it_says() {
    let (_server, source, case) = scripted(", on_error: skip, timeout_seconds: 10").await;
    source.says([good().set_delay(Duration::from_secs(60))]);
    case.skips(json!({}), "STEP_TIMEOUT").await;
    // The source had less time than its own and did not fail.
    assert_eq!(case.ana.get("/connectors/test-frail/health").await["breaker"], "closed");
    source.says([good()]);
    is_fresh(&case.runs(json!({}), "complete").await.1);
}

#[tokio::test]
async fn f_314_an_export_that_could_not_be_made_has_a_link_that_makes_it() {
    let (_server, source, case) = scripted("").await;
    source.says([says(404)]);
    let export = json!({ "type": "file_export", "format": "json", "config": { "filename_template": "mills" } });
    let profile = json!({
        "name": "Exporter", "handle": format!("{}-exporter", case.ana.username),
        "output_config": { "destinations": [export] },
    });
    let agent = case.ana.post("/profiles", &profile).await["id"].as_str().unwrap().to_owned();
    case.ana.bind(&agent, "test-frail").await;
    let wants = "output: {format: json, sections: [{title: Mills, source: read.results}]}\n";
    let yaml = playbook(", on_error: skip").replace("id: read-frail", "id: export-frail") + wants;
    case.ana.playbook(&yaml).await;
    let run = case.ana.start(&agent, "export-frail", json!({})).await;
    let ended = case.ana.reaches(&run, "partial").await;
    let written = &ended["response"]["outputs"][0];
    assert_eq!(written["error"]["code"], "RESULT_INCOMPLETE", "{ended:#}");
    assert_eq!(case.ana.get("/exports").await["items"], json!([]));
    source.says([good()]);
    let retry = written["error"]["retry"].as_str().unwrap();
    let again = case.ana.door.post(retry, &json!({})).await.unwrap();
    let ended = case.ana.reaches(again["id"].as_str().unwrap(), "complete").await;
    let details = &ended["response"]["outputs"][0]["details"];
    assert_eq!(details["filename"], "mills.json", "{ended:#}");
    let link = case.ana.door.get(details["link"].as_str().unwrap()).await.unwrap();
    let file = reqwest::get(link["url"].as_str().unwrap()).await.unwrap().text().await.unwrap();
    assert!(file.contains("Mill"), "{file}");
}
