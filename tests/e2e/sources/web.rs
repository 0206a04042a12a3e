//! One page of the web, read without a connector (F-046).

use serde_json::json;
use wiremock::matchers::path;
use wiremock::{Mock, ResponseTemplate};

use super::output;
use crate::case::{person, step};
use crate::provider_server;

const PAGE: &str = "<!doctype html><html lang=en><head><title>Harbor dredging</title><meta name=description content='A contract.'><meta name=author content='Eleanor Vance'><link rel=canonical href='/articles/dredging'></head><body><nav><a href='/home'>Home</a></nav><article><h1>Harbor dredging</h1><p>The harbour of Dayton will be dredged by <a href='/companies/ostrom?x=1#top'>Ostrom Vance</a>, the authority said on Monday, for a sum that nobody has confirmed so far.</p><h2>What it costs</h2><p>Two companies had offered to do the work, and one of them, the smaller, withdrew its offer before the deadline.</p><table><tr><th>Company</th><th>Offer</th></tr><tr><td>Ostrom Vance</td><td>1,250</td></tr></table></article></body></html>";

#[tokio::test]
async fn f_046_a_page_is_read_as_text_as_markdown_and_by_its_sections() {
    let server = provider_server::start().await;
    let robots = ResponseTemplate::new(200).set_body_string("User-agent: *\nDisallow: /closed\n");
    Mock::given(path("/robots.txt")).respond_with(robots).mount(&server).await;
    let page = ResponseTemplate::new(200).set_body_raw(PAGE, "text/html; charset=utf-8");
    Mock::given(path("/dredging")).respond_with(page).mount(&server).await;
    let moved = ResponseTemplate::new(302).insert_header("location", "/dredging");
    Mock::given(path("/old")).respond_with(moved).mount(&server).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let uri = server.uri();
    let read = |name: &str, at: &str, mode: &str| {
        format!(
            "  - {{name: {name}, step_type: tool, action: crawl_url, inputs: {{url: \"{uri}{at}\"}}{mode}}}\n"
        )
    };
    let steps = [
        read("plain", "/dredging", ""),
        read("marked", "/old", ", params: {extract_mode: markdown}"),
        read("parts", "/dredging", ", params: {extract_mode: structured}"),
        read("closed", "/closed/1", ""),
        "  - {name: inside, step_type: tool, action: crawl_url, inputs: {url: \"https://169.254.169.254/latest\"}}\n".to_owned(),
    ];
    ana.playbook(&format!(
        "id: read-a-page\nname: Read\ndescription: Reads a page.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n{}",
        steps.concat()
    ))
    .await;
    let run = ana.start(&agent, "read-a-page", json!({})).await;
    let ended = ana.reaches(&run, "partial").await;
    assert_eq!(step(&ended, "closed")["code"], "ROBOTS_DISALLOWED", "{ended:#}");
    assert_eq!(step(&ended, "inside")["code"], "EGRESS_REFUSED", "K-38: {ended:#}");
    let plain = output(&ana, &run, "plain").await;
    let content = plain["content"].as_str().unwrap();
    assert!(content.contains("will be dredged by Ostrom Vance, the authority said"), "{content}");
    assert!(!content.contains("Home") && !content.contains('<'), "{content}");
    assert_eq!(plain["title"], "Harbor dredging");
    assert!(plain["links"].to_string().contains("/companies/ostrom"), "{plain:#}");
    for (name, value) in [
        ("url", json!(format!("{uri}/dredging"))),
        ("canonical_url", json!(format!("{uri}/articles/dredging"))),
        ("description", json!("A contract.")),
        ("author", json!("Eleanor Vance")),
        ("language", json!("en")),
        ("truncated", json!(false)),
    ] {
        assert_eq!(plain["metadata"][name], value, "{name}: {plain:#}");
    }
    let marked = output(&ana, &run, "marked").await;
    let content = marked["content"].as_str().unwrap();
    assert!(
        content.contains("## What it costs") && content.contains("| Ostrom Vance |"),
        "{content}"
    );
    assert_eq!(marked["metadata"]["url"], format!("{uri}/dredging"), "where the redirect led");
    let parts = output(&ana, &run, "parts").await;
    let content = parts["content"].to_string();
    for part in ["What it costs", "Company", "1,250"] {
        assert!(content.contains(part), "{parts:#}");
    }
    let requests = server.received_requests().await.unwrap();
    assert!(requests.iter().all(|request| !request.url.path().starts_with("/closed")));
}
