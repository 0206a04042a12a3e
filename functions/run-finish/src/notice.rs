//! Owner and requester are told that a run is over (F-190): in the application, and by mail to a verified address, at most
//! once each. The mail holds nothing that anybody could have written into it; the notification holds the notes.

pub(crate) mod members;
mod message;

use std::collections::BTreeSet;

use countersign_approval::{ApprovalRecord, RecordedDecision, Status, Verdict};
use countersign_identity::UserId;
use countersign_letter::Label;
use countersign_letter::mail::{DecisionFact, Ending, FinishedMail, Reader};
use countersign_outbox::{DomainEvent, Mail, MailId};
use countersign_run::{
    EndPart, Head, RunContext, RunState, RunStatus, StepState, StepStatus, attempt_in_words,
};
use countersign_store_content::{
    Notification, NotificationId, NotificationType, Priority, derived,
};
use serde_json::{Map, Value, json};

use crate::occasion::Occasion;
use crate::unwritten::Unwritten;
use crate::{Context, Done, FinishError};

use message::message;

/// Writes the notifications and queues the mails; all have ids that follow from run and person. Answers with what listeners are to
/// hear of them. One that cannot be written keeps neither the run from ending nor anybody else from being told.
pub(crate) async fn send(
    context: &Context,
    done: &Done<'_>,
    unwritten: &mut Unwritten,
) -> Result<Vec<DomainEvent>, FinishError> {
    let mut events = Vec::new();
    if did_nothing(done.status) {
        return Ok(events);
    }
    for person in told(done.head) {
        if is_member(done.head, person) && members::left(context, done.head, person).await? {
            continue;
        }
        let noted = notify(context, done, person).await;
        let noted = unwritten.unless_never(&done.head.run, EndPart::Notice, noted)?;
        let mut is_told = noted.is_some();
        if !was_watched(done) && !is_told_later(done, person) {
            let mailed = mail(context, done, person).await;
            is_told |= unwritten.unless_never(&done.head.run, EndPart::Mail, mailed)? == Some(true);
        }
        unwritten.has_untold_owner |= !is_told && *person == done.head.owner;
        let id = noted.map(|()| id(done, person));
        events.extend(id.map(|id| DomainEvent::notified(person, id.as_str(), done.at)));
    }
    Ok(events)
}

async fn notify(context: &Context, done: &Done<'_>, person: &UserId) -> Result<(), FinishError> {
    let is_member = is_member(done.head, person);
    let may_read = !is_member || members::may_read(context, done.head).await?;
    let address = address(context, done, person);
    context.content.notify(&told_to(done, person, &address, may_read)).await?;
    Ok(())
}

fn id(done: &Done<'_>, person: &UserId) -> NotificationId {
    let run = done.head.run.as_str();
    NotificationId::from_bytes(derived(&["agent_job_complete", run, person.as_str()]))
}

/// The owner, and who started it.
fn told(head: &Head) -> BTreeSet<&UserId> {
    BTreeSet::from([&head.owner, &head.invoked_by])
}

/// A monitor that found nothing, or a run that was not due: nobody has asked to hear of it.
fn did_nothing(status: RunStatus) -> bool {
    matches!(status, RunStatus::Suppressed | RunStatus::Skipped | RunStatus::OutsideActiveHours)
}

/// A success that somebody waited for, as far as the run knows: it was started as `interactive`.
fn was_watched(done: &Done<'_>) -> bool {
    (done.status == RunStatus::Complete || only_skipped(done.status, done.state))
        && done.unknown().next().is_none()
        && done.head.context == RunContext::Interactive
}

/// Whether a run has left out only what needs a signature, as whoever started it wanted.
fn only_skipped(status: RunStatus, state: &RunState) -> bool {
    let is_good = |(_, step): &(String, StepState)| step.status.is_good() || step.was_not_asked();
    status == RunStatus::Partial && state.steps.iter().all(is_good)
}

