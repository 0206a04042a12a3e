//! The door dies while it makes a key of a webhook.

use serde_json::{Value, json};

use super::{Scene, recorded};
use crate::case::{FACTORY, until};
use crate::saboteur::{Side, Whom};
use crate::world::World;

impl Scene<'_> {
    /// Wherever the door dies, no secret is left of a key that is not listed: nobody could see it, or take it back.
    pub(super) async fn no_key_is_unseen(&self, world: &World) {
        let body = json!({
            "name": "Keys", "profile_id": self.other, "playbook_id": "harmless", "on": { "type": "webhook" }, "inputs": { "rows": "{body.rows}" },
        });
        let trigger = self.ana.post("/triggers", &body).await["id"].as_str().unwrap().to_owned();
        let path = format!("{FACTORY}/triggers/{trigger}/keys");
        let mut deaths = 0;
        for side in [Side::Before, Side::After] {
            for nth in 1.. {
                let request = uuid::Uuid::now_v7().to_string();
                self.saboteur.order(Whom::Api, nth, side);
                recorded(self.ana.door.post_once(&path, &json!({}), &request).await);
                if self.saboteur.relent().is_empty() {
                    break;
                }
                deaths += 1;
                let listed = self.listed(&path).await;
                let kept = secrets(world, &trigger).await;
                let unseen = kept.iter().find(|key| !listed.contains(key));
                assert_eq!(unseen, None, "write {nth}, {side:?}: {listed:?}");
                for key in listed {
                    self.ana.door.delete(&format!("{path}/{key}")).await.unwrap();
                }
                assert!(secrets(world, &trigger).await.is_empty(), "a removed key has no secret");
            }
        }
        assert!(deaths >= 4, "the door died {deaths} times only");
    }

    /// The keys that the owner sees. The emulator may hand a request to the process that died last.
    async fn listed(&self, path: &str) -> Vec<String> {
        let page =
            until("the keys are listed", || async { recorded(self.ana.door.get(path).await) })
                .await;
        let keys = page["items"].as_array().unwrap().iter();
        keys.map(|key| key["id"].as_str().unwrap().to_owned()).collect()
    }
}

/// The keys of a webhook of which there is a secret.
async fn secrets(world: &World, trigger: &str) -> Vec<String> {
    let table = world.stack.output("VaultTableName").unwrap();
    let scan = ["dynamodb", "scan", "--consistent-read", "--table-name", table];
    let found = world.aws(&scan).await.unwrap();
    let of = format!("HOOK#{trigger}");
    let items = found["Items"].as_array().unwrap().iter();
    let keys = items.filter(|item| item["PK"]["S"] == of.as_str());
    keys.map(|item: &Value| item["SK"]["S"].as_str().unwrap().replace("KEY#", "")).collect()
}
