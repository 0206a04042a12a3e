//! `search_web`, against servers that answer as the providers document it.

mod paid;

use countersign_connector::Secret;
use countersign_failure::Class;
use wiremock::matchers::{body_json, header, method, path, query_param, query_param_is_missing};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::{SearchConfig, SearchSetting};

const KEY: &str = "tvly-dev-0123456789";

fn provider(name: &str, url: Option<String>, key: Option<&str>) -> Arc<dyn SearchProvider> {
    let key = key.map(|key| Secret::new(key.to_owned()));
    let config = SearchConfig { provider: Some(name.to_owned()), url, key };
    config.provider(egress()).unwrap().unwrap()
}

fn searxng(server: &MockServer) -> Arc<dyn SearchProvider> {
    provider("searxng", Some(format!("{}/sx", server.uri())), None)
}

fn tavily(server: &MockServer) -> Arc<dyn SearchProvider> {
    provider("tavily", Some(server.uri()), Some(KEY))
}

fn search(params: Value) -> Call {
    call_of("search_web", json!({ "query": " river barges & co " }), params)
}

/// A result as SearXNG gives it.
fn found(url: &str, title: &str) -> Value {
    json!({
        "url": url, "title": title, "content": format!("about  {title}"), "publishedDate": null, "thumbnail": "",
        "engine": "duckduckgo", "template": "default.html", "parsed_url": ["https", "example.org", "/", "", "", ""],
        "img_src": "", "priority": "", "engines": ["duckduckgo"], "positions": [1], "score": 1.0, "category": "general"
    })
}

fn searx_answer(results: &[Value], silent: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({
        "query": "q", "number_of_results": 0, "results": results, "answers": [], "corrections": [], "infoboxes": [],
        "suggestions": [], "unresponsive_engines": silent
    }))
}

fn tavily_answer(results: &[(&str, &str)]) -> ResponseTemplate {
    let results: Vec<_> = results
        .iter()
        .map(|(url, title)| json!({ "url": url, "title": title, "content": "text", "score": 0.9, "raw_content": null }))
        .collect();
    ResponseTemplate::new(200).set_body_json(json!({
        "query": "q", "follow_up_questions": null, "answer": null, "images": [], "results": results,
        "response_time": 1.2, "request_id": "123e4567-e89b-12d3-a456-426614174111"
    }))
}

fn urls(output: &Value) -> Vec<&str> {
    output["results"].as_array().unwrap().iter().map(|r| r["url"].as_str().unwrap()).collect()
}

async fn refused(
    provider: Option<Arc<dyn SearchProvider>>,
    call: &Call,
    code: &str,
    class: Class,
) -> ActionError {
    let error = run(provider, call).await.unwrap_err();
    assert_eq!((error.code, error.class), (code, class), "{error}");
    assert!(!format!("{error:?}").contains(KEY), "the key is nowhere");
    error
}

#[tokio::test]
async fn f_045_without_a_provider_it_says_so() {
    let error = refused(None, &search(json!({})), "SEARCH_NOT_CONFIGURED", Class::Terminal).await;
    assert!(error.help.unwrap().contains("SearchProvider"));
}

#[tokio::test]
async fn f_045_searxng_is_asked_as_it_documents() {
    let server = MockServer::builder().start().await;
    Mock::given(method("GET"))
        .and(path("/sx/search"))
        .and(query_param("q", "river barges & co"))
        .and(query_param("format", "json"))
        .and(query_param("categories", "general,news"))
        .and(query_param_is_missing("pageno"))
        .respond_with(searx_answer(
            &[
                found("https://www.example.org/a", "A"),
                found("https://www.example.org/a", "A again"),
                found("magnet:?xt=1", "no page"),
                found("https://news.example.com/b", "B"),
                found("https://c.example.com/", "C"),
            ],
            &json!([["bing", "timeout"]]),
        ))
        .expect(1)
        .mount(&server)
        .await;
    let call = search(json!({ "max_results": 2, "categories": ["General", "news"] }));
    let output = run(Some(searxng(&server)), &call).await.unwrap();
    fits(&call, &output);
    let expect = json!([
        { "title": "A", "url": "https://www.example.org/a", "snippet": "about A", "source": "example.org", "score": 1.0 },
        { "title": "B", "url": "https://news.example.com/b", "snippet": "about B", "source": "news.example.com", "score": 1.0 }
    ]);
    assert_eq!((&output["results"], &output["count"]), (&expect, &json!(2)));
    assert_eq!(output["note"], Value::Null);
}

