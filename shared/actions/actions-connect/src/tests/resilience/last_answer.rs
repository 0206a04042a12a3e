//! The last good answer, and the state that is shared.

use super::*;

#[tokio::test]
async fn k_75_the_last_good_answer_stands_in_and_says_so() {
    let server = MockServer::builder().start().await;
    first(&server, 1, items(&[])).await;
    let world = world(&server);
    let fresh = get(&world, &search(0)).await.unwrap();
    assert_eq!(fresh.get("_stale"), None);
    let failures = [
        (ResponseTemplate::new(500), "HTTP 500"),
        (ResponseTemplate::new(429).insert_header("retry-after", "3600"), "limit is reached"),
        (items(&["a"]).set_delay(Duration::from_secs(20)), "in time"),
    ];
    for (template, cause) in failures {
        server.reset().await;
        then(&server, template).await;
        let stale = get(&world, &search(3_620)).await.unwrap();
        assert_eq!((&stale["_stale"], &stale["count"]), (&json!(true), &json!(0)), "{cause}");
        let age = stale["_stale_age_seconds"].as_i64().unwrap();
        assert!((3_600..3_650).contains(&age), "{cause}: {age}");
        let note = stale["warnings"][0].as_str().unwrap();
        assert!(note.contains(cause) && note.contains("60 minutes old"), "{note}");
    }
    // The binding is marked all the same.
    assert_eq!(*world.health.lock().unwrap(), [Health::Unavailable, Health::Unavailable]);
    // A week later it is too old, other arguments have no answer, and a refused credential or request is never hidden.
    server.reset().await;
    then(&server, ResponseTemplate::new(500)).await;
    assert!(get(&world, &search(8 * 86_400)).await.is_err());
    let mut other = search(8 * 86_400 + 1);
    other.inputs.insert("q".to_owned(), "y".into());
    assert!(get(&world, &other).await.is_err());
    for status in [401, 404] {
        server.reset().await;
        then(&server, ResponseTemplate::new(status)).await;
        assert!(get(&world, &search(3_600)).await.is_err(), "{status}");
    }
}

#[tokio::test]
async fn k_75_an_open_breaker_and_a_spent_rate_serve_stale_answers_too() {
    let server = MockServer::builder().start().await;
    first(&server, 1, items(&[])).await;
    then(&server, ResponseTemplate::new(500)).await;
    let open = world(&server);
    get(&open, &search(0)).await.unwrap();
    for second in 1..6 {
        assert_eq!(get(&open, &search(second)).await.unwrap()["_stale"], true);
    }
    let before = calls(&server).await;
    let stale = get(&open, &search(10)).await.unwrap();
    assert!(stale["warnings"][0].as_str().unwrap().contains("tried again at"), "{stale}");
    assert_eq!(calls(&server).await, before);

    let server = MockServer::builder().start().await;
    then(&server, items(&[])).await;
    let limited = yaml(&server.uri(), "rate_limit: { requests_per_day: 1 }");
    let spent = Arc::new(World::new(&limited));
    get(&spent, &search(0)).await.unwrap();
    let stale = get(&spent, &search(1)).await.unwrap();
    assert!(stale["warnings"][0].as_str().unwrap().contains("1 per day"), "{stale}");
    assert_eq!(calls(&server).await, 1);
}

#[tokio::test]
async fn k_75_what_is_incomplete_is_not_kept() {
    let server = MockServer::builder().start().await;
    Mock::given(query_param("page", "1")).respond_with(items(&["a"])).mount(&server).await;
    Mock::given(query_param("page", "2"))
        .respond_with(ResponseTemplate::new(500))
        .mount(&server)
        .await;
    let world = world(&server);
    assert_eq!(get(&world, &search(0)).await.unwrap()["count"], 1);
    assert!(world.shared.answers.lock().unwrap().is_empty());
    assert_eq!(health(&world, search(0).now).failures_in_a_row, 1);
}

#[tokio::test]
async fn k_75_what_a_limit_has_ended_is_kept_with_its_warning() {
    let server = MockServer::builder().start().await;
    first(&server, 3, items(&["a"])).await;
    then(&server, ResponseTemplate::new(500)).await;
    let world = world(&server);
    let fresh = get(&world, &search(0)).await.unwrap();
    let limit = fresh["warnings"][0].as_str().unwrap();
    assert!(limit.starts_with("page limit reached (`max_pages` is 3): 3 records read"), "{limit}");
    let stale = get(&world, &search(60)).await.unwrap();
    assert_eq!((&stale["_stale"], &stale["count"]), (&json!(true), &json!(3)));
    assert_eq!(stale["warnings"].as_array().unwrap().len(), 2);
    assert!(stale["warnings"][0].as_str().unwrap().ends_with("60 seconds old"), "{stale:#}");
    assert_eq!((&stale["warnings"][1], &stale["warning_count"]), (&json!(limit), &json!(2)));
}

#[tokio::test]
async fn k_75_an_effect_is_neither_kept_nor_replaced() {
    let server = MockServer::builder().start().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(201).set_body_json(json!({ "id": 1 })))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(500)).mount(&server).await;
    let world = world(&server);
    run_with(&world, Mode::Write, LOCAL, &create()).await.unwrap();
    assert!(world.shared.answers.lock().unwrap().is_empty());
    let error = run_with(&world, Mode::Write, LOCAL, &create()).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_IN_DOUBT");
    assert_eq!(health(&world, create().now).failures_in_a_row, 1);
}

#[tokio::test]
async fn k_75_calls_go_on_without_the_shared_state() {
    let server = MockServer::builder().start().await;
    then(&server, items(&["a"])).await;
    let limited = yaml(&server.uri(), "rate_limit: { requests_per_hour: 1 }");
    let mut world = World::new(&limited);
    world.shared.down = true;
    let world = Arc::new(world);
    assert_eq!(get(&world, &search(0)).await.unwrap()["count"], 3);
    server.reset().await;
    then(&server, ResponseTemplate::new(500)).await;
    assert_eq!(get(&world, &search(0)).await.unwrap_err().code, "CONNECTOR_UNAVAILABLE");
}

#[tokio::test]
async fn k_75_no_secret_is_in_the_shared_state() {
    let server = MockServer::builder().start().await;
    then(&server, items(&[])).await;
    let world = world(&server);
    get(&world, &search(0)).await.unwrap();
    let shared = &world.shared;
    let all = format!(
        "{:?} {:?} {:?}",
        shared.records.lock().unwrap(),
        shared.counters.lock().unwrap(),
        shared.answers.lock().unwrap()
    );
    assert!(!all.contains("s3cr3t"), "{all}");
}
