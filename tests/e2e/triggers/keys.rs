//! How far a key of a webhook reaches: as far as the token that made it, and so often.

use countersign_cli::door::Door;
use countersign_cli::token::login;
use countersign_identity::Scopes;
use serde_json::{Value, json};

use super::{Sender, compute, fired, made, trigger};
use crate::case::{FACTORY, Person, admin, person, until};
use crate::world::world;

async fn hook(name: &str) -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&compute(name)).await;
    let inputs = json!({ "rows": "{body.rows}" });
    let id = made(&ana, &trigger(&agent, name, &json!({ "type": "webhook" }), &inputs)).await;
    (ana, id)
}

fn rows() -> Value {
    json!({ "rows": [{ "a": 1 }] })
}

#[tokio::test]
async fn r_003_issue_14_a_key_is_void_once_the_token_that_made_it_is() {
    let (mut ana, id) = hook("keys-of-void-tokens").await;
    let old = Sender::new(&ana, &id).await;
    assert_eq!(old.send("msg_1", &rows()).await.status, 202);
    let voids = format!("/api/admin/users/{}/revoke-tokens", ana.id);
    admin(world()).post(&voids, &json!({})).await.unwrap();
    // A token of this very second is void as well.
    ana.door = until("a token that is good again", || async {
        let token = login(&world().stack, &ana.id, Scopes::parse(["global:analyst"])).unwrap();
        let door = Door::with(&world().stack.url(), token).unwrap();
        door.get(&format!("{FACTORY}/triggers")).await.is_ok().then_some(door)
    })
    .await;
    // Saving the trigger again vouches for its runs, not for its keys.
    super::changed(&ana, &id, &json!({ "name": "Saved again" })).await;
    let answer = old.send("msg_2", &rows()).await;
    assert_eq!(answer.code(), (401, "WEBHOOK_UNVERIFIED"));
    let new = Sender::new(&ana, &id).await;
    let started = new.fires(&ana, "msg_3", &rows()).await;
    assert_eq!(started["state"], "started", "{started:#}");
    assert_eq!(fired(&ana, &id).await.len(), 2, "nothing is left of what was not believed");
}

#[tokio::test]
async fn issue_14_a_webhook_takes_so_many_messages_a_minute() {
    /// As `docs/triggers.md` says.
    const MOST: usize = 60;
    let (ana, id) = hook("messages-a-minute").await;
    let sender = Sender::new(&ana, &id).await;
    let beside = hook("messages-beside").await;
    let other = Sender::new(&beside.0, &beside.1).await;
    // A minute may end meanwhile: then as many are taken again.
    let mut taken = 0;
    let refused = loop {
        let answer = sender.send("msg_1", &rows()).await;
        if answer.status != 202 {
            break answer;
        }
        taken += 1;
        assert!(taken <= 10 * MOST, "nothing bounds what is sent");
    };
    assert!(taken >= MOST, "{taken} were taken");
    assert_eq!(refused.code(), (429, "WEBHOOK_TOO_OFTEN"));
    assert_eq!(refused.body["limit"], MOST);
    assert!(refused.again_after.is_some_and(|seconds| (1..=60).contains(&seconds)));
    assert_eq!(fired(&ana, &id).await.len(), 1, "the same message");
    assert_eq!(other.send("msg_1", &rows()).await.status, 202, "each trigger has its own");
}
