//! The notice of a run that nobody watched (F-190): in the application, and by mail to a verified address.

use countersign_letter::Label;
use countersign_letter::mail::FinishedMail;
use countersign_outbox::{Mail, MailId};
use countersign_run::RunStatus;
use countersign_store_content::{Notification, NotificationId, Priority, derived};

use crate::{Context, Done, FinishError};

/// Writes the notification and queues the mail; both have ids that follow from the run.
pub(crate) async fn send(context: &Context, done: &Done<'_>) -> Result<(), FinishError> {
    let head = done.head;
    context.content.notify(&notification(done)).await?;
    let owner = context.directory.user(&head.owner).await?;
    let Some(address) = owner
        .filter(|owner| owner.active && owner.email_verified)
        .map(|owner| owner.email.to_string())
    else {
        return Ok(());
    };
    let letter = letter(done).render()?;
    let id = MailId::from_bytes(derived(&["run-finished", head.run.as_str()]));
    context
        .mails
        .send(&Mail::new(id, vec![address], letter.subject, letter.text, Some(letter.html))?)
        .await?;
    Ok(())
}

fn notification(done: &Done<'_>) -> Notification {
    let head = done.head;
    let steps = done.state.steps.iter().filter(|(_, step)| step.status.is_good()).count();
    Notification {
        id: NotificationId::from_bytes(derived(&["agent_job_complete", head.run.as_str()])),
        owner: head.owner.clone(),
        title: format!("{}: {}", head.profile_name, words(done.status)),
        message: format!("{steps} of {} steps were done.", done.state.steps.len()),
        priority: Priority::Normal,
        action_url: None,
        action_label: None,
        run: head.run.to_string(),
        created_at: done.at,
        read_at: None,
    }
}

fn letter(done: &Done<'_>) -> FinishedMail {
    let head = done.head;
    let good = done.state.steps.iter().filter(|(_, step)| step.status.is_good()).count();
    FinishedMail {
        run: Label::new(head.run.as_str()),
        status: Label::new(words(done.status)),
        profile: Label::new(&head.profile_name),
        playbook: head.playbook_name.as_deref().map(Label::new),
        started: head.started_at,
        finished: done.at,
        steps_done: u32::try_from(good).unwrap_or(u32::MAX),
        steps: u32::try_from(done.state.steps.len()).unwrap_or(u32::MAX),
        link: None,
    }
}

fn words(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Complete => "complete",
        RunStatus::Partial => "complete in part",
        RunStatus::Rejected => "refused",
        RunStatus::Timeout => "not signed in time",
        RunStatus::Cancelled => "cancelled",
        RunStatus::Error => "ended with an error",
        other => other.as_str(),
    }
}
