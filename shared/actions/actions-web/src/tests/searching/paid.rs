//! What searches take of a day, and that nothing is lost that was paid for.

use countersign_store_kit::StoreError;
use wiremock::matchers::body_partial_json;

use super::*;

/// A day whose count is busy once so many requests are taken.
struct Busy(Arc<Room>);

impl SearchQuota for Busy {
    fn take<'a>(&'a self, call: &'a Call, requests: u64) -> BoxFuture<'a, Result<(), WebError>> {
        Box::pin(async move { self.0.take(call, requests).await.map_err(|_| busy()) })
    }
}

fn busy() -> WebError {
    let (table, reason) = ("runs".to_owned(), "busy".to_owned());
    WebError::from(StoreError::Unavailable { table, reason })
}

/// What Tavily answers for a topic.
async fn answers(server: &MockServer, topic: &str, answer: ResponseTemplate) {
    let asked = Mock::given(path("/search")).and(body_partial_json(json!({ "topic": topic })));
    asked.respond_with(answer).mount(server).await;
}

/// The note, which is the only warning too.
fn warned(output: &Value) -> &str {
    let note = output["note"].as_str().unwrap();
    assert_eq!((&output["warnings"], &output["warning_count"]), (&json!([note]), &json!(1)));
    note
}

/// What a search leaves of a day with room for so many requests, and how it ends.
async fn check_room(
    provider: Arc<dyn SearchProvider>,
    params: Value,
    room: u64,
    left: u64,
    code: Option<&str>,
) {
    let day = Room::new(room);
    let ended = run_within(&day, Some(provider), &search(params.clone())).await;
    let ended = ended.err().map(|error| error.code);
    assert_eq!((day.left(), ended), (left, code), "{params} {room}");
}

#[tokio::test]
async fn f_045_each_request_to_the_provider_is_taken_out_of_the_day() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/search"))
        .respond_with(tavily_answer(&[("https://a.org/1", "1")]))
        .expect(1 + 1 + 1 + 2)
        .mount(&server)
        .await;
    let exceeded = Some("QUOTA_EXCEEDED");
    check_room(tavily(&server), json!({}), 0, 0, exceeded).await;
    check_room(tavily(&server), json!({}), 5, 4, None).await;
    check_room(tavily(&server), json!({ "deep": true }), 1, 1, exceeded).await;
    check_room(tavily(&server), json!({ "deep": true }), 5, 3, None).await;
    let topics = json!({ "categories": ["news", "finance"] });
    check_room(tavily(&server), topics.clone(), 0, 0, exceeded).await;
    check_room(tavily(&server), topics.clone(), 1, 0, None).await;
    check_room(tavily(&server), topics, 5, 3, None).await;
}

#[tokio::test]
async fn f_045_topics_that_were_paid_for_are_not_lost_when_another_one_fails() {
    let server = MockServer::builder().start().await;
    answers(&server, "news", tavily_answer(&[("https://n.org/1", "N")])).await;
    answers(&server, "finance", ResponseTemplate::new(500)).await;
    let call = search(json!({ "categories": ["news", "finance", "general"] }));
    let output = run(Some(tavily(&server)), &call).await.unwrap();
    fits(&call, &output);
    assert_eq!(urls(&output), ["https://n.org/1"]);
    let note = warned(&output);
    assert!(note.starts_with("Not searched: `finance`, `general` ("), "{note}");
}

#[tokio::test]
async fn f_045_a_search_that_has_found_nothing_fails_with_its_request_which_counts() {
    let server = MockServer::builder().start().await;
    answers(&server, "general", tavily_answer(&[])).await;
    answers(&server, "finance", ResponseTemplate::new(500)).await;
    let failed = Some("SEARCH_UNAVAILABLE");
    let first = json!({ "categories": ["finance", "general"] });
    check_room(tavily(&server), first, 5, 4, failed).await;
    let second = json!({ "categories": ["general", "finance"] });
    check_room(tavily(&server), second.clone(), 5, 3, failed).await;
    check_room(tavily(&server), second.clone(), 1, 0, Some("QUOTA_EXCEEDED")).await;
    refused(Some(tavily(&server)), &search(second), "SEARCH_UNAVAILABLE", Class::Retryable).await;
}

#[tokio::test]
async fn f_045_a_search_is_tried_again_when_a_further_request_cannot_be_counted() {
    let server = MockServer::builder().start().await;
    Mock::given(path("/search"))
        .respond_with(tavily_answer(&[("https://a.org/1", "1")]))
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(path("/sx/search"))
        .respond_with(searx_answer(&[found("https://a.org/1", "1")], &json!([])))
        .expect(1)
        .mount(&server)
        .await;
    let call = search(json!({ "categories": ["news", "general"] }));
    for provider in [tavily(&server), searxng(&server)] {
        let busy = Arc::new(Busy(Room::new(1)));
        let error = run_within(&busy, Some(provider), &call).await.unwrap_err();
        assert_eq!((error.code, error.class), ("STORE_UNAVAILABLE", Class::Retryable), "{error}");
    }
}

#[tokio::test]
async fn f_045_topics_that_were_paid_for_are_not_lost_when_another_one_is_late() {
    let server = MockServer::builder().start().await;
    let found = tavily_answer(&[("https://n.org/1", "N")]);
    answers(&server, "news", found.clone()).await;
    answers(&server, "finance", found.set_delay(Duration::from_secs(120))).await;
    let topics = json!({ "categories": ["news", "finance", "general"] });
    let call = Call { remaining: Duration::from_secs(7), ..search(topics) };
    let day = Room::new(5);
    let output = run_within(&day, Some(tavily(&server)), &call).await.unwrap();
    assert_eq!((urls(&output), day.left()), (vec!["https://n.org/1"], 3));
    let note = warned(&output);
    assert!(note.starts_with("Not searched: `finance`, `general` ("), "{note}");
    assert!(note.contains("did not answer in the step's time"), "{note}");
}

#[tokio::test]
async fn f_045_no_request_is_counted_when_no_time_is_left_for_it() {
    let server = MockServer::builder().start().await;
    let call = Call { remaining: Duration::from_secs(3), ..search(json!({})) };
    for provider in [tavily(&server), searxng(&server)] {
        let day = Room::new(5);
        let error = run_within(&day, Some(provider), &call).await.unwrap_err();
        assert_eq!((error.code, day.left()), ("SEARCH_UNAVAILABLE", 5), "{error}");
    }
}

#[tokio::test]
async fn f_045_of_searxng_the_pages_that_fit_into_the_day_are_read() {
    let server = MockServer::builder().start().await;
    let page = |n: &str| searx_answer(&[found(&format!("https://a.org/{n}"), n)], &json!([]));
    Mock::given(path("/sx/search"))
        .and(query_param_is_missing("pageno"))
        .respond_with(page("1"))
        .mount(&server)
        .await;
    Mock::given(path("/sx/search"))
        .and(query_param("pageno", "2"))
        .respond_with(page("2"))
        .mount(&server)
        .await;
    let two = json!({ "max_results": 2 });
    check_room(searxng(&server), two.clone(), 3, 1, None).await;
    check_room(searxng(&server), two.clone(), 1, 0, None).await;
    check_room(searxng(&server), two, 0, 0, Some("QUOTA_EXCEEDED")).await;
}
