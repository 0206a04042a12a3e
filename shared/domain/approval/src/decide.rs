//! The one place where a decision is weighed.

use countersign_failure::Failure;
use countersign_identity::{Caller, Capability, Denied, Refused};
use countersign_zones::to_the_second;
use jiff::Timestamp;

use crate::actor::Actor;
use crate::attempt::Attempt;
use crate::closed::Closed;
use crate::counting::{Cast, approvals, outcome};
use crate::kind::Kind;
use crate::outcome::{AnswerProblem, OutcomeAnswer, check_answers};
use crate::policy::{Assurance, Door};
use crate::receipt::{Act, Receipt};
use crate::request::Request;
use crate::revise::{ReviseError, check_revision};
use crate::revision::Revision;
use crate::status::Status;
use crate::story::{closed_code, story};
use crate::vote::{MAX_NOTE, Verdict, Vote};
use countersign_effect::Digest;

/// What follows from an attempt.
#[derive(Debug, Clone, PartialEq)]
pub enum Decided {
    /// A new vote.
    Recorded(Box<Recorded>),
    /// The same person had decided the same: the first vote stands, and its receipt is the answer.
    Repeated(Box<Vote>),
}

/// A new vote and what it changes. All of it is written in one transaction or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The request afterwards: one revision further, perhaps closed.
    pub request: Request,
    /// The vote.
    pub vote: Vote,
    /// Its receipt.
    pub receipt: Receipt,
    /// How many people have approved this version; of answers, how many are equal to this one.
    pub approvals: u32,
    /// How many other people have approved it and do not count any more.
    pub lost: u32,
}

/// Why nothing changes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum DecideError {
    /// The attempt does not say what it decides on.
    #[error("the decision carries no digest of what was seen")]
    #[failure(
        code = "DIGEST_MISSING",
        status = 422,
        help = "send the `digest` of the request you looked at"
    )]
    DigestMissing,
    /// The digest is not a digest.
    #[error("the digest of the decision is malformed")]
    #[failure(
        code = "DIGEST_MALFORMED",
        status = 422,
        help = "send the `digest` of the request you looked at"
    )]
    DigestMalformed,
    /// The note is too long.
    #[error("the note has {0} characters and may have {MAX_NOTE}")]
    #[failure(code = "NOTE_TOO_LONG", status = 422)]
    NoteTooLong(usize),
    /// The answers are incomplete, or not what was asked.
    #[error("the answers do not fit: {}", listed(.0))]
    #[failure(
        code = "ANSWERS_INVALID",
        status = 422,
        help = "look at the target for the key of each call; then answer `done` with evidence, `not_done`, or `again`"
    )]
    Answers(Vec<AnswerProblem>),
    /// Answers where none are asked for.
    #[error("this request does not ask what became of a call: `answers` must be left out")]
    #[failure(code = "ANSWERS_NOT_ASKED", status = 422)]
    AnswersNotAsked,
    /// Answers together with a denial.
    #[error(
        "a denial leaves the outcome unknown: either give an answer for each call and approve, or deny without answers"
    )]
    #[failure(code = "ANSWERS_NOT_ASKED", status = 422)]
    AnswersDenied,
    /// The changes that are asked for cannot be made.
    #[error(transparent)]
    #[failure(forward)]
    Revise(#[from] ReviseError),
    /// The content changed since it was shown (409 `preview_changed`).
    #[error("{}", changed(*.version, *.seen))]
    #[failure(
        code = "PREVIEW_CHANGED",
        status = 409,
        help = "read the request again, look at what it shows now, and send the `digest` it has"
    )]
    PreviewChanged {
        /// The version to look at.
        version: u32,
        /// The version that the attempt names.
        seen: Option<u32>,
    },
    /// The request is closed; the story says how and when. A door that knows the name says by whom ([`story`]).
    #[error("{}", story(.0, None))]
    #[failure(code = closed_code(_0.status), status = 409)]
    Closed(Closed),
    /// The deadline passed.
    #[error("the deadline passed at {}", to_the_second(*.deadline))]
    #[failure(code = "APPROVAL_TIMED_OUT", status = 409)]
    DeadlinePassed {
        /// The deadline.
        deadline: Timestamp,
    },
    /// The same person decided otherwise before.
    #[error("you decided otherwise at {}", to_the_second(.0.at))]
    #[failure(code = "ALREADY_VOTED", status = 409)]
    AlreadyVoted(Box<Vote>),
    /// The person is not asked.
    #[error("you are not among the approvers of this request")]
    #[failure(code = "NOT_AN_APPROVER", status = 403)]
    NotAnApprover,
    /// The person asked for it themselves.
    #[error("you started or own what this request is about and may not decide it")]
    #[failure(code = "REQUESTER_BARRED", status = 403, help = "ask one of the other approvers")]
    RequesterBarred,
    /// The directory does not let the person act at all: unknown, inactive, or with a revoked token.
    #[error(transparent)]
    #[failure(forward, status = 403)]
    Refused(#[from] Refused),
    /// The session may not decide.
    #[error("this session may not decide approvals")]
    #[failure(
        code = "DECIDE_CAPABILITY_MISSING",
        status = 403,
        help = "ask an administrator for the capability `decide`, or sign in as a person: tokens of an API never decide"
    )]
    CapabilityMissing,
    /// The person may not do what the request is about, now.
    #[error("you may not approve this: {0}")]
    #[failure(code = "PERMISSION_DENIED", status = 403)]
    NotPermitted(Denied),
    /// The deployment wants a second factor for what cannot be taken back, and the session has none.
    #[error("what this request is about cannot be taken back: sign in with a second factor")]
    #[failure(
        code = "MFA_REQUIRED",
        status = 403,
        help = "set up a second factor for your account, sign in again with it, and decide within the quarter of an hour that this token is good"
    )]
    SecondFactorMissing,
    /// The policy does not name this door.
    #[error("this request cannot be decided through this door")]
    #[failure(
        code = "DOOR_CLOSED",
        status = 403,
        help = "use another of the doors the request names"
    )]
    DoorClosed(Door),
    /// The door is not sure enough who it is.
    #[error("this request needs more proof of who decides")]
    #[failure(
        code = "ASSURANCE_TOO_LOW",
        status = 403,
        help = more_proof(*needed)
    )]
    AssuranceTooLow {
        /// What the policy asks for.
        needed: Assurance,
    },
}

