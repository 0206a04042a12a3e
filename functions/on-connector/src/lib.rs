//! Tells the owner of a connector that the source refuses its credential (F-306): in the application, and by mail to a
//! verified address. Ids follow from owner, binding and day, so that a binding is told of once a day, however often and by
//! however many agents at once its source is called.

use countersign_identity::UserId;
use countersign_lambda_entry::{Boot, Fault, StartError, decode};
use countersign_letter::Label;
use countersign_letter::mail::CredentialMail;
use countersign_notice::{NoticeError, OwnerNotifier};
use countersign_outbox::MailId;
use countersign_store_content::{
    Notification, NotificationId, NotificationType, Priority, derived,
};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The event `connector.auth_failed` of the deployment's bus; what else it says is not used.
#[derive(Debug, Deserialize)]
pub struct Refused {
    /// What happened.
    pub detail: Detail,
}

/// Whose connector it is.
#[derive(Debug, Clone, Deserialize)]
pub struct Detail {
    /// When the source refused.
    pub at: Timestamp,
    /// Who has to enter a credential.
    pub owner: UserId,
    /// The agent it is bound to.
    pub profile: String,
    /// The connector.
    pub connector: String,
    /// The binding.
    pub binding: String,
}

/// Who tells the owner.
pub struct Context {
    teller: OwnerNotifier,
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        Ok(Self { teller: OwnerNotifier::new(boot)? })
    }
}

/// Handles one event.
///
/// # Errors
/// A [`Fault`] when a table or the queue does not answer; the event comes again.
pub async fn handle(context: &Context, event: Value) -> Result<Value, Fault> {
    let refused: Refused = decode(event)?;
    let mailed = tell(context, &refused.detail).await?;
    Ok(json!({ "mailed": mailed }))
}

async fn tell(context: &Context, refused: &Detail) -> Result<bool, NoticeError> {
    let letter = CredentialMail {
        connector: Label::new(&refused.connector),
        profile: Label::new(&refused.profile),
        at: refused.at,
    };
    let id = MailId::from_bytes(occasion(refused, "mail"));
    context.teller.tell(&notification(refused), id, letter.render()?).await
}

/// What makes the occasion unique: whose binding it is, and the day of the refusal (UTC). Bindings of what the system
/// ships are the same for every owner.
fn occasion(refused: &Detail, what: &str) -> [u8; 16] {
    let day = refused.at.strftime("%F").to_string();
    let (owner, binding) = (refused.owner.as_str(), refused.binding.as_str());
    derived(&["connector.auth_failed", what, owner, binding, &day])
}

fn notification(refused: &Detail) -> Notification {
    Notification {
        id: NotificationId::from_bytes(occasion(refused, "note")),
        owner: refused.owner.clone(),
        notification_type: NotificationType::CredentialRejected,
        title: format!("{}: the credential was rejected", refused.connector),
        message: "The agent goes on without this source until the credential is entered again."
            .to_owned(),
        priority: Priority::High,
        action_url: None,
        action_label: None,
        details: Map::from_iter([
            ("connector".to_owned(), refused.connector.as_str().into()),
            ("profile".to_owned(), refused.profile.as_str().into()),
        ]),
        run: String::new(),
        created_at: refused.at,
        read_at: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_306_the_sample_event_is_told_to_its_owner_once() {
        let sample = include_str!("../../../events/on-connector/auth-failed.json");
        let refused: Refused = serde_json::from_str(sample).unwrap();
        let note = notification(&refused.detail);
        assert_eq!(note.owner, refused.detail.owner);
        assert!(note.title.contains("propublica-nonprofit"));
        let again = |hours: i64| {
            let at =
                refused.detail.at.checked_add(jiff::SignedDuration::from_hours(hours)).unwrap();
            Detail { at, ..refused.detail.clone() }
        };
        assert_eq!(note.id, notification(&again(0)).id);
        assert_ne!(note.id, notification(&again(24)).id);
        let other = Detail { owner: UserId::from_bytes([9; 16]), ..refused.detail.clone() };
        assert_ne!(note.id, notification(&other).id);
    }
}
