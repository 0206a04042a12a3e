//! The failure table, rates, the breaker and stale answers, through the real action against real servers.

mod last_answer;

use countersign_connector::RateLimit;
use countersign_failure::Class;
use countersign_resilience::{Budget, Counters, HealthView, OPENS_AFTER};
use jiff::{SignedDuration, Timestamp};
use tokio::net::TcpListener;
use wiremock::matchers::{method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

const LOCAL: Policy = Policy { allow_loopback: true };

/// A connector that searches and creates, with these lines in its connection.
fn yaml(base_url: &str, connection: &str) -> String {
    format!(
        "
id: api
name: API
type: rest_api
version: 1.0.0
connection:
  base_url: {base_url}
  auth: {{ type: bearer_token }}
  timeout_seconds: 1
  {connection}
endpoints:
  search:
    description: searches
    path: /search
    parameters: [{{ name: q, type: string, required: true }}]
    pagination: {{ type: page, page_size: 1, max_pages: 3 }}
    response_mapping: {{ results_path: items, fields: {{ title: name }} }}
  create:
    description: creates
    method: POST
    path: /items
    parameters: [{{ name: name, type: string }}]
"
    )
}

fn world(server: &MockServer) -> Arc<World> {
    Arc::new(World::new(&yaml(&server.uri(), "")))
}

/// A search that begins `seconds` after the first.
fn search(seconds: i64) -> Call {
    let mut call = call_of("api", "search", json!({ "q": "x" }));
    call.now = call.now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
    call
}

fn create() -> Call {
    call_of("api", "create", json!({ "name": "a" }))
}

async fn get(world: &Arc<World>, call: &Call) -> Result<Value, ActionError> {
    run_with(world, Mode::Read, LOCAL, call).await
}

fn items(names: &[&str]) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(
        json!({ "items": names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>() }),
    )
}

/// Answers so for the first `times` searches.
async fn first(server: &MockServer, times: u64, template: ResponseTemplate) {
    let mock = Mock::given(path("/search")).respond_with(template);
    mock.up_to_n_times(times).with_priority(1).mount(server).await;
}

/// Answers so for every other search.
async fn then(server: &MockServer, template: ResponseTemplate) {
    Mock::given(path("/search")).respond_with(template).mount(server).await;
}

async fn calls(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

/// How the world's one source fares.
fn health(world: &World, now: Timestamp) -> HealthView {
    let records = world.shared.records.lock().unwrap();
    assert_eq!(records.len(), 1);
    let record = records.values().next().unwrap();
    HealthView::of(record, &Budget::default(), &Counters::default(), now)
}

/// Calls a server that fails so: the code, how often it was called, and whether the breaker counts it.
#[track_caller]
fn check(outcome: Result<Value, ActionError>, expect: (&str, Class), world: &World, counts: bool) {
    let error = outcome.unwrap_err();
    assert_eq!((error.code, error.class), expect, "{error}");
    let seen = health(world, search(0).now);
    assert_eq!(seen.failures_in_a_row, u32::from(counts), "{error}");
    assert_eq!(seen.last_error.unwrap().code, error.code);
}

#[tokio::test]
async fn f_306_401_and_403_mark_the_binding_and_tell_its_owner_once() {
    for status in [401, 403] {
        let server = MockServer::builder().start().await;
        then(&server, ResponseTemplate::new(status)).await;
        let world = world(&server);
        let outcome = get(&world, &search(0)).await;
        check(outcome, ("CONNECTOR_AUTH_FAILED", Class::Terminal), &world, false);
        assert_eq!(calls(&server).await, 1);
        assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed]);
        let announced = world.shared.announced.lock().unwrap();
        assert_eq!(announced.len(), 1);
        assert_eq!(announced[0].0, user(1));
    }
    let server = MockServer::builder().start().await;
    then(&server, ResponseTemplate::new(401)).await;
    let known =
        World::new(&yaml(&server.uri(), "")).bind(|bound| bound.health = Health::AuthFailed);
    let known = Arc::new(known);
    get(&known, &search(0)).await.unwrap_err();
    assert!(known.shared.announced.lock().unwrap().is_empty(), "its owner knows already");
}