fn changed(version: u32, seen: Option<u32>) -> String {
    match seen.filter(|seen| *seen != version) {
        Some(seen) => {
            format!(
                "this was decided on version {seen} of the request, which is at version {version} now"
            )
        }
        None => format!("the `digest` sent is not the digest of this request at version {version}"),
    }
}

fn more_proof(needed: Assurance) -> Option<String> {
    let help = match needed {
        Assurance::LinkCode => "ask for a one-time code and send it along",
        _ => "sign in and decide in the console",
    };
    Some(help.to_owned())
}

fn listed(problems: &[AnswerProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Weighs one attempt of `caller` against the request and the votes cast so far.
///
/// `caller` is what the directory says now, cut to what their token may do; over a mailed link, the directory alone.
/// `votes` may hold votes of earlier versions; they count for nothing. Neither do approvals that are marked in the request: whoever
/// calls this has asked the directory about them ([`Request::mark_uncounted`]), and their people may vote again. The order of the checks is part of the protocol:
/// what is malformed is said first, strangers learn nothing about the request, a repetition gets its first receipt even
/// after the end, and a closed request tells its story before anything else is examined.
///
/// # Errors
/// [`DecideError`]; the request is unchanged.
pub fn decide(
    request: &Request,
    votes: &[Vote],
    attempt: &Attempt,
    caller: &Caller,
    now: Timestamp,
) -> Result<Decided, DecideError> {
    let digest = seen_digest(attempt)?;
    if request.policy.slot_of(&caller.user).is_none() {
        return Err(DecideError::NotAnApprover);
    }
    let own = request.last_vote(votes, &caller.user);
    // One that does not count any more is repeated only where nothing can be decided any more.
    let stands = |own: &&Vote| request.counts(own) || request.status.is_final();
    let same = |own: &&Vote| {
        own.verdict == attempt.verdict
            && own.digest == digest
            && same_answers(own, attempt)
            && same_instructions(own, attempt)
    };
    if let Some(own) = own.filter(stands).filter(same) {
        return Ok(Decided::Repeated(Box::new(own.clone())));
    }
    check_open(request, now)?;
    if !request.is_as_seen(&digest, attempt.version) {
        let (version, seen) = (request.version, attempt.version);
        return Err(DecideError::PreviewChanged { version, seen });
    }
    // Before the proof of who decides: nobody is mailed a code for what cannot be recorded.
    let answers = checked_answers(request, attempt)?;
    check_revision(request, attempt)?;
    check_rights(request, attempt.door, attempt.assurance, caller)?;
    if let Some(own) = own.filter(stands) {
        return Err(DecideError::AlreadyVoted(Box::new(own.clone())));
    }
    let attempt = Attempt { answers, ..attempt.clone() };
    Ok(Decided::Recorded(Box::new(record(request, votes, &attempt, caller, now))))
}

/// Answers in another order are the same answers.
fn same_answers(own: &Vote, attempt: &Attempt) -> bool {
    let mut answers = attempt.answers.clone();
    answers.sort_by_key(|answer| answer.n);
    own.answers == answers
}

/// Other changes are another wish, and not the first one again.
fn same_instructions(own: &Vote, attempt: &Attempt) -> bool {
    !attempt.verdict.revises() || own.note == attempt.note
}

/// Whoever approves a question about outcomes answers it for every call; nobody answers what was not asked.
fn checked_answers(
    request: &Request,
    attempt: &Attempt,
) -> Result<Vec<OutcomeAnswer>, DecideError> {
    match (request.kind, attempt.verdict) {
        (Kind::Outcome, Verdict::Approve) => {
            check_answers(&request.outcome, &attempt.answers).map_err(DecideError::Answers)
        }
        _ if attempt.answers.is_empty() => Ok(Vec::new()),
        (Kind::Outcome, Verdict::Deny | Verdict::Enhance | Verdict::Override) => {
            Err(DecideError::AnswersDenied)
        }
        _ => Err(DecideError::AnswersNotAsked),
    }
}

fn seen_digest(attempt: &Attempt) -> Result<Digest, DecideError> {
    let length = attempt.note.as_ref().map_or(0, |note| note.chars().count());
    if length > MAX_NOTE && attempt.verdict.revises() {
        return Err(ReviseError::TooLong(length).into());
    }
    if length > MAX_NOTE {
        return Err(DecideError::NoteTooLong(length));
    }
    parse_digest(attempt.digest.as_deref())
}

/// The digest somebody saw, as it came in.
pub(crate) fn parse_digest(text: Option<&str>) -> Result<Digest, DecideError> {
    let text = text.filter(|text| !text.is_empty()).ok_or(DecideError::DigestMissing)?;
    text.parse().map_err(|_| DecideError::DigestMalformed)
}

/// Whether the request is pending and has time left.
///
/// # Errors
/// [`DecideError::Closed`] or [`DecideError::DeadlinePassed`] when not.
pub fn check_open(request: &Request, now: Timestamp) -> Result<(), DecideError> {
    if let Some(closed) = &request.closed {
        return Err(DecideError::Closed(closed.clone()));
    }
    let deadline = request.timing.deadline;
    if now >= deadline { Err(DecideError::DeadlinePassed { deadline }) } else { Ok(()) }
}

/// Whether the person may vote on the request through this door: what changing its content takes, too.
pub(crate) fn check_rights(
    request: &Request,
    door: Door,
    assurance: Assurance,
    caller: &Caller,
) -> Result<(), DecideError> {
    check_person(request, caller)?;
    if !request.policy.doors.contains(&door) {
        return Err(DecideError::DoorClosed(door));
    }
    let needed = request.policy.assurance;
    // Denials too: the ledger would otherwise name somebody whose forwarded link another person clicked.
    if assurance < needed {
        return Err(DecideError::AssuranceTooLow { needed });
    }
    Ok(())
}

/// Whether the person may vote on the request at all, whatever the door: what a page knows before it offers a vote.
///
/// # Errors
/// [`DecideError`] says why not.
pub fn check_person(request: &Request, caller: &Caller) -> Result<(), DecideError> {
    if request.policy.bars(&caller.user, &request.requesters) {
        return Err(DecideError::RequesterBarred);
    }
    if !caller.can(Capability::Decide) {
        return Err(DecideError::CapabilityMissing);
    }
    if let Some(requirement) = &request.requirement {
        caller.permits(requirement, request.topic.as_ref()).map_err(DecideError::NotPermitted)?;
    }
    Ok(())
}

fn record(
    request: &Request,
    votes: &[Vote],
    attempt: &Attempt,
    caller: &Caller,
    now: Timestamp,
) -> Recorded {
    let again = request.last_vote(votes, &caller.user).map_or(0, |own| own.again + 1);
    let mut counted = request.cast(votes);
    counted.push(Cast::now(attempt, &caller.user));
    let status = outcome(request, &counted);
    let note = attempt.note.as_deref().filter(|note| !note.is_empty());
    let act = Act {
        actor: Actor::Person(caller.user.clone()),
        verdict: Some(attempt.verdict),
        door: Some(attempt.door),
        assurance: Some(attempt.assurance),
        answers: &attempt.answers,
        note,
        at: now,
        status,
        again,
    };
    let receipt = Receipt::of(request, act);
    let vote = Vote {
        person: caller.user.clone(),
        verdict: attempt.verdict,
        version: request.version,
        digest: request.digest,
        at: now,
        door: attempt.door,
        assurance: attempt.assurance,
        receipt: receipt.id.clone(),
        answers: attempt.answers.clone(),
        note: note.map(str::to_owned),
        // The door's caller knows it.
        token: None,
        again,
    };
    let mut after = request.clone();
    after.revision += 1;
    after.status = status;
    after.closed = status.is_final().then(|| closed_by(&vote, attempt, status));
    let approvals = counted.last().map_or(0, |own| approvals(&counted, own));
    let lost = request.lost_approvals(votes).into_iter().filter(|person| **person != caller.user);
    let lost = u32::try_from(lost.count()).unwrap_or(u32::MAX);
    Recorded { request: after, approvals, lost, vote, receipt }
}

fn closed_by(vote: &Vote, attempt: &Attempt, status: Status) -> Closed {
    Closed {
        status,
        at: vote.at,
        by: Actor::Person(vote.person.clone()),
        door: Some(vote.door),
        receipt: vote.receipt.clone(),
        answers: if status == Status::Approved { vote.answers.clone() } else { Vec::new() },
        revision: Revision::of(attempt).map(Box::new),
    }
}
