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

/// The temperatures that a provider was asked with, when it answers first with this, and each time after so long.
async fn temperatures(first: (u16, Value), after: Duration) -> (Value, Vec<Value>) {
    let server = MockServer::builder().start().await;
    let rejected = ResponseTemplate::new(first.0).set_body_json(first.1).set_delay(after);
    Mock::given(any()).respond_with(rejected).up_to_n_times(1).mount(&server).await;
    let answer = ResponseTemplate::new(200).set_body_json(said(NOTHING)).set_delay(after);
    Mock::given(any()).respond_with(answer).mount(&server).await;
    let list = listed(&json!({}));
    let call = Call { remaining: Duration::from_secs(4), ..learn() };
    let answered = ask_listed(&server, &purse(9), &call, list).await.unwrap();
    let asked = server.received_requests().await.unwrap();
    let asked = asked.iter().map(|one| one.body_json::<Value>().unwrap()["temperature"].clone());
    (answered.output["reason"].clone(), asked.collect())
}

/// What a provider says that refuses a request.
fn refused(status: u16, why: &str) -> (u16, Value) {
    (status, json!({ "error": { "message": why } }))
}

const NO_TEMPERATURE: &str = "Unsupported value: 'Temperature' does not support 0.1.";

#[tokio::test]
async fn r_082_the_model_that_looks_for_facts_has_a_temperature_of_its_own() {
    let answers = (200, said(NOTHING));
    assert_eq!(temperatures(answers, Duration::ZERO).await, (Value::Null, vec![json!(0.1)]));
}

#[tokio::test]
async fn r_082_a_model_that_accepts_no_temperature_looks_for_facts_without_one() {
    for status in [400, 422] {
        let told = temperatures(refused(status, NO_TEMPERATURE), Duration::ZERO).await;
        assert_eq!(told, (Value::Null, vec![json!(0.1), Value::Null]), "{status}");
    }
    for other in [refused(404, NO_TEMPERATURE), refused(400, "The prompt is too long.")] {
        let (reason, asked) = temperatures(other, Duration::ZERO).await;
        assert!(reason.as_str().unwrap().starts_with("MODEL_REJECTED"), "{reason}");
        assert_eq!(asked, [json!(0.1)]);
    }
}

/// Three of its four seconds are for the answer, and each takes longer than a half of that.
#[tokio::test]
async fn r_082_a_second_look_for_facts_has_the_time_that_the_first_one_left() {
    let after = Duration::from_millis(1_900);
    let (reason, asked) = temperatures(refused(400, NO_TEMPERATURE), after).await;
    assert_eq!(asked, [json!(0.1), Value::Null]);
    assert!(reason.is_string(), "it is not waited for longer than the step has: {reason}");
}
