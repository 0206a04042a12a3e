//! What a question tells of whoever asks it.

use super::*;

const NOTHING: &str = r#"{"found": false, "critical_facts": {"user_name": null, "company_name": null, "job_title": null, "recent_projects": []}, "preferences": {"tone": null, "detail_level": null, "language": null}}"#;

/// The call of an agent whose model chooses its words more freely.
fn learn() -> Call {
    let question = json!({ "question": "I am Ana. Which funds filed?" });
    let Value::Object(inputs) = question else { panic!("inputs are an object") };
    let call = choosing("openai/large");
    let (action, params) = ("extract_facts".to_owned(), Map::new());
    Call { action, inputs, params, output_schema: None, ..call }
}

/// The temperatures that a provider was asked with, when it answers first with this status.
async fn temperatures(first: u16) -> (Value, Vec<Value>) {
    let server = MockServer::builder().start().await;
    let rejected = ResponseTemplate::new(first).set_body_json(said(NOTHING));
    Mock::given(any()).respond_with(rejected).up_to_n_times(1).mount(&server).await;
    let answer = ResponseTemplate::new(200).set_body_json(said(NOTHING));
    Mock::given(any()).respond_with(answer).mount(&server).await;
    let list = listed(&json!({}));
    let answered = ask_listed(&server, &purse(9), &learn(), list).await.unwrap();
    let asked = server.received_requests().await.unwrap();
    let asked = asked.iter().map(|one| one.body_json::<Value>().unwrap()["temperature"].clone());
    (answered.output["reason"].clone(), asked.collect())
}

#[tokio::test]
async fn r_082_the_model_that_looks_for_facts_has_a_temperature_of_its_own() {
    assert_eq!(temperatures(200).await, (Value::Null, vec![json!(0.1)]));
}

#[tokio::test]
async fn r_082_a_model_that_accepts_no_temperature_looks_for_facts_without_one() {
    assert_eq!(temperatures(400).await, (Value::Null, vec![json!(0.1), Value::Null]));
    let (reason, asked) = temperatures(404).await;
    assert!(reason.as_str().unwrap().starts_with("MODEL_REJECTED"), "{reason}");
    assert_eq!(asked, [json!(0.1)]);
}
