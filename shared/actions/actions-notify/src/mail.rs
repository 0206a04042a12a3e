//! The mail of a notification: what the system says is apart from what the agent wrote.

use countersign_letter::{Label, Shown};
use countersign_links::unlinked;
use countersign_outbox::{Mail, MailId};
use countersign_registry::action::ActionError;
use countersign_store_content::{Notification, Priority};

use crate::PublicUrl;

/// The mail of a notification of this agent. Its subject, and every line of it that is not behind `>`, are the system's words.
///
/// # Errors
/// Those of [`Mail::new`].
pub(crate) fn mail(
    note: &Notification,
    agent: &str,
    own: &PublicUrl,
    address: String,
) -> Result<Mail, ActionError> {
    let agent = Label::new(agent);
    let mark = match note.priority {
        Priority::High => "Important: ",
        Priority::Urgent => "Urgent: ",
        Priority::Low | Priority::Normal => "",
    };
    let text = format!(
        "The agent {agent} wrote this in run {}. This deployment has not checked it.\n\n{}\n{}",
        note.run,
        quoted(note),
        link(note, own)
    );
    let id = MailId::of(&["notification", note.id.as_str()]);
    let subject = format!("{mark}Message of agent {agent}");
    let made = Mail::new(id, vec![address], subject, text, None);
    let mail = made.and_then(|mail| mail.with_header("Auto-Submitted", "auto-generated"));
    mail.map_err(|error| ActionError::from_failure(&error))
}

/// What the agent wrote: each line behind `>`, with the marks of the pages, and nothing that a mail program makes a link of.
fn quoted(note: &Notification) -> String {
    let label = note.action_url.as_ref().and(note.action_label.as_ref());
    let label = label.map(|label| format!("\n\n{label}:")).unwrap_or_default();
    let words = format!("{}\n\n{}{label}", note.title, note.message);
    let words = unlinked(&Shown::prose(&words, usize::MAX).bracketed());
    let lines: Vec<String> = words.split('\n').map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// The address of a notification: a link where it is of this deployment, else taken apart.
fn link(note: &Notification, own: &PublicUrl) -> String {
    let Some(url) = note.action_url.as_deref() else { return String::new() };
    match own.page(url) {
        Some(page) => format!("\nOpen: {page}\n"),
        None => format!("\nAn address outside of this deployment: {}\n", unlinked(url)),
    }
}
