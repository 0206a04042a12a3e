//! What a trigger asks when an event has fired it.

use countersign_decimal::json::unrounded;
use countersign_failure::{Class, Failure as _};
use countersign_profile::Profile;
use countersign_run::{Occurrence, QUOTA_EXCEEDED, TriggeredBy};
use countersign_trigger::{Content, inputs};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use crate::begin::{Asked, NotBegun, Refusal};
use crate::{Clock, ClockError, Trigger};

impl Clock {
    /// The question of a trigger, with what its event brought.
    pub(crate) async fn of_event(
        &self,
        of: &Occurrence,
        trigger: &Trigger,
        profile: &Profile,
        now: Timestamp,
    ) -> Result<Asked, NotBegun> {
        let Some(fired) = &of.fired_by else {
            let message = "nothing says what fired the trigger";
            return Err(NotBegun::Refused(Refusal::new("TRIGGER_REMOVED", message)));
        };
        self.is_still_signed(of, trigger, now).await?;
        let playbook = trigger.spec.playbook(&profile.spec).ok_or_else(|| {
            let message = "the trigger names no playbook, and the agent has none that comes first";
            NotBegun::Refused(Refusal::new("PLAYBOOK_NOT_CHOSEN", message))
        })?;
        let content = self.content(of, fired, now).await?;
        let inputs = inputs(&trigger.spec.inputs, fired, content).map_err(|wrong| {
            let said: Vec<String> = wrong.iter().map(|one| format!("inputs.{one}")).collect();
            let said: String = said.join("; ").chars().take(500).collect();
            NotBegun::Refused(Refusal::new("INVALID_INPUT", said))
        })?;
        let skill = profile.spec.skill_for(playbook);
        let given = skill.map(|skill| &skill.parameters);
        if let Some(name) = replaced(&trigger.spec.inputs, &inputs, given) {
            let message = format!(
                "inputs.{name}: the event has no value for it, and what the agent's skill gives is not taken in its place"
            );
            return Err(NotBegun::Refused(Refusal::new("INVALID_INPUT", message)));
        }
        Ok(Asked {
            query: trigger.spec.query_template.to_string(),
            day: of.due_at.to_zoned(TimeZone::UTC).date(),
            playbook: Some(playbook.to_owned()),
            inputs,
        })
    }

    /// Refuses a message that has waited, or whose run failed and is due again, where the key it was signed with is not valid any
    /// more. One that is begun at once was verified a moment ago; what earlier releases took does not say its key.
    pub(crate) async fn is_still_signed(
        &self,
        of: &Occurrence,
        trigger: &Trigger,
        now: Timestamp,
    ) -> Result<(), NotBegun> {
        let Some(TriggeredBy::Webhook { key: Some(key), .. }) = &of.fired_by else { return Ok(()) };
        if of.may_come_again(now) {
            return Ok(());
        }
        let keys = self.catalog.hook_keys(&trigger.id).await?.keys;
        let Some(key) = keys.into_iter().find(|known| known.id.as_str() == key) else {
            let message = format!("the key `{key}` that the message was signed with was removed");
            return Err(NotBegun::Refused(Refusal::new("WEBHOOK_KEY_REMOVED", message)));
        };
        let entry = self.directory.entry_of(&of.owner).await.map_err(ClockError::from)?;
        if entry.is_some_and(|entry| key.saved().is_revoked(&entry)) {
            let message =
                format!("the token that made the key `{}` of the message was revoked", key.id);
            return Err(NotBegun::Refused(Refusal::new("SAVED_TOKEN_REVOKED", message)));
        }
        Ok(())
    }

    /// Removes the body of a webhook of which no run came: size and digest stay with the occurrence. The body is kept before that is
    /// known, because a run cannot begin without it. One that was turned away may be on its way again, and is left alone: whoever
    /// answers its sender removes it before.
    pub async fn remove_unused_body(&self, of: &Occurrence) {
        if of.came_to_nothing() && !of.is_skipped_for(QUOTA_EXCEEDED) {
            self.remove_body(of).await;
        }
    }

    /// Removes the body of the webhook that fired an occurrence; one that cannot be removed stays, and the log says so.
    pub async fn remove_body(&self, of: &Occurrence) {
        if let Err(error) = self.hook_bodies.remove(of).await {
            tracing::warn!(occurrence = %of.id, %error, "the body of a webhook that came to no run stays");
        }
    }

