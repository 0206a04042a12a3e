//! Questions that an agent with the skill `research` looks into.

use serde_json::{Value, json};
use wiremock::matchers::{path, query_param};
use wiremock::{Mock, ResponseTemplate};

use super::endpoints::answers_filings;
use super::{Stage, asking, calls};
use crate::case::{FACTORY, Refusal, refusal, step};
use crate::models::said;

pub(super) const ANSWER: &str =
    r#"{"answer": "One fund: *Owl* Fund.", "sources": ["register__filings, Owl Fund"]}"#;

/// An agent that researches, and follows a playbook whose trigger is `shared officers`.
pub(super) async fn researcher(stage: &Stage, parameters: &Value, rest: &Value) -> String {
    let skill =
        json!({ "skill_type": "built_in", "reference": "research", "parameters": parameters });
    let own = json!({ "skill_type": "playbook", "reference": "officers" });
    let handle = format!("agent-{}", uuid::Uuid::now_v7().simple());
    let mut body = json!({ "name": "Looks", "handle": handle, "skills": [own, skill] });
    body.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    stage.who.post("/profiles", &body).await["id"].as_str().unwrap().to_owned()
}

pub(super) const OFFICERS: &str = "
id: officers
name: Officers
description: Finds people.
version: 1.0.0
triggers:
  - {pattern: shared officers, type: keyword}
steps:
  - {name: one, step_type: tool, action: transform_data, inputs: {data: []}, params: {operations: []}}
";

pub(super) async fn asked_of(stage: &Stage, agent: &str, query: &str) -> Value {
    let line = stage.who.post("/executions", &json!({ "profile": agent, "query": query })).await;
    stage.who.reaches(line["id"].as_str().unwrap(), "complete").await
}

