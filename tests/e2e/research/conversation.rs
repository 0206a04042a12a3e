//! Questions that follow from what was asked and answered before.

use serde_json::{Value, json};

use super::skill::{ANSWER, researcher};
use super::{Stage, asking};
use crate::case::{FACTORY, Refusal, refusal, step};
use crate::models::said;

/// An address that no tool and no person has named.
const MADE_UP: &str = "https://evil.example/?read=1";

/// With the connector `register` and the playbook `officers` there.
pub(super) async fn a_conversation_goes_on(stage: &Stage) {
    let agent = researcher(stage, &json!({}), &json!({})).await;
    stage.who.bind(&agent, "register").await;
    let conversation = begins(stage, &agent).await;
    a_question_follows(stage, &agent, &conversation).await;
    a_repetition_belongs_to_it(stage, &agent, &conversation).await;
    it_is_summed_up(stage, &agent, &conversation).await;
    what_was_said_is_listed(stage, &agent, &conversation).await;
    what_is_not_for_the_web_stays(stage, &agent, &conversation).await;
    only_its_owner_and_its_agent(stage, &agent, &conversation).await;
    it_is_renamed_and_removed(stage, &agent, &conversation).await;
}

async fn asked_in(stage: &Stage, agent: &str, query: &str, conversation: &str, end: &str) -> Value {
    let body = json!({ "profile": agent, "query": query, "conversation": conversation });
    let line = stage.who.post("/executions", &body).await;
    stage.who.reaches(line["id"].as_str().unwrap(), end).await
}

/// What the model was told in this turn, in the words of the person.
async fn told(stage: &Stage, turn: usize) -> String {
    stage.asked().await[turn]["messages"][1]["content"].as_str().unwrap().to_owned()
}

async fn begins(stage: &Stage, agent: &str) -> String {
    let answer = ANSWER.replace("One fund", &format!("See {MADE_UP} : One fund"));
    stage.answers(vec![said(&answer)]).await;
    let run = asked_in(stage, agent, "Which funds\nfiled in 2024?", "new", "complete").await;
    assert!(!told(stage, 0).await.contains("asked and answered before"));
    let conversation = run["conversation_id"].as_str().unwrap().to_owned();
    let shown = stage.who.get(&format!("/conversations/{conversation}")).await;
    let named = (&shown["title"], &shown["profile_id"], &shown["user_id"]);
    assert_eq!(named, (&json!("Which funds filed in 2024?"), &json!(agent), &run["invoked_by"]));
    conversation
}

async fn a_question_follows(stage: &Stage, agent: &str, conversation: &str) {
    let arguments = json!({ "year": 2024, "about": MADE_UP }).to_string();
    let looks = asking(&[("register__filings", &arguments)]);
    stage.answers(vec![looks, said(ANSWER)]).await;
    let run = asked_in(stage, agent, "And who runs it? {today}", conversation, "complete").await;
    assert_eq!(run["conversation_id"], conversation);
    let told = told(stage, 0).await;
    let (before, data) = told.split_once("END ").unwrap();
    assert!(before.contains("asked and answered before"), "{told}");
    assert!(!before.contains("Provenance") && !before.contains("written by the model"), "{told}");
    assert!(before.contains("Which funds\\nfiled in 2024?") && before.contains(MADE_UP), "{told}");
    assert!(data.contains("And who runs it? {today}") && !data.contains("2024?"), "{told}");
    // What a model has answered shows no address to the next one.
    assert_eq!(step(&run, "answer")["tool_calls"][0]["code"], "TOOL_REFUSED", "{run:#}");
    // What a playbook has given back is an answer like any other.
    let run = asked_in(stage, agent, "Are there shared officers?", conversation, "complete").await;
    assert_eq!(
        (&run["playbook_id"], &run["conversation_id"]),
        (&json!("officers"), &json!(conversation))
    );
}

async fn a_repetition_belongs_to_it(stage: &Stage, agent: &str, conversation: &str) {
    stage.answers(vec![wiremock::ResponseTemplate::new(400)]).await;
    let failed = asked_in(stage, agent, "Since when?", conversation, "error").await;
    stage.answers(vec![said(ANSWER)]).await;
    let path = format!("/executions/{}/repeat", failed["id"].as_str().unwrap());
    let again = stage.who.post(&path, &json!({})).await;
    let again = stage.who.reaches(again["id"].as_str().unwrap(), "complete").await;
    assert_eq!(again["conversation_id"], conversation, "{again:#}");
    let told = told(stage, 0).await;
    let (before, _) = told.split_once("END ").unwrap();
    assert!(before.contains("And who runs it?") && !before.contains("Since when?"), "{told}");
}

