use countersign_document::{Reading, read_value, schema};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{CronExpression, ScheduleSpec};

fn written(changes: &Value) -> Value {
    let mut whole = json!({
        "name": "Every morning", "profile_id": format!("prof_{}", "0".repeat(32)),
        "cron_expression": "0 6 * * MON-FRI", "query_template": "What is new since {last_run_date}?",
    });
    let map = whole.as_object_mut().unwrap();
    map.extend(changes.as_object().unwrap().clone());
    whole
}

fn check(changes: &Value, paths: &[&str]) {
    let Reading { value, problems } = read_value::<ScheduleSpec>(written(changes));
    let found: Vec<String> = problems.iter().map(countersign_document::Problem::path).collect();
    assert_eq!(found, paths, "{problems:#?}");
    assert_eq!(value.is_some(), paths.is_empty());
}

#[test]
fn f_403_k_63_the_fields_have_their_defaults() {
    let read = read_value::<ScheduleSpec>(written(&json!({}))).value.unwrap();
    let spec = serde_json::to_value(&read).unwrap();
    let expect = json!({"timezone": "UTC", "approval_policy": "require", "is_enabled": false, "max_retries": 2, "timeout_seconds": 300});
    for (name, value) in expect.as_object().unwrap() {
        assert_eq!(spec[name], *value, "{name}");
    }
    assert_eq!(serde_json::from_value::<ScheduleSpec>(spec).unwrap(), read);
    assert_eq!(schema::<ScheduleSpec>()["properties"].as_object().unwrap().len(), 10);
}

#[test]
fn f_204_a_schedule_cannot_be_enabled_without_a_clock() {
    check(&json!({"is_enabled": true}), &["is_enabled"]);
    check(&json!({"is_enabled": false}), &[]);
}

#[test]
fn f_203_f_206_every_problem_has_its_field() {
    check(
        &json!({"query_template": "{today} and {date}", "max_retries": 11, "timezone": "Berlin", "interval": 5}),
        &["max_retries", "timezone", "interval", "query_template"],
    );
    check(&json!({"profile_id": "prof_1", "approval_policy": "auto_approve"}), &["profile_id"]);
}

fn cron(text: &str, fits: bool) {
    assert_eq!(text.parse::<CronExpression>().is_ok(), fits, "{text}");
}

#[test]
fn k_64_an_expression_has_five_fields_that_eventbridge_can_express() {
    for text in
        ["* * * * *", "*/15 0-6 1,15 * *", "0 6 * JAN-MAR *", "30 23 * * sun", "0 6 * * 1-5/2"]
    {
        cron(text, true);
    }
    for text in [
        "",
        "0 6 * *",
        "60 * * * *",
        "0 6 0 * *",
        "5-1 * * * *",
        "0 6 1 * MON",
        "0 6 * * FOO",
        "+1 * * * *",
        "5/2 * * * *",
        "*/0 * * * *",
        "@daily",
    ] {
        cron(text, false);
    }
}

proptest! {
    #[test]
    fn k_64_no_text_breaks_the_reader(text in "[-0-9*/, A-Z]{0,30}") {
        let _ = text.parse::<CronExpression>();
    }
}
