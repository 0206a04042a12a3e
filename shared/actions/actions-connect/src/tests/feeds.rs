//! Feeds (F-101).

use countersign_failure::Class;
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

fn news_yaml(server: &MockServer) -> String {
    let uri = server.uri();
    format!(
        "
id: news
name: News
type: rss_feed
version: 1.0.0
connection:
  feeds: [{{ url: '{uri}/a?key=1', name: Alpha }}, {{ url: '{uri}/b', name: Beta }}]
  max_items_per_poll: 3
  timeout_seconds: 5
endpoints:
  recent:
    description: what is new
    operation: get_recent
    response_mapping: {{ entity_type: news_item }}
"
    )
}

fn rss(items: &[(&str, &str, &str)]) -> ResponseTemplate {
    let items: String = items
        .iter()
        .map(|(guid, link, published)| {
            let date = if published.is_empty() { String::new() } else { format!("<pubDate>{published}</pubDate>") };
            format!("<item><title>T {guid}</title><guid>{guid}</guid><link>https://example.org/{link}</link>{date}</item>")
        })
        .collect();
    let text = format!("<rss version='2.0'><channel><title>x</title>{items}</channel></rss>");
    ResponseTemplate::new(200).set_body_raw(text.into_bytes(), "application/rss+xml")
}

async fn feeds(a: ResponseTemplate, b: ResponseTemplate) -> MockServer {
    let server = MockServer::builder().start().await;
    for (at, answer) in [("/a", a), ("/b", b)] {
        Mock::given(path(at)).respond_with(answer).mount(&server).await;
    }
    server
}

fn recent(inputs: Value) -> Call {
    call_of("news", "recent", inputs)
}

fn ids(output: &Value) -> Vec<&str> {
    output["results"].as_array().unwrap().iter().map(|r| r["_item_id"].as_str().unwrap()).collect()
}

// The call's clock stands at 2026-03-04T05:06:07Z.
const HOUR_AGO: &str = "Wed, 04 Mar 2026 04:00:00 GMT";
const TWO_HOURS_AGO: &str = "Wed, 04 Mar 2026 03:00:00 GMT";
const LAST_WEEK: &str = "Wed, 25 Feb 2026 04:00:00 GMT";

#[tokio::test]
async fn f_101_what_is_new_comes_newest_first_from_every_feed() {
    let server = feeds(
        rss(&[("1", "a1", TWO_HOURS_AGO), ("2", "a2", LAST_WEEK)]),
        rss(&[("1", "b1", HOUR_AGO), ("no-date", "b2", "")]),
    )
    .await;
    let output = run(World::new(&news_yaml(&server)), &recent(json!({}))).await.unwrap();
    assert_eq!(ids(&output), ["Beta/1", "Alpha/1", "Beta/no-date"]);
    let first = &output["results"][0];
    assert_eq!(
        (&first["title"], &first["published"], &first["feed"]),
        (&json!("T 1"), &json!("2026-03-04T04:00:00Z"), &json!("Beta"))
    );
    assert_eq!(
        (&first["_source_name"], &first["_entity_type"]),
        (&json!("Beta"), &json!("news_item"))
    );
    assert_eq!(
        output["results"][1]["_source_ref"],
        format!("{}/a", server.uri()),
        "without the query"
    );
    assert_eq!(output["results"][2]["published"], Value::Null);
    assert_eq!((&output["has_more"], &output["warnings"]), (&json!(false), &json!([])));
}

#[tokio::test]
async fn f_101_hours_and_name_choose() {
    let server = feeds(
        rss(&[("1", "a1", TWO_HOURS_AGO), ("2", "a2", LAST_WEEK)]),
        rss(&[("3", "b", HOUR_AGO)]),
    )
    .await;
    let run = async |inputs| run(World::new(&news_yaml(&server)), &recent(inputs)).await;
    assert_eq!(
        ids(&run(json!({ "feed_name": "alpha", "since_hours": 240 })).await.unwrap()),
        ["Alpha/1", "Alpha/2"]
    );
    assert_eq!(ids(&run(json!({ "since_hours": 1.5 })).await.unwrap()), ["Beta/3"]);
    assert_eq!(run(json!({ "since_hours": 0 })).await.unwrap()["count"], 0);
    for inputs in [
        json!({ "feed_name": "gamma" }),
        json!({ "since_hours": -1 }),
        json!({ "since_hours": "x" }),
        json!({ "feed_name": 1 }),
    ] {
        let error = run(inputs.clone()).await.unwrap_err();
        assert_eq!(error.code, "CONNECTOR_ARGUMENT", "{inputs}");
    }
    let error = run(json!({ "feed_name": "gamma" })).await.unwrap_err();
    assert_eq!(error.message, "there is no feed `gamma`; known: Alpha, Beta");
}

