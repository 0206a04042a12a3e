//! GraphQL.

use countersign_failure::Class;
use wiremock::matchers::{body_partial_json, header, method};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::*;

const LOCAL: Policy = Policy { allow_loopback: true };

fn yaml(server: &MockServer) -> String {
    format!(
        "
id: repos
name: Repositories
type: graphql
version: 1.0.0
connection:
  endpoint: {}
  auth: {{ type: bearer_token }}
  timeout_seconds: 1
endpoints:
  search:
    description: searches
    query: |
      query($q: String!, $first: Int, $after: String) {{
        search(query: $q, first: $first, after: $after) {{
          total
          nodes {{ name stars owner {{ login }} }}
          pageInfo {{ hasNextPage endCursor }}
        }}
      }}
    variables:
      - {{ name: q, type: string, required: true }}
      - {{ name: first, type: integer, default: 2 }}
    pagination: {{ type: relay, page_info_path: search.pageInfo, max_pages: 2 }}
    response_mapping:
      results_path: search.nodes
      fields: {{ name: name, stars: stars, owner: owner.login }}
    output_schema:
      fields: [{{ name: name, type: string }}, {{ name: stars, type: integer }}, {{ name: owner, type: string }}]
      metadata_fields: [{{ name: total, type: integer, path: search.total }}]
  star:
    description: stars
    query: 'mutation($id: ID!) {{ addStar(id: $id) {{ starred }} }}'
    variables: [{{ name: id, type: string, required: true }}]
    response_mapping: {{ results_path: addStar }}
",
        server.uri()
    )
}

#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn search(more: Value) -> Call {
    let mut inputs = json!({ "q": "rust" });
    inputs.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    call_of("repos", "search", inputs)
}

fn page(names: &[&str], next: Option<&str>) -> Value {
    let nodes: Vec<Value> =
        names.iter().map(|name| json!({ "name": name, "stars": "7", "owner": null })).collect();
    json!({ "data": { "search": {
        "total": 9, "nodes": nodes, "pageInfo": { "hasNextPage": next.is_some(), "endCursor": next },
    } } })
}