#[tokio::test]
async fn f_307_a_moment_in_retry_after_is_waited_for() {
    let server = MockServer::builder().start().await;
    // The call's own clock stands at 05:06:07.
    let date = "Wed, 04 Mar 2026 05:06:08 GMT";
    first(&server, 1, ResponseTemplate::new(429).insert_header("retry-after", date)).await;
    then(&server, items(&[])).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(get(&world(&server), &search(0)).await.unwrap()["count"], 0);
    assert!(begun.elapsed() > Duration::from_millis(500), "it waited for the moment");
    assert_eq!(calls(&server).await, 2);
}

#[tokio::test]
async fn f_307_429_is_not_waited_for_beyond_the_step() {
    for header in ["3600", "Wed, 04 Mar 2026 06:00:00 GMT"] {
        let server = MockServer::builder().start().await;
        then(&server, ResponseTemplate::new(429).insert_header("retry-after", header)).await;
        let world = world(&server);
        let outcome = get(&world, &search(0)).await;
        check(outcome, ("CONNECTOR_THROTTLED", Class::Terminal), &world, false);
        assert_eq!(calls(&server).await, 1);
    }
}

#[tokio::test]
async fn f_308_5xx_is_tried_once_more_and_counted_once() {
    let server = MockServer::builder().start().await;
    then(&server, ResponseTemplate::new(500)).await;
    let world = world(&server);
    let outcome = get(&world, &search(0)).await;
    check(outcome, ("CONNECTOR_UNAVAILABLE", Class::Terminal), &world, true);
    assert_eq!(calls(&server).await, 2);
}

#[tokio::test]
async fn f_309_two_timeouts_are_one_failure() {
    let server = MockServer::builder().start().await;
    then(&server, items(&["a"]).set_delay(Duration::from_secs(20))).await;
    let world = world(&server);
    let begun = tokio::time::Instant::now();
    let outcome = get(&world, &search(0)).await;
    check(outcome, ("EGRESS_TIMEOUT", Class::Terminal), &world, true);
    assert!(begun.elapsed() >= Duration::from_secs(3), "1 s, then 2 s");
    assert_eq!(*world.health.lock().unwrap(), [Health::Unavailable]);
}

#[tokio::test]
async fn f_310_a_broken_connection_is_tried_once_more() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let knocks = Arc::new(Mutex::new(0));
    let counted = knocks.clone();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            *counted.lock().unwrap() += 1;
            drop(socket);
        }
    });
    let world = Arc::new(World::new(&yaml(&format!("http://{address}"), "")));
    let outcome = get(&world, &search(0)).await;
    check(outcome, ("EGRESS_NETWORK", Class::Terminal), &world, true);
    assert_eq!(*knocks.lock().unwrap(), 2);
}

#[tokio::test]
async fn f_311_a_malformed_answer_is_noted_and_neither_counted_nor_kept() {
    let server = MockServer::builder().start().await;
    then(&server, ResponseTemplate::new(200).set_body_string("<html>")).await;
    let world = world(&server);
    let output = get(&world, &search(0)).await.unwrap();
    assert_eq!((&output["count"], output["warnings"].as_array().unwrap().len()), (&json!(0), 1));
    let seen = health(&world, search(0).now);
    assert_eq!((seen.failures_in_a_row, seen.error_rate), (0, Some(1.0)));
    assert!(world.shared.answers.lock().unwrap().is_empty());
}

#[tokio::test]
async fn f_315_five_failed_calls_open_the_breaker_and_one_probe_closes_it() {
    let server = MockServer::builder().start().await;
    let five = u64::from(OPENS_AFTER) * 2;
    first(&server, five, ResponseTemplate::new(503)).await;
    then(&server, items(&[])).await;
    let world = world(&server);
    for second in 0..i64::from(OPENS_AFTER) {
        assert_eq!(get(&world, &search(second)).await.unwrap_err().code, "CONNECTOR_UNAVAILABLE");
    }
    let error = get(&world, &search(100)).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_UNAVAILABLE", Class::Terminal));
    assert!(error.message.contains("tried again at 2026-03-04 05:11:1"), "{error}");
    assert_eq!(calls(&server).await as u64, five, "an open breaker calls nobody");
    let view = serde_json::to_value(health(&world, search(100).now)).unwrap();
    assert_eq!((&view["breaker"], &view["error_rate"]), (&json!("open"), &json!(1.0)));
    // After 300 seconds one call is let through, and its success lets everybody through.
    get(&world, &search(320)).await.unwrap();
    assert_eq!(calls(&server).await as u64, five + 1);
    assert_eq!(health(&world, search(320).now).failures_in_a_row, 0);
    get(&world, &search(321)).await.unwrap();
}

