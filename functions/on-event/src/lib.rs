//! Pushes what happens to the open connections of those whom it concerns.
//!
//! A message says what happened and to what, by ids; what they stand for is read at the API, with the rights of that moment.

use std::collections::BTreeSet;

use countersign_identity::UserId;
use countersign_lambda_entry::{Fault, decode};
use countersign_push::{Message, Push};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Fields of an event that say whom it concerns, or how it is written; nobody is sent them.
const UNSENT: [&str; 5] = ["v", "kind", "tenant", "owner", "people"];

/// An event of the deployment's bus.
#[derive(Debug, Deserialize)]
pub struct Event {
    /// What happened.
    pub detail: Detail,
}

/// What happened: a kind and ids.
#[derive(Debug, Deserialize)]
pub struct Detail {
    /// Such as `run.finished`.
    pub kind: String,
    /// Whose it is.
    pub owner: UserId,
    /// Whom it concerns as well.
    #[serde(default)]
    pub people: Vec<UserId>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Detail {
    fn concerned(&self) -> BTreeSet<&UserId> {
        self.people.iter().chain([&self.owner]).collect()
    }

    /// What is sent: `type` and the ids.
    fn message(&self) -> Value {
        let fields = self.rest.iter().filter(|(name, _)| !UNSENT.contains(&name.as_str()));
        let mut message: Map<String, Value> =
            fields.map(|(name, value)| (name.clone(), value.clone())).collect();
        message.insert("type".to_owned(), json!(self.kind));
        Value::Object(message)
    }
}

/// Pushes one event; answers with how many connections have it.
///
/// # Errors
/// A [`Fault`] when a table does not answer; the event comes again, and some connections may get it twice.
pub async fn handle(push: &Push, event: Value, now: Timestamp) -> Result<Value, Fault> {
    let Event { detail } = decode(event)?;
    let message = detail.message();
    let mut pushed = 0;
    for person in detail.concerned() {
        pushed += push.to_person(person, &[Message::Ids(&message)], now).await?;
    }
    Ok(json!({ "pushed": pushed }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_155_a_message_has_ids_and_says_nothing_of_others() {
        let sample = include_str!("../../../events/on-event/approval-opened.json");
        let Event { detail } = serde_json::from_str(sample).unwrap();
        let expect = json!({
            "type": "approval.opened", "at": "2026-11-21T10:00:00Z", "approval": "appr_0197c3a1b2c3d4e5f60718293a4b5c6d",
            "run": "run_0197c3a1b2c3d4e5f60718293a4b5c6d", "approval_kind": "step", "status": "pending",
        });
        assert_eq!(detail.message(), expect);
        let people = detail.concerned();
        assert_eq!(people.len(), 2, "{people:?}");
        assert!(people.contains(&detail.owner));
    }
}