/// Whether its owner has a mail once nothing tries it again: one for what was due, however often it failed. Who asked for the run
/// and is not its owner has none later; what nobody knows the outcome of is told at once.
fn is_told_later(done: &Done<'_>, person: &UserId) -> bool {
    let is_tried_again = done.occasion.is_some_and(Occasion::is_tried_again);
    is_tried_again && *person == done.head.owner && done.unknown().next().is_none()
}

/// Whether there is an address to which the mail goes.
async fn mail(context: &Context, done: &Done<'_>, person: &UserId) -> Result<bool, FinishError> {
    let user = context.directory.user(person).await?;
    let Some(user) = user.filter(|user| user.active && user.email_verified) else {
        return Ok(false);
    };
    let cancelled_by = match done.head.stop.as_ref().and_then(|stop| stop.by.as_ref()) {
        Some(by) => Some(Label::new(&context.recorder.username(by).await?)),
        None => None,
    };
    let letter = match is_member(done.head, person) {
        true => members::letter(done.head, letter(done, cancelled_by)),
        false => letter(done, cancelled_by),
    };
    let letter = letter.render()?;
    let run = done.head.run.as_str();
    let id = MailId::from_bytes(derived(&["run-finished", run, person.as_str()]));
    let to = vec![user.email.to_string()];
    let mail = Mail::new(id, to, letter.subject, letter.text, Some(letter.html))?;
    context.mails.send(&mail.with_header("Auto-Submitted", "auto-generated")?).await?;
    Ok(true)
}

/// Where this person reads of the run.
fn address(context: &Context, done: &Done<'_>, person: &UserId) -> String {
    let head = done.head;
    let shared = members::path(head).filter(|_| is_member(head, person));
    let path = shared.unwrap_or_else(|| format!("/api/agent-factory/executions/{}", head.run));
    format!("{}{path}", context.public_url)
}

/// Whether this person has started the run, and its agent is not theirs.
fn is_member(head: &Head, person: &UserId) -> bool {
    head.member() == Some(person) && *person != head.owner
}

fn told_to(done: &Done<'_>, person: &UserId, address: &str, may_read: bool) -> Notification {
    let full = notification(done, person, address);
    match is_member(done.head, person) {
        true => members::notification(done, full, may_read),
        false => full,
    }
}

fn notification(done: &Done<'_>, person: &UserId, address: &str) -> Notification {
    let head = done.head;
    Notification {
        id: id(done, person),
        owner: person.clone(),
        notification_type: NotificationType::AgentJobComplete,
        title: format!("{}: {}", head.profile_name, words(done)),
        message: message(done),
        priority: Priority::Normal,
        action_url: Some(address.to_owned()),
        action_label: Some("See the run".to_owned()),
        details: details(done),
        run: head.run.to_string(),
        created_at: done.at,
        read_at: None,
    }
}

