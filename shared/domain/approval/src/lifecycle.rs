//! What happens to a request other than a vote.

use countersign_failure::Failure;
use countersign_identity::UserId;
use countersign_zones::to_the_second;
use jiff::Timestamp;

use crate::actor::Actor;
use crate::closed::Closed;
use crate::deadline::{MAX_DURATION, later};
use crate::open_error::OpenError;
use crate::opening::Opening;
use crate::policy::Policy;
use crate::receipt::{Act, Receipt};
use crate::request::Request;
use crate::status::Status;

/// A change of a request: how it is afterwards, and the receipt when it ended. Written in one transaction, on condition
/// that the stored revision is still the one it was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The request afterwards.
    pub request: Request,
    /// The receipt of its end.
    pub receipt: Option<Receipt>,
}

/// Why a request cannot be changed so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum LifecycleError {
    /// It is closed; final states never change.
    #[error("the request is {}", .0.status)]
    #[failure(code = "APPROVAL_CLOSED", status = 409)]
    Closed(Closed),
    /// The deadline has not come yet.
    #[error("the deadline {} has not passed", to_the_second(*.deadline))]
    #[failure(code = "APPROVAL_NOT_DUE", status = 409)]
    NotDue {
        /// The deadline.
        deadline: Timestamp,
    },
    /// The new deadline is not at least an hour later than the present one, or beyond what a gate may wait.
    #[error(
        "the deadline can only move by an hour or more, to a time within 300 days of the opening"
    )]
    #[failure(code = "DEADLINE_NOT_LATER")]
    DeadlineNotLater,
    /// The request was given more time as often as it may be.
    #[error("the request was given more time 16 times, which is as often as it may be")]
    #[failure(code = "APPROVAL_TOO_MANY_EXTENSIONS", status = 409)]
    TooManyExtensions,
    /// The changed content cannot be asked about.
    #[error(transparent)]
    #[failure(forward)]
    Content(#[from] OpenError),
    /// The changed content belongs somewhere else.
    #[error("the content belongs to another request")]
    #[failure(code = "APPROVAL_OTHER_REQUEST")]
    OtherRequest,
    /// A request does not become pending, approved, denied or superseded this way: only people and the deadline do that.
    #[error("a request does not become {0} this way")]
    #[failure(code = "APPROVAL_NOT_AN_END")]
    NotAnEnd(Status),
}

/// Ends a pending request whose deadline passed: it counts as refused (K-12).
///
/// # Errors
/// [`LifecycleError::Closed`] when it has ended already, [`LifecycleError::NotDue`] before the deadline.
pub fn expire(request: &Request, now: Timestamp) -> Result<Move, LifecycleError> {
    check_pending(request)?;
    let deadline = request.timing.deadline;
    if now < deadline {
        return Err(LifecycleError::NotDue { deadline });
    }
    Ok(ended(request, Status::TimedOut, Actor::Clock, now))
}

/// Ends a pending request as `expired` or `cancelled`.
///
/// # Errors
/// [`LifecycleError::Closed`] when it has ended already, [`LifecycleError::NotAnEnd`] for any other status.
pub fn close(request: &Request, status: Status, now: Timestamp) -> Result<Move, LifecycleError> {
    check_pending(request)?;
    if !matches!(status, Status::Expired | Status::Cancelled) {
        return Err(LifecycleError::NotAnEnd(status));
    }
    Ok(ended(request, status, Actor::Engine, now))
}

/// Changes what is asked: the version rises and the votes so far are void. Deadline and salt stay. Rows that were struck out
/// of the content before are back, and a remark says so.
///
/// # Errors
/// [`LifecycleError`] when the request is closed, when the content belongs elsewhere, or cannot be asked about.
pub fn amend(request: &Request, opening: Opening, now: Timestamp) -> Result<Move, LifecycleError> {
    check_pending(request)?;
    let fresh = Request::open(Opening { timing: request.timing.clone(), ..opening }, now)?;
    if fresh.id != request.id {
        return Err(LifecycleError::OtherRequest);
    }
    let policy = with_escalated(fresh.policy.clone(), &request.policy);
    let changed = Request {
        version: request.version + 1,
        revision: request.revision + 1,
        opened_at: request.opened_at,
        salt: request.salt,
        extensions: request.extensions.clone(),
        policy,
        remarks: fresh.remarks.iter().cloned().chain(strikes_gone(request)).collect(),
        ..fresh
    };
    Ok(Move { request: changed, receipt: None })
}