#[tokio::test]
async fn k_74_two_callers_of_an_open_breaker_send_one_probe() {
    let server = MockServer::builder().start().await;
    first(&server, 10, ResponseTemplate::new(503)).await;
    then(&server, items(&[]).set_delay(Duration::from_millis(500))).await;
    let world = world(&server);
    for second in 0..5 {
        get(&world, &search(second)).await.unwrap_err();
    }
    let call = search(320);
    let (one, other) = tokio::join!(get(&world, &call), get(&world, &call));
    assert_eq!([&one, &other].iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert_eq!(calls(&server).await, 11);
}

#[tokio::test]
async fn k_74_a_success_starts_the_count_again_and_4xx_does_not_count() {
    let server = MockServer::builder().start().await;
    first(&server, 8, ResponseTemplate::new(503)).await;
    let world = world(&server);
    for second in 0..4 {
        get(&world, &search(second)).await.unwrap_err();
    }
    assert_eq!(health(&world, search(0).now).failures_in_a_row, 4);
    then(&server, ResponseTemplate::new(404)).await;
    for second in 4..10 {
        assert_eq!(get(&world, &search(second)).await.unwrap_err().code, "CONNECTOR_REFUSED");
    }
    assert_eq!(health(&world, search(0).now).failures_in_a_row, 4);
    first(&server, 1, items(&[])).await;
    get(&world, &search(11)).await.unwrap();
    assert_eq!(health(&world, search(0).now).failures_in_a_row, 0);
}

#[tokio::test]
async fn f_105_every_page_takes_a_call_of_the_rate() {
    let server = MockServer::builder().start().await;
    then(&server, items(&["a"])).await;
    let limited = yaml(&server.uri(), "rate_limit: { requests_per_hour: 2 }");
    let world = Arc::new(World::new(&limited));
    let output = get(&world, &search(0)).await.unwrap();
    assert_eq!((&output["count"], &output["has_more"]), (&json!(2), &json!(true)));
    let note = output["warnings"][0].as_str().unwrap();
    assert!(
        note.contains("2 per hour, is used up; the next call can be made at 2026-03-04 06:00:00Z"),
        "{note}"
    );
    let error = get(&world, &search(1)).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_BUDGET_SPENT", Class::Terminal));
    assert_eq!(calls(&server).await, 2);
    assert_eq!(get(&world, &search(3_600)).await.unwrap()["count"], 2, "a new hour");
}

#[tokio::test]
async fn f_105_a_full_second_is_waited_for() {
    let server = MockServer::builder().start().await;
    then(&server, items(&[])).await;
    let limited = yaml(&server.uri(), "rate_limit: { requests_per_second: 1 }");
    let world = Arc::new(World::new(&limited));
    let begun = tokio::time::Instant::now();
    get(&world, &search(0)).await.unwrap();
    get(&world, &search(0)).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(900), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn f_008_the_bindings_lower_rate_holds_for_the_binding_alone() {
    let server = MockServer::builder().start().await;
    then(&server, items(&[])).await;
    let limited = yaml(&server.uri(), "rate_limit: { requests_per_day: 5 }");
    let lower = RateLimit { requests_per_day: Some(1), ..RateLimit::default() };
    let world =
        World::new(&limited).bind(|binding| binding.permissions.rate_limit_override = Some(lower));
    let world = Arc::new(world);
    get(&world, &search(0)).await.unwrap();
    let mut other = search(1);
    other.inputs.insert("q".to_owned(), "y".into());
    let error = get(&world, &other).await.unwrap_err();
    assert!(error.message.contains("1 per day"), "{error}");
    let counters = world.shared.counters.lock().unwrap();
    assert_eq!(counters.len(), 2, "the binding's and the credential's");
}
