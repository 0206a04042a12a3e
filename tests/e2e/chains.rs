//! Steps that one invocation carries out one after the other: each has its own end, whatever becomes of those beside it.

use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::case::{Person, person, step};
use crate::provider_server;

/// Pages that are read one after the other; `rest` of the second is what its author says of a failure.
fn reads(id: &str, server: &MockServer, pages: [&str; 4], rest: &str) -> String {
    let steps = pages.iter().enumerate().map(|(n, page)| {
        let more = if n == 1 { rest } else { "" };
        let url = format!("{}/{page}", server.uri());
        format!("  - {{name: s{n}, step_type: tool, action: crawl_url, inputs: {{url: \"{url}\"}}{more}}}\n")
    });
    let steps: String = steps.collect();
    format!("id: {id}\nname: Reads\nexecution_mode: deterministic\nsteps:\n{steps}")
}

async fn pages(takes: Duration) -> MockServer {
    let server = provider_server::start().await;
    for page in ["a", "b", "c", "d"] {
        let text = format!("<p>{page}</p>");
        let answer = ResponseTemplate::new(200).set_delay(takes).set_body_raw(text, "text/html");
        let mock = Mock::given(method("GET")).and(path(format!("/{page}")));
        mock.respond_with(answer).mount(&server).await;
    }
    server
}

async fn asked(server: &MockServer) -> Vec<String> {
    let requests = server.received_requests().await.unwrap();
    let paths = requests.iter().map(|request| request.url.path().to_owned());
    paths.filter(|path| path.len() == 2).collect()
}

async fn ended(ana: &Person, agent: &str, playbook: &str, state: &str) -> (Value, Vec<String>) {
    let run = ana.start(agent, playbook, json!({})).await;
    let done = ana.reaches(&run, state).await;
    let of = |name: &str| {
        let step = step(&done, name);
        let code = step["code"].as_str().unwrap_or_default();
        format!("{} {code}", step["status"].as_str().unwrap()).trim().to_owned()
    };
    let ends = ["s0", "s1", "s2", "s3"].map(of).to_vec();
    (done, ends)
}

#[tokio::test]
async fn steps_that_take_long_go_on_in_the_next_invocation_and_each_is_done_once() {
    let server = pages(Duration::from_millis(1_200)).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&reads("reads-slowly", &server, ["a", "b", "c", "d"], "")).await;
    let (done, ends) = ended(&ana, &agent, "reads-slowly", "complete").await;
    assert_eq!(ends, ["done"; 4], "{done:#}");
    assert_eq!(asked(&server).await, ["/a", "/b", "/c", "/d"]);
    let stages: Vec<u64> = done["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|step| step["stage"].as_u64())
        .collect();
    assert_eq!(stages, [1, 2, 3, 4], "{done:#}");
    for took in
        done["steps"].as_array().unwrap().iter().map(|step| step["took_ms"].as_u64().unwrap())
    {
        assert!((1_000..6_000).contains(&took), "each says its own time: {done:#}");
    }
}

#[tokio::test]
async fn f_148_a_failure_ends_those_behind_it_or_not_as_its_author_says() {
    let server = pages(Duration::ZERO).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&reads("reads-stop", &server, ["a", "none", "c", "d"], ", on_error: stop")).await;
    let (done, ends) = ended(&ana, &agent, "reads-stop", "error").await;
    let stopped = "not_run RUN_STOPPED";
    assert_eq!(ends, ["done", "failed PAGE_STATUS", stopped, stopped], "{done:#}");
    ana.playbook(&reads("reads-skip", &server, ["a", "none", "c", "d"], ", on_error: skip")).await;
    let (done, ends) = ended(&ana, &agent, "reads-skip", "partial").await;
    assert_eq!(ends, ["done", "failed PAGE_STATUS", "done", "done"], "{done:#}");
    let condition = ", condition: \"{s0.title} == 'another'\"";
    ana.playbook(&reads("reads-some", &server, ["a", "b", "c", "d"], condition)).await;
    let (done, ends) = ended(&ana, &agent, "reads-some", "complete").await;
    assert_eq!(ends, ["done", "skipped CONDITION_FALSE", "done", "done"], "{done:#}");
}
