//! `crawl_url`.

use countersign_failure::Class;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;

async fn site(robots: ResponseTemplate) -> MockServer {
    let server = MockServer::builder().start().await;
    Mock::given(path("/robots.txt")).respond_with(robots).mount(&server).await;
    server
}

async fn serves(server: &MockServer, at: &str, answer: ResponseTemplate) {
    Mock::given(path(at)).respond_with(answer).mount(server).await;
}

fn html(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(text.as_bytes().to_vec(), "text/html; charset=utf-8")
}

fn crawl(server: &MockServer, at: &str, mode: &str) -> Call {
    let url = format!("{}{at}", server.uri());
    call_of("crawl_url", json!({ "url": url }), json!({ "extract_mode": mode }))
}

async fn refused(server: &MockServer, at: &str, code: &str, class: Class) {
    let error = run(None, &crawl(server, at, "text")).await.unwrap_err();
    assert_eq!((error.code, error.class), (code, class), "{error}");
}

#[tokio::test]
async fn f_046_a_page_is_read_in_every_mode() {
    let server = site(ResponseTemplate::new(404)).await;
    let page = "<title>Notice</title><main><h1>Notice</h1><p>The <a href=/list#x>list</a> is open.</p></main>";
    serves(&server, "/notice", html(page)).await;
    for mode in ["text", "markdown", "structured"] {
        let call = crawl(&server, "/notice?secret=1#part", mode);
        let output = run(None, &call).await.unwrap();
        fits(&call, &output);
        assert!(output["content"].to_string().contains("is open."), "{mode}: {output:#}");
        assert_eq!(output["title"], "Notice");
        let link = json!([{ "url": format!("{}/list", server.uri()), "text": "list" }]);
        assert_eq!(output["links"], link);
        let metadata = &output["metadata"];
        assert_eq!(metadata["url"], format!("{}/notice", server.uri()));
        assert_eq!(
            (&metadata["truncated"], &metadata["content_type"]),
            (&json!(false), &json!("text/html"))
        );
        assert_eq!(metadata["retrieved_at"], "2026-03-04T05:06:07Z");
    }
}

#[tokio::test]
async fn f_046_long_content_is_cut_and_says_so() {
    let server = site(ResponseTemplate::new(404)).await;
    let text =
        ResponseTemplate::new(200).set_body_raw("é".repeat(100_001), "text/plain; charset=utf-8");
    serves(&server, "/long", text).await;
    let output = run(None, &crawl(&server, "/long", "text")).await.unwrap();
    assert_eq!(output["content"].as_str().unwrap().chars().count(), 100_000);
    assert_eq!(output["metadata"]["truncated"], true);
}

#[tokio::test]
async fn f_046_what_is_no_page_is_refused_by_name() {
    let server = site(ResponseTemplate::new(404)).await;
    let pdf = ResponseTemplate::new(200).set_body_raw(b"%PDF-1.7".to_vec(), "application/pdf");
    serves(&server, "/file.pdf", pdf).await;
    refused(&server, "/file.pdf", "PAGE_PDF", Class::Terminal).await;
    let image = ResponseTemplate::new(200).set_body_raw(vec![0x89, b'P'], "image/png");
    serves(&server, "/image", image).await;
    refused(&server, "/image", "PAGE_FORMAT", Class::Terminal).await;
    serves(&server, "/deep", html(&"<div>".repeat(5_000))).await;
    refused(&server, "/deep", "PAGE_LIMIT", Class::Terminal).await;
    let huge =
        ResponseTemplate::new(200).set_body_raw(vec![b'x'; 10 * 1024 * 1024 + 1], "text/plain");
    serves(&server, "/huge", huge).await;
    refused(&server, "/huge", "EGRESS_TOO_LARGE", Class::Terminal).await;
}

#[tokio::test]
async fn f_046_statuses_say_whether_trying_again_helps() {
    let server = site(ResponseTemplate::new(404)).await;
    for (status, class) in [
        (404, Class::Terminal),
        (403, Class::Terminal),
        (429, Class::Retryable),
        (503, Class::Retryable),
    ] {
        let at = format!("/{status}");
        serves(&server, &at, ResponseTemplate::new(status)).await;
        refused(&server, &at, "PAGE_STATUS", class).await;
    }
}

#[tokio::test]
async fn k_76_robots_txt_is_honoured_also_after_a_redirect() {
    let rules = ResponseTemplate::new(200).set_body_string("User-agent: *\nDisallow: /private\n");
    let server = site(rules).await;
    Mock::given(path("/private/x")).respond_with(html("x")).expect(0..=1).mount(&server).await;
    refused(&server, "/private/x", "ROBOTS_DISALLOWED", Class::Terminal).await;
    serves(&server, "/moved", ResponseTemplate::new(301).insert_header("location", "/private/x"))
        .await;
    refused(&server, "/moved", "ROBOTS_DISALLOWED", Class::Terminal).await;
    let failing = site(ResponseTemplate::new(500)).await;
    refused(&failing, "/", "ROBOTS_UNAVAILABLE", Class::Retryable).await;
}

#[tokio::test]
async fn k_38_only_public_https_is_read() {
    for url in [
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://10.1.2.3/",
        "http://example.org/",
        "ftp://example.org/",
        "https://user:s3cr3t@example.org/",
        "file:///etc/passwd",
        "https://0x7f.1/",
        "https://metadata.google.internal/",
    ] {
        let all = actions(without_search(Egress::new(Policy::default())));
        let error =
            all[0].run(&call_of("crawl_url", json!({ "url": url }), json!({}))).await.unwrap_err();
        assert_eq!(error.code, "EGRESS_REFUSED", "{url}: {error}");
        assert!(!error.message.contains("s3cr3t"), "{error}");
    }
    let server = site(ResponseTemplate::new(404)).await;
    serves(
        &server,
        "/in",
        ResponseTemplate::new(302).insert_header("location", "https://192.168.0.1/admin"),
    )
    .await;
    refused(&server, "/in", "EGRESS_REFUSED", Class::Terminal).await;
}

#[tokio::test]
async fn f_046_inputs_are_checked_before_anything_is_asked() {
    for (inputs, params, code) in [
        (json!({}), json!({}), "BAD_INPUT"),
        (json!({ "url": "not an address" }), json!({}), "BAD_INPUT"),
        (json!({ "url": 7 }), json!({}), "BAD_INPUT"),
        (json!({ "url": "https://example.org" }), json!({ "extract_mode": "pdf" }), "BAD_PARAM"),
    ] {
        let error = run(None, &call_of("crawl_url", inputs, params)).await.unwrap_err();
        assert_eq!((error.code, error.class), (code, Class::Terminal));
    }
}

#[tokio::test]
async fn k_38_a_page_that_never_comes_ends_with_the_step() {
    let server = site(ResponseTemplate::new(404)).await;
    serves(&server, "/fast", html("x")).await;
    serves(&server, "/slow", html("x").set_delay(Duration::from_secs(120))).await;
    let all = actions(without_search(egress()));
    // What the site's robots.txt says is known afterwards, so the short time below is the page's alone.
    all[0].run(&crawl(&server, "/fast", "text")).await.unwrap();
    let call = Call { remaining: Duration::from_millis(3_200), ..crawl(&server, "/slow", "text") };
    let error = all[0].run(&call).await.unwrap_err();
    assert_eq!((error.code, error.class), ("EGRESS_TIMEOUT", Class::Retryable));
}
