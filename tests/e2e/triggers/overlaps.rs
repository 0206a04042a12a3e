//! An event that comes while the run before it waits for people.

use serde_json::{Value, json};

use super::webhooks::are_kept;
use super::{Sender, comes_to, fired, made, run_of, trigger};
use crate::case::{FACTORY, Person, gated, person, until};
use crate::schedules::revoked::anew;
use crate::schedules::sweep;

async fn waiting(overlap: &str) -> (Person, Person, Sender, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:reader", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    let name = format!("overlap-{overlap}");
    ana.playbook(&gated(&name, "")).await;
    let inputs = json!({ "rows": "{body}" });
    let mut whole = trigger(&agent, &name, &json!({ "type": "webhook" }), &inputs);
    whole["overlap"] = json!(overlap);
    let id = made(&ana, &whole).await;
    let sender = Sender::new(&ana, &id).await;
    let first = sender.fires(&ana, "msg_1", &rows()).await;
    let run = run_of(&first);
    ana.reaches(&run, "awaiting_approval").await;
    (ana, maria, sender, run)
}

fn rows() -> Value {
    json!([{ "name": "b", "amount": 15 }])
}

#[tokio::test]
async fn issue_14_an_event_waits_for_the_run_before_it_where_its_owner_wants_that() {
    let (ana, maria, sender, run) = waiting("queue").await;
    let second = sender.fires(&ana, "msg_2", &rows()).await;
    let all = fired(&ana, &sender.trigger).await;
    assert_eq!(second["state"], "queued", "{all:#?} {:#}", ana.run(&run).await);
    assert_eq!(second["runs"], Value::Null, "{second:#}");
    sweep().await;
    let path = format!("/occurrences/{}", second["id"].as_str().unwrap());
    assert_eq!(ana.get(&path).await["state"], "queued", "a sweep began it");
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let shown = maria.get(&path).await;
    let decision = json!({ "digest": shown["digest"], "version": shown["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    ana.reaches(&run, "complete").await;
    let begun = until("the event that waited is begun", || async {
        sweep().await;
        let all = fired(&ana, &sender.trigger).await;
        all.into_iter().find(|one| one["id"] == second["id"] && one["state"] == "started")
    })
    .await;
    ana.reaches(&run_of(&begun), "awaiting_approval").await;
    let over = comes_to(&ana, &sender.trigger, "finished").await;
    assert_eq!(over["status"], "complete", "{over:#}");
}

#[tokio::test]
async fn issue_14_what_waits_is_refused_once_the_key_it_was_signed_with_is_removed() {
    let (ana, maria, sender, run) = waiting("queue").await;
    let second = sender.fires(&ana, "msg_2", &rows()).await;
    assert_eq!(second["state"], "queued", "{second:#}");
    let key = format!("{FACTORY}/triggers/{}/keys/{}", sender.trigger, sender.key);
    ana.door.delete(&key).await.unwrap();
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let shown = maria.get(&path).await;
    let decision = json!({ "digest": shown["digest"], "version": shown["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    ana.reaches(&run, "complete").await;
    let refused = until("the event that waited is refused", || async {
        sweep().await;
        let now = ana.get(&format!("/occurrences/{}", second["id"].as_str().unwrap())).await;
        (now["state"] != "queued").then_some(now)
    })
    .await;
    assert_eq!(
        (&refused["state"], &refused["reason"]["code"]),
        (&json!("skipped"), &json!("WEBHOOK_KEY_REMOVED")),
        "{refused:#}"
    );
    assert!(refused["reason"]["message"].as_str().unwrap().contains(&sender.key), "{refused:#}");
    assert!(refused["runs"].is_null(), "{refused:#}");
    are_kept(&ana, &refused, 1).await;
}

#[tokio::test]
async fn r_003_issue_14_what_waits_is_refused_once_the_token_that_made_its_key_is_void() {
    let (ana, maria, sender, run) = waiting("queue").await;
    let second = sender.fires(&ana, "msg_2", &rows()).await;
    assert_eq!(second["state"], "queued", "{second:#}");
    let ana = anew(ana).await;
    // Saving the trigger again vouches for its runs, not for its keys.
    super::changed(&ana, &sender.trigger, &json!({ "name": "Saved again" })).await;
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let shown = maria.get(&path).await;
    let decision = json!({ "digest": shown["digest"], "version": shown["version"] });
    maria.post(&format!("{path}/reject"), &decision).await;
    ana.reaches(&run, "rejected").await;
    let refused = until("the event that waited is refused", || async {
        sweep().await;
        let now = ana.get(&format!("/occurrences/{}", second["id"].as_str().unwrap())).await;
        (now["state"] != "queued").then_some(now)
    })
    .await;
    assert_eq!(
        (&refused["state"], &refused["reason"]["code"]),
        (&json!("skipped"), &json!("SAVED_TOKEN_REVOKED")),
        "{refused:#}"
    );
    let why = refused["reason"]["message"].as_str().unwrap();
    assert!(why.contains(&format!("the token that made the key `{}`", sender.key)), "{why}");
    assert!(refused["runs"].is_null(), "{refused:#}");
}

#[tokio::test]
async fn issue_14_an_event_is_left_out_or_begun_beside_where_its_owner_wants_that() {
    let (ana, _, sender, _) = waiting("skip").await;
    let second = sender.fires(&ana, "msg_2", &rows()).await;
    assert_eq!(second["reason"]["code"], "OVERLAP", "{second:#}");
    are_kept(&ana, &second, 1).await;
    let again = sender.fires(&ana, "msg_2", &rows()).await;
    assert_eq!(again, second, "the same message is the same occurrence");
    let (ana, _, sender, _) = waiting("allow").await;
    let second = sender.fires(&ana, "msg_2", &rows()).await;
    assert_eq!(second["state"], "started", "{second:#}");
}