#[tokio::test]
async fn f_101_each_item_comes_once() {
    let of_alpha = [
        ("1", "a1", HOUR_AGO),
        ("1", "a1", HOUR_AGO),
        ("x", "same", HOUR_AGO),
        ("y", "same", HOUR_AGO),
    ];
    let server = feeds(rss(&of_alpha), rss(&[("x", "same", HOUR_AGO)])).await;
    let output = run(World::new(&news_yaml(&server)), &recent(json!({}))).await.unwrap();
    assert_eq!(
        ids(&output),
        ["Alpha/1", "Alpha/x", "Alpha/y"],
        "two items of one feed may share a page"
    );
}

#[tokio::test]
async fn f_101_no_feed_hides_what_another_has_under_its_id_or_address() {
    let global = "https://example.org/guid/1";
    let server = feeds(
        rss(&[(global, "of-alpha", HOUR_AGO), ("x", "same", HOUR_AGO)]),
        rss(&[(global, "of-beta", HOUR_AGO), ("x", "same", TWO_HOURS_AGO)]),
    )
    .await;
    let most = news_yaml(&server).replace("max_items_per_poll: 3", "max_items_per_poll: 9");
    let output = run(World::new(&most), &recent(json!({}))).await.unwrap();
    let (of_alpha, of_beta) = (format!("Alpha/{global}"), format!("Beta/{global}"));
    assert_eq!(ids(&output), [of_alpha.as_str(), "Alpha/x", &of_beta, "Beta/x"]);
}

#[tokio::test]
async fn f_101_no_more_than_a_poll_holds() {
    let server = feeds(
        rss(&[("1", "1", HOUR_AGO), ("2", "2", HOUR_AGO)]),
        rss(&[("3", "3", HOUR_AGO), ("4", "4", TWO_HOURS_AGO)]),
    )
    .await;
    let output = run(World::new(&news_yaml(&server)), &recent(json!({}))).await.unwrap();
    assert_eq!(
        (ids(&output), &output["has_more"], &output["count"]),
        (vec!["Alpha/1", "Alpha/2", "Beta/3"], &json!(true), &json!(3))
    );
    let limit = "item limit reached (`max_items_per_poll` is 3): 3 records read, the source may have more; raise the limit";
    assert_eq!(output["warnings"], json!([limit]));
}

#[tokio::test]
async fn f_101_one_feed_that_fails_is_a_warning_and_all_are_an_error() {
    let gone = ResponseTemplate::new(404);
    let server = feeds(gone.clone(), rss(&[("3", "3", HOUR_AGO)])).await;
    let output = run(World::new(&news_yaml(&server)), &recent(json!({}))).await.unwrap();
    assert_eq!(ids(&output), ["Beta/3"]);
    assert_eq!(output["feeds_failed"], 1, "what is missing is not behind the others");
    assert!(
        output["warnings"][0].as_str().unwrap().starts_with("the feed `Alpha` could not be read"),
        "{output}"
    );

    let server = feeds(gone.clone(), gone).await;
    let error = run(World::new(&news_yaml(&server)), &recent(json!({}))).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_REFUSED", Class::Terminal));
    assert!(error.message.contains("none of 2 feeds"), "{error}");
    assert!(!error.message.contains("key=1"), "{error}");
}

#[tokio::test]
async fn f_311_an_answer_that_is_no_feed_is_said_and_empty() {
    let page = ResponseTemplate::new(200).set_body_raw("<html><p>moved</p></html>", "text/html");
    let server = feeds(page, rss(&[("3", "3", HOUR_AGO)])).await;
    let world = Arc::new(World::new(&news_yaml(&server)));
    for (name, count) in [("Alpha", 0), ("all", 1)] {
        let output = get(&world, &recent(json!({ "feed_name": name }))).await.unwrap();
        assert_eq!((&output["count"], &output["feeds_failed"]), (&json!(count), &json!(1)));
        let note = output["warnings"][0].as_str().unwrap();
        assert!(note.starts_with("the feed `Alpha` was not as expected"), "{note}");
        assert!(!note.contains("key=1"), "{note}");
    }
    assert!(world.health.lock().unwrap().is_empty(), "the source is not down");
    assert!(world.shared.answers.lock().unwrap().is_empty(), "and this is not a good answer");
}

