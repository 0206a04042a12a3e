//! What a call has to do with the step it belongs to: its time, its one effect, and how often the engine repeats it.

use countersign_connector::{RatedBy, parse};
use wiremock::matchers::{header, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

const LOCAL: Policy = Policy { allow_loopback: true };

fn yaml(server: &MockServer, endpoints: &str) -> String {
    format!(
        "
id: api
name: API
type: rest_api
version: 1.0.0
connection:
  base_url: {uri}
  auth: {{ type: bearer_token }}
  timeout_seconds: 30
endpoints:
{endpoints}",
        uri = server.uri()
    )
}

const SEARCH: &str = "  search: { description: searches, path: /search }\n";
const CREATE: &str = "  create: { description: creates, method: POST, path: /items }\n";
const PAGES: &str = "  search:
    description: searches
    path: /search
    pagination: { type: page, page_size: 2, max_pages: 9, max_records: 3 }
";

fn world(server: &MockServer, endpoints: &str) -> Arc<World> {
    Arc::new(World::new(&yaml(server, endpoints)))
}

async fn get(world: &Arc<World>, inputs: Value) -> Result<Value, ActionError> {
    run_with(world, Mode::Read, LOCAL, &call_of("api", "search", inputs)).await
}

async fn create(world: &Arc<World>) -> Result<Value, ActionError> {
    run_with(world, Mode::Write, LOCAL, &call_of("api", "create", json!({}))).await
}

async fn serve(template: ResponseTemplate) -> MockServer {
    let server = MockServer::builder().start().await;
    Mock::given(path("/search")).respond_with(template.clone()).mount(&server).await;
    Mock::given(path("/items")).respond_with(template).mount(&server).await;
    server
}

async fn calls(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

#[tokio::test]
async fn f_308_the_engine_is_told_that_every_try_was_made() {
    for (status, times) in [(503, 2), (429, 4), (404, 1)] {
        let answer = ResponseTemplate::new(status).insert_header("retry-after", "0");
        let server = serve(answer).await;
        let error = get(&world(&server, SEARCH), json!({})).await.unwrap_err();
        assert_eq!(error.class, Class::Terminal, "{error}");
        assert_eq!(calls(&server).await, times, "{status}");
    }
}

#[tokio::test]
async fn k_74_a_408_is_tried_once_more_and_not_counted() {
    let server = serve(ResponseTemplate::new(408)).await;
    let world = world(&server, SEARCH);
    assert_eq!(get(&world, json!({})).await.unwrap_err().code, "CONNECTOR_UNAVAILABLE");
    assert_eq!(calls(&server).await, 2);
    let records = world.shared.records.lock().unwrap();
    let record = records.values().next().unwrap();
    let view = countersign_resilience::HealthView::of(
        record,
        &countersign_resilience::Budget::default(),
        &countersign_resilience::Counters::default(),
        "2026-03-04T05:06:07Z".parse().unwrap(),
    );
    assert_eq!(view.failures_in_a_row, 0);
}

#[tokio::test]
async fn f_309_a_step_that_ends_first_says_nothing_about_the_source() {
    let server = serve(ResponseTemplate::new(200).set_delay(Duration::from_secs(20))).await;
    let world = world(&server, SEARCH);
    for _ in 0..6 {
        let mut call = call_of("api", "search", json!({}));
        call.remaining = Duration::from_secs(1);
        let error = run_with(&world, Mode::Read, LOCAL, &call).await.unwrap_err();
        assert_eq!((error.code, error.class), ("STEP_TIMEOUT", Class::Terminal), "{error}");
        assert_eq!(error.message, "the step's time ended before `api` answered");
    }
    assert!(world.health.lock().unwrap().is_empty());
    assert_eq!(calls(&server).await, 6, "no breaker opened");
}

#[tokio::test]
async fn k_49_an_effect_with_an_answer_that_is_no_plain_yes_or_no_is_in_doubt() {
    let other = ResponseTemplate::new(303).insert_header("location", "/items/7");
    let large = ResponseTemplate::new(201).set_body_bytes(vec![b' '; 21 * 1024 * 1024]);
    for (template, cause) in [(other, "redirects"), (large, "larger than")] {
        let server = serve(template).await;
        let error = create(&world(&server, CREATE)).await.unwrap_err();
        assert_eq!(error.code, "CONNECTOR_IN_DOUBT", "{error}");
        assert!(error.message.contains(cause), "{error}");
        assert_eq!(calls(&server).await, 1);
    }
    let server = serve(ResponseTemplate::new(201).set_delay(Duration::from_secs(20))).await;
    let mut call = call_of("api", "create", json!({}));
    call.remaining = Duration::from_secs(2);
    let outcome = run_with(&world(&server, CREATE), Mode::Write, LOCAL, &call).await;
    assert_eq!(outcome.unwrap_err().code, "CONNECTOR_IN_DOUBT");
}

#[tokio::test]
async fn k_49_an_effect_that_was_refused_or_never_sent_is_a_plain_failure() {
    let later = ResponseTemplate::new(429).insert_header("retry-after", "3600");
    for (template, code) in
        [(later, "CONNECTOR_THROTTLED"), (ResponseTemplate::new(422), "CONNECTOR_REFUSED")]
    {
        let server = serve(template).await;
        let error = create(&world(&server, CREATE)).await.unwrap_err();
        assert_eq!((error.code, error.class), (code, Class::Terminal), "{error}");
        assert_eq!(calls(&server).await, 1);
    }
    // A rate of one an hour: the second call is not sent.
    let server = serve(ResponseTemplate::new(201).set_body_json(json!({}))).await;
    let limited = yaml(&server, CREATE)
        .replace("timeout_seconds: 30", "rate_limit: { requests_per_hour: 1 }");
    let world = Arc::new(World::new(&limited));
    create(&world).await.unwrap();
    let error = create(&world).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_BUDGET_SPENT", Class::Terminal));
}

#[test]
fn k_76_an_effect_has_no_pages() {
    let text = "
id: api
name: API
type: rest_api
version: 1.0.0
connection: { base_url: 'https://api.example.com' }
endpoints:
  create: { description: creates, method: POST, path: /items, pagination: { type: page } }
";
    let parsed = parse(text);
    assert!(parsed.definition.is_none());
    assert_eq!(parsed.diagnostics[0].code, "pagination", "{:?}", parsed.diagnostics);
    assert!(parse(&text.replace("method: POST", "method: POST, safe: true")).definition.is_some());
}

#[tokio::test]
async fn k_76_what_a_bound_leaves_out_is_where_the_cursor_goes_on() {
    let server = MockServer::builder().start().await;
    for number in 1..=3 {
        let items = json!([{ "n": number * 2 - 1 }, { "n": number * 2 }]);
        Mock::given(query_param("page", number.to_string()))
            .respond_with(ResponseTemplate::new(200).set_body_json(items))
            .mount(&server)
            .await;
    }
    Mock::given(query_param("page", "4"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!([])))
        .mount(&server)
        .await;
    let world = world(&server, PAGES);
    let mut numbers = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let output = get(&world, json!({ "_cursor": cursor })).await.unwrap();
        let records = output["results"].as_array().unwrap();
        numbers.extend(records.iter().map(|record| record["n"].as_i64().unwrap()));
        cursor = output["_next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
        assert_eq!(output["has_more"], true);
    }
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6], "every record comes once");
}

