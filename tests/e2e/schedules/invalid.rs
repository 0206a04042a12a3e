//! A schedule with errors: what is said of it, and that nothing of it is stored.

use countersign_cli::CliError;
use serde_json::{Value, json};

use super::{morning, with};
use crate::case::{FACTORY, person, refusal};

/// Checks that an answer refuses a schedule for this field.
fn check(said: Result<Value, CliError>, place: &str) {
    let said = refusal(said);
    assert_eq!((said.status, said.code.as_str()), (422, "SCHEDULE_INVALID"), "{}", said.said);
    assert!(said.places.iter().any(|one| one == place), "`{place}` is not in {}", said.said);
}

#[tokio::test]
async fn f_362_f_363_a_schedule_with_errors_is_refused_at_their_fields_and_not_stored() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let all = format!("{FACTORY}/schedules");
    let wrong = [
        ("cron_expression", json!("61 * * * *")),
        ("cron_expression", json!("0 6 30 2 *")),
        ("timezone", json!("Mars/Olympus")),
        ("query_template", json!("What is new since {tomorrow}?")),
        ("max_retries", json!(11)),
        ("timeout_seconds", json!(0)),
    ];
    for (name, value) in &wrong {
        let body = with(&morning(&agent), name, value.clone());
        check(ana.door.post(&all, &body).await, name);
    }
    assert_eq!(ana.get("/schedules").await["items"], json!([]), "nothing was stored");

    let made = ana.post("/schedules", &morning(&agent)).await;
    let path = format!("{all}/{}", made["id"].as_str().unwrap());
    for (name, value) in &wrong {
        check(ana.door.put(&path, &with(&made, name, value.clone())).await, name);
        check(ana.door.patch(&path, &json!({ *name: value })).await, name);
    }
    let kept = ana.door.get(&path).await.unwrap();
    for (name, value) in made.as_object().unwrap() {
        assert_eq!(kept[name], *value, "{name}");
    }
}