async fn serve(answers: Vec<(Option<&'static str>, Value)>) -> MockServer {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST"))
        .and(header("authorization", "Bearer s3cr3t-token"))
        .and(header("content-type", "application/json"))
        .respond_with(move |request: &Request| {
            let body: Value = request.body_json().unwrap();
            let after = body["variables"].get("after").and_then(Value::as_str);
            let found = answers.iter().find(|(cursor, _)| *cursor == after);
            match found {
                Some((_, answer)) => ResponseTemplate::new(200).set_body_json(answer),
                None => ResponseTemplate::new(400),
            }
        })
        .mount(&server)
        .await;
    server
}

async fn ask(server: &MockServer, call: &Call) -> Result<Value, ActionError> {
    run(World::new(&yaml(server)), call).await
}

#[tokio::test]
async fn f_097_pages_of_a_connection_are_followed_and_continued() {
    let server = serve(vec![
        (None, page(&["a", "b"], Some("c1"))),
        (Some("c1"), page(&["c"], Some("c2"))),
        (Some("c2"), page(&["d"], None)),
    ])
    .await;
    let output = ask(&server, &search(json!({}))).await.unwrap();
    let names = |output: &Value| {
        let records = output["results"].as_array().unwrap().iter();
        records.map(|record| record["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&output), ["a", "b", "c"]);
    assert_eq!((&output["has_more"], &output["_next_cursor"]), (&json!(true), &json!("c2")));
    assert_eq!((&output["total"], &output["results"][0]["stars"]), (&json!(9), &json!(7)));
    let first: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    assert_eq!(first["variables"], json!({ "q": "rust", "first": 2 }));
    let rest = ask(&server, &search(json!({ "_cursor": output["_next_cursor"] }))).await.unwrap();
    assert_eq!((names(&rest), &rest["has_more"]), (vec!["d".to_owned()], &json!(false)));
    let definition = countersign_connector::parse(&yaml(&server)).definition.unwrap();
    let contract = countersign_connector::endpoint_contract(&definition, "search").unwrap();
    let names = contract.outputs.iter().map(|slot| slot.name.as_str());
    let mut slots: Vec<&str> = names.filter(|name| !name.starts_with("_stale")).collect();
    let mut keys: Vec<&str> = output.as_object().unwrap().keys().map(String::as_str).collect();
    slots.sort_unstable();
    keys.sort_unstable();
    assert_eq!(keys, slots, "F-093");
}

#[tokio::test]
async fn f_097_errors_beside_data_are_warnings() {
    let mut answer = page(&["a"], None);
    answer["errors"] = json!([{ "message": "owner hidden from s3cr3t-token", "path": ["search", "nodes", 0, "owner"] }]);
    let output = ask(&serve(vec![(None, answer)]).await, &search(json!({}))).await.unwrap();
    assert_eq!(output["count"], 1);
    assert_eq!(
        output["warnings"],
        json!(["the source says: owner hidden from [redacted] (at `search.nodes.0.owner`)"])
    );
    let without =
        json!({ "data": { "search": null, "viewer": 1 }, "errors": [{ "message": "too slow" }] });
    let output = ask(&serve(vec![(None, without)]).await, &search(json!({}))).await.unwrap();
    assert_eq!(
        (&output["count"], &output["warnings"]),
        (&json!(0), &json!(["the source says: too slow"]))
    );
}

#[tokio::test]
async fn f_097_errors_without_data_fail_with_what_the_source_says() {
    for (answer, code, class) in [
        (
            json!({ "errors": [{ "message": "no field `x` for s3cr3t-token" }] }),
            "CONNECTOR_GRAPHQL",
            Class::Terminal,
        ),
        (
            json!({ "data": null, "errors": [{ "message": "boom" }] }),
            "CONNECTOR_GRAPHQL",
            Class::Terminal,
        ),
        (
            json!({ "errors": [{ "message": "later", "type": "RATE_LIMITED" }] }),
            "CONNECTOR_THROTTLED",
            Class::Terminal,
        ),
        (
            json!({ "errors": [{ "message": "who", "extensions": { "code": "UNAUTHENTICATED" } }] }),
            "CONNECTOR_AUTH_FAILED",
            Class::Terminal,
        ),
    ] {
        let error = ask(&serve(vec![(None, answer)]).await, &search(json!({}))).await.unwrap_err();
        assert_eq!((error.code, error.class), (code, class), "{error}");
        assert!(!error.message.contains("s3cr3t"), "{error}");
    }
}

#[tokio::test]
async fn f_309_a_failing_second_page_keeps_the_first() {
    let server = serve(vec![
        (None, page(&["a", "b"], Some("c1"))),
        (Some("c1"), json!({ "errors": [{ "message": "boom" }] })),
    ])
    .await;
    let output = ask(&server, &search(json!({}))).await.unwrap();
    assert_eq!(
        (&output["count"], &output["has_more"], &output["_next_cursor"]),
        (&json!(2), &json!(true), &json!("c1"))
    );
    assert!(
        output["warnings"][0].as_str().unwrap().contains("page 2 could not be read"),
        "{output}"
    );
}

#[tokio::test]
async fn f_311_what_is_not_json_is_empty_and_said() {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_string("<html>"))
        .mount(&server)
        .await;
    let output = ask(&server, &search(json!({}))).await.unwrap();
    assert_eq!((&output["count"], &output["total"]), (&json!(0), &Value::Null));
    assert!(output["warnings"][0].as_str().unwrap().contains("not as expected"), "{output}");
    let output =
        ask(&serve(vec![(None, json!({ "hello": 1 }))]).await, &search(json!({}))).await.unwrap();
    assert!(output["warnings"][0].as_str().unwrap().contains("neither `data`"), "{output}");
}

#[tokio::test]
async fn f_307_a_throttled_document_is_sent_again() {
    let server = MockServer::builder().start().await;
    let later = json!({ "errors": [{ "message": "later", "type": "RATE_LIMITED" }] });
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(later))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(page(&["a"], None)))
        .mount(&server)
        .await;
    assert_eq!(ask(&server, &search(json!({}))).await.unwrap()["count"], 1);
    assert_eq!(server.received_requests().await.unwrap().len(), 2);
}

#[tokio::test]
async fn f_308_a_query_is_tried_once_more() {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(503))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(page(&["a"], None)))
        .mount(&server)
        .await;
    assert_eq!(ask(&server, &search(json!({}))).await.unwrap()["count"], 1);
}