#[tokio::test]
async fn f_306_one_feed_of_several_that_refuses_marks_the_binding() {
    let server = feeds(ResponseTemplate::new(401), rss(&[("3", "3", HOUR_AGO)])).await;
    let world = Arc::new(World::new(&news_yaml(&server)));
    let output = get(&world, &recent(json!({}))).await.unwrap();
    assert_eq!(ids(&output), ["Beta/3"]);
    assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed]);
    assert_eq!(world.shared.announced.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn f_105_the_rate_counts_every_feed() {
    let server = feeds(rss(&[]), rss(&[("3", "3", HOUR_AGO)])).await;
    let yaml =
        news_yaml(&server).replace("timeout_seconds: 5", "rate_limit: { requests_per_hour: 1 }");
    let world = Arc::new(World::new(&yaml));
    let output = get(&world, &recent(json!({}))).await.unwrap();
    let warnings = output["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].as_str().unwrap().contains("1 per hour, is used up"), "{output}");
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
    let error = get(&world, &recent(json!({}))).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_BUDGET_SPENT");
}

#[tokio::test]
async fn k_75_the_last_good_items_stand_in_for_feeds_that_are_down() {
    let server = feeds(rss(&[("1", "1", HOUR_AGO)]), rss(&[("3", "3", HOUR_AGO)])).await;
    let world = Arc::new(World::new(&news_yaml(&server)));
    get(&world, &recent(json!({}))).await.unwrap();
    server.reset().await;
    Mock::given(method("GET")).respond_with(ResponseTemplate::new(503)).mount(&server).await;
    let stale = get(&world, &recent(json!({}))).await.unwrap();
    assert_eq!((ids(&stale), &stale["_stale"]), (vec!["Alpha/1", "Beta/3"], &json!(true)));
    let note = stale["warnings"][0].as_str().unwrap();
    assert!(note.contains("none of 2 feeds") && note.contains("HTTP 503"), "{note}");
    let other = get(&world, &recent(json!({ "feed_name": "Beta" }))).await;
    assert_eq!(other.unwrap_err().code, "CONNECTOR_UNAVAILABLE", "another call, another answer");
}

async fn get(world: &Arc<World>, call: &Call) -> Result<Value, ActionError> {
    run_with(world, Mode::Read, Policy { allow_loopback: true }, call).await
}

#[tokio::test]
async fn f_308_a_feed_that_is_down_marks_the_binding() {
    let down = ResponseTemplate::new(503);
    let server = feeds(down.clone(), down).await;
    let world = Arc::new(World::new(&news_yaml(&server)));
    let call = recent(json!({ "feed_name": "Alpha" }));
    let error =
        run_with(&world, Mode::Read, Policy { allow_loopback: true }, &call).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_UNAVAILABLE", Class::Terminal));
    assert_eq!(*world.health.lock().unwrap(), [Health::Unavailable]);
}

#[tokio::test]
async fn k_38_a_feed_cannot_lead_into_the_network() {
    let inside =
        ResponseTemplate::new(301).insert_header("location", "https://[::ffff:10.0.0.1]/rss");
    let server = feeds(inside.clone(), inside).await;
    check(World::new(&news_yaml(&server)), &recent(json!({})), "EGRESS_REFUSED").await;
}

#[tokio::test]
async fn f_315_one_feed_that_is_down_does_not_rest_the_others() {
    let server = feeds(ResponseTemplate::new(503), rss(&[("3", "3", HOUR_AGO)])).await;
    let world = Arc::new(World::new(&news_yaml(&server)));
    for _ in 0..7 {
        let output = get(&world, &recent(json!({}))).await.unwrap();
        assert_eq!((ids(&output), output.get("_stale")), (vec!["Beta/3"], None));
    }
    let asked = server.received_requests().await.unwrap();
    let of = |path: &str| asked.iter().filter(|request| request.url.path() == path).count();
    assert_eq!((of("/a"), of("/b")), (10, 7), "five failed calls, each with one retry");
}
