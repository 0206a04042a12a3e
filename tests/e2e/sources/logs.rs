//! What the functions write to their logs when a source is called with a key (K-42).

use serde_json::{Value, json};
use wiremock::matchers::{any, query_param};
use wiremock::{Mock, ResponseTemplate};

use super::output;
use crate::case::{Person, person, step, until};
use crate::provider_server;
use crate::world::world;

/// Every line of the functions' logs with this text.
async fn lines(text: &str) -> Vec<String> {
    let group = world().stack.output("FunctionLogGroup").unwrap();
    // A pattern of more than one word, or with signs in it, stands in quotation marks.
    let pattern = format!("\"{text}\"");
    let ask =
        ["logs", "filter-log-events", "--log-group-name", group, "--filter-pattern", &pattern];
    let said = world().aws(&ask).await.unwrap();
    let events = said["events"].as_array().unwrap().iter();
    events.map(|event| event["message"].as_str().unwrap().to_owned()).collect()
}

/// Waits until there is a line that says this of the connector, and until its invocation has written its last one.
async fn is_logged(connector: &str, said: &str) {
    let line = until(&format!("`{said}` stands in the log"), || async {
        lines(connector).await.into_iter().find(|line| line.contains(said))
    })
    .await;
    let (_, id) =
        line.split_once("requestId=\"").unwrap_or_else(|| panic!("of which invocation? {line}"));
    let id = id.split_once('"').unwrap().0;
    until("the invocation's last line", || async {
        lines(id).await.into_iter().find(|line| line.contains("served"))
    })
    .await;
}

async fn runs(ana: &Person, agent: &str, state: &str) -> (String, Value) {
    let run = ana.start(agent, "read-logged", json!({})).await;
    let ended = ana.reaches(&run, state).await;
    (run, ended)
}

#[tokio::test]
async fn k_42_no_key_is_in_a_log_whether_the_source_answers_refuses_it_or_is_gone() {
    let key = format!("k42-{}", uuid::Uuid::now_v7().simple());
    let connector = format!("logged-{}", uuid::Uuid::now_v7().simple());
    let server = provider_server::start().await;
    let yaml = format!(
        "id: {connector}\nname: Source\ntype: rest_api\nversion: 1.0.0\ndescription: A source.\nconnection: {{ base_url: '{}', auth: {{ type: api_key, key_param: token }} }}\nendpoints:\n  list: {{ description: lists, path: /items }}\n",
        server.uri()
    );
    let ana = person("ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": yaml })).await;
    let agent = ana.agent(&[]).await;
    let bound = json!({ "connector_id": connector, "credentials": { "api_key": key } });
    ana.post(&format!("/profiles/{agent}/data-sources"), &bound).await;
    ana.playbook(&format!(
        "id: read-logged\nname: Read\ndescription: Reads.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n  - {{name: read, step_type: tool, action: call_connector, connector: {connector}, endpoint: list}}\n"
    ))
    .await;

    let good = ResponseTemplate::new(200).set_body_json(json!([{ "n": 1 }]));
    let good = Mock::given(query_param("token", key.as_str())).respond_with(good);
    let good = good.mount_as_scoped(&server).await;
    let (run, _) = runs(&ana, &agent, "complete").await;
    assert_eq!(output(&ana, &run, "read").await["count"], 1, "the key did not arrive");
    drop(good);
    let refused = ResponseTemplate::new(401).set_body_string(format!("{key} is no key of ours"));
    let refused = Mock::given(any()).respond_with(refused).mount_as_scoped(&server).await;
    let (_, ended) = runs(&ana, &agent, "error").await;
    assert!(step(&ended, "read")["message"].as_str().unwrap().contains("[redacted]"), "{ended:#}");
    is_logged(&connector, "the source refuses access").await;
    drop(refused);
    // What could not be connected to is named with its address, in which the key stands.
    drop(server);
    let (run, _) = runs(&ana, &agent, "complete").await;
    assert_eq!(output(&ana, &run, "read").await["_stale"], true);
    is_logged(&connector, "an earlier answer stands in").await;

    assert_eq!(lines(&key).await, Vec::<String>::new());
}
