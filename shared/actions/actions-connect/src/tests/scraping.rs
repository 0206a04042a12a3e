//! Web pages (F-098).

use countersign_failure::Class;
use wiremock::matchers::{header, headers, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

fn site_yaml(server: &MockServer) -> String {
    format!(
        "
id: site
name: Site
type: web_scraper
version: 1.0.0
connection:
  base_url: {}
  headers: {{ x-client: us }}
  delay_seconds: 0
  timeout_seconds: 5
endpoints:
  cases:
    description: lists cases
    path: /cases/{{kind}}
    query: {{ q: '{{term}}' }}
    parameters: [{{ name: kind, type: string, required: true }}, {{ name: term, type: string }}]
    list: li
    fields:
      - {{ field: name, selector: a }}
      - {{ field: link, selector: a, attr: href }}
      - {{ field: year, selector: time, type: integer }}
    next_page: a.next
    max_pages: 3
    max_records: 5
    response_mapping: {{ entity_type: court_case }}
",
        server.uri()
    )
}

fn cases() -> Call {
    call_of("site", "cases", json!({ "kind": "a/b", "term": "x y" }))
}

async fn site(robots: ResponseTemplate) -> MockServer {
    let server = MockServer::builder().start().await;
    Mock::given(path("/robots.txt")).respond_with(robots).mount(&server).await;
    server
}

fn page(items: &[&str], rest: &str) -> ResponseTemplate {
    let items: String = items
        .iter()
        .map(|name| format!("<li><a href='/case/{name}'>{name}</a><time>2024</time>"))
        .collect();
    html(&format!("<ul>{items}</ul>{rest}"))
}

fn html(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(text.as_bytes().to_vec(), "text/html; charset=utf-8")
}

fn names(output: &Value) -> Vec<&str> {
    output["results"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect()
}

async fn serves(server: &MockServer, at: &str, answer: ResponseTemplate) {
    Mock::given(path(at)).respond_with(answer).mount(server).await;
}

#[tokio::test]
async fn f_098_pages_are_followed_and_read() {
    let server = site(ResponseTemplate::new(404)).await;
    Mock::given(method("GET"))
        .and(path("/cases/a%2Fb"))
        .and(query_param("q", "x y"))
        .and(header("x-client", "us"))
        .and(headers("accept", vec!["text/html", "application/xhtml+xml;q=0.9"]))
        .respond_with(page(&["one", "two"], "<a class=next href='/more?p=2'>next</a>"))
        .expect(1)
        .mount(&server)
        .await;
    serves(&server, "/more", page(&["three"], "")).await;
    let output = run(World::new(&site_yaml(&server)), &cases()).await.unwrap();
    assert_eq!(names(&output), ["one", "two", "three"]);
    assert_eq!(
        (&output["has_more"], &output["_has_more"], &output["count"]),
        (&json!(false), &json!(false), &json!(3))
    );
    let last = &output["results"][2];
    assert_eq!(
        (&last["link"], &last["year"]),
        (&json!(format!("{}/case/three", server.uri())), &json!(2024))
    );
    assert_eq!(last["_source_ref"], format!("{}/more", server.uri()));
    assert_eq!(
        (&last["_entity_type"], &last["_retrieved_at"]),
        (&json!("court_case"), &json!("2026-03-04T05:06:07Z"))
    );
    assert_eq!(output["warnings"], json!([]));
}

#[tokio::test]
async fn k_76_what_robots_txt_forbids_is_not_read() {
    let rules = "User-agent: *\nDisallow: /cases/\n";
    let server = site(ResponseTemplate::new(200).set_body_string(rules)).await;
    Mock::given(path("/cases/a%2Fb")).respond_with(page(&["x"], "")).expect(0).mount(&server).await;
    let error = run(World::new(&site_yaml(&server)), &cases()).await.unwrap_err();
    assert_eq!((error.code, error.class), ("ROBOTS_DISALLOWED", Class::Terminal));
    assert!(error.message.contains("127.0.0.1") && !error.message.contains("x%20y"), "{error}");
}

#[tokio::test]
async fn k_76_a_later_page_that_is_forbidden_ends_the_reading_and_is_said() {
    let rules = "User-agent: countersign\nDisallow: /more\n";
    let server = site(ResponseTemplate::new(200).set_body_string(rules)).await;
    serves(&server, "/cases/a%2Fb", page(&["one"], "<a class=next href=/more>next</a>")).await;
    let output = run(World::new(&site_yaml(&server)), &cases()).await.unwrap();
    assert_eq!((names(&output), &output["has_more"]), (vec!["one"], &json!(true)));
    assert!(
        output["warnings"][0].as_str().unwrap().contains("page 2 could not be read"),
        "{output}"
    );
}

#[tokio::test]
async fn k_76_a_redirect_does_not_lead_around_robots_txt() {
    let rules = "User-agent: *\nDisallow: /hidden\n";
    let server = site(ResponseTemplate::new(200).set_body_string(rules)).await;
    serves(
        &server,
        "/cases/a%2Fb",
        ResponseTemplate::new(302).insert_header("location", "/hidden"),
    )
    .await;
    serves(&server, "/hidden", page(&["x"], "")).await;
    let error = run(World::new(&site_yaml(&server)), &cases()).await.unwrap_err();
    assert_eq!(error.code, "ROBOTS_DISALLOWED");
}

#[tokio::test]
async fn k_76_a_site_whose_robots_txt_fails_is_not_read() {
    let server = site(ResponseTemplate::new(503)).await;
    let error = run(World::new(&site_yaml(&server)), &cases()).await.unwrap_err();
    assert_eq!((error.code, error.class), ("ROBOTS_UNAVAILABLE", Class::Retryable));
}

#[tokio::test]
async fn k_76_a_site_is_given_the_time_it_asks_for() {
    let server =
        site(ResponseTemplate::new(200).set_body_string("User-agent: *\nCrawl-delay: 25\n")).await;
    serves(&server, "/cases/a%2Fb", page(&["one"], "<a class=next href=/more>next</a>")).await;
    Mock::given(path("/more")).respond_with(page(&["two"], "")).expect(0).mount(&server).await;
    let call = Call { remaining: Duration::from_secs(20), ..cases() };
    let output = run(World::new(&site_yaml(&server)), &call).await.unwrap();
    assert_eq!((names(&output), &output["has_more"]), (vec!["one"], &json!(true)));
    assert_eq!(output["warnings"], json!(["page 2 was not read: the step's time ends"]));
}

#[tokio::test]
async fn f_098_bounds_on_pages_and_records_hold() {
    let server = site(ResponseTemplate::new(404)).await;
    serves(&server, "/cases/a%2Fb", page(&["1", "2", "3"], "<a class=next href=/p2>")).await;
    serves(&server, "/p2", page(&["4", "5", "6"], "<a class=next href=/p3>")).await;
    Mock::given(path("/p3")).respond_with(page(&["7"], "")).expect(0).mount(&server).await;
    let output = run(World::new(&site_yaml(&server)), &cases()).await.unwrap();
    assert_eq!(
        (names(&output), &output["has_more"]),
        (vec!["1", "2", "3", "4", "5"], &json!(true))
    );
    let limit = "record limit reached (`max_records` is 5): 5 records read, the source may have more; raise the limit";
    assert_eq!(output["warnings"], json!([limit]));

    let endless = site(ResponseTemplate::new(404)).await;
    serves(&endless, "/cases/a%2Fb", page(&["1"], "<a class=next href=/p2>")).await;
    serves(&endless, "/p2", page(&["2"], "<a class=next href='/cases/a%2Fb?q=x+y'>")).await;
    let output = run(World::new(&site_yaml(&endless)), &cases()).await.unwrap();
    assert_eq!(
        (names(&output), &output["has_more"]),
        (vec!["1", "2"], &json!(false)),
        "a circle ends"
    );
}

#[tokio::test]
async fn f_309_a_failure_after_the_first_page_keeps_what_was_read() {
    let server = site(ResponseTemplate::new(404)).await;
    serves(&server, "/cases/a%2Fb", page(&["1"], "<a class=next href=/p2>")).await;
    serves(&server, "/p2", ResponseTemplate::new(410)).await;
    let output = run(World::new(&site_yaml(&server)), &cases()).await.unwrap();
    assert_eq!((names(&output), &output["has_more"]), (vec!["1"], &json!(true)));
}

#[tokio::test]
async fn f_311_a_page_of_another_kind_is_empty_and_said() {
    let server = site(ResponseTemplate::new(404)).await;
    let pdf = ResponseTemplate::new(200).set_body_raw(b"%PDF-1.7".to_vec(), "application/pdf");
    serves(&server, "/cases/a%2Fb", pdf).await;
    let output = run(World::new(&site_yaml(&server)), &cases()).await.unwrap();
    assert_eq!(output["count"], 0);
    assert!(output["warnings"][0].as_str().unwrap().contains("PDF"), "{output}");
}

#[tokio::test]
async fn f_098_a_page_where_nothing_matches_says_so() {
    let server = site(ResponseTemplate::new(404)).await;
    serves(&server, "/cases/a%2Fb", html("<p>redesigned</p>")).await;
    let output = run(World::new(&site_yaml(&server)), &cases()).await.unwrap();
    assert_eq!(output["warnings"], json!(["page 1 has nothing that matches `li`"]));
}

#[tokio::test]
async fn k_38_a_page_cannot_lead_into_the_network() {
    let server = site(ResponseTemplate::new(404)).await;
    let inside = ResponseTemplate::new(302)
        .insert_header("location", "https://169.254.169.254/latest/meta-data");
    serves(&server, "/cases/a%2Fb", inside).await;
    let error = run(World::new(&site_yaml(&server)), &cases()).await.unwrap_err();
    assert_eq!(error.code, "EGRESS_REFUSED");
    let (world, call) = (Arc::new(World::new(&site_yaml(&server))), cases());
    let closed = Policy { allow_loopback: false };
    let error = run_with(&world, Mode::Read, closed, &call).await.unwrap_err();
    assert_eq!(error.code, "EGRESS_REFUSED");
}

#[tokio::test]
async fn f_306_statuses_mean_what_they_mean_everywhere() {
    for (status, code) in
        [(403, "CONNECTOR_AUTH_FAILED"), (404, "CONNECTOR_REFUSED"), (500, "CONNECTOR_UNAVAILABLE")]
    {
        let server = site(ResponseTemplate::new(404)).await;
        serves(&server, "/cases/a%2Fb", ResponseTemplate::new(status)).await;
        check(World::new(&site_yaml(&server)), &cases(), code).await;
    }
}

#[tokio::test]
async fn f_104_a_binding_may_move_a_scraper() {
    let server = site(ResponseTemplate::new(404)).await;
    serves(&server, "/cases/a%2Fb", page(&["moved"], "")).await;
    let yaml = site_yaml(&server).replace(&server.uri(), "https://elsewhere.example.org");
    let world =
        World::new(&yaml).bind(|binding| binding.config_overrides.base_url = Some(server.uri()));
    assert_eq!(names(&run(world, &cases()).await.unwrap()), ["moved"]);
}

#[tokio::test]
async fn k_75_an_earlier_reading_stands_in_while_the_site_is_down() {
    let server = MockServer::builder().start().await;
    let robots = || Mock::given(path("/robots.txt"));
    robots().respond_with(ResponseTemplate::new(404)).up_to_n_times(1).mount(&server).await;
    robots().respond_with(ResponseTemplate::new(503)).mount(&server).await;
    serves(&server, "/cases/a%2Fb", page(&["one"], "")).await;
    let world = Arc::new(World::new(&site_yaml(&server)));
    let policy = Policy { allow_loopback: true };
    let first = run_with(&world, Mode::Read, policy, &cases()).await.unwrap();
    let second = run_with(&world, Mode::Read, policy, &cases()).await.unwrap();
    assert_eq!((names(&first), names(&second)), (vec!["one"], vec!["one"]));
    assert_eq!((&first["_stale"], &second["_stale"]), (&Value::Null, &json!(true)));
}