#[tokio::test]
async fn k_76_a_huge_answer_is_read_as_far_as_there_is_room() {
    let zeros = format!("[{}0]", "0,".repeat(2_000_000));
    let template = ResponseTemplate::new(200).set_body_raw(zeros, "application/json");
    let server = serve(template).await;
    let output = get(&world(&server, SEARCH), json!({})).await.unwrap();
    assert_eq!((&output["count"], &output["has_more"]), (&json!(1_000), &json!(true)));
}

#[tokio::test]
async fn f_096_the_authors_content_type_stands() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/search"))
        .and(header("content-type", "application/vnd.api+json"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!([{ "n": 1 }])))
        .mount(&server)
        .await;
    let endpoint = "  search:
    description: searches
    method: POST
    safe: true
    path: /search
    headers: { Content-Type: application/vnd.api+json }
    body: { q: x }
";
    assert_eq!(get(&world(&server, endpoint), json!({})).await.unwrap()["count"], 1);
}

#[tokio::test]
async fn f_306_a_refusal_on_a_later_page_marks_the_binding_too() {
    let server = MockServer::builder().start().await;
    Mock::given(query_param("page", "1"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!([{ "n": 1 }, { "n": 2 }])))
        .mount(&server)
        .await;
    Mock::given(query_param("page", "2"))
        .respond_with(ResponseTemplate::new(403))
        .mount(&server)
        .await;
    let world = world(&server, PAGES);
    let output = get(&world, json!({})).await.unwrap();
    assert_eq!((&output["count"], &output["has_more"]), (&json!(2), &json!(true)));
    assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed]);
    assert_eq!(world.shared.announced.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn f_306_nobody_is_mailed_about_a_credential_there_is_not() {
    let server = serve(ResponseTemplate::new(403)).await;
    let text = yaml(&server, SEARCH).replace("bearer_token", "none");
    let world = Arc::new(World::new(&text).bind(|binding| binding.credential = None));
    assert_eq!(get(&world, json!({})).await.unwrap_err().code, "CONNECTOR_AUTH_FAILED");
    assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed]);
    assert!(world.shared.announced.lock().unwrap().is_empty());
}

#[tokio::test]
async fn k_37_a_credential_that_the_source_quotes_is_not_in_the_output() {
    let quoted = json!([{ "sent": "Bearer s3cr3t-token", "n": 1 }]);
    let server = serve(ResponseTemplate::new(200).set_body_json(quoted)).await;
    let output = get(&world(&server, SEARCH), json!({})).await.unwrap();
    assert_eq!(output["results"][0]["sent"], "Bearer [redacted]", "{output}");
    assert!(!output.to_string().contains("s3cr3t"));
}

#[test]
fn f_105_one_owner_has_one_rate_and_each_database_its_breaker() {
    let (one, other) = (CredentialId::from_bytes([1; 16]), CredentialId::from_bytes([2; 16]));
    let api = parse(
        "
id: api
name: API
type: rest_api
version: 1.0.0
connection: { base_url: 'https://api.example.com/' }
endpoints: { get: { description: gets, path: / } }
",
    );
    let api = api.definition.unwrap();
    let rate = |user: &UserId, id: &CredentialId| api.rate_subject(None, RatedBy::Owner(user, id));
    assert_eq!(rate(&user(1), &one), rate(&user(1), &other));
    assert_ne!(rate(&user(1), &one), rate(&user(2), &one));
    assert_eq!(api.place(None), "https://api.example.com");
    let database = include_str!("../../../../../library/connectors/external-postgres.yaml");
    let database = countersign_connector::parse_template(database).definition.unwrap();
    let breaker = |id: &CredentialId| database.health_subject(&user(1), Some(id));
    assert_ne!(breaker(&one), breaker(&other));
}