    /// What the event brought beside what its occurrence says.
    async fn content(
        &self,
        of: &Occurrence,
        fired: &TriggeredBy,
        now: Timestamp,
    ) -> Result<Content, NotBegun> {
        match fired {
            TriggeredBy::Webhook { .. } => {
                let body = self.hook_bodies.of(of).await;
                let body = body.map_err(|error| unread(of, error.into(), now))?;
                let body = body.unwrap_or_default();
                let exact = unrounded(&body).and_then(|exact| serde_json::from_slice(&exact));
                let body = exact.map_err(|_| {
                    let message = "the body of the message is not JSON";
                    NotBegun::Refused(Refusal::new("JSON_MALFORMED", message))
                })?;
                Ok(Content::Body(body))
            }
            TriggeredBy::After { run, .. } => {
                let response = self.runs.response(run).await;
                let response = response.map_err(|error| unread(of, error.into(), now))?;
                Ok(Content::Response(response))
            }
            TriggeredBy::File { .. } => Ok(Content::None),
        }
    }
}

/// An input that the trigger takes from its event, which has none, while the agent's skill gives one: whoever sent the event has
/// forgotten it, and did not mean the other one.
fn replaced<'a>(
    written: &'a Map<String, Value>,
    inputs: &Map<String, Value>,
    skill: Option<&Map<String, Value>>,
) -> Option<&'a String> {
    let given = |name: &str| skill.is_some_and(|skill| skill.contains_key(name));
    written.keys().find(|name| !inputs.contains_key(*name) && given(name))
}

/// What cannot be read for so long is gone: a bucket does not say so itself.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(1);

/// What brought an event and cannot be read: what does not answer may answer later, what is refused for an hour does not.
fn unread(of: &Occurrence, error: ClockError, now: Timestamp) -> NotBegun {
    let is_old = now.duration_since(of.noticed_at) > GIVEN_UP;
    if error.class() == Class::Retryable || !is_old {
        return NotBegun::Later(error);
    }
    let message = format!("what fired the trigger cannot be read any more: {}", error.code());
    NotBegun::Refused(Refusal::new("EVENT_UNREADABLE", message))
}

#[cfg(test)]
pub(crate) mod tests {
    use countersign_run::{OccurrenceId, OccurrenceSource, OccurrenceState};
    use countersign_store_kit::StoreError;

    use super::*;

    /// An event that waits.
    pub(crate) fn occurrence() -> Occurrence {
        let noticed_at: Timestamp = "2026-11-24T06:00:00Z".parse().unwrap();
        let source_id = format!("trig_{}", "0".repeat(32));
        let id = OccurrenceId::new(&source_id, noticed_at);
        let owner = countersign_identity::UserId::from_bytes([1; 16]);
        let source = (OccurrenceSource::Trigger, source_id.as_str());
        Occurrence {
            name: "Hook".to_owned(),
            profile_id: "prof_1".to_owned(),
            state: OccurrenceState::Queued,
            timeout_seconds: 300,
            ..Occurrence::noticed(id, owner, source, (noticed_at, noticed_at))
        }
    }

    fn check(error: StoreError, minutes: i64, expect: Option<&str>) {
        let of = occurrence();
        let now = of.noticed_at + SignedDuration::from_mins(minutes);
        let code = match unread(&of, error.into(), now) {
            NotBegun::Refused(refusal) => Some(refusal.code),
            NotBegun::Later(_) => None,
        };
        assert_eq!(code.as_deref(), expect, "{minutes} minutes");
    }

    #[test]
    fn issue_14_a_skill_gives_nothing_in_place_of_what_an_event_lacks() {
        let map = |value: Value| value.as_object().cloned().unwrap();
        let written = map(serde_json::json!({"amount": "{body.amount}", "note": "{body.note}"}));
        let skill = map(serde_json::json!({"amount": "5.00", "folder": "a"}));
        let bound = map(serde_json::json!({"amount": "7.00"}));
        assert_eq!(replaced(&written, &bound, Some(&skill)), None);
        assert_eq!(replaced(&written, &Map::new(), None), None);
        assert_eq!(replaced(&written, &Map::new(), Some(&skill)).unwrap(), "amount");
    }

    #[test]
    fn issue_14_an_event_that_cannot_be_read_any_more_comes_to_an_end() {
        let gone = || StoreError::Refused { table: "data".into(), reason: "NoSuchKey".into() };
        let down = || StoreError::Unavailable { table: "data".into(), reason: "off".into() };
        check(gone(), 59, None);
        check(gone(), 61, Some("EVENT_UNREADABLE"));
        check(StoreError::Tampered("hooks/x".to_owned()), 61, Some("EVENT_UNREADABLE"));
        check(down(), 61, None);
        check(down(), 60 * 24 * 7, None);
    }
}