#[tokio::test]
async fn f_045_searxng_is_asked_for_further_pages_until_there_is_enough() {
    let server = MockServer::builder().start().await;
    let page = |number: &str| Mock::given(path("/sx/search")).and(query_param("pageno", number));
    let first =
        searx_answer(&[found("https://a.org/1", "1"), found("https://a.org/2", "2")], &json!([]));
    Mock::given(path("/sx/search"))
        .and(query_param_is_missing("pageno"))
        .respond_with(first)
        .mount(&server)
        .await;
    page("2")
        .respond_with(searx_answer(
            &[found("https://a.org/2", "2"), found("https://a.org/3", "3")],
            &json!([]),
        ))
        .mount(&server)
        .await;
    page("3").respond_with(ResponseTemplate::new(500)).expect(1).mount(&server).await;
    let output = run(Some(searxng(&server)), &search(json!({}))).await.unwrap();
    assert_eq!(urls(&output), ["https://a.org/1", "https://a.org/2", "https://a.org/3"]);
    let note = output["note"].as_str().unwrap();
    assert!(note.starts_with("There may be more results: page 3 was not read ("), "{note}");
    assert!(note.contains("HTTP 500"), "{note}");
    assert_eq!((&output["warnings"], &output["warning_count"]), (&json!([note]), &json!(1)));
}

#[tokio::test]
async fn f_045_searxng_fails_by_name() {
    for (answer, code, class) in [
        (ResponseTemplate::new(403), "SEARCH_REFUSED", Class::Terminal),
        (ResponseTemplate::new(429), "SEARCH_THROTTLED", Class::Retryable),
        (ResponseTemplate::new(400), "SEARCH_REJECTED", Class::Terminal),
        (ResponseTemplate::new(502), "SEARCH_UNAVAILABLE", Class::Retryable),
        (
            searx_answer(&[], &json!([["google", "CAPTCHA"]])),
            "SEARCH_UNAVAILABLE",
            Class::Retryable,
        ),
        (ResponseTemplate::new(200).set_body_string("<html>"), "SEARCH_ANSWER", Class::Terminal),
        (ResponseTemplate::new(200).set_body_json(json!({})), "SEARCH_ANSWER", Class::Terminal),
    ] {
        let server = MockServer::builder().start().await;
        Mock::given(path("/sx/search")).respond_with(answer).mount(&server).await;
        refused(Some(searxng(&server)), &search(json!({})), code, class).await;
    }
    let server = MockServer::builder().start().await;
    Mock::given(path("/sx/search"))
        .respond_with(searx_answer(&[], &json!([])))
        .mount(&server)
        .await;
    let output = run(Some(searxng(&server)), &search(json!({}))).await.unwrap();
    let nothing =
        json!({ "results": [], "count": 0, "note": null, "warnings": [], "warning_count": 0 });
    assert_eq!(output, nothing, "nothing found is an answer");
}

#[tokio::test]
async fn f_045_tavily_is_asked_as_it_documents() {
    let server = MockServer::builder().start().await;
    let asks = |topic: &str, max: u32| {
        Mock::given(method("POST"))
            .and(path("/search"))
            .and(header("authorization", format!("Bearer {KEY}").as_str()))
            .and(body_json(json!({
                "query": "river barges & co", "topic": topic, "max_results": max, "search_depth": "basic"
            })))
    };
    asks("general", 20)
        .respond_with(tavily_answer(&[("https://a.org/1", "1")]))
        .expect(1)
        .mount(&server)
        .await;
    asks("news", 4)
        .respond_with(tavily_answer(&[("https://n.org/1", "N1"), ("https://n.org/2", "N2")]))
        .mount(&server)
        .await;
    asks("finance", 4)
        .respond_with(tavily_answer(&[("https://f.org/1", "F1"), ("https://n.org/1", "N1")]))
        .mount(&server)
        .await;
    let output = run(Some(tavily(&server)), &search(json!({ "max_results": 50 }))).await.unwrap();
    assert_eq!(urls(&output), ["https://a.org/1"]);
    let both = search(json!({ "max_results": 4, "categories": "news, finance" }));
    let output = run(Some(tavily(&server)), &both).await.unwrap();
    assert_eq!(urls(&output), ["https://n.org/1", "https://f.org/1", "https://n.org/2"]);
    refused(
        Some(tavily(&server)),
        &search(json!({ "categories": ["images"] })),
        "BAD_PARAM",
        Class::Terminal,
    )
    .await;
}

#[tokio::test]
async fn r_014_a_deep_search_gives_the_texts_of_pages_as_far_as_there_is_room() {
    let server = MockServer::builder().start().await;
    let page = |n: u32, text: Option<String>| json!({ "url": format!("https://a.org/{n}"), "title": "A", "content": "text", "score": 0.5, "raw_content": text });
    let long = Some("é".repeat(20_000));
    let found =
        json!({ "results": [page(1, long), page(2, Some("short".to_owned())), page(3, None)] });
    Mock::given(path("/search"))
        .and(body_json(json!({
            "query": "river barges & co", "topic": "general", "max_results": 3, "search_depth": "advanced", "include_raw_content": true
        })))
        .respond_with(ResponseTemplate::new(200).set_body_json(found))
        .expect(1)
        .mount(&server)
        .await;
    let call = search(json!({ "max_results": 3, "deep": true }));
    let output = run(Some(tavily(&server)), &call).await.unwrap();
    fits(&call, &output);
    assert_eq!((&output["note"], &output["results"][0]["score"]), (&Value::Null, &json!(0.5)));
    let first = output["results"][0]["content"].as_str().unwrap();
    assert_eq!(first, format!("{}…", "é".repeat(12_000)), "two texts share the room");
    assert_eq!(output["results"][1]["content"], "short");
    assert_eq!(output["results"][2].get("content"), None);
}

