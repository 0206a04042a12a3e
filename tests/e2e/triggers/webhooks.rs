//! Webhooks: who is believed, and what a message starts.

use futures::future::join_all;
use serde_json::{Value, json};

use super::{Answer, Sender, call, changed, compute, fired, made, run_of, trigger};
use crate::case::{FACTORY, Person, person, revoke, until};
use crate::effects::{Elsewhere, payer, playbook};
use crate::world::world;

fn hook() -> Value {
    json!({ "type": "webhook" })
}

/// Ana with a webhook that takes rows, and a sender.
async fn taking(name: &str) -> (Person, String, Sender) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute(name)).await;
    let inputs = json!({ "rows": "{body.rows}", "note": "{message.id}" });
    let id = made(&ana, &trigger(&agent, name, &hook(), &inputs)).await;
    let sender = Sender::new(&ana, &id).await;
    (ana, agent, sender)
}

#[tokio::test]
async fn issue_14_the_same_message_many_times_at_once_is_one_run() {
    let (ana, _, sender) = taking("rows-at-once").await;
    let body = json!({ "rows": [{ "name": "a", "amount": 1 }] });
    let all = join_all((0..6).map(|_| sender.send("msg_1", &body))).await;
    let mut occurrences: Vec<&Value> =
        all.iter().map(|answer| &answer.body["occurrence"]).collect();
    assert!(all.iter().all(|answer| answer.status == 202), "{all:?}");
    occurrences.dedup();
    assert_eq!(occurrences.len(), 1, "{all:?}");
    let [one] = fired(&ana, &sender.trigger).await.try_into().unwrap();
    ana.reaches(&run_of(&one), "complete").await;
    assert_eq!(ana.get("/executions").await["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn issue_14_a_webhook_starts_one_run_a_message_and_what_it_brings_is_signed_and_sent() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    let gate = "  - {name: ask, step_type: approval, prompt: \"Pay {amount}?\"}";
    ana.playbook(&playbook("pay-by-hook", gate)).await;
    let inputs = json!({ "amount": "{body.invoice.amount}" });
    let id = made(&ana, &trigger(&agent, "pay-by-hook", &hook(), &inputs)).await;
    let sender = Sender::new(&ana, &id).await;
    // What looks like a reference is data.
    let body = json!({ "invoice": { "id": "inv_1", "amount": "12.50 {today} {body.invoice.id}" } });
    let occurrence = sender.fires(&ana, "msg_1", &body).await;
    assert_eq!(occurrence["fired_by"]["message_id"], "msg_1", "{occurrence:#}");
    assert_eq!(occurrence["state"], "started", "{occurrence:#}");
    let again = sender.fires(&ana, "msg_1", &body).await;
    assert_eq!(again["id"], occurrence["id"], "the same message is the same occurrence");
    let other = sender.send("msg_1", &json!({ "other": "body" })).await;
    assert_eq!((other.status, &other.body["code"]), (409, &json!("MESSAGE_ID_REUSED")));

    let run = run_of(&occurrence);
    let waits = ana.reaches(&run, "awaiting_approval").await;
    assert_eq!(
        (&waits["run_context"], &waits["occurrence"]),
        (&json!("background"), &occurrence["id"])
    );
    assert_eq!(elsewhere.posts(), 0, "nothing is decided by a webhook");
    let request = maria.request(&run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let shown = maria.get(&path).await;
    assert!(shown.to_string().contains("12.50 {today} {body.invoice.id}"), "{shown:#}");
    let own = ana.get("/approvals?status=pending").await;
    assert_eq!(own["items"], json!([]), "whom it runs for does not sign");
    maria
        .post(
            &format!("{path}/approve"),
            &json!({ "digest": shown["digest"], "version": shown["version"] }),
        )
        .await;
    ana.reaches(&run, "complete").await;
    let sent = elsewhere.received();
    assert!(sent.len() == 1 && sent[0].contains("12.50 {today} {body.invoice.id}"), "{sent:?}");
    assert_eq!(ana.get("/executions").await["items"].as_array().unwrap().len(), 1);

    let kept = format!("/occurrences/{}/body", occurrence["id"].as_str().unwrap());
    assert_eq!(ana.get(&kept).await, body);
    assert_eq!(maria.refused(&kept, None).await.0, 404, "it is not hers");
    let all = ana.get("/occurrences?source=trigger").await;
    assert_eq!(all["items"].as_array().unwrap().len(), 1);
    assert_eq!(ana.get("/occurrences?source=schedule").await["items"], json!([]));
}

#[tokio::test]
async fn f_091_no_number_of_a_message_is_rounded_on_its_way_to_a_run() {
    let (ana, _, sender) = taking("exact-rows").await;
    let body = r#"{"rows": [{"name": "a", "amount": 1234567890123456.78}, {"name": "a", "amount": 0.01}]}"#;
    let answer = call(&sender.trigger, &sender.headers("msg_1", 0, body), body).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let id = answer.body["occurrence"].as_str().unwrap();
    let run = run_of(&ana.get(&format!("/occurrences/{id}")).await);
    let done = ana.reaches(&run, "complete").await;
    assert_eq!(done["inputs"]["rows"][0]["amount"], "1234567890123456.78", "{done:#}");
}

#[tokio::test]
async fn issue_14_a_stranger_learns_nothing_and_starts_nothing() {
    let (ana, _, sender) = taking("closed-to-strangers").await;
    let id = sender.trigger.clone();
    let body = json!({ "rows": [{ "a": 1 }] }).to_string();
    let good = sender.headers("msg_1", 0, &body);
    let stranger = Sender {
        secret: countersign_trigger::hook::Secret::new([9; 32]),
        ..Sender::new(&ana, &id).await
    };
    let forged = call(&id, &stranger.headers("msg_1", 0, &body), &body).await.bare();
    assert_eq!(forged.code(), (401, "WEBHOOK_UNVERIFIED"));
    let unknown = format!("trig_{}", "0".repeat(32));
    for other in [unknown.as_str(), "x"] {
        assert_eq!(call(other, &good, &body).await.bare(), forged, "{other}");
    }
    let altered = body.replace('1', "2");
    assert_eq!(call(&id, &good, &altered).await.bare(), forged);
    changed(&ana, &id, &json!({ "is_active": false })).await;
    assert_eq!(call(&id, &good, &body).await.bare(), forged, "it is not active");
    changed(&ana, &id, &json!({ "is_active": true })).await;

    for (shift, expect) in [(-301, "WEBHOOK_TOO_OLD"), (330, "WEBHOOK_TOO_OLD")] {
        let answer = call(&id, &sender.headers("msg_1", shift, &body), &body).await;
        assert_eq!(answer.code(), (401, expect), "{shift}");
    }
    for header in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let without: Vec<_> = good.iter().filter(|(name, _)| *name != header).cloned().collect();
        assert_eq!(call(&id, &without, &body).await.code(), (400, "WEBHOOK_HEADER"), "{header}");
        let twice = good.iter().chain(good.iter().filter(|(name, _)| *name == header));
        let twice: Vec<_> = twice.cloned().collect();
        let answer = call(&id, &twice, &body).await;
        let known = [(400, "WEBHOOK_HEADER"), (401, "WEBHOOK_UNVERIFIED")];
        assert!(known.contains(&answer.code()), "{header}: {answer:?}");
    }
    assert_eq!(fired(&ana, &id).await, Vec::<Value>::new());
    assert_eq!(call(&id, &good, &body).await.status, 202, "and the message itself is good");
}

#[tokio::test]
async fn issue_14_a_body_has_a_size_a_type_and_a_depth() {
    let (ana, _, sender) = taking("bounded-bodies").await;
    let id = sender.trigger.clone();
    let signed = |body: &str| sender.headers("msg_1", 0, body);
    let large = format!("{{\"rows\": \"{}\"}}", "x".repeat(1024 * 1024));
    assert_eq!(call(&id, &signed(&large), &large).await.code(), (413, "BODY_TOO_LARGE"));
    let deep = format!("{{\"rows\": {}1{}}}", "[".repeat(100), "]".repeat(100));
    assert_eq!(call(&id, &signed(&deep), &deep).await.code(), (400, "JSON_TOO_DEEP"));
    assert_eq!(call(&id, &signed("{"), "{").await.code(), (400, "JSON_MALFORMED"));
    let twice = r#"{"rows": [{"a": 1, "a": 2}]}"#;
    assert_eq!(call(&id, &signed(twice), twice).await.code(), (422, "INVALID_INPUT"));
    let unsigned = sender.headers("msg_1", 0, "{}");
    assert_eq!(call(&id, &unsigned, twice).await.code(), (401, "WEBHOOK_UNVERIFIED"));
    let mut form = signed("a=1");
    form[0].1 = "application/x-www-form-urlencoded".to_owned();
    assert_eq!(call(&id, &form, "a=1").await.code(), (415, "NOT_JSON"));
    assert_eq!(fired(&ana, &id).await, Vec::<Value>::new());

    // An input that the playbook needs and the body does not have is the occurrence's reason.
    let skipped = sender.fires(&ana, "msg_2", &json!({ "row": [] })).await;
    assert_eq!(skipped["state"], "skipped", "{skipped:#}");
    assert_eq!(skipped["reason"]["code"], "INVALID_INPUT", "{skipped:#}");
    are_kept(&ana, &skipped, 0).await;
    let listed = sender.fires(&ana, "msg_3", &json!({ "rows": [{ "a": 1 }] })).await;
    let done = ana.reaches(&run_of(&listed), "complete").await;
    assert_eq!(done["query"], "Triggered", "{done:#}");
}

/// Of a message of which no run came only size and digest are left; its trigger keeps so many bodies of others.
pub(super) async fn are_kept(ana: &Person, skipped: &Value, expect: usize) {
    let path = format!("/occurrences/{}/body", skipped["id"].as_str().unwrap());
    assert_eq!(ana.refused(&path, None).await, (404, "NOT_FOUND".to_owned()));
    let by = &skipped["fired_by"];
    assert!(by["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{skipped:#}");
    assert!(by["sha256"].as_str().is_some_and(|digest| digest.len() == 64), "{skipped:#}");
    let bucket = world().stack.output("BucketName").unwrap();
    let prefix = format!("hooks/{}/", skipped["source_id"].as_str().unwrap());
    let command = ["s3api", "list-objects-v2", "--bucket", bucket, "--prefix", &prefix];
    until("its body is gone", || async {
        let kept = world().aws(&command).await.unwrap_or_default();
        (kept["Contents"].as_array().map_or(0, Vec::len) == expect).then_some(())
    })
    .await;
}

#[tokio::test]
async fn issue_14_keys_are_shown_once_changed_one_by_one_and_taken_back() {
    let (ana, _, old) = taking("changing-keys").await;
    let keys = format!("/triggers/{}/keys", old.trigger);
    let new = Sender::new(&ana, &old.trigger).await;
    let rows = json!({ "rows": [] });
    assert_eq!(old.send("msg_1", &rows).await.status, 202);
    assert_eq!(new.send("msg_2", &rows).await.status, 202);
    let listed = ana.get(&keys).await;
    let ids: Vec<&str> =
        listed["items"].as_array().unwrap().iter().filter_map(|key| key["id"].as_str()).collect();
    assert_eq!(ids, [old.key.as_str(), new.key.as_str()]);
    assert!(!listed.to_string().contains("whsec_"), "{listed}");
    for _ in 0..3 {
        Sender::new(&ana, &old.trigger).await;
    }
    let full = (409, "HOOK_KEYS_TOO_MANY".to_owned());
    assert_eq!(ana.refused(&keys, Some(&json!({}))).await, full);

    ana.door.delete(&format!("{FACTORY}{keys}/{}", old.key)).await.unwrap();
    let answer: Answer = old.send("msg_3", &rows).await;
    assert_eq!(answer.code(), (401, "WEBHOOK_UNVERIFIED"), "its key was removed");
    assert_eq!(new.send("msg_4", &rows).await.status, 202);
    assert_eq!(fired(&ana, &old.trigger).await.len(), 3);

    let agent = ana.get(&format!("/triggers/{}", old.trigger)).await["profile_id"].clone();
    let inputs = json!({ "rows": [] });
    let file = json!({ "type": "file", "folder": "in" });
    let other =
        made(&ana, &trigger(agent.as_str().unwrap(), "changing-keys", &file, &inputs)).await;
    let said = ana.refused(&format!("/triggers/{other}/keys"), Some(&json!({}))).await;
    assert_eq!(said, (409, "TRIGGER_NOT_A_WEBHOOK".to_owned()));
}

#[tokio::test]
async fn issue_14_a_message_has_the_rights_its_owner_has_then() {
    let (ana, agent, sender) = taking("rights-of-then").await;
    let rows = json!({ "rows": [] });
    let path = format!("{FACTORY}/profiles/{agent}");
    ana.door.patch(&path, &json!({ "is_active": false })).await.unwrap();
    let skipped = sender.fires(&ana, "msg_1", &rows).await;
    assert_eq!(skipped["reason"]["code"], "PROFILE_INACTIVE", "{skipped:#}");
    ana.door.patch(&path, &json!({ "is_active": true })).await.unwrap();
    let started = sender.fires(&ana, "msg_2", &rows).await;
    assert_eq!(started["state"], "started", "{started:#}");
    crate::case::admin(world())
        .post(
            &format!("/api/admin/users/{}/grants", ana.username),
            &json!({ "scope": "global:reader" }),
        )
        .await
        .unwrap();
    revoke(&ana, "global:analyst").await;
    let answer = sender.send("msg_3", &rows).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let last = seen_by_a_reader(&ana, &answer.body["occurrence"]).await;
    assert_eq!(last["reason"]["code"], "PERMISSION_DENIED", "{last:#}");
}

/// An occurrence, asked for with a token of what is left of her rights.
async fn seen_by_a_reader(ana: &Person, occurrence: &Value) -> Value {
    let stack = &world().stack;
    let scopes = countersign_identity::Scopes::parse(["global:reader"]);
    let token = countersign_cli::token::login(stack, &ana.id, scopes).unwrap();
    let door = countersign_cli::door::Door::with(&stack.url(), token).unwrap();
    let path = format!("{FACTORY}/occurrences/{}", occurrence.as_str().unwrap());
    door.get(&path).await.unwrap()
}