#[tokio::test]
async fn k_49_a_mutation_carries_its_key_and_is_never_repeated() {
    let star = call_of("repos", "star", json!({ "id": "r1" }));
    for (answer, code) in [
        (ResponseTemplate::new(503), "CONNECTOR_IN_DOUBT"),
        (
            ResponseTemplate::new(200)
                .set_body_json(json!({ "data": null, "errors": [{ "message": "x" }] })),
            "CONNECTOR_IN_DOUBT",
        ),
        (
            ResponseTemplate::new(200).set_body_json(json!({ "errors": [{ "message": "x" }] })),
            "CONNECTOR_GRAPHQL",
        ),
    ] {
        let server = MockServer::builder().start().await;
        Mock::given(header("idempotency-key", "run_1/read"))
            .respond_with(answer)
            .expect(1)
            .mount(&server)
            .await;
        let world = Arc::new(World::new(&yaml(&server)));
        let error = run_with(&world, Mode::Write, LOCAL, &star).await.unwrap_err();
        assert_eq!(error.code, code, "{error}");
    }
    let server = MockServer::builder().start().await;
    Mock::given(body_partial_json(json!({ "variables": { "id": "r1" } })))
        .respond_with(
            ResponseTemplate::new(200)
                .set_body_json(json!({ "data": { "addStar": { "starred": true } } })),
        )
        .mount(&server)
        .await;
    let world = Arc::new(World::new(&yaml(&server)));
    let output = run_with(&world, Mode::Write, LOCAL, &star).await.unwrap();
    assert_eq!(output["results"][0]["starred"], true);
    let error = run_with(&world, Mode::Read, LOCAL, &star).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_WRONG_FUNCTION", "K-25");
}

#[tokio::test]
async fn f_104_a_binding_replaces_the_endpoint_within_the_rules() {
    let server = serve(vec![(None, page(&["a"], None))]).await;
    let elsewhere = yaml(&server).replace(&server.uri(), "https://graphql.example");
    let at = |address: String| {
        let world = World::new(&elsewhere);
        Arc::new(world.bind(|binding| binding.config_overrides.base_url = Some(address)))
    };
    let found = run_with(&at(server.uri()), Mode::Write, LOCAL, &search(json!({}))).await.unwrap();
    assert_eq!(found["count"], 1);
    let inside = at("https://10.0.0.1/graphql".to_owned());
    let error = run_with(&inside, Mode::Write, LOCAL, &search(json!({}))).await.unwrap_err();
    assert_eq!(error.code, "EGRESS_REFUSED");
}

#[tokio::test]
async fn k_25_a_query_at_an_address_of_the_binding_is_signed_and_sent_once() {
    let server = serve(vec![(None, page(&["a", "b"], Some("c1")))]).await;
    let uri = server.uri();
    let world = World::new(&yaml(&server).replace(&server.uri(), "https://graphql.example"))
        .bind(|binding| binding.config_overrides.base_url = Some(uri));
    let world = Arc::new(world);
    let error = run_with(&world, Mode::Read, LOCAL, &search(json!({}))).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_WRONG_FUNCTION", "{error}");
    assert_eq!(server.received_requests().await.unwrap().len(), 0);
    let output = run_with(&world, Mode::Write, LOCAL, &search(json!({}))).await.unwrap();
    assert_eq!((&output["count"], &output["has_more"]), (&json!(2), &json!(true)));
    assert_eq!(output.get("_next_cursor"), None, "a call that is sent once is not continued");
    let warning = output["warnings"][0].as_str().unwrap();
    assert!(warning.contains("only its first page"), "{output}");
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
    let on = search(json!({ "_cursor": "c1" }));
    let error = described(&world, &on).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_ARGUMENT", "{error}");
}
