//! What the owner of a schedule is told of due times that come to no run, and of runs that are not the first of theirs.

use serde_json::{Value, json};

use super::{
    FAILING, comes_to, disable, every_minute, follows, invoke, is_over, occurrences, run_of, sweep,
    tick,
};
use crate::case::{Person, gated, person, revoke, rows, until};
use crate::world::world;

async fn mails(ana: &Person, subject: &str) -> Vec<countersign_cli::mailbox::Mail> {
    let mut mails = world().mailbox().to(&ana.email).await.unwrap();
    mails.retain(|mail| mail.subject == subject);
    mails
}

#[tokio::test]
async fn issue_14_the_owner_of_a_schedule_whose_runs_are_skipped_is_told_once() {
    const SUBJECT: &str = "Each minute: a run was skipped";
    let ana = person("ana", &["global:analyst", "global:reader"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("rows-by-clock", "")).await;
    follows(&ana, &agent, "rows-by-clock", &rows()).await;
    let automatic = json!({ "approval_policy": "auto_approve" });
    let schedule = every_minute(&ana, &agent, &automatic).await;
    revoke(&ana, "global:analyst").await;
    let first = comes_to(&ana, &schedule, "skipped").await;
    let mail = until("a mail", || async { mails(&ana, SUBJECT).await.into_iter().next() }).await;
    for body in [&mail.text, &mail.html] {
        assert!(body.contains(first["id"].as_str().unwrap()), "{body}");
        assert!(body.contains("PERMISSION_DENIED") && body.contains(&schedule), "{body}");
        assert!(body.contains("/errors/PERMISSION_DENIED"), "{body}");
    }
    until("a second one is skipped", || async {
        tick(&ana, &schedule).await;
        let all = occurrences(&ana, &schedule).await;
        (all.iter().filter(|one| one["state"] == "skipped").count() > 1).then_some(())
    })
    .await;
    // As the bus says it of that one.
    let all = occurrences(&ana, &schedule).await;
    let detail =
        json!({ "at": jiff::Timestamp::now(), "owner": ana.id, "occurrence": all[0]["id"] });
    let event = json!({ "detail-type": "occurrence.left_out", "detail": detail });
    invoke("on-clock", &event).await;
    let page = ana.get("/notifications").await;
    let notes: Vec<&Value> = page["items"].as_array().unwrap().iter().collect();
    assert_eq!(notes.len(), 1, "{notes:#?}");
    assert_eq!(
        (&notes[0]["notification_type"], &notes[0]["details"]["code"]),
        (&json!("run_left_out"), &json!("PERMISSION_DENIED")),
        "{notes:#?}"
    );
    assert_eq!(mails(&ana, SUBJECT).await.len(), 1);
}

/// The mails to a person about a run.
async fn about(ana: &Person, run: &str) -> Vec<String> {
    let mails = world().mailbox().to(&ana.email).await.unwrap();
    mails.into_iter().map(|mail| mail.text).filter(|text| text.contains(run)).collect()
}

/// A schedule whose run fails and may be tried so often again; its occurrence, and the run, which has failed.
async fn failed(ana: &Person, changes: &Value) -> (String, Value, String) {
    let agent = ana.agent(&[]).await;
    ana.playbook(FAILING).await;
    follows(ana, &agent, "fails-by-clock", &rows()).await;
    let schedule = every_minute(ana, &agent, changes).await;
    let begun = comes_to(ana, &schedule, "started").await;
    let run = run_of(&begun);
    ana.reaches(&run, "error").await;
    (schedule, begun, run)
}

#[tokio::test]
async fn issue_14_the_owner_has_one_mail_for_a_due_time_when_nothing_tries_it_again() {
    let ana = person("ana", &["global:analyst"]).await;
    let (schedule, begun, first) = failed(&ana, &json!({ "max_retries": 1 })).await;
    let second = until("the run is repeated", || async {
        sweep().await;
        let all = occurrences(&ana, &schedule).await;
        let own = all.iter().find(|one| one["id"] == begun["id"]).unwrap();
        own["runs"][1].as_str().map(str::to_owned)
    })
    .await;
    disable(&ana, &schedule).await;
    ana.reaches(&second, "error").await;
    let mail = until("a mail", || async { about(&ana, &second).await.into_iter().next() }).await;
    let occurrence = begun["id"].as_str().unwrap();
    assert!(mail.contains(&format!("Run {second}, second attempt of {occurrence}")), "{mail}");
    assert!(mail.contains("Schedule  Each minute"), "{mail}");
    assert!(mail.contains("no, this was attempt 2 of 2"), "{mail}");
    assert_eq!(about(&ana, &first).await, Vec::<String>::new(), "it was tried again");
    // What happened at each attempt is in the application.
    let notes = ana.get("/notifications").await;
    let said = notes["items"].as_array().unwrap().iter();
    let first_said = said.filter(|note| note["details"]["execution_id"] == json!(first));
    let first_said: Vec<&str> = first_said.filter_map(|note| note["message"].as_str()).collect();
    assert!(first_said[0].contains("in about a minute, as attempt 2 of 2"), "{first_said:?}");
}

#[tokio::test]
async fn issue_14_the_owner_hears_of_a_failure_whose_last_attempt_is_never_made() {
    const SUBJECT: &str = "Each minute: a run failed and is not tried again";
    let ana = person("ana", &["global:analyst"]).await;
    let (schedule, begun, first) = failed(&ana, &json!({ "max_retries": 2 })).await;
    disable(&ana, &schedule).await;
    let mail = until("a mail", || async {
        sweep().await;
        mails(&ana, SUBJECT).await.into_iter().next()
    })
    .await;
    for body in [&mail.text, &mail.html] {
        assert!(body.contains(begun["id"].as_str().unwrap()), "{body}");
        assert!(body.contains("SCHEDULE_DISABLED") && body.contains("It was tried once"), "{body}");
    }
    assert_eq!(about(&ana, &first).await, Vec::<String>::new());
    let over = is_over(&ana, &schedule, &begun["id"]).await;
    assert_eq!(over["reason"]["code"], "SCHEDULE_DISABLED", "{over:#}");
    // As the bus says it once more.
    let detail = json!({
        "at": jiff::Timestamp::now(), "owner": ana.id, "occurrence": begun["id"], "code": "SCHEDULE_DISABLED",
    });
    invoke("on-clock", &json!({ "detail-type": "occurrence.given_up", "detail": detail })).await;
    assert_eq!(mails(&ana, SUBJECT).await.len(), 1);
    let notes = ana.get("/notifications").await;
    let given_up = notes["items"].as_array().unwrap().iter();
    let given_up = given_up.filter(|note| note["notification_type"] == "run_left_out").count();
    assert_eq!(given_up, 1, "{notes:#}");
}
