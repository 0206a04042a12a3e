//! Answers that do not say plainly that a message was taken.

use serde_json::{Value, json};

use super::{Deed, Desk, Service, slack_sent};
use crate::case::step;

/// A run that asks what became of its message, of which one was sent and nobody knows.
async fn is_unknown(id: &str, channel: &str, said: Deed) {
    let service = Service::open(vec![said]).await;
    let desk = Desk::with(&[(channel, &service)]).await;
    let run = desk.sends(id, "chat_id: '42'", "hello").await;
    let (gate, seen) = desk.asked(&run).await;
    desk.approve(&gate, &seen).await;
    let path = desk.question(&run).await;
    let asked = desk.maria.get(&path).await;
    let risk = asked["outcome"][0]["again_warning"].as_str().unwrap();
    assert!(risk.contains("does not recognise a repeated request"), "{asked:#}");
    let body = json!({ "digest": asked["digest"], "version": asked["version"] });
    desk.maria.post(&format!("{path}/reject"), &body).await;
    let ended = desk.ended(&run).await;
    let tell = step(&ended, "tell");
    assert_eq!((&tell["status"], &tell["code"]), (&json!("unknown"), &json!("EFFECT_UNKNOWN")));
    assert_eq!(service.posts().len(), 1, "it was sent again without a yes");
}

#[tokio::test]
async fn f_073_an_answer_that_does_not_say_whether_it_was_sent_is_unknown() {
    let says = |body: Value| Deed::Says("200 OK", "", body);
    let fatal = json!({ "ok": false, "error": "fatal_error" });
    is_unknown("tell-fatal", "slack", says(fatal)).await;
    is_unknown("tell-mute", "slack", says(json!({}))).await;
    is_unknown("tell-nameless", "discord", says(json!({ "type": 0 }))).await;
    is_unknown("tell-unread", "discord", says(json!("sent"))).await;
}

#[tokio::test]
async fn f_073_slack_says_in_a_good_answer_that_it_throttles_or_refuses_the_token() {
    let busy = Service::open(vec![
        Deed::Says("200 OK", "", json!({ "ok": false, "error": "ratelimited" })),
        Deed::Says("200 OK", "", slack_sent()),
    ])
    .await;
    let desk = Desk::with(&[("slack", &busy)]).await;
    desk.signed("tell-later", "chat_id: C1", "hello", "complete").await;
    let posts = busy.posts();
    let [first, second] = posts.as_slice() else { panic!("{} posts", posts.len()) };
    assert_eq!(first, second, "something else was sent");
    let denied = Service::good(json!({ "ok": false, "error": "invalid_auth" })).await;
    let desk = Desk::with(&[("slack", &denied)]).await;
    let (_, ended) = desk.signed("tell-denied", "chat_id: C1", "hello", "error").await;
    assert_eq!(step(&ended, "tell")["code"], "CONNECTOR_AUTH_FAILED", "{ended:#}");
    assert_eq!(denied.posts().len(), 1);
}
