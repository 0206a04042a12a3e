//! Files from addresses: the failure table, rates, breakers and stale answers, as for any other source.

use countersign_connector::{FileConnection, RateLimit};
use countersign_failure::Class;
use jiff::SignedDuration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

const LOCAL: Policy = Policy { allow_loopback: true };
const ROWS: &str = "Name,Amount\nNorthshore,1\nWillow,2\n";

fn yaml(connection: &str) -> String {
    format!(
        "
id: fetched
name: Fetched
type: file_parser
version: 1.0.0
connection: {{ source: url, timeout_seconds: 1 {connection} }}
endpoints:
  rows: {{ description: reads rows, parser: csv }}
"
    )
}

fn world() -> Arc<World> {
    Arc::new(World::new(&yaml("")))
}

/// A call for files of a server that begins `seconds` after the first.
fn rows(server: &str, names: &[&str], seconds: i64) -> Call {
    let sources: Vec<String> = names.iter().map(|name| format!("{server}/{name}")).collect();
    let mut call = call_of("fetched", "rows", json!({ "source": sources }));
    call.now = call.now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
    call
}

async fn get(world: &Arc<World>, call: &Call) -> Result<Value, ActionError> {
    run_with(world, Mode::Read, LOCAL, call).await
}

fn csv() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(ROWS, "text/csv")
}

/// A server that answers for `/a.csv` so: `times` times like this, then like that.
async fn server(times: u64, first: ResponseTemplate, then: ResponseTemplate) -> MockServer {
    let server = MockServer::builder().start().await;
    let mock = |answer| Mock::given(path("/a.csv")).respond_with(answer);
    mock(first).up_to_n_times(times).with_priority(1).mount(&server).await;
    mock(then).mount(&server).await;
    server
}

async fn calls(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

/// Checks what a server that always answers so leads to: the error, how often it was asked, and the binding's health.
async fn check_failure(
    answer: ResponseTemplate,
    expect: (&str, Class),
    asked: usize,
    health: &[Health],
) {
    let server = server(1, answer.clone(), answer).await;
    let world = world();
    let error = get(&world, &rows(&server.uri(), &["a.csv"], 0)).await.unwrap_err();
    assert_eq!((error.code, error.class), expect, "{error}");
    assert_eq!(calls(&server).await, asked, "{error}");
    assert_eq!(*world.health.lock().unwrap(), health, "{error}");
}

/// Checks that one failure is made good by another try.
async fn check_mended(answer: ResponseTemplate) {
    let server = server(1, answer, csv()).await;
    let output = get(&world(), &rows(&server.uri(), &["a.csv"], 0)).await.unwrap();
    assert_eq!((&output["count"], &output["errors"]), (&json!(2), &json!([])));
    assert_eq!(calls(&server).await, 2);
}

#[tokio::test]
async fn f_306_an_address_that_refuses_marks_the_binding() {
    for status in [401, 403] {
        let refused = ("CONNECTOR_AUTH_FAILED", Class::Terminal);
        check_failure(ResponseTemplate::new(status), refused, 1, &[Health::AuthFailed]).await;
    }
    check_failure(ResponseTemplate::new(404), ("CONNECTOR_REFUSED", Class::Terminal), 1, &[]).await;
}

#[tokio::test]
async fn f_306_one_refused_file_of_several_marks_the_binding() {
    let server = server(1, csv(), csv()).await;
    Mock::given(path("/b.csv")).respond_with(ResponseTemplate::new(401)).mount(&server).await;
    let world = world();
    let call = rows(&server.uri(), &["b.csv", "a.csv"], 0);
    let output = get(&world, &call).await.unwrap();
    assert_eq!((&output["count"], &output["files_read"]), (&json!(2), &json!(1)));
    assert_eq!(output["errors"][0]["code"], "CONNECTOR_AUTH_FAILED");
    assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed]);
    assert_eq!(world.shared.announced.lock().unwrap().len(), 1);
    assert!(world.shared.answers.lock().unwrap().is_empty(), "what is incomplete is not kept");
}

