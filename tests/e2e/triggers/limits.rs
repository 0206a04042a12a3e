//! How often a run of a trigger that failed is repeated, and how long one may work.

use futures::future::join_all;
use serde_json::{Value, json};

use super::after::{after, fails, over};
use super::webhooks::are_kept;
use super::{Sender, compute, made, run_of, trigger};
use crate::case::{FACTORY, Person, person, refusal, until};
use crate::schedules::limits::slow;
use crate::world::world;

fn hook() -> Value {
    json!({ "type": "webhook" })
}

/// Ana with a webhook whose run fails and is repeated so often; her agent, and a sender.
async fn failing(max_retries: u32) -> (Person, String, Sender) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&fails("fails-by-hook")).await;
    let inputs = json!({ "strategy": "no such strategy" });
    let mut whole = trigger(&agent, "fails-by-hook", &hook(), &inputs);
    whole["max_retries"] = json!(max_retries);
    let id = made(&ana, &whole).await;
    let sender = Sender::new(&ana, &id).await;
    (ana, agent, sender)
}

/// The mails to a person about the end of this run.
async fn about(ana: &Person, run: &str) -> Vec<String> {
    let mails = world().mailbox().to(&ana.email).await.unwrap();
    let of_run = format!("Run {run}");
    mails.into_iter().map(|mail| mail.text).filter(|text| text.contains(&of_run)).collect()
}

/// The first mail about the end of this run, once it is there.
async fn mail(ana: &Person, run: &str) -> String {
    until("a mail", || async { about(ana, run).await.into_iter().next() }).await
}

#[tokio::test]
async fn f_206_k_49_a_run_of_a_trigger_that_failed_is_repeated_so_often_and_fires_at_each_end() {
    let (ana, agent, sender) = failing(1).await;
    ana.playbook(&compute("behind-a-failure")).await;
    let mut on = after("fails-by-hook");
    on["statuses"] = json!(["error"]);
    let behind = trigger(&agent, "behind-a-failure", &on, &json!({ "rows": [] }));
    let behind = made(&ana, &behind).await;

    let started = sender.fires(&ana, "msg_1", &json!({})).await;
    let first = run_of(&started);
    let [done] = over(&ana, &sender.trigger, 1).await.try_into().unwrap();
    assert_eq!(
        (&done["id"], &done["status"], &done["reason"]),
        (&started["id"], &json!("error"), &Value::Null),
        "{done:#}"
    );
    let runs: Vec<&str> =
        done["runs"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let [one, second] = runs[..] else { panic!("it was tried {} times: {done:#}", runs.len()) };
    assert_eq!(one, first, "{done:#}");
    let run = ana.run(second).await;
    assert_eq!((&run["state"], &run["repeats"]), (&json!("error"), &json!([first])), "{run:#}");
    assert_eq!(
        (&run["run_context"], &run["occurrence"]),
        (&json!("background"), &started["id"]),
        "{run:#}"
    );

    let ends = over(&ana, &behind, 2).await;
    let fired_by: Vec<&Value> = ends.iter().map(|one| &one["fired_by"]["run"]).collect();
    assert_eq!(fired_by, [&json!(second), &json!(first)], "each end is one: {ends:#?}");
    let mail = mail(&ana, second).await;
    let which = format!("Run {second}, second attempt of {}", started["id"].as_str().unwrap());
    assert!(mail.contains(&which) && mail.contains("Test trigger"), "{mail}");
    assert!(mail.contains("no, this was attempt 2 of 2"), "{mail}");
    assert_eq!(about(&ana, &first).await, Vec::<String>::new(), "it was tried again");
}

#[tokio::test]
async fn f_206_a_run_of_a_trigger_without_retries_is_tried_once() {
    let (ana, _, sender) = failing(0).await;
    let started = sender.fires(&ana, "msg_1", &json!({})).await;
    let [done] = over(&ana, &sender.trigger, 1).await.try_into().unwrap();
    assert_eq!((&done["state"], &done["status"]), (&json!("finished"), &json!("error")));
    assert_eq!(done["runs"], json!([run_of(&started)]), "{done:#}");
    assert_eq!(done["reason"], Value::Null, "nothing was given up: {done:#}");
    let mail = mail(&ana, &run_of(&started)).await;
    assert!(mail.contains("no, it has one attempt"), "{mail}");
}

#[tokio::test]
async fn f_206_a_run_of_a_trigger_that_works_for_too_long_is_ended_and_not_repeated() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let (_server, connector, asks) = slow().await;
    ana.post("/connectors", &json!({ "yaml": connector })).await;
    ana.bind(&agent, "slow").await;
    ana.playbook(&asks.replace(", depends_on: [first]", "")).await;
    let mut whole = trigger(&agent, "asks-slowly", &hook(), &json!({}));
    whole["timeout_seconds"] = json!(1);
    whole["max_retries"] = json!(3);
    let id = made(&ana, &whole).await;
    let sender = Sender::new(&ana, &id).await;
    let started = sender.fires(&ana, "msg_1", &json!({})).await;
    let [done] = over(&ana, &id, 1).await.try_into().unwrap();
    assert_eq!((&done["state"], &done["status"]), (&json!("finished"), &json!("timeout")));
    assert_eq!(done["runs"], json!([run_of(&started)]), "what took too long is not repeated");
    let run = ana.run(&run_of(&started)).await;
    assert_eq!(run["state"], "timeout", "{run:#}");
    let why = run["stop"]["message"].as_str().unwrap();
    assert!(why.contains("its trigger allows are over"), "{why}");
}

