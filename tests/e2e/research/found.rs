//! What a question names, what was found on the web for it, and what could not be found.

use serde_json::{Value, json};
use wiremock::matchers::{body_partial_json, header, method, path, query_param};
use wiremock::{Mock, ResponseTemplate};

use super::endpoints::register;
use super::specialists::{
    ANSWERS, PLANS, PRESS, REGISTER, agent_with, answers, ask, found, plan, task, told,
};
use super::{Stage, asking, stage};
use crate::case::{person_in, step, until};
use crate::models::{deployment, output, said};
use crate::provider_server;

const WORDS: &str = r#"{"query": "Owl Fund filing", "max_results": 2, "deep": true}"#;

#[tokio::test]
async fn r_014_r_015_r_020_r_027_what_was_found_and_what_is_missing_is_told() {
    let stage = stage("countersign-found", &[]).await;
    let yaml = register(&stage.server.uri());
    stage.who.post("/connectors", &json!({ "yaml": yaml })).await;
    let tools = json!({ "tools": ["search_web", "crawl_url"] });
    let agent = agent_with(&stage, &["register/filings"], &tools).await;
    stage.who.bind(&agent, "register").await;
    what_was_found_is_kept(&stage, &agent).await;
    what_failed_is_told(&stage, &agent).await;
}

/// Whoever searches finds two pages, of which the first can be read.
async fn is_on_the_web(stage: &Stage) -> [String; 2] {
    let [page, other] = ["/found", "/found/other"].map(|at| format!("{}{at}", stage.server.uri()));
    let hit = |title: &str, url: &str, score: f64| json!({ "title": title, "url": url, "content": format!("{title} in the news."), "score": score });
    let hits = json!({ "results": [hit("Owls", &page, 0.5), hit("Mice", &other, 0.25)] });
    let search = Mock::given(path("/search")).and(query_param("q", "Owl Fund filing"));
    let hits = ResponseTemplate::new(200).set_body_json(hits);
    search.respond_with(hits).mount(&stage.server).await;
    let text = "<p>The fund filed on 3 May.</p>";
    let text = ResponseTemplate::new(200).set_body_raw(text, "text/html");
    Mock::given(path("/found")).respond_with(text).mount(&stage.server).await;
    [page, other]
}

