//! `send_notification` (F-072): tells the owner of a run something.
//!
//! Every notification stands in the application. `normal`, `high` and `urgent` ones also go by mail, to the owner's own
//! address and only if the directory says it is verified; `high` and `urgent` say so in the subject. The mail is plain text
//! in which the agent's words are quoted. Its one link goes to the deployment itself; any other address is taken apart.

mod link;
mod mail;
mod ports;

use std::sync::Arc;

use countersign_effect::is_hidden;
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call, Handler};
use countersign_registry::actions::send_notification as declared;
use countersign_registry::shape::filled;
use countersign_store_content::{
    Notification, NotificationId, NotificationType, Priority, derived,
};
use serde_json::Map;

pub use link::PublicUrl;
pub use ports::{Addresses, DailyMails, Mails, Notes, Quotas};

/// Steps whose warnings a message lists, and characters of each.
const MAX_WARNINGS: usize = 5;
const MAX_WARNING: usize = 500;

/// What stands above them.
const BASIS: &str = "Warnings about what this is based on:";

/// The action, over where notifications are kept, who has which address, how many mails are left, where mail goes, and the
/// deployment's own address.
#[must_use]
pub fn actions(
    notes: Arc<dyn Notes>,
    addresses: Arc<dyn Addresses>,
    quotas: Arc<dyn Quotas>,
    mails: Arc<dyn Mails>,
    public_url: PublicUrl,
) -> Vec<Arc<dyn Handler>> {
    vec![Arc::new(SendNotification { notes, addresses, quotas, mails, public_url })]
}

struct SendNotification {
    notes: Arc<dyn Notes>,
    addresses: Arc<dyn Addresses>,
    quotas: Arc<dyn Quotas>,
    mails: Arc<dyn Mails>,
    public_url: PublicUrl,
}

impl Perform for SendNotification {
    type Action = declared::SendNotification;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let note = self.notification(call, &inputs, params)?;
        let address = match note.priority {
            Priority::Low => None,
            _ => self.addresses.verified(&call.owner).await?,
        };
        // Before the record: a step that may send no more leaves nothing behind.
        if address.is_some() {
            self.quotas.count(call).await?;
        }
        let stands = self.notes.keep(&note).await?;
        // The record stands before the mail is queued; the mail's id is the record's, so a repeated call mails nothing
        // twice.
        if let Some(address) = address {
            let agent = &call.info.profile_name;
            self.mails.queue(&mail::mail(&stands, agent, &self.public_url, address)?).await?;
        }
        Ok(declared::Output { notification_id: stands.id.to_string(), success: true })
    }
}

impl SendNotification {
    fn notification(
        &self,
        call: &Call,
        inputs: &declared::Inputs,
        params: declared::Params,
    ) -> Result<Notification, ActionError> {
        let action_url = filled(params.action_url).map(|url| self.public_url.allowed(&url));
        let title = filled(params.title).unwrap_or_else(|| call.info.profile_name.clone());
        Ok(Notification {
            id: NotificationId::from_bytes(derived(&["notification", &call.idempotency_key])),
            owner: call.owner.clone(),
            notification_type: NotificationType::AgentMessage,
            title: one_line(&title),
            message: message(&inputs.message, &call.info.warnings),
            priority: priority(params.priority),
            action_url: action_url.transpose().map_err(invalid)?,
            action_label: filled(params.action_label).map(|label| one_line(&label)),
            details: Map::from_iter([("execution_id".to_owned(), call.run.as_str().into())]),
            run: call.run.clone(),
            created_at: call.now,
            read_at: None,
        })
    }
}

/// The message, and below it what the steps before could not read: a figure in it may not be whole.
fn message(written: &str, warnings: &[String]) -> String {
    let written = written.trim();
    if warnings.is_empty() {
        return written.to_owned();
    }
    let told = warnings.iter().take(MAX_WARNINGS).map(|warning| {
        // What a file or a source says must not look like a paragraph of the message.
        let whole = plain_line(warning);
        let line: String = whole.chars().take(MAX_WARNING).collect();
        if line.len() < whole.len() { format!("- {line}…") } else { format!("- {line}") }
    });
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    let more = (more > 0).then(|| format!("- warnings in {more} more steps"));
    let told: Vec<String> = told.chain(more).collect();
    format!("{written}\n\n{BASIS}\n{}", told.join("\n"))
}

fn invalid(message: impl Into<String>) -> ActionError {
    ActionError::terminal("NOTIFICATION_ARGUMENT", message)
}

fn priority(written: declared::Priority) -> Priority {
    match written {
        declared::Priority::Low => Priority::Low,
        declared::Priority::Normal => Priority::Normal,
        declared::Priority::High => Priority::High,
        declared::Priority::Urgent => Priority::Urgent,
    }
}

/// A text as one line of at most 120 characters without anything invisible.
fn one_line(text: &str) -> String {
    plain_line(text).chars().take(120).collect()
}

/// A text as one line without anything invisible.
fn plain_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() || c.is_whitespace() { ' ' } else { c };
    let text: String = text.chars().map(plain).filter(|c| !is_hidden(*c)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