#[tokio::test]
async fn f_307_an_address_that_throttles_is_waited_for() {
    check_mended(ResponseTemplate::new(429).insert_header("retry-after", "0")).await;
    let later = ResponseTemplate::new(429).insert_header("retry-after", "3600");
    check_failure(later, ("CONNECTOR_THROTTLED", Class::Terminal), 1, &[]).await;
    let always = ResponseTemplate::new(429).insert_header("retry-after", "0");
    check_failure(always, ("CONNECTOR_THROTTLED", Class::Terminal), 4, &[]).await;
}

#[tokio::test]
async fn f_308_an_address_that_is_down_is_tried_once_more() {
    check_mended(ResponseTemplate::new(503)).await;
    let down = ("CONNECTOR_UNAVAILABLE", Class::Terminal);
    check_failure(ResponseTemplate::new(503), down, 2, &[Health::Unavailable]).await;
}

#[tokio::test]
async fn f_309_a_slow_address_has_twice_the_time_once() {
    check_mended(csv().set_delay(Duration::from_secs(20))).await;
    let begun = tokio::time::Instant::now();
    let late = ("EGRESS_TIMEOUT", Class::Terminal);
    let slow = csv().set_delay(Duration::from_secs(20));
    check_failure(slow, late, 2, &[Health::Unavailable]).await;
    assert!(begun.elapsed() >= Duration::from_secs(3), "1 s, then 2 s");
}

/// A server that breaks off in the middle of the body for the first `times` requests; counts all.
async fn breaking(times: usize) -> (String, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let knocks = Arc::new(Mutex::new(0));
    let counted = knocks.clone();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let knock = {
                let mut all = counted.lock().unwrap();
                *all += 1;
                *all
            };
            let mut head = [0; 1_024];
            let _ = socket.read(&mut head).await;
            let sent = if knock <= times { &ROWS[..18] } else { ROWS };
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{sent}",
                ROWS.len()
            );
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    (address, knocks)
}

#[tokio::test]
async fn f_310_a_body_that_breaks_off_is_read_once_more_from_its_start() {
    let (address, knocks) = breaking(1).await;
    let output = get(&world(), &rows(&address, &["a.csv"], 0)).await.unwrap();
    let names: Vec<_> = output["results"].as_array().unwrap().iter().map(|r| &r["Name"]).collect();
    assert_eq!(names, ["Northshore", "Willow"], "each once");
    assert_eq!(*knocks.lock().unwrap(), 2);

    let (address, knocks) = breaking(100).await;
    let world = world();
    let error = get(&world, &rows(&address, &["a.csv"], 0)).await.unwrap_err();
    assert_eq!((error.code, error.class), ("EGRESS_NETWORK", Class::Terminal), "{error}");
    assert_eq!(*knocks.lock().unwrap(), 2);
    assert_eq!(*world.health.lock().unwrap(), [Health::Unavailable]);
}

#[tokio::test]
async fn f_311_an_answer_that_is_no_such_file_is_told_and_empty() {
    let cut = ResponseTemplate::new(200).set_body_raw("Name,Amount\n\"A,1\n", "text/csv");
    let server = server(1, cut.clone(), cut).await;
    let world = world();
    let output = get(&world, &rows(&server.uri(), &["a.csv"], 0)).await.unwrap();
    assert_eq!((&output["count"], &output["files_read"]), (&json!(0), &json!(0)));
    assert_eq!(output["errors"][0]["code"], "FILE_TRUNCATED", "{output}");
    assert!(world.health.lock().unwrap().is_empty());
    assert!(world.shared.answers.lock().unwrap().is_empty());
    assert_eq!(calls(&server).await, 1);
}