#[tokio::test]
async fn r_014_who_cannot_look_deeper_says_so() {
    let server = MockServer::builder().start().await;
    let answer = searx_answer(&[found("https://a.org/1", "1")], &json!([]));
    Mock::given(path("/sx/search")).respond_with(answer).mount(&server).await;
    let call = search(json!({ "max_results": 1, "deep": true }));
    let output = run(Some(searxng(&server)), &call).await.unwrap();
    fits(&call, &output);
    assert_eq!(urls(&output), ["https://a.org/1"]);
    assert!(output["note"].as_str().unwrap().contains("cannot look deeper"), "{output}");
    let plain =
        run(Some(searxng(&server)), &search(json!({ "max_results": 1, "deep": false }))).await;
    assert_eq!(plain.unwrap()["note"], Value::Null);
}

#[tokio::test]
async fn f_045_tavily_fails_by_name_and_never_shows_the_key() {
    let detail = |status: u16, text: &str| {
        ResponseTemplate::new(status).set_body_json(json!({ "detail": { "error": text } }))
    };
    for (answer, code, class) in [
        (
            detail(401, "Unauthorized: missing or invalid API key."),
            "SEARCH_REFUSED",
            Class::Terminal,
        ),
        (
            detail(429, "Your request has been blocked due to excessive requests."),
            "SEARCH_THROTTLED",
            Class::Retryable,
        ),
        (
            detail(432, "This request exceeds your plan's set usage limit."),
            "SEARCH_QUOTA",
            Class::Terminal,
        ),
        (
            detail(433, "This request exceeds the pay-as-you-go limit."),
            "SEARCH_QUOTA",
            Class::Terminal,
        ),
        (detail(400, &format!("Invalid topic, sent by {KEY}")), "SEARCH_REJECTED", Class::Terminal),
        (detail(500, "Internal Server Error"), "SEARCH_UNAVAILABLE", Class::Retryable),
        (
            ResponseTemplate::new(307).insert_header("location", "https://elsewhere.example.org/"),
            "EGRESS_REDIRECT",
            Class::Terminal,
        ),
        (
            ResponseTemplate::new(200).set_body_string("{\"results\": 1}"),
            "SEARCH_ANSWER",
            Class::Terminal,
        ),
    ] {
        let server = MockServer::builder().start().await;
        Mock::given(path("/search")).respond_with(answer).expect(1).mount(&server).await;
        refused(Some(tavily(&server)), &search(json!({})), code, class).await;
    }
}

#[tokio::test]
async fn f_045_inputs_are_checked() {
    for (inputs, params, code) in [
        (json!({}), json!({}), "BAD_INPUT"),
        (json!({ "query": "  " }), json!({}), "BAD_INPUT"),
        (json!({ "query": "x".repeat(401) }), json!({}), "BAD_INPUT"),
        (json!({ "query": "x" }), json!({ "max_results": 0 }), "BAD_PARAM"),
        (json!({ "query": "x" }), json!({ "max_results": 51 }), "BAD_PARAM"),
        (json!({ "query": "x" }), json!({ "categories": { "a": 1 } }), "BAD_PARAM"),
        (json!({ "query": "x" }), json!({ "categories": ["a&b=c"] }), "BAD_PARAM"),
    ] {
        refused(None, &call_of("search_web", inputs, params), code, Class::Terminal).await;
    }
}

#[tokio::test]
async fn k_38_a_provider_inside_the_network_is_refused() {
    let inside = provider("searxng", Some("https://10.0.0.5/".to_owned()), None);
    refused(Some(inside), &search(json!({})), "EGRESS_REFUSED", Class::Terminal).await;
}

#[test]
fn f_045_settings_that_make_no_provider_are_said_at_the_start() {
    let setup = |name: &str, url: Option<&str>, key: Option<&str>| {
        let key = key.map(|key| Secret::new(key.to_owned()));
        SearchConfig { provider: Some(name.to_owned()), url: url.map(str::to_owned), key }
    };
    assert!(SearchConfig::default().provider(egress()).unwrap().is_none());
    assert!(setup("none", None, None).provider(egress()).unwrap().is_none());
    for (config, setting) in [
        (setup("google", None, None), SearchSetting::Provider),
        (setup("searxng", None, None), SearchSetting::Url),
        (setup("searxng", Some("not an address"), None), SearchSetting::Url),
        (setup("searxng", Some("https://x.org/?q=1"), None), SearchSetting::Url),
        (setup("tavily", None, None), SearchSetting::Key),
        (setup("tavily", None, Some("with space")), SearchSetting::Key),
    ] {
        assert!(!format!("{config:?}").contains("with space"));
        assert_eq!(config.provider(egress()).err().unwrap().setting, setting);
    }
    assert!(setup("tavily", None, Some(KEY)).provider(egress()).unwrap().is_some());
}