#[tokio::test]
async fn f_206_the_limits_of_a_trigger_have_defaults_and_bounds() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute("bounded-by-trigger")).await;
    let whole = trigger(&agent, "bounded-by-trigger", &hook(), &json!({ "rows": [] }));
    let made = ana.post("/triggers", &whole).await;
    assert_eq!((&made["max_retries"], &made["timeout_seconds"]), (&json!(2), &json!(300)));
    let path = format!("{FACTORY}/triggers/{}", made["id"].as_str().unwrap());
    for (name, value) in [
        ("max_retries", 11),
        ("timeout_seconds", 0),
        ("timeout_seconds", 86_401),
        ("most_per_day", 0),
        ("most_per_day", 100_001),
    ] {
        let said = refusal(ana.door.patch(&path, &json!({ name: value })).await);
        assert_eq!((said.status, said.code.as_str()), (422, "TRIGGER_INVALID"), "{}", said.said);
        assert_eq!(said.places, [name], "{}", said.said);
    }
    assert_eq!(ana.door.get(&path).await.unwrap()["version"], 1, "nothing was stored");
}

#[tokio::test]
async fn issue_14_a_trigger_starts_no_more_runs_in_a_day_than_its_owner_lets_it() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute("few-by-hook")).await;
    let rows = json!({ "rows": "{body.rows}" });
    let mut few = trigger(&agent, "few-by-hook", &hook(), &rows);
    few["most_per_day"] = json!(2);
    let few = Sender::new(&ana, &made(&ana, &few).await).await;
    let shown = ana.get(&format!("/triggers/{}", few.trigger)).await;
    assert_eq!(shown["most_per_day"], 2, "{shown:#}");
    let body = json!({ "rows": [{ "name": "a", "amount": 1 }] });
    // What fits no input, and a message that comes again, count for nothing.
    let unfit = few.fires(&ana, "unfit", &json!({})).await;
    assert_eq!(unfit["reason"]["code"], "INVALID_INPUT", "{unfit:#}");
    for message in ["msg_1", "msg_1", "msg_2"] {
        let occurrence = few.fires(&ana, message, &body).await;
        ana.reaches(&run_of(&occurrence), "complete").await;
    }
    let refused = few.send("msg_3", &body).await;
    assert_eq!(refused.code(), (429, "QUOTA_EXCEEDED"), "{refused:?}");
    let path = format!("/occurrences/{}", refused.body["occurrence"].as_str().unwrap());
    let skipped = ana.get(&path).await;
    assert_eq!(skipped["state"], "skipped", "{skipped:#}");
    let why = skipped["reason"]["message"].as_str().unwrap();
    assert!(why.contains("as many runs today as its `most_per_day` says: 2"), "{why}");
    are_kept(&ana, &skipped, 2).await;
    // The others of its owner's have room, and the trigger once it may start more.
    let other = made(&ana, &trigger(&agent, "few-by-hook", &hook(), &rows)).await;
    let other = Sender::new(&ana, &other).await.fires(&ana, "msg_1", &body).await;
    ana.reaches(&run_of(&other), "complete").await;
    super::changed(&ana, &few.trigger, &json!({ "most_per_day": 3 })).await;
    let begun = few.fires(&ana, "msg_3", &body).await;
    ana.reaches(&run_of(&begun), "complete").await;
}

#[tokio::test]
async fn issue_14_a_message_that_begins_no_run_uses_up_nothing_of_what_its_trigger_may_start() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute("off-for-a-while")).await;
    let rows = json!({ "rows": "{body.rows}" });
    let mut few = trigger(&agent, "off-for-a-while", &hook(), &rows);
    few["most_per_day"] = json!(2);
    let few = Sender::new(&ana, &made(&ana, &few).await).await;
    let body = json!({ "rows": [{ "name": "a", "amount": 1 }] });
    let path = format!("{FACTORY}/profiles/{agent}");
    ana.door.patch(&path, &json!({ "is_active": false })).await.unwrap();
    for message in ["off_1", "off_2", "off_3"] {
        let skipped = few.fires(&ana, message, &body).await;
        assert_eq!(skipped["reason"]["code"], "PROFILE_INACTIVE", "{skipped:#}");
    }
    ana.door.patch(&path, &json!({ "is_active": true })).await.unwrap();
    for message in ["on_1", "on_2"] {
        let begun = few.fires(&ana, message, &body).await;
        ana.reaches(&run_of(&begun), "complete").await;
    }
    assert_eq!(few.send("on_3", &body).await.code(), (429, "QUOTA_EXCEEDED"));
}

#[tokio::test]
async fn issue_14_nothing_is_kept_of_messages_that_come_at_once_and_find_one_place() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute("one-by-hook")).await;
    let mut one = trigger(&agent, "one-by-hook", &hook(), &json!({ "rows": "{body.rows}" }));
    one["most_per_day"] = json!(1);
    let one = Sender::new(&ana, &made(&ana, &one).await).await;
    let body = json!({ "rows": [{ "name": "a", "amount": 1 }] });
    let messages: Vec<String> = (1..=8).map(|n| format!("msg_{n}")).collect();
    let answers = join_all(messages.iter().map(|message| one.send(message, &body))).await;
    let (taken, refused): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.status == 202);
    assert_eq!(taken.len(), 1, "{answers:?}");
    for answer in refused {
        assert_eq!(answer.code(), (429, "QUOTA_EXCEEDED"), "{answer:?}");
        let path = format!("/occurrences/{}", answer.body["occurrence"].as_str().unwrap());
        are_kept(&ana, &ana.get(&path).await, 1).await;
    }
}