#[tokio::test]
async fn f_315_a_host_that_is_down_rests_and_others_do_not() {
    let down = server(1, ResponseTemplate::new(503), ResponseTemplate::new(503)).await;
    let up = server(1, csv(), csv()).await;
    let world = world();
    for second in 0..5 {
        let error = get(&world, &rows(&down.uri(), &["a.csv"], second)).await.unwrap_err();
        assert_eq!(error.code, "CONNECTOR_UNAVAILABLE");
    }
    assert_eq!(calls(&down).await, 10);
    let sources = json!([format!("{}/a.csv", down.uri()), format!("{}/a.csv", up.uri())]);
    let mut both = rows(&down.uri(), &[], 10);
    both.inputs.insert("source".to_owned(), sources);
    let output = get(&world, &both).await.unwrap();
    assert_eq!(output["files_read"], 1);
    let message = output["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("is tried again at 2026-03-04 05:11:1"), "{message}");
    assert_eq!(calls(&down).await, 10, "an open breaker calls nobody");
    // After 300 seconds a call is let through, and what it finds closes the breaker.
    down.reset().await;
    Mock::given(path("/a.csv")).respond_with(csv()).mount(&down).await;
    for second in [320, 321] {
        assert_eq!(get(&world, &rows(&down.uri(), &["a.csv"], second)).await.unwrap()["count"], 2);
    }
}

#[tokio::test]
async fn f_315_one_file_that_a_host_cannot_give_does_not_rest_the_host() {
    let server = server(1, csv(), csv()).await;
    Mock::given(path("/b.csv")).respond_with(ResponseTemplate::new(500)).mount(&server).await;
    let world = world();
    for second in 0..7 {
        let call = rows(&server.uri(), &["a.csv", "b.csv"], second);
        assert_eq!(get(&world, &call).await.unwrap()["files_read"], 1);
    }
}

#[tokio::test]
async fn f_105_every_address_takes_a_call_of_the_rate() {
    let server = server(1, csv(), csv()).await;
    Mock::given(path("/b.csv")).respond_with(csv()).mount(&server).await;
    let world = Arc::new(World::new(&yaml(", rate_limit: { requests_per_hour: 1 }")));
    let call = rows(&server.uri(), &["a.csv", "b.csv"], 0);
    let output = get(&world, &call).await.unwrap();
    assert_eq!(output["files_read"], 1);
    assert_eq!(output["errors"][0]["code"], "CONNECTOR_BUDGET_SPENT", "{output}");
    assert_eq!(calls(&server).await, 1);
}

#[tokio::test]
async fn k_75_the_last_good_file_stands_in_and_says_so() {
    let server = server(1, csv(), ResponseTemplate::new(503)).await;
    let world = world();
    let fresh = get(&world, &rows(&server.uri(), &["a.csv"], 0)).await.unwrap();
    assert_eq!(fresh.get("_stale"), None);
    let stale = get(&world, &rows(&server.uri(), &["a.csv"], 3_600)).await.unwrap();
    assert_eq!((&stale["_stale"], &stale["count"]), (&json!(true), &json!(2)));
    let note = &stale["warnings"][0];
    assert!(note["message"].as_str().unwrap().contains("60 minutes old"), "{note}");
    assert_eq!(*world.health.lock().unwrap(), [Health::Unavailable]);
    let definition = countersign_connector::parse(&yaml("")).definition.unwrap();
    let contract = countersign_connector::endpoint_contract(&definition, "rows").unwrap();
    let slots: Vec<&str> = contract.outputs.iter().map(|slot| slot.name.as_str()).collect();
    for key in stale.as_object().unwrap().keys() {
        assert!(slots.contains(&key.as_str()), "{key} is not in {slots:?}");
    }
    let other = get(&world, &rows(&server.uri(), &["a.csv?year=2"], 3_601)).await;
    assert!(other.is_err(), "another address is another answer");
}

#[test]
fn f_105_only_addresses_have_a_rate_and_a_time() {
    let of = |text: &str| countersign_connector::parse(text).definition.unwrap().connection;
    let limit = RateLimit { requests_per_day: Some(9), ..RateLimit::default() };
    let limited = of(&yaml(", rate_limit: { requests_per_day: 9 }"));
    assert_eq!(limited.rate_limit(), Some(limit));
    let stored = json!({ "source": "url", "accepted_formats": [], "max_file_size_mb": 5 });
    let old: FileConnection = serde_json::from_value(stored).unwrap();
    assert_eq!((old.timeout_seconds, old.rate_limit), (30, None));
    let upload = yaml("").replace("source: url", "source: upload");
    let problems = countersign_connector::parse(&upload).diagnostics;
    assert_eq!(problems[0].code, "timeout_seconds", "{problems:#?}");
    assert!(problems[0].hint.as_deref().unwrap().contains("source: url"));
}
