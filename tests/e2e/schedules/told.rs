//! What the owner of a schedule is told of due times that come to no run, and of runs that are not the first of theirs.

use serde_json::{Value, json};

use super::{FAILING, comes_to, disable, every_minute, follows, occurrences, run_of, sweep, tick};
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
    super::invoke("on-clock", &event).await;
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

#[tokio::test]
async fn issue_14_the_mail_about_a_run_says_which_attempt_of_its_occurrence_it_is() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(FAILING).await;
    follows(&ana, &agent, "fails-by-clock", &rows()).await;
    let off = json!({ "is_enabled": false, "max_retries": 1 });
    let schedule = every_minute(&ana, &agent, &off).await;
    let begun = ana.post(&format!("/schedules/{schedule}/run-now"), &json!({})).await;
    let first = run_of(&begun);
    ana.reaches(&first, "error").await;
    let second = until("the run is repeated", || async {
        sweep().await;
        let all = occurrences(&ana, &schedule).await;
        all[0]["runs"][1].as_str().map(str::to_owned)
    })
    .await;
    ana.reaches(&second, "error").await;
    let occurrence = begun["id"].as_str().unwrap();
    for (run, says, again) in [
        (&first, format!("Run {first} of {occurrence}"), "in about a minute, as attempt 2 of 2"),
        (
            &second,
            format!("Run {second}, second attempt of {occurrence}"),
            "no, this was attempt 2 of 2",
        ),
    ] {
        let text = until("a mail about the run", || async {
            let mut mails = world().mailbox().to(&ana.email).await.unwrap();
            mails.retain(|mail| mail.text.contains(run.as_str()));
            mails.into_iter().next().map(|mail| mail.text)
        })
        .await;
        assert!(text.contains(&says), "{text}");
        assert!(text.contains("Schedule  Each minute") && text.contains(again), "{text}");
    }
    disable(&ana, &schedule).await;
}
