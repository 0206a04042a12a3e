//! HTTP APIs.

use countersign_failure::Class;
use wiremock::matchers::{header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

fn api(server: &MockServer) -> String {
    format!(
        "
id: api
name: API
type: rest_api
version: 1.0.0
connection:
  base_url: {}
  auth: {{ type: bearer_token }}
  timeout_seconds: 1
endpoints:
  search:
    description: searches
    path: /search
    parameters: [{{ name: q, type: string, required: true }}]
    pagination: {{ type: page, page_size: 2, max_pages: 3 }}
    response_mapping: {{ results_path: items, fields: {{ title: name }} }}
  create:
    description: creates
    method: POST
    path: /items
    parameters: [{{ name: name, type: string }}]
",
        server.uri()
    )
}

fn search() -> Call {
    call_of("api", "search", json!({ "q": "x" }))
}

fn items(names: &[&str]) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(
        json!({ "items": names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>() }),
    )
}

#[tokio::test]
async fn f_096_pages_are_followed_with_the_owners_credential() {
    let server = MockServer::builder().start().await;
    let page = |number: &str| {
        Mock::given(path("/search"))
            .and(query_param("page", number))
            .and(query_param("q", "x"))
            .and(header("authorization", "Bearer s3cr3t-token"))
    };
    page("1").respond_with(items(&["a", "b"])).mount(&server).await;
    page("2").respond_with(items(&["c"])).mount(&server).await;
    let world = Arc::new(World::new(&api(&server)));
    let output =
        run_with(&world, Mode::Read, Policy { allow_loopback: true }, &search()).await.unwrap();
    let titles: Vec<_> = output["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["title"].clone())
        .collect();
    assert_eq!(titles, ["a", "b", "c"]);
    assert_eq!(
        (&output["has_more"], &output["_has_more"], &output["_next_cursor"]),
        (&json!(false), &json!(false), &Value::Null)
    );
    assert_eq!(output["results"][2]["_source_ref"], format!("{}/search", server.uri()));
    let asked = world.asked.lock().unwrap();
    assert_eq!(
        asked[0],
        (user(1), CredentialId::from_bytes([4; 16]), ConnectorId::parse("api").unwrap()),
        "K-37"
    );
}

#[tokio::test]
async fn f_309_what_was_read_before_a_failure_is_kept_and_said() {
    let server = MockServer::builder().start().await;
    Mock::given(query_param("page", "1")).respond_with(items(&["a", "b"])).mount(&server).await;
    Mock::given(query_param("page", "2"))
        .respond_with(ResponseTemplate::new(500))
        .mount(&server)
        .await;
    let output = run(World::new(&api(&server)), &search()).await.unwrap();
    assert_eq!(
        (&output["count"], &output["has_more"], &output["_next_cursor"]),
        (&json!(2), &json!(true), &json!(2))
    );
    assert!(output["warnings"][0].as_str().unwrap().contains("page 2"), "{output}");
}

#[tokio::test]
async fn f_306_a_refused_credential_marks_the_binding() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/search"))
        .respond_with(ResponseTemplate::new(401))
        .expect(1)
        .mount(&server)
        .await;
    let world = Arc::new(World::new(&api(&server)));
    let error =
        run_with(&world, Mode::Read, Policy { allow_loopback: true }, &search()).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_AUTH_FAILED", Class::Terminal));
    assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed]);
}

#[tokio::test]
async fn f_307_a_throttled_call_is_tried_three_times_more() {
    let server = MockServer::builder().start().await;
    let later = ResponseTemplate::new(429).insert_header("retry-after", "0");
    Mock::given(path("/search"))
        .respond_with(later.clone())
        .up_to_n_times(3)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(path("/search")).respond_with(items(&["a"])).mount(&server).await;
    assert_eq!(run(World::new(&api(&server)), &search()).await.unwrap()["count"], 1);
    let always = MockServer::builder().start().await;
    Mock::given(path("/search")).respond_with(later).expect(4).mount(&always).await;
    let error = run(World::new(&api(&always)), &search()).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_THROTTLED", Class::Terminal));
}