/// What people are told whose strikes belonged to other content.
#[must_use]
pub fn strikes_gone(before: &Request) -> Option<String> {
    let struck: usize = before.covers.iter().map(|covered| covered.struck.len()).sum();
    let gone = format!(
        "What is asked has changed. The {struck} that were struck out before are not struck out of what is asked now: please look again."
    );
    (struck > 0).then_some(gone)
}

/// Those who were asked stay in their slots, so that no link points to somebody else after a change.
fn with_escalated(mut fresh: Policy, before: &Policy) -> Policy {
    let mut approvers = before.approvers.clone();
    let added: Vec<UserId> =
        fresh.approvers.into_iter().filter(|person| !approvers.contains(person)).collect();
    approvers.extend(added);
    approvers.truncate(Policy::MAX_APPROVERS);
    fresh.approvers = approvers;
    fresh
}

/// Gives a pending request more time; its next reminder moves too.
///
/// # Errors
/// [`LifecycleError`] when it is closed or out of time, or when `deadline` is not later or too late.
pub fn extend(
    request: &Request,
    deadline: Timestamp,
    now: Timestamp,
) -> Result<Move, LifecycleError> {
    check_pending(request)?;
    let present = request.timing.deadline;
    if now >= present || deadline <= present || deadline > later(request.opened_at, MAX_DURATION) {
        return Err(LifecycleError::DeadlineNotLater);
    }
    let mut changed = request.clone();
    changed.revision += 1;
    changed.timing = request.timing.moved(now, deadline);
    Ok(Move { request: changed, receipt: None })
}

/// Asks the people of the escalation in addition: those to mail now, and the change when some of them are new. Asking
/// twice names the same people and changes nothing the second time.
///
/// # Errors
/// [`LifecycleError::Closed`] when the request has ended.
pub fn escalate(request: &Request) -> Result<(Option<Move>, Vec<UserId>), LifecycleError> {
    check_pending(request)?;
    let mut changed = request.clone();
    let asked: Vec<UserId> = match &request.timing.escalation {
        Some(escalation) => escalation.to.clone(),
        None => Vec::new(),
    };
    let may_decide = |person: &UserId| !request.policy.bars(person, &request.requesters);
    for person in asked.iter().filter(|person| may_decide(person)) {
        let approvers = &mut changed.policy.approvers;
        if !approvers.contains(person) && approvers.len() < Policy::MAX_APPROVERS {
            approvers.push(person.clone());
        }
    }
    let is_changed = changed.policy.approvers.len() > request.policy.approvers.len();
    let is_asked = |person: &UserId| may_decide(person) && changed.policy.slot_of(person).is_some();
    let people = asked.into_iter().filter(|person| is_asked(person)).collect();
    changed.revision += 1;
    Ok((is_changed.then_some(Move { request: changed, receipt: None }), people))
}

fn check_pending(request: &Request) -> Result<(), LifecycleError> {
    match &request.closed {
        Some(closed) => Err(LifecycleError::Closed(closed.clone())),
        None => Ok(()),
    }
}

fn ended(request: &Request, status: Status, by: Actor, now: Timestamp) -> Move {
    let act = Act {
        actor: by.clone(),
        verdict: None,
        door: None,
        assurance: None,
        answers: &[],
        note: None,
        at: now,
        status,
        again: 0,
    };
    let receipt = Receipt::of(request, act);
    let mut changed = request.clone();
    changed.revision += 1;
    changed.status = status;
    changed.closed = Some(Closed {
        status,
        at: now,
        by,
        door: None,
        receipt: receipt.id.clone(),
        answers: Vec::new(),
        revision: None,
    });
    Move { request: changed, receipt: Some(receipt) }
}