async fn what_was_found_is_kept(stage: &Stage, agent: &str) {
    let at = format!("{}/found", stage.server.uri());
    let reads = json!({ "url": at }).to_string();
    let mut answer = json!({ "answer": "Owl Fund filed in May [1].", "sources": [at] });
    let to_all = answer.to_string();
    answer["confidence_score"] = json!(0.9);
    let looked = answer.to_string();
    let turns = vec![
        (PLANS, plan(&[task("a", "press", &[])])),
        (PRESS, asking(&[("search_web", WORDS)])),
        (PRESS, asking(&[("crawl_url", &reads)])),
        (PRESS, said(&looked)),
        (ANSWERS, said(&to_all)),
    ];
    answers(stage, turns).await;
    let [page, other] = is_on_the_web(stage).await;
    let run = ask(stage, agent, "complete").await;
    let calls = &step(&run, "ask_press_1")["tool_calls"];
    let words = serde_json::from_str::<Value>(WORDS).unwrap().to_string();
    assert_eq!(calls[0]["arguments"], words, "{run:#}");
    let hit = |title: &str, url: &str, score: f64| json!({ "title": title, "url": url, "excerpt": format!("{title} in the news."), "score": score });
    let hits = json!([hit("Owls", &page, 0.5), hit("Mice", &other, 0.25)]);
    assert_eq!(calls[0]["found"], hits, "{run:#}");
    let read = &calls[1]["found"][0];
    assert_eq!(
        (&read["url"], &read["excerpt"]),
        (&json!(page), &json!("The fund filed on 3 May."))
    );
    let source = json!([{ "title": "Owls", "url": page, "excerpt": "The fund filed on 3 May.", "score": 0.5 }]);
    assert_eq!(run["response"]["sources"], source, "{run:#}");
    assert_eq!(run["response"].get("blocked"), None, "{run:#}");

    let press = told(stage, PRESS).await;
    for named in
        [r#"\"names\":[\"Owl Fund\"]"#, r#"\"documents\":[\"filing\"]"#, r#"\"dates\":[\"2024\"]"#]
    {
        assert!(press[0].contains(named), "`{named}` is not in {}", press[0]);
    }
    assert!(press[1].contains("cannot look deeper"), "{}", press[1]);
}

async fn what_failed_is_told(stage: &Stage, agent: &str) {
    let turns = vec![
        (PLANS, plan(&[task("a", "press", &[]), task("b", "register", &[])])),
        (PRESS, asking(&[("search_web", WORDS)])),
        (PRESS, ResponseTemplate::new(400)),
        (REGISTER, found("Owl Fund filed.")),
        (ANSWERS, said(r#"{"answer": "Owl Fund filed; the press is not known.", "sources": []}"#)),
    ];
    answers(stage, turns).await;
    let [page, _] = is_on_the_web(stage).await;
    let run = ask(stage, agent, "partial").await;
    let failed = step(&run, "ask_press_1");
    let blocked = &run["response"]["blocked"];
    assert_eq!(blocked.as_array().map(Vec::len), Some(1), "{run:#}");
    let told_of = [&blocked[0]["step"], &blocked[0]["task_done"], &blocked[0]["error"]];
    assert_eq!(told_of, [&json!("ask_press_1"), &json!(false), &json!("step_failed")]);
    let data = &blocked[0]["partial_data"];
    assert_eq!((&data["code"], &data["reason"]), (&failed["code"], &failed["message"]), "{run:#}");
    assert_eq!(data["calls"][0]["found"][0]["url"], page, "what there was by then: {run:#}");
    let content = run["response"]["content"].as_str().unwrap();
    for part in ["the press is not known", "## Not done", "and the answer is without its result"] {
        assert!(content.contains(part), "`{part}` is not in {content}");
    }
    let answering = &told(stage, ANSWERS).await[0];
    let reason: String = failed["message"].as_str().unwrap().chars().take(500).collect();
    let missing = json!({ "_missing": true, "_reason": reason }).to_string();
    // The messages are JSON in JSON.
    let quoted = Value::from(missing).to_string();
    let missing = &quoted[1..quoted.len() - 1];
    assert!(answering.contains(missing), "`{missing}` is not in {answering}");
}

#[tokio::test]
async fn r_014_a_deep_search_gives_the_text_of_pages() {
    const KEY: &str = "tvly-of-the-deployment";
    const DEEP: &str = "id: search-deep\nname: Search\ndescription: Searches.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n  - {name: found, step_type: tool, action: search_web, inputs: {query: harbor dredging}, params: {max_results: 2, deep: true}}\n";
    let server = provider_server::start().await;
    let search = [
        "SearchProvider=tavily".to_owned(),
        format!("SearchUrl={}", server.uri()),
        format!("SearchKey={KEY}"),
        // A deep search counts twice.
        "SearchesPerDay=3".to_owned(),
    ];
    let search: Vec<&str> = search.iter().map(String::as_str).collect();
    let there = deployment("countersign-deep", &server, &search).await;
    let ana = person_in(&there, "ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let hit = json!({ "title": "Dredging", "url": "https://news.example/1", "content": "The harbour.", "score": 0.75, "raw_content": "All of the page." });
    let deep = json!({ "query": "harbor dredging", "search_depth": "advanced", "include_raw_content": true });
    let asked = Mock::given(method("POST")).and(path("/search")).and(body_partial_json(deep));
    let asked = asked.and(header("authorization", format!("Bearer {KEY}").as_str()));
    let hits = ResponseTemplate::new(200).set_body_json(json!({ "results": [hit] }));
    asked.respond_with(hits).expect(2).mount(&server).await;
    ana.playbook(DEEP).await;
    let run = ana.start(&agent, "search-deep", json!({})).await;
    ana.reaches(&run, "complete").await;
    let found = output(&ana, &run, "found").await;
    let expect = json!([{
        "title": "Dredging", "url": "https://news.example/1", "snippet": "The harbour.", "source": "news.example",
        "score": 0.75, "content": "All of the page.",
    }]);
    assert_eq!((&found["results"], &found["note"]), (&expect, &Value::Null), "{found:#}");
    // The day has no room for another one, and the provider is not asked.
    let again = ana.start(&agent, "search-deep", json!({})).await;
    let run = until("the run has ended", || async {
        let now = ana.run(&again).await;
        now["finished_at"].is_string().then_some(now)
    })
    .await;
    let failed = step(&run, "found");
    assert_eq!((&failed["status"], &failed["code"]), (&json!("failed"), &json!("QUOTA_EXCEEDED")));
    assert!(failed["message"].as_str().unwrap().contains("3 searches"), "{failed:#}");
    // Somebody else has a day of their own.
    let ben = person_in(&there, "ben", &["global:analyst"]).await;
    let agent = ben.agent(&[]).await;
    ben.playbook(DEEP).await;
    let run = ben.start(&agent, "search-deep", json!({})).await;
    ben.reaches(&run, "complete").await;
}