#[tokio::test]
async fn f_308_and_f_310_a_failure_is_tried_once_more() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/search"))
        .respond_with(ResponseTemplate::new(503))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(path("/search")).respond_with(items(&["a"])).mount(&server).await;
    assert_eq!(run(World::new(&api(&server)), &search()).await.unwrap()["count"], 1);
    let down = MockServer::builder().start().await;
    Mock::given(path("/search"))
        .respond_with(ResponseTemplate::new(503))
        .expect(2)
        .mount(&down)
        .await;
    let world = Arc::new(World::new(&api(&down)));
    let error =
        run_with(&world, Mode::Read, Policy { allow_loopback: true }, &search()).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_UNAVAILABLE", Class::Terminal));
    assert_eq!(*world.health.lock().unwrap(), [Health::Unavailable]);
}

#[tokio::test]
async fn f_309_a_timeout_is_tried_once_with_twice_the_time() {
    let server = MockServer::builder().start().await;
    let slow = items(&["a"]).set_delay(Duration::from_millis(1_100));
    Mock::given(path("/search")).respond_with(slow).expect(2).mount(&server).await;
    assert_eq!(
        run(World::new(&api(&server)), &search()).await.unwrap()["count"],
        1,
        "1 s, then 2 s"
    );
}

#[tokio::test]
async fn f_311_a_malformed_answer_is_empty_and_said() {
    for body in ["<html>", "{\"other\": []}", ""] {
        let server = MockServer::builder().start().await;
        Mock::given(path("/search"))
            .respond_with(ResponseTemplate::new(200).set_body_string(body))
            .mount(&server)
            .await;
        let output = run(World::new(&api(&server)), &search()).await.unwrap();
        assert_eq!((&output["count"], &output["has_more"]), (&json!(0), &json!(false)), "{body}");
        assert!(output["warnings"][0].as_str().unwrap().contains("not as expected"), "{output}");
    }
}

#[tokio::test]
async fn k_42_a_key_quoted_back_by_the_source_is_not_shown() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/search"))
        .respond_with(ResponseTemplate::new(400).set_body_string("bad token: s3cr3t-token\n\u{7}"))
        .mount(&server)
        .await;
    let error = run(World::new(&api(&server)), &search()).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_REFUSED");
    assert!(error.message.ends_with("bad token: [redacted]"), "{error}");
}

#[tokio::test]
async fn k_25_reading_and_writing_functions_refuse_each_others_endpoints() {
    let server = MockServer::builder().start().await;
    let world = Arc::new(World::new(&api(&server)));
    let local = Policy { allow_loopback: true };
    let create = call_of("api", "create", json!({ "name": "a" }));
    for (mode, call) in [(Mode::Read, &create), (Mode::Write, &search())] {
        let error = run_with(&world, mode, local, call).await.unwrap_err();
        assert_eq!(error.code, "CONNECTOR_WRONG_FUNCTION", "{error}");
    }
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn k_49_an_effect_carries_its_key_and_is_never_repeated() {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST"))
        .and(header("idempotency-key", "run_1/read"))
        .respond_with(ResponseTemplate::new(201).set_body_json(json!({ "id": 1 })))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(502))
        .expect(1)
        .mount(&server)
        .await;
    let world = Arc::new(World::new(&api(&server)));
    let local = Policy { allow_loopback: true };
    let create = call_of("api", "create", json!({ "name": "a" }));
    assert_eq!(run_with(&world, Mode::Write, local, &create).await.unwrap()["results"][0]["id"], 1);
    let error = run_with(&world, Mode::Write, local, &create).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_IN_DOUBT", Class::Terminal));
}

#[tokio::test]
async fn k_38_an_overridden_address_is_held_to_the_same_rules() {
    let server = MockServer::builder().start().await;
    let world = World::new(&api(&server)).bind(|binding| {
        binding.config_overrides.base_url = Some("https://169.254.169.254/latest".to_owned());
    });
    check(world, &search(), "EGRESS_REFUSED").await;
    let closed = Arc::new(World::new(&api(&server)));
    let error = run_with(&closed, Mode::Read, Policy::default(), &search()).await.unwrap_err();
    assert_eq!(error.code, "EGRESS_REFUSED");
}
