//! Rates of connectors and bindings, with many callers at once (F-104, F-105).

use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::case::{FACTORY, Person, person, step};
use crate::provider_server;

/// A source that answers everything.
async fn source() -> MockServer {
    let server = provider_server::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(json!({ "items": [{ "name": "Mill" }] }));
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

async fn asked(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

fn connector(server: &MockServer, rate: &str) -> String {
    format!(
        "id: test-rated\nname: Rated\ntype: rest_api\nversion: 1.0.0\ndescription: A source with a rate.\nconnection: {{ base_url: '{}', auth: {{ type: bearer_token }}, rate_limit: {{ {rate} }} }}\nendpoints:\n  list: {{ description: lists, path: /items, parameters: [{{ name: q, type: integer }}], response_mapping: {{ results_path: items }} }}\n",
        server.uri()
    )
}

/// Five calls at the same time, each with arguments of its own.
fn playbook() -> String {
    let call = "step_type: tool, action: call_connector, connector: test-rated, endpoint: list, on_error: skip";
    let steps: Vec<String> =
        (1..=5).map(|n| format!("  - {{name: read_{n}, {call}, inputs: {{q: {n}}}}}\n")).collect();
    format!(
        "id: read-rated\nname: Read\ndescription: Reads at once.\nversion: 1.0.0\nexecution_mode: deterministic\nrequired_connectors: [test-rated]\nsteps:\n{}",
        steps.concat()
    )
}

/// An agent with a credential for the source, bound with these values.
async fn agent(ana: &Person, bound: &Value) -> (String, String) {
    let agent = ana.agent(&[]).await;
    let mut body = json!({ "connector_id": "test-rated", "credentials": { "token": "of ana" } });
    for (key, value) in bound.as_object().unwrap() {
        body[key] = value.clone();
    }
    let path = format!("/profiles/{agent}/data-sources");
    let binding = ana.post(&path, &body).await["id"].as_str().unwrap().to_owned();
    (agent, binding)
}

/// How many steps of a run were answered; the others found the budget spent.
async fn answered(ana: &Person, run: &str, state: &str) -> usize {
    let ended = ana.reaches(run, state).await;
    let read = |n: u32| step(&ended, &format!("read_{n}")).clone();
    let steps: Vec<Value> = (1..=5).map(read).collect();
    let (done, spent): (Vec<&Value>, Vec<&Value>) =
        steps.iter().partition(|step| step["status"] == "done");
    for step in spent {
        assert_eq!(step["code"], "CONNECTOR_BUDGET_SPENT", "{ended:#}");
    }
    done.len()
}

#[tokio::test]
async fn f_105_many_callers_at_once_have_one_budget_together() {
    let server = source().await;
    let ana = person("ana", &["global:analyst"]).await;
    let yaml = connector(
        &server,
        "requests_per_month: 7, requests_per_day: 1000, requests_per_hour: 500, requests_per_minute: 200, requests_per_second: 50",
    );
    ana.post("/connectors", &json!({ "yaml": yaml })).await;
    ana.playbook(&playbook()).await;
    let mut runs = Vec::new();
    // Two agents of one owner: the source counts by whose it is.
    for _ in 0..2 {
        let (agent, _) = agent(&ana, &json!({})).await;
        let run = ana.start(&agent, "read-rated", json!({})).await;
        runs.push((agent, run));
    }
    let mut done = 0;
    for (_, run) in &runs {
        let ended = crate::case::until("the run ends", || async {
            let now = ana.run(run).await["state"].as_str().unwrap_or_default().to_owned();
            ["complete", "partial"].contains(&now.as_str()).then_some(now)
        })
        .await;
        done += answered(&ana, run, &ended).await;
    }
    assert_eq!((done, asked(&server).await), (7, 7));
    // Either agent is told the same.
    let health = ana.get(&format!("/connectors/test-rated/health?profile={}", runs[0].0)).await;
    let left = |window: &str| {
        let budget = health["budget"].as_array().unwrap();
        budget.iter().find(|one| one["window"] == window).unwrap()["left"].clone()
    };
    assert_eq!((left("month"), left("day")), (json!(0), json!(993)), "{health:#}");
    for window in ["second", "minute", "hour"] {
        assert!(left(window).is_u64(), "{window}: {health:#}");
    }
}

#[tokio::test]
async fn f_008_f_104_a_bindings_rate_and_address_hold_for_its_agent() {
    let (server, elsewhere) = (source().await, source().await);
    let ana = person("ana", &["global:analyst"]).await;
    let yaml = connector(&server, "requests_per_month: 1000");
    ana.post("/connectors", &json!({ "yaml": yaml })).await;
    ana.playbook(&playbook()).await;
    let lower = json!({ "rate_limit_override": { "requests_per_month": 2 } });
    let (slow, binding) = agent(&ana, &json!({ "permissions": lower })).await;
    let run = ana.start(&slow, "read-rated", json!({})).await;
    assert_eq!((answered(&ana, &run, "partial").await, asked(&server).await), (2, 2));
    // The other agent of the same connector is not held back, goes elsewhere, with less time and another header.
    let moved = json!({ "base_url": elsewhere.uri(), "timeout_seconds": 5, "headers": { "x-desk": "7" }, "rate_limit": { "requests_per_month": 4 } });
    let (free, _) = agent(&ana, &json!({ "config_overrides": moved })).await;
    let run = ana.start(&free, "read-rated", json!({})).await;
    assert_eq!((answered(&ana, &run, "partial").await, asked(&elsewhere).await), (4, 4));
    let heard = elsewhere.received_requests().await.unwrap();
    assert!(heard.iter().all(|request| request.headers["x-desk"] == "7"));
    assert_eq!(asked(&server).await, 2);
    // What is changed holds from the next call on.
    let body = json!({ "config_overrides": {}, "permissions": {}, "is_enabled": true });
    let path = format!("{FACTORY}/profiles/{slow}/data-sources/{binding}");
    ana.door.put(&path, &body).await.unwrap();
    let run = ana.start(&slow, "read-rated", json!({})).await;
    assert_eq!((answered(&ana, &run, "complete").await, asked(&server).await), (5, 7));
}
