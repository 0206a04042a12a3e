//! What searches take of a day, and that nothing is lost that was paid for.

use wiremock::matchers::body_partial_json;

use super::*;

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
    let asks = |topic: &str| {
        Mock::given(path("/search")).and(body_partial_json(json!({ "topic": topic })))
    };
    asks("news").respond_with(tavily_answer(&[("https://n.org/1", "N")])).mount(&server).await;
    asks("finance").respond_with(ResponseTemplate::new(500)).expect(2).mount(&server).await;
    let call = search(json!({ "categories": ["news", "finance", "general"] }));
    let output = run(Some(tavily(&server)), &call).await.unwrap();
    fits(&call, &output);
    assert_eq!(urls(&output), ["https://n.org/1"]);
    let note = output["note"].as_str().unwrap();
    assert!(note.starts_with("Not searched: `finance`, `general` ("), "{note}");
    // Nothing is paid for when the first one fails.
    let call = search(json!({ "categories": ["finance", "news"] }));
    refused(Some(tavily(&server)), &call, "SEARCH_UNAVAILABLE", Class::Retryable).await;
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