fn names(turn: &Value) -> Vec<&str> {
    let tools = turn["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

/// With the connector `register` there.
pub(super) async fn answers_what_nothing_else_answers(stage: &Stage) {
    stage.who.playbook(OFFICERS).await;
    let rest =
        json!({ "max_research_rounds": 2, "system_prompt_additions": "Say {amounts} in dollars." });
    let agent = researcher(stage, &json!({}), &rest).await;
    stage.who.bind(&agent, "register").await;
    is_answered_with_its_sources(stage, &agent).await;
    a_question_with_the_words_of_an_endpoint_is_researched(stage, &agent).await;
    a_playbook_comes_first(stage, &agent).await;
    a_test_asks_nobody(stage, &agent).await;
    whoever_asks_says_how_they_want_to_be_answered(stage, &agent).await;
    the_web_is_apart_from_what_is_remembered(stage).await;
    the_web_is_searched_and_what_was_found_is_read(stage).await;
    without_the_skill_nothing_is_started(stage, &agent).await;
}

async fn is_answered_with_its_sources(stage: &Stage, agent: &str) {
    let looks = asking(&[("register__filings", r#"{"year": 2024}"#), ("search_web", "{}")]);
    stage.answers(vec![looks, said(ANSWER)]).await;
    answers_filings(stage).await;
    let query = "Which funds {today} filed in 2024?";
    let run = asked_of(stage, agent, query).await;
    assert_eq!(
        (&run["strategy"], &run["playbook_id"]),
        (&json!("research"), &Value::Null),
        "{run:#}"
    );
    assert!(run["chosen_because"].as_str().unwrap().contains("`research`"), "{run:#}");
    assert!(run["seal"].is_string() && run["steps"].as_array().unwrap().len() == 1, "{run:#}");
    let content = run["response"]["content"].as_str().unwrap();
    assert!(content.contains(r"One fund: \*Owl\* Fund."), "{content}");
    assert!(content.contains("## Answer") && content.contains("## Sources"), "{content}");
    let look = step(&run, "answer");
    let codes: Vec<&str> = look["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["code"].as_str().unwrap_or("done"))
        .collect();
    assert_eq!(codes, ["done", "TOOL_REFUSED"], "{look:#}");

    let turns = stage.asked().await;
    let expect = ["search_knowledge_graph", "query_journal", "run_python", "register__filings"];
    assert_eq!(names(&turns[0]), expect, "only what reads");
    let told = turns[0]["messages"].to_string();
    assert!(told.contains("Say {amounts} in dollars.") && told.contains(query), "{told}");
    let today = jiff::Timestamp::now().to_string();
    assert!(told.contains(&today[..8]), "it knows the day: {told}");
}

/// The endpoint `filings` needs a year, which this question does not say.
async fn a_question_with_the_words_of_an_endpoint_is_researched(stage: &Stage, agent: &str) {
    let query = "How sound are the filings of the Owls?";
    stage.answers(vec![said(ANSWER)]).await;
    let run = asked_of(stage, agent, query).await;
    assert_eq!(run["strategy"], "research", "{run:#}");
    let because = run["chosen_because"].as_str().unwrap();
    assert!(because.contains("`register/filings`"), "{because}");
    // Whoever gives inputs means the call.
    let body = json!({ "profile": agent, "query": query, "inputs": { "about": "Owls" } });
    is_refused(stage, &body, "INVALID_INPUT", "inputs.year").await;
    let body = json!({ "profile": agent, "query": "The filings of 2024", "inputs": {} });
    answers_filings(stage).await;
    let line = stage.who.post("/executions", &body).await;
    assert_eq!(line["strategy"], "direct", "{line:#}");
    stage.who.reaches(line["id"].as_str().unwrap(), "complete").await;
}

async fn a_playbook_comes_first(stage: &Stage, agent: &str) {
    stage.answers(Vec::new()).await;
    let run = asked_of(stage, agent, "Are there shared officers?").await;
    assert_eq!(run["playbook_id"], "officers", "{run:#}");
    // Given inputs are those of a playbook; research has none, and it needs a model.
    let inputs = json!({ "profile": agent, "query": "Which funds?", "inputs": { "year": 1 } });
    is_refused(stage, &inputs, "INVALID_INPUT", "inputs.year").await;
    let exact =
        json!({ "profile": agent, "query": "Which funds?", "execution_mode": "deterministic" });
    is_refused(stage, &exact, "INVALID_INPUT", "execution_mode").await;
    assert_eq!(stage.asked().await.len(), 0);
}

async fn is_refused(stage: &Stage, body: &Value, code: &str, place: &str) {
    let said = stage.who.door.post(&format!("{FACTORY}/executions"), body).await;
    let Refusal { status, code: told, places, .. } = refusal(said);
    assert_eq!((status, told.as_str(), places.as_slice()), (422, code, &[place.to_owned()][..]));
}

async fn a_test_asks_nobody(stage: &Stage, agent: &str) {
    let body = json!({ "query": "Which funds?" });
    let test = stage.who.post(&format!("/profiles/{agent}/test"), &body).await;
    let test = test["id"].as_str().unwrap().to_owned();
    stage.who.reaches(&test, "complete").await;
    let would = &crate::models::output(&stage.who, &test, "answer").await["_dry_run"]["would_ask"];
    assert_eq!(
        (&would["rounds"], would["tools"].as_array().unwrap().len()),
        (&json!(2), 4),
        "{would:#}"
    );
    assert_eq!(stage.asked().await.len(), 0);
}

async fn whoever_asks_says_how_they_want_to_be_answered(stage: &Stage, agent: &str) {
    let path = format!("{FACTORY}/me/memory");
    let unasked = refusal(stage.who.door.get(&path).await);
    assert_eq!(unasked.status, 404, "nothing is known unasked");
    assert!(unasked.said.contains("you have written nothing of yourself"), "{}", unasked.said);
    let wrong = json!({ "preferences": { "tone": "", "password": "x" } });
    assert_eq!(refusal(stage.who.door.put(&path, &wrong).await).status, 422);
    let about = json!({
        "critical_facts": { "user_name": "Ana {today}", "recent_projects": ["Owls"] },
        "preferences": { "language": "German" },
    });
    let kept = stage.who.door.put(&path, &about).await.unwrap();
    assert_eq!(stage.who.door.get(&path).await.unwrap(), kept);
    assert_eq!(kept["critical_facts"], about["critical_facts"], "{kept:#}");
    stage.answers(vec![said(ANSWER)]).await;
    asked_of(stage, agent, "Which funds filed in 2024?").await;
    let told = stage.asked().await[0]["messages"].to_string();
    assert!(told.contains("Ana {today}") && told.contains("German"), "{told}");
}

async fn the_web_is_apart_from_what_is_remembered(stage: &Stage) {
    let agent = researcher(stage, &json!({ "web": true }), &json!({})).await;
    stage.answers(vec![said(ANSWER)]).await;
    asked_of(stage, &agent, "Which funds filed in 2024?").await;
    let asked = &stage.asked().await[0];
    assert_eq!(names(asked), ["search_web", "crawl_url", "run_python"]);
    let told = asked["messages"].to_string();
    assert!(told.contains("German") && !told.contains("Ana {today}"), "{told}");
    stage.who.door.delete(&format!("{FACTORY}/me/memory")).await.unwrap();
    stage.answers(vec![said(ANSWER)]).await;
    asked_of(stage, &agent, "Which funds filed in 2024?").await;
    assert!(!stage.asked().await[0]["messages"].to_string().contains("German"), "it is erased");
}

/// The model words the search, says where to look, and reads a page that was found; no other.
async fn the_web_is_searched_and_what_was_found_is_read(stage: &Stage) {
    let agent = researcher(stage, &json!({ "web": true }), &json!({})).await;
    let found = format!("{}/found", stage.server.uri());
    let words = r#"{"query": "Owl Fund filing", "categories": ["news"], "max_results": 1}"#;
    let reads = [found.clone(), format!("{found}?read=1")];
    let reads = reads.map(|url| json!({ "url": url }).to_string());
    let reads = asking(&[("crawl_url", &reads[0]), ("crawl_url", &reads[1])]);
    let answer = json!({ "answer": "It filed in May.", "sources": [found] }).to_string();
    stage.answers(vec![asking(&[("search_web", words)]), reads, said(&answer)]).await;
    has_in_the_news(stage, &found).await;
    let run = asked_of(stage, &agent, "Which funds filed in 2024?").await;
    let told = calls(step(&run, "answer"));
    let told: Vec<[&str; 3]> = told.iter().map(|one| one.each_ref().map(String::as_str)).collect();
    let expect = [
        ["1/1", "search_web", "done"],
        ["2/1", "crawl_url", "done"],
        ["2/2", "crawl_url", "TOOL_REFUSED"],
    ];
    assert_eq!(told, expect, "{run:#}");
    let turns = stage.asked().await;
    let shown = [1, 2].map(|turn: usize| turns[turn]["messages"].to_string());
    assert!(shown[0].contains("Owl Fund is in the news."), "{}", shown[0]);
    assert!(shown[1].contains("The fund filed on 3 May."), "{}", shown[1]);
    let content = run["response"]["content"].as_str().unwrap();
    assert!(content.contains("It filed in May.") && content.contains("## Sources"), "{content}");
}

/// Who searches finds this page where the news are, and nothing elsewhere.
async fn has_in_the_news(stage: &Stage, found: &str) {
    let hit = json!({ "title": "Owls", "url": found, "content": "Owl Fund is in the news." });
    let news = Mock::given(path("/search")).and(query_param("q", "Owl Fund filing"));
    let news = news.and(query_param("categories", "news"));
    let hits = ResponseTemplate::new(200).set_body_json(json!({ "results": [hit] }));
    news.respond_with(hits).mount(&stage.server).await;
    let page = ResponseTemplate::new(200).set_body_string("<p>The fund filed on 3 May.</p>");
    let page = page.insert_header("content-type", "text/html");
    Mock::given(path("/found")).respond_with(page).mount(&stage.server).await;
}

async fn without_the_skill_nothing_is_started(stage: &Stage, agent: &str) {
    let path = format!("{FACTORY}/profiles/{agent}");
    let run = {
        stage.answers(vec![ResponseTemplate::new(400)]).await;
        let body = json!({ "profile": agent, "query": "Which funds filed in 2024?" });
        let line = stage.who.post("/executions", &body).await;
        stage.who.reaches(line["id"].as_str().unwrap(), "error").await
    };
    let id = run["id"].as_str().unwrap();
    // A repetition asks the same, with what the skill gives by then.
    let with = |skill: Value| json!({ "skills": [{ "skill_type": "playbook", "reference": "officers" }, skill] });
    let research = json!({ "skill_type": "built_in", "reference": "research" });
    let mut on_web = research.clone();
    on_web["parameters"] = json!({ "web": true });
    stage.who.door.patch(&path, &with(on_web)).await.unwrap();
    stage.answers(vec![said(ANSWER)]).await;
    let again = stage.who.post(&format!("/executions/{id}/repeat"), &json!({})).await;
    let again = stage.who.reaches(again["id"].as_str().unwrap(), "complete").await;
    assert_eq!(again["strategy"], "research", "{again:#}");
    let expect = ["search_web", "crawl_url", "run_python", "register__filings"];
    assert_eq!(names(&stage.asked().await[0]), expect);

    let mut off = research;
    off["enabled"] = false.into();
    stage.who.door.patch(&path, &with(off)).await.unwrap();
    let run = asked_of(stage, agent, "Which funds filed in 2024?").await;
    assert_eq!(run["playbook_id"], "officers", "its only playbook answers everything: {run:#}");

    let less = json!({ "skills": [], "max_research_rounds": 4, "system_prompt_additions": null });
    let Refusal { places, .. } = refusal(stage.who.door.patch(&path, &less).await);
    assert_eq!(places, ["max_research_rounds"], "it has no effect without the skill");
}
