//! What was decided about connectors where the requirements were dangerous or silent (K-41, K-42, K-53, K-74…K-76).

use serde_json::{Value, json};
use wiremock::matchers::{any, header, path, path_regex, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::output;
use crate::case::{Person, admin, person, refusal, step};
use crate::provider_server;
use crate::world::world;

fn ok(body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

fn rest(id: &str, server: &MockServer, auth: &str, endpoints: &str) -> String {
    format!(
        "id: {id}\nname: Source\ntype: rest_api\nversion: 1.0.0\ndescription: A source.\nconnection: {{ base_url: '{}/base', auth: {auth} }}\nendpoints:\n{endpoints}",
        server.uri()
    )
}

fn playbook(id: &str, steps: &str) -> String {
    format!(
        "id: {id}\nname: Read\ndescription: Reads.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n{steps}"
    )
}

async fn own(yaml: &str) -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    ana.post("/connectors", &json!({ "yaml": yaml })).await;
    let agent = ana.agent(&[]).await;
    (ana, agent)
}

#[tokio::test]
async fn k_41_a_tool_is_one_of_a_list_whatever_its_module_is_called() {
    let yaml = |connection: &str| {
        format!(
            "id: k-tool\nname: Tool\ntype: existing_tool\nversion: 1.0.0\ndescription: A tool.\nconnection: {connection}\nendpoints:\n  go: {{ description: goes, parameters: [{{ name: query, type: string, required: true }}] }}\n"
        )
    };
    let put = async |connection: &str| {
        let body = json!({ "yaml": yaml(connection) });
        admin(world()).put("/api/admin/library/connectors/k-tool", &body).await
    };
    for wrong in [
        "{ tool_module: os, tool_function: system }",
        "{ tool: send_notification }",
        "{ tool: call_connector }",
        "{ tool_module: web_search, tool_function: __import__ }",
    ] {
        let refused = refusal(put(wrong).await);
        assert_eq!((refused.status, refused.code.as_str()), (422, "CONNECTOR_INVALID"), "{wrong}");
    }
    put("{ tool_module: web_search, tool_function: search_web }").await.unwrap();
}

#[tokio::test]
async fn k_53_connector_and_endpoint_stand_at_the_step_or_in_its_params() {
    let server = provider_server::start().await;
    Mock::given(path("/base/items")).respond_with(ok(&json!([{ "n": 1 }]))).mount(&server).await;
    let endpoints = "  list: { description: lists, path: /items }\n";
    let (ana, agent) = own(&rest("test-places", &server, "{ type: none }", endpoints)).await;
    ana.bind(&agent, "test-places").await;
    let steps = "  - {name: a, step_type: tool, action: call_connector, connector: test-places, endpoint: list}\n  - {name: b, step_type: tool, action: call_connector, params: {connector: test-places, endpoint: list}}\n  - {name: c, step_type: tool, action: transform_data, inputs: {data: '{a.results}'}, operations: [{type: limit, value: 1}]}\n  - {name: d, step_type: tool, action: transform_data, inputs: {data: '{b.results}'}, params: {operations: [{type: limit, value: 1}]}}\n";
    ana.playbook(&playbook("both-places", steps)).await;
    let run = ana.start(&agent, "both-places", json!({})).await;
    ana.reaches(&run, "complete").await;
    let n = async |step: &str, list: &str| output(&ana, &run, step).await[list][0]["n"].clone();
    let read = [
        n("a", "results").await,
        n("b", "results").await,
        n("c", "data").await,
        n("d", "data").await,
    ];
    assert_eq!(read, [json!(1), json!(1), json!(1), json!(1)]);
}

#[tokio::test]
async fn k_42_values_are_encoded_credentials_have_their_places_and_statuses_come_first() {
    let server = provider_server::start().await;
    // `../` and `?` of an argument stay inside their part of the path.
    let named = Mock::given(path_regex("^/base/items/[^/]+$"));
    // ana:s3cr3t-of-ana
    let named = named.and(header("authorization", "Basic YW5hOnMzY3IzdC1vZi1hbmE="));
    named.respond_with(ok(&json!([{ "n": 1 }]))).mount(&server).await;
    let page = "<html>Not here, s3cr3t-of-ana</html>";
    let gone = ResponseTemplate::new(404).set_body_raw(page, "text/html");
    Mock::given(path("/base/gone")).respond_with(gone).mount(&server).await;
    let endpoints = "  one: { description: one, path: '/items/{id}', parameters: [{ name: id, type: string, required: true }] }\n  gone: { description: gone, path: /gone }\n";
    let (ana, agent) = own(&rest("test-basic", &server, "{ type: basic }", endpoints)).await;
    let credentials = json!({ "username": "ana", "password": "s3cr3t-of-ana" });
    let body = json!({ "connector_id": "test-basic", "credentials": credentials });
    ana.post(&format!("/profiles/{agent}/data-sources"), &body).await;
    let steps = "  - {name: one, step_type: tool, action: call_connector, connector: test-basic, endpoint: one, inputs: {id: \"../admin?x=1#\"}}\n  - {name: gone, step_type: tool, action: call_connector, connector: test-basic, endpoint: gone}\n";
    ana.playbook(&playbook("basic", steps)).await;
    let run = ana.start(&agent, "basic", json!({})).await;
    let ended = ana.reaches(&run, "partial").await;
    assert_eq!(output(&ana, &run, "one").await["count"], 1, "{ended:#}");
    let asked = server.received_requests().await.unwrap();
    let asked = asked.iter().find(|request| request.url.path().starts_with("/base/items/"));
    let asked = &asked.unwrap().url;
    assert!(asked.path().starts_with("/base/items/..%2Fadmin%3Fx"), "{asked}");
    assert_eq!((asked.query(), asked.path().ends_with("%23")), (None, true), "{asked}");
    let gone = step(&ended, "gone");
    assert_eq!(gone["code"], "CONNECTOR_REFUSED", "the status counts, not that it is no JSON");
    assert!(gone["message"].as_str().unwrap().contains("Not here, [redacted]"), "{gone:#}");
    assert!(!ended.to_string().contains("s3cr3t-of-ana"));
}

#[tokio::test]
async fn k_74_only_failures_in_a_row_count_and_what_is_merely_refused_does_not() {
    let server = provider_server::start().await;
    let endpoints = "  list: { description: lists, path: /items }\n";
    let (ana, _) = own(&rest("test-row", &server, "{ type: none }", endpoints)).await;
    let call = json!({ "endpoint": "list" });
    let answered = async |status: u16| {
        let answer = ok(&json!([])).insert_header("retry-after", "0");
        let answer = if status == 200 {
            answer
        } else {
            ResponseTemplate::new(status).insert_header("retry-after", "0")
        };
        let _mounted = Mock::given(any()).respond_with(answer).mount_as_scoped(&server).await;
        ana.post("/connectors/test-row/test", &call).await;
        let health = ana.get("/connectors/test-row/health").await;
        (health["breaker"].clone(), health["failures_in_a_row"].clone())
    };
    let closed = |failures: u32| (json!("closed"), json!(failures));
    for (status, failures) in
        [(503, 1), (500, 2), (404, 2), (429, 2), (502, 3), (503, 4), (200, 0), (503, 1)]
    {
        assert_eq!(answered(status).await, closed(failures), "{status}");
    }
}

#[tokio::test]
async fn k_75_nobody_is_shown_the_kept_answer_of_somebody_else() {
    let server = provider_server::start().await;
    let yaml = rest(
        "k-75-shared",
        &server,
        "{ type: none }",
        "  list: { description: lists, path: /items }\n",
    );
    admin(world())
        .put("/api/admin/library/connectors/k-75-shared", &json!({ "yaml": yaml }))
        .await
        .unwrap();
    let read = playbook(
        "read-shared",
        "  - {name: read, step_type: tool, action: call_connector, connector: k-75-shared, endpoint: list, on_error: skip}\n",
    );
    let mut people = Vec::new();
    for name in ["ana", "bob"] {
        let who = person(name, &["global:analyst"]).await;
        let agent = who.agent(&[]).await;
        who.bind(&agent, "k-75-shared").await;
        who.playbook(&read).await;
        people.push((who, agent));
    }
    let run = async |n: usize, state: &str| {
        let (who, agent) = &people[n];
        let run = who.start(agent, "read-shared", json!({})).await;
        let ended = who.reaches(&run, state).await;
        if state == "complete" {
            output(who, &run, "read").await
        } else {
            step(&ended, "read").clone()
        }
    };
    let good = Mock::given(any()).respond_with(ok(&json!([{ "n": 7 }])));
    let good = good.mount_as_scoped(&server).await;
    assert_eq!(run(0, "complete").await["_stale"], Value::Null);
    drop(good);
    Mock::given(any()).respond_with(ResponseTemplate::new(503)).mount(&server).await;
    let stale = run(0, "complete").await;
    assert_eq!((&stale["_stale"], &stale["results"][0]["n"]), (&json!(true), &json!(7)));
    assert!(stale["_stale_age_seconds"].is_u64(), "{stale:#}");
    assert_eq!(run(1, "error").await["code"], "CONNECTOR_UNAVAILABLE");
}

#[tokio::test]
async fn k_76_pages_are_followed_by_cursor_by_address_by_offset_and_by_link() {
    let server = provider_server::start().await;
    let at = |place: &str, key: &'static str, value: &'static str, body: Value| {
        Mock::given(path(format!("/base/{place}")))
            .and(query_param(key, value))
            .respond_with(ok(&body))
    };
    let uri = server.uri();
    let first = |place: &str, body: Value| {
        Mock::given(path(format!("/base/{place}"))).respond_with(ok(&body)).with_priority(9)
    };
    let address = format!("{uri}/base/addresses?c=second&q=1");
    first("cursors", json!({ "rows": [{ "n": 1 }], "next": "k 2&" })).mount(&server).await;
    at("cursors", "cursor", "k 2&", json!({ "rows": [{ "n": 2 }], "next": null }))
        .mount(&server)
        .await;
    first("addresses", json!({ "rows": [{ "n": 1 }], "next": address })).mount(&server).await;
    at("addresses", "c", "second", json!({ "rows": [{ "n": 2 }], "next": "" }))
        .mount(&server)
        .await;
    at("offsets", "offset", "0", json!({ "rows": [{ "n": 1 }] })).mount(&server).await;
    at("offsets", "offset", "1", json!({ "rows": [{ "n": 2 }] })).mount(&server).await;
    at("offsets", "offset", "2", json!({ "rows": [] })).mount(&server).await;
    let link = format!("<{uri}/base/links?p=2>; rel=\"next\", <{uri}/base/links>; rel=\"first\"");
    let linked = ok(&json!({ "rows": [{ "n": 1 }] })).insert_header("link", link.as_str());
    Mock::given(path("/base/links")).respond_with(linked).with_priority(9).mount(&server).await;
    at("links", "p", "2", json!({ "rows": [{ "n": 2 }] })).mount(&server).await;
    let endpoint = |name: &str, pages: &str| {
        format!(
            "  {name}: {{ description: lists, path: /{name}, pagination: {{ {pages}, max_pages: 3 }}, response_mapping: {{ results_path: rows }} }}\n"
        )
    };
    let endpoints = [
        endpoint("cursors", "type: cursor, cursor_path: next"),
        endpoint("addresses", "type: cursor, cursor_param: c, cursor_path: next"),
        endpoint("offsets", "type: offset, page_size: 1"),
        endpoint("links", "type: link_header"),
    ];
    let (ana, agent) =
        own(&rest("test-turns", &server, "{ type: none }", &endpoints.concat())).await;
    ana.bind(&agent, "test-turns").await;
    let names = ["cursors", "addresses", "offsets", "links"];
    let call = "step_type: tool, action: call_connector, connector: test-turns";
    let steps: Vec<String> = names
        .iter()
        .map(|name| format!("  - {{name: {name}, {call}, endpoint: {name}}}\n"))
        .collect();
    ana.playbook(&playbook("turns", &steps.concat())).await;
    let run = ana.start(&agent, "turns", json!({})).await;
    ana.reaches(&run, "complete").await;
    for name in names {
        let found = output(&ana, &run, name).await;
        let read: Vec<&Value> =
            found["results"].as_array().unwrap().iter().map(|row| &row["n"]).collect();
        assert_eq!(read, [1, 2], "{name}: {found:#}");
        assert_eq!((&found["has_more"], &found["warnings"]), (&json!(false), &json!([])), "{name}");
    }
}
