//! What questions tell of whoever asks is kept for their next questions, if they want that (R-082…R-086, K-45).

use serde_json::{Value, json};
use wiremock::matchers::{body_string_contains, method, path};
use wiremock::{Mock, ResponseTemplate};

use super::skill::{ANSWER, OFFICERS, asked_of, researcher};
use super::specialists::{self, ANSWERS, PLANS, REGISTER, agent_with, found, plan, task};
use super::{Stage, stage};
use crate::case::{FACTORY, step};
use crate::models::{output, said};

/// Only the model that looks for facts is told so.
const LOOKS: &str = "You do not answer it";

const FIRST: &str = "I am Ana, auditor of Owl Trust. Which funds filed in 2024?";

#[tokio::test]
async fn r_043_r_082_r_083_r_084_r_085_r_086_k_45_questions_tell_of_whoever_asks_if_they_want_that()
{
    let stage = stage("countersign-learned", &[]).await;
    stage.who.playbook(OFFICERS).await;
    let agent = researcher(&stage, &json!({}), &json!({})).await;
    nothing_is_learned_unasked(&stage, &agent).await;
    remembers(&stage, &json!({ "learn": true, "preferences": { "tone": "formal" } })).await;
    let run = what_is_told_is_kept(&stage, &agent).await;
    the_next_question_knows_it(&stage, &agent, &run).await;
    the_web_knows_only_how_to_answer(&stage).await;
    a_model_that_fails_changes_nothing(&stage, &agent).await;
    no_specialist_waits_for_it(&stage).await;
    whoever_stops_it_is_forgotten(&stage, &agent).await;
    a_replay_names_the_step_once_nothing_is_learned(&stage, &run).await;
}

/// The model answers the question, and this when it looks for facts.
async fn answers(stage: &Stage, facts: ResponseTemplate) {
    stage.server.reset().await;
    let asked = || Mock::given(method("POST")).and(path("/v1/chat/completions"));
    let looks = asked().and(body_string_contains(LOOKS)).respond_with(facts).with_priority(1);
    looks.mount(&stage.server).await;
    asked().respond_with(said(ANSWER)).with_priority(2).mount(&stage.server).await;
}

/// How many tokens an answer may have, by either name.
fn most(asked: &Value) -> Option<u64> {
    asked["max_tokens"].as_u64().or_else(|| asked["max_completion_tokens"].as_u64())
}

fn facts(found: bool, user_name: &str, language: Option<&str>) -> ResponseTemplate {
    let facts = json!({ "user_name": user_name, "company_name": "Owl Trust", "job_title": "auditor", "recent_projects": [] });
    let preferences = json!({ "tone": "casual", "detail_level": null, "language": language });
    said(
        &json!({ "found": found, "critical_facts": facts, "preferences": preferences }).to_string(),
    )
}

/// What the models were told, of those that look for facts, or of those that answer.
async fn told(stage: &Stage, looks: bool) -> Vec<String> {
    let asked = stage.asked().await.into_iter().map(|asked| asked["messages"].to_string());
    asked.filter(|messages| messages.contains(LOOKS) == looks).collect()
}

async fn remembers(stage: &Stage, about: &Value) {
    stage.who.door.put(&format!("{FACTORY}/me/memory"), about).await.unwrap();
}

async fn memory(stage: &Stage) -> Value {
    stage.who.get("/me/memory").await
}

async fn nothing_is_learned_unasked(stage: &Stage, agent: &str) {
    remembers(stage, &json!({ "preferences": { "tone": "formal" } })).await;
    answers(stage, facts(true, "Ana", None)).await;
    let run = asked_of(stage, agent, FIRST).await;
    assert_eq!(told(stage, true).await.len(), 0);
    assert_eq!(run["steps"].as_array().unwrap().len(), 1, "{run:#}");
    assert_eq!(memory(stage).await.get("learned"), None);
}

async fn what_is_told_is_kept(stage: &Stage, agent: &str) -> String {
    answers(stage, facts(true, "Ana", Some("German"))).await;
    let run = asked_of(stage, agent, FIRST).await;
    let learn = step(&run, "learn");
    assert_eq!(
        (&learn["status"], &learn["stage"]),
        (&json!("done"), &json!(1)),
        "beside the answer"
    );
    assert_eq!(step(&run, "answer")["stage"], 1);
    let content = run["response"]["content"].as_str().unwrap();
    assert!(content.contains(r"1 warning in \`answer\`"), "{content}");
    assert!(!content.contains("learn"), "the answer is not based on it: {content}");
    let looked = told(stage, true).await;
    assert!(looked.len() == 1 && looked[0].contains("auditor of Owl Trust"), "{looked:?}");
    let asked = stage.asked().await;
    let cool: Vec<String> = asked
        .iter()
        .filter(|asked| asked["temperature"] == 0.1 && most(asked) == Some(512))
        .map(|asked| asked["messages"].to_string())
        .collect();
    assert_eq!(cool, looked, "its temperature and its limit are its own");
    let id = run["id"].as_str().unwrap().to_owned();
    let kept = memory(stage).await;
    let learned = &kept["learned"];
    let facts = json!({ "user_name": "Ana", "company_name": "Owl Trust", "job_title": "auditor" });
    assert_eq!(learned["critical_facts"], facts, "{kept:#}");
    assert_eq!(learned["from"]["user_name"]["run"], id, "{kept:#}");
    assert_eq!(kept["preferences"], json!({ "tone": "formal" }), "it stays as it was written");
    let calls = stage.model_calls(&id).await;
    assert!(calls.iter().any(|call| call["step"] == "learn"), "it is recorded: {calls:#?}");
    id
}

