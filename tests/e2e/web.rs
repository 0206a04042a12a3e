//! Pages of the web in steps, and steps that fail once or take too long.

use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::case::{person, step};
use crate::provider_server;

const PAGE: &str = r#"<html lang="en"><head><title>River Trust</title></head><body><main><h1>About us</h1>
<p>The trust keeps rivers clean.</p><table><tr><th>Year</th></tr><tr><td>2024</td></tr></table>
<a href="/board">The board</a></main></body></html>"#;

fn page() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(PAGE, "text/html; charset=utf-8")
}

/// A server with a page that is not there at first, and one that takes its time.
async fn server() -> MockServer {
    let server = provider_server::start().await;
    let once = Mock::given(path("/flaky")).respond_with(ResponseTemplate::new(404));
    once.up_to_n_times(1).mount(&server).await;
    for at in ["/about", "/flaky"] {
        Mock::given(path(at)).respond_with(page()).mount(&server).await;
    }
    let slow = page().set_delay(Duration::from_secs(20));
    Mock::given(path("/slow")).respond_with(slow).mount(&server).await;
    server
}

fn playbook(at: &str) -> String {
    let read = |name: &str, place: &str, rest: &str| {
        format!(
            "  - {{name: {name}, step_type: tool, action: crawl_url, inputs: {{url: \"{at}{place}\"}}{rest}}}\n"
        )
    };
    [
        "id: reads-pages\nname: Reads pages\nexecution_mode: deterministic\nsteps:\n".to_owned(),
        read("text", "/about", ""),
        read("marked", "/about", ", params: {extract_mode: markdown}"),
        read("parts", "/about", ", params: {extract_mode: structured}"),
        read("again", "/flaky", ", on_error: retry"),
        read("slow", "/slow", ", on_error: skip, timeout_seconds: 1"),
        read("gone", "/nowhere", ", on_error: skip"),
    ]
    .concat()
}

#[tokio::test]
async fn f_046_f_148_f_149_a_page_is_read_tried_again_and_not_waited_for_longer_than_its_limit() {
    let server = server().await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&playbook(&server.uri())).await;
    let run = ana.start(&agent, "reads-pages", json!({})).await;
    let ended = ana.reaches(&run, "partial").await;
    for name in ["text", "marked", "parts", "again"] {
        assert_eq!(step(&ended, name)["status"], "done", "{ended:#}");
    }
    // The page would have come after twenty seconds.
    let code = step(&ended, "slow")["code"].as_str().unwrap();
    assert!(["EGRESS_TIMEOUT", "STEP_TIMEOUT"].contains(&code), "{ended:#}");
    assert_eq!(step(&ended, "gone")["status"], "failed", "what failed is skipped: {ended:#}");
    let output = |name: &'static str| {
        let (ana, run) = (&ana, &run);
        async move { ana.get(&format!("/executions/{run}/outputs/{name}")).await["output"].clone() }
    };
    let text = output("text").await;
    assert_eq!(text["title"], "River Trust", "{text:#}");
    assert!(text["content"].as_str().unwrap().contains("keeps rivers clean"), "{text:#}");
    let links = text["links"].as_array().unwrap();
    assert!(links.iter().any(|link| link["text"] == "The board"), "{text:#}");
    assert!(text["metadata"].is_object());
    let marked = output("marked").await;
    assert!(marked["content"].as_str().unwrap().contains("# About us"), "{marked:#}");
    assert!(
        output("parts").await["content"].is_object() || output("parts").await["content"].is_array()
    );
    let tries = server.received_requests().await.unwrap();
    let tries = tries.iter().filter(|request| request.url.path() == "/flaky").count();
    assert_eq!(tries, 2, "once, and once more");
    assert_eq!(output("again").await["title"], Value::from("River Trust"));
}
