//! How much a model is shown of what is long.

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, ResponseTemplate};

use super::skill::{OFFICERS, researcher};
use super::{FOUND, Stage, asking, looks, stage};
use crate::models::said;

/// A letter of three bytes.
const LETTER: &str = "阿";

#[tokio::test]
async fn r_037_of_long_results_and_conversations_a_model_is_shown_a_part_and_told_so() {
    let stage = stage("countersign-long", &[]).await;
    a_long_result_is_cut(&stage).await;
    a_long_conversation_is_cut(&stage).await;
}

/// The page is longer than the 48 KiB that are shown of one result.
async fn a_long_result_is_cut(stage: &Stage) {
    stage.who.playbook(&looks("looks-long", "crawl_url", "")).await;
    let reads = json!({ "url": stage.page() }).to_string();
    stage.answers(vec![asking(&[("crawl_url", &reads)]), said(FOUND)]).await;
    let sentence = "Owl Fund has filed what it has to file. ";
    let text = format!("<p>The first words. {}The last words.</p>", sentence.repeat(2_000));
    let page = ResponseTemplate::new(200).set_body_string(text);
    let page = page.insert_header("content-type", "text/html");
    Mock::given(method("GET")).and(path("/page")).respond_with(page).mount(&stage.server).await;
    stage.runs("looks-long", "complete").await;
    let turns = stage.asked().await;
    let result = turns[1]["messages"].as_array().unwrap().iter().find(|one| one["role"] == "tool");
    let shown = result.unwrap()["content"].as_str().unwrap();
    let notice = "The result is longer than 49152 bytes. This is its beginning.\nDATA ";
    assert!(shown.starts_with(notice), "{}", shown.get(..200).unwrap_or(shown));
    assert!(shown.contains("The first words.") && !shown.contains("The last words."));
    assert!((49_152..49_152 + 300).contains(&shown.len()), "{} bytes", shown.len());
}

/// Of each question and answer the beginning is shown, and of all of them the latest, as many as there is room for.
async fn a_long_conversation_is_cut(stage: &Stage) {
    stage.who.playbook(OFFICERS).await;
    let agent = researcher(stage, &json!({}), &json!({})).await;
    let first = asked_in(stage, &agent, "one", "new").await;
    let conversation = first["conversation_id"].as_str().unwrap();
    for number in ["two", "three", "four", "five"] {
        asked_in(stage, &agent, number, conversation).await;
    }
    let turns = stage.asked().await;
    let shown = turns[0]["messages"][1]["content"].as_str().unwrap();
    let (before, _) = shown.split_once("END ").unwrap();
    assert!(before.contains("asked and answered before"), "{before}");
    let is_shown = |number: &str| before.contains(&format!("Question {number}: {LETTER}"));
    assert_eq!(["one", "two", "three", "four"].map(is_shown), [false, true, true, true]);
    let letters = |count: usize| LETTER.repeat(count);
    assert!(!before.contains(&letters(4_001)), "4,000 characters of an answer are shown");
    assert!(before.contains(&format!("{} […]\"", letters(1_900))), "it says what is cut");
    assert!(before.len() < 68 * 1024, "{} bytes", before.len());
}

/// A question of more than the 2,000 characters that are shown of one.
fn question(number: &str) -> String {
    format!("Question {number}: {}?", LETTER.repeat(2_100))
}

/// A question in a conversation, whose answer is longer than the 4,000 characters that are shown of one.
async fn asked_in(stage: &Stage, agent: &str, number: &str, conversation: &str) -> Value {
    let answer = json!({ "answer": LETTER.repeat(4_500), "sources": [] });
    let mut with_summary = answer.clone();
    with_summary["summary"] = Value::Null;
    let is_long = !["one", "two"].contains(&number);
    let answer = if is_long { with_summary } else { answer };
    stage.answers(vec![said(&answer.to_string())]).await;
    let body = json!({ "profile": agent, "query": question(number), "conversation": conversation });
    let line = stage.who.post("/executions", &body).await;
    stage.who.reaches(line["id"].as_str().unwrap(), "complete").await
}