/// Of six questions, one of them a repetition, which sums nothing up.
async fn it_is_summed_up(stage: &Stage, agent: &str, conversation: &str) {
    let with_summary = ANSWER.replace('}', r#", "summary": "It was about {today} and Owl."}"#);
    stage.answers(vec![said(&with_summary)]).await;
    let run = asked_in(stage, agent, "Where is it?", conversation, "complete").await;
    assert!(told(stage, 0).await.contains("Since when?"));
    let content = run["response"]["content"].as_str().unwrap();
    assert!(!content.contains("It was about"), "it is not a part of the answer: {content}");
    let shown = stage.who.get(&format!("/conversations/{conversation}")).await;
    let expect = json!({ "summary_text": "It was about {today} and Owl.", "turns_covered": 6 });
    assert_eq!(shown["summary"], expect);
}

async fn what_was_said_is_listed(stage: &Stage, agent: &str, conversation: &str) {
    let path = format!("/conversations/{conversation}/messages");
    let all = stage.who.get(&path).await["items"].as_array().unwrap().clone();
    let line = |one: &Value| {
        let content = one["content"].as_str().unwrap_or("-");
        let shown = if content.contains("Owl") { "Owl" } else { content };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        format!("{}, {}: {shown}", text(&one["role"]), text(&one["metadata"]["status"]))
    };
    let said: Vec<String> = all.iter().map(line).collect();
    let expect = [
        "assistant, complete: Owl",
        "user, complete: Where is it?",
        "assistant, complete: Owl",
        "user, complete: Since when?",
        "assistant, error: -",
        "user, error: Since when?",
    ];
    assert_eq!(said[..6], expect, "{all:#?}");
    let first = "user, complete: Which funds\nfiled in 2024?";
    assert_eq!((said.len(), said[11].as_str()), (12, first), "{all:#?}");
    let page = stage.who.get(&format!("{path}?limit=1")).await;
    assert_eq!(page["items"].as_array().unwrap()[..], all[..2], "a question with its answer");
    let next = page["next"].as_str().unwrap();
    let page = stage.who.get(&format!("{path}?limit=10&cursor={next}")).await;
    assert_eq!(
        (page["items"].as_array().unwrap(), &page["next"]),
        (&all[2..].to_vec(), &Value::Null)
    );
    let mine = stage.who.get(&format!("/conversations?profile_id={agent}")).await;
    assert_eq!(mine["items"].as_array().unwrap().len(), 1, "{mine:#}");
}

/// The agent looks on the web from now on, and what it has answered before is not shown to who looks there.
async fn what_is_not_for_the_web_stays(stage: &Stage, agent: &str, conversation: &str) {
    let skills = |parameters: Value| {
        let research =
            json!({ "skill_type": "built_in", "reference": "research", "parameters": parameters });
        json!({ "skills": [{ "skill_type": "playbook", "reference": "officers" }, research] })
    };
    let path = format!("{FACTORY}/profiles/{agent}");
    stage.who.door.patch(&path, &skills(json!({ "web": true }))).await.unwrap();
    stage
        .answers(vec![said(r#"{"answer": "On a page.", "sources": [], "summary": "Of pages."}"#)])
        .await;
    asked_in(stage, agent, "What do others say?", conversation, "complete").await;
    let on_web = told(stage, 0).await;
    assert!(on_web.contains("And who runs it?"), "{on_web}");
    assert!(!on_web.contains("One fund") && on_web.contains("not for the web"), "{on_web}");
    stage.who.door.patch(&path, &skills(json!({}))).await.unwrap();
    stage.answers(vec![said(ANSWER)]).await;
    asked_in(stage, agent, "Is that so?", conversation, "complete").await;
    let inside = told(stage, 0).await;
    assert!(inside.contains("What do others say?") && !inside.contains("On a page."), "{inside}");
    let (summary, earlier) = ("It was about {today} and Owl.", "And who runs it?");
    assert!(inside.contains(summary) && !inside.contains(earlier), "{inside}");
    assert!(!inside.contains("Of pages."), "{inside}");
}

async fn only_its_owner_and_its_agent(stage: &Stage, agent: &str, conversation: &str) {
    let other = researcher(stage, &json!({}), &json!({})).await;
    let check = async |body: Value, status: u16, place: Option<&str>| {
        let said = stage.who.door.post(&format!("{FACTORY}/executions"), &body).await;
        let Refusal { status: told, places, .. } = refusal(said);
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        assert_eq!((told, places), (status, Vec::from_iter(place)), "{body}");
    };
    let asked = |agent: &str, query: &str, conversation: &str| json!({ "profile": agent, "query": query, "conversation": conversation });
    check(asked(&other, "Why?", conversation), 422, Some("conversation")).await;
    check(asked(agent, " ", conversation), 422, Some("query")).await;
    check(asked(agent, "Why?", "old"), 422, Some("conversation")).await;
    let unknown = format!("conv_{}", "0".repeat(32));
    check(asked(agent, "Why?", &unknown), 404, None).await;
}

async fn it_is_renamed_and_removed(stage: &Stage, agent: &str, conversation: &str) {
    let path = format!("{FACTORY}/conversations/{conversation}");
    let named = stage.who.door.patch(&path, &json!({ "title": " Funds " })).await.unwrap();
    assert_eq!(named["title"], "Funds");
    stage.who.door.delete(&path).await.unwrap();
    assert_eq!(refusal(stage.who.door.get(&path).await).status, 404);
    let body = json!({ "profile": agent, "query": "Why?", "conversation": conversation });
    let said = stage.who.door.post(&format!("{FACTORY}/executions"), &body).await;
    assert_eq!(refusal(said).status, 404);
    let runs = stage.who.get(&format!("/executions?profile={agent}")).await;
    let runs = runs["items"].as_array().unwrap();
    let own = runs.iter().filter(|run| run["conversation_id"] == conversation).count();
    assert_eq!(own, 8, "its runs stay");
}