/// The same as data (F-190).
fn details(done: &Done<'_>) -> Map<String, Value> {
    let details = [
        ("execution_id", json!(done.head.run)),
        ("status", json!(done.status)),
        ("entities_discovered", json!(done.record.entities.discovered)),
        ("output_destinations", json!(done.record.output_destinations)),
    ];
    let occurrence = done.head.occurrence.as_ref().map(|id| ("occurrence", json!(id)));
    let details = details.into_iter().chain(occurrence);
    details.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// How many steps were done, how many their conditions skipped, and how many there are.
fn counted(done: &Done<'_>) -> (u32, u32, u32) {
    let steps = &done.state.steps;
    let count = |which: fn(StepStatus) -> bool| {
        let count = steps.iter().filter(|(_, step)| which(step.status)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let skipped = |status| status == StepStatus::Skipped;
    (count(StepStatus::is_done), count(skipped), count(|_| true))
}

fn letter(done: &Done<'_>, cancelled_by: Option<Label>) -> FinishedMail {
    let head = done.head;
    let (steps_done, steps_skipped, steps) = counted(done);
    let failed = done.state.steps.iter().find(|(_, step)| step.status == StepStatus::Failed);
    let broken = head.stop.as_ref().and_then(|stop| stop.code.as_deref());
    FinishedMail {
        reader: Reader::Owner,
        run: Label::new(head.run.as_str()),
        occurrence: head.occurrence.as_ref().map(|id| Label::id(id.as_str())),
        attempt: head.attempt_of_occurrence().map(|n| Label::new(&attempt_in_words(n))),
        asked_by: done.occasion.map(|of| Label::new(&of.name)),
        again: done
            .occasion
            .and_then(|of| of.again.as_ref())
            .map(|again| Label::new(again.words())),
        status: Label::new(words(done)),
        profile: Label::new(&head.profile_name),
        playbook: head.playbook_name.as_deref().map(Label::new),
        started: head.started_at,
        finished: done.at,
        steps_done,
        steps_skipped,
        steps,
        decisions: done.approvals.iter().filter_map(fact).collect(),
        error: failed.map_or(broken, |(_, step)| step.code.as_deref()).map(Label::new),
        cancelled_by,
        unknown: u32::try_from(done.unknown().count()).unwrap_or(u32::MAX),
        parked: done.parked,
        warnings: head.warnings.iter().fold(0, |all, one| all.saturating_add(one.count)),
    }
}

/// None for a question about an unknown outcome that nobody answered: that the outcome is unknown is told by itself.
fn fact(record: &ApprovalRecord) -> Option<DecisionFact> {
    if record.in_doubt && !matches!(record.status, Status::Approved | Status::Denied) {
        return None;
    }
    let (ending, verdict) = match record.status {
        Status::Approved => (Ending::Approved, Some(Verdict::Approve)),
        Status::Denied => (Ending::Denied, Some(Verdict::Deny)),
        Status::TimedOut | Status::Expired => (Ending::TimedOut, None),
        Status::Cancelled => (Ending::Closed, None),
        Status::Superseded => {
            let revised = record.decisions.iter().find(|decision| decision.verdict.revises())?;
            (Ending::Revised, Some(revised.verdict))
        }
        Status::Pending => return None,
    };
    let decisions = record.decisions.iter();
    let ending = if record.in_doubt { about_outcome(ending) } else { ending };
    let counts = |decision: &&RecordedDecision| decision.not_counted.is_none();
    let so = decisions.clone().filter(counts);
    let so = so.filter(|decision| Some(decision.verdict) == verdict);
    // Instructions are no note: that changes were asked for says it.
    let is_noted =
        |decision: &&RecordedDecision| decision.note.is_some() && !decision.verdict.revises();
    let noted = decisions.filter(is_noted);
    Some(DecisionFact {
        ending,
        by: so.map(|decision| Label::new(&decision.by)).collect(),
        at: record.at?,
        noted: noted.map(|decision| Label::new(&decision.by)).collect(),
        went_on: record.was_skipped(),
    })
}

/// The same of a question about an unknown outcome.
fn about_outcome(ending: Ending) -> Ending {
    if ending == Ending::Approved { Ending::Answered } else { Ending::Unanswered }
}

/// Whether nobody answered a request of the run in time; otherwise it has worked for too long.
fn has_expired(done: &Done<'_>) -> bool {
    done.state.steps.iter().any(|(_, step)| step.status == StepStatus::TimedOut)
}

fn words(done: &Done<'_>) -> &'static str {
    if done.unknown().next().is_some() {
        return "outcome unknown";
    }
    match done.status {
        RunStatus::Complete => "complete",
        RunStatus::Partial => "complete in part",
        RunStatus::Rejected => "denied",
        RunStatus::Timeout if has_expired(done) => "not signed in time",
        RunStatus::Timeout => "not finished in time",
        RunStatus::Cancelled => "cancelled",
        RunStatus::Error => "ended with an error",
        other => other.as_str(),
    }
}

#[cfg(test)]
mod tests;