async fn the_next_question_knows_it(stage: &Stage, agent: &str, first: &str) {
    answers(stage, facts(false, "Bob", None)).await;
    let run = asked_of(stage, agent, "Which funds filed in 2023?").await;
    let answers = told(stage, false).await;
    assert!(answers[0].contains("Owl Trust") && answers[0].contains("German"), "{answers:?}");
    assert!(answers[0].contains("formal") && !answers[0].contains("casual"), "{answers:?}");
    let looked = told(stage, true).await;
    assert!(looked[0].contains("Owl Trust"), "what is known is said: {looked:?}");
    let found = output(&stage.who, run["id"].as_str().unwrap(), "learn").await;
    assert_eq!(
        (&found["found"], &found["critical_facts"]["user_name"]),
        (&json!(false), &json!(null))
    );
    let kept = memory(stage).await;
    assert_eq!(kept["learned"]["critical_facts"]["user_name"], "Ana", "{kept:#}");
    assert_eq!(kept["learned"]["from"]["user_name"]["run"], first);
}

async fn the_web_knows_only_how_to_answer(stage: &Stage) {
    let agent = researcher(stage, &json!({ "web": true }), &json!({})).await;
    answers(stage, facts(false, "Bob", None)).await;
    asked_of(stage, &agent, "Which funds filed in 2022?").await;
    let answers = told(stage, false).await;
    assert!(answers[0].contains("German") && !answers[0].contains("Owl Trust"), "{answers:?}");
}

async fn a_model_that_fails_changes_nothing(stage: &Stage, agent: &str) {
    for (facts, code) in
        [(ResponseTemplate::new(400), "MODEL_REJECTED"), (said("no JSON"), "MODEL_ANSWER_INVALID")]
    {
        answers(stage, facts).await;
        let run = asked_of(stage, agent, FIRST).await;
        assert_eq!(step(&run, "learn")["status"], "done", "{run:#}");
        let found = output(&stage.who, run["id"].as_str().unwrap(), "learn").await;
        assert!(found["reason"].as_str().unwrap().starts_with(code), "{found:#}");
        assert!(run["response"]["content"].as_str().unwrap().contains("Owl"), "{run:#}");
    }
    assert_eq!(memory(stage).await["learned"]["critical_facts"]["user_name"], "Ana");
}

/// Of a question that is divided, it is looked for beside the model that answers.
async fn no_specialist_waits_for_it(stage: &Stage) {
    let agent = agent_with(stage, &["run_python"], &json!({})).await;
    let turns = vec![
        (LOOKS, facts(false, "Ana", None)),
        (PLANS, plan(&[task("a", "register", &[])])),
        (REGISTER, found("Owl Fund filed.")),
        (ANSWERS, said(specialists::ANSWER)),
    ];
    specialists::answers(stage, turns).await;
    let run = specialists::ask(stage, &agent, "complete").await;
    let place = |name: &str| step(&run, name)["stage"].as_u64().unwrap();
    assert_eq!(place("learn"), place("answer"), "{run:#}");
    assert!(["plan", "ask_register_1"].map(place).into_iter().all(|of| of < place("learn")));
    assert_eq!(told(stage, true).await.len(), 1, "it was looked for");
}

async fn whoever_stops_it_is_forgotten(stage: &Stage, agent: &str) {
    remembers(stage, &json!({ "preferences": { "tone": "formal" } })).await;
    remembers(stage, &json!({ "learn": true })).await;
    let expect = json!({ "critical_facts": {}, "preferences": {}, "from": {} });
    assert_eq!(memory(stage).await["learned"], expect);
    answers(stage, facts(true, "Ana", None)).await;
    asked_of(stage, agent, FIRST).await;
    assert_eq!(memory(stage).await["learned"]["critical_facts"]["user_name"], "Ana");
    stage.who.door.delete(&format!("{FACTORY}/me/memory")).await.unwrap();
    remembers(stage, &json!({ "learn": true })).await;
    assert_eq!(memory(stage).await["learned"], expect, "it is erased with the rest");
}

async fn a_replay_names_the_step_once_nothing_is_learned(stage: &Stage, run: &str) {
    let path = format!("/executions/{run}/replay");
    let warned = async || stage.who.post(&path, &json!({})).await["warnings"].to_string();
    remembers(stage, &json!({ "learn": true })).await;
    let before = warned().await;
    assert!(!before.contains("playbook.steps.learn"), "{before}");
    stage.who.door.delete(&format!("{FACTORY}/me/memory")).await.unwrap();
    let after = warned().await;
    assert!(after.contains("playbook.steps.learn"), "{after}");
}
