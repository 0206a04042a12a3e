//! What people did with a request for approval, by their usernames.

use countersign_approval::{
    Actor, Assurance, Closed, Digest, Door, ExtensionRecord, NotCounted, OutcomeAnswer, ReceiptId,
    Request, Revision, Status, StrikeRecord, Verdict, Vote,
};
use countersign_web::Problem;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Context;

/// What somebody struck out or brought back.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalStrike")]
pub(crate) struct StrikeView {
    /// The username of who did.
    by: String,
    at: Timestamp,
    /// Through which door.
    door: Door,
    /// How surely it was that person.
    assurance: Assurance,
    /// The version it made.
    version: u32,
    /// The digest of the version they saw.
    seen: Digest,
    step: String,
    /// The effects that were struck by it, numbered from 0.
    struck: Vec<u32>,
    /// The effects that were brought back by it, numbered from 0.
    restored: Vec<u32>,
}

impl StrikeView {
    pub(super) fn of(strike: &StrikeRecord, by: String) -> Self {
        let StrikeRecord { by: _, at, door, assurance, version, seen, step, struck, restored } =
            strike.clone();
        Self { by, at, door, assurance, version, seen, step, struck, restored }
    }
}

/// That somebody gave a request more time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalExtension")]
pub(crate) struct ExtensionView {
    /// The username of who did.
    by: String,
    at: Timestamp,
    /// The deadline before.
    from: Timestamp,
    /// The deadline afterwards.
    to: Timestamp,
}

impl ExtensionView {
    pub(super) fn of(extension: &ExtensionRecord, by: String) -> Self {
        let ExtensionRecord { by: _, at, from, to } = *extension;
        Self { by, at, from, to }
    }
}

/// One person's vote.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalVote")]
pub(crate) struct VoteView {
    verdict: Verdict,
    /// The version they saw.
    version: u32,
    /// The digest they saw.
    digest: Digest,
    at: Timestamp,
    /// Through which door.
    door: Door,
    /// How surely it was them.
    assurance: Assurance,
    /// The receipt that seals the vote.
    receipt: ReceiptId,
    /// What they say became of each call, numbered from 1, when the request asks that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<OutcomeAnswer>,
    /// What they noted; untrusted text.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// Who voted.
    username: String,
    /// Why an approval of the present version does not count any more, when it does not: its person could not give it now, or
    /// not when somebody decided after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_counted: Option<NotCounted>,
}

impl VoteView {
    pub(super) fn of(request: &Request, vote: &Vote, username: String) -> Self {
        let Vote { person: _, verdict, version, digest, at, door, assurance, receipt, .. } =
            vote.clone();
        Self {
            verdict,
            version,
            digest,
            at,
            door,
            assurance,
            receipt,
            answers: vote.answers.iter().map(OutcomeAnswer::shown).collect(),
            note: vote.note.clone(),
            username,
            not_counted: request.not_counted(vote),
        }
    }
}

/// How a request ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApprovalClosed")]
pub(crate) struct ClosedView {
    status: Status,
    at: Timestamp,
    by: ClosedBy,
    /// Through which door, when it was a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    door: Option<Door>,
    receipt: ReceiptId,
    /// What enough people said became of each call, numbered from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<OutcomeAnswer>,
    /// The changes that were asked for, when that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<Box<Revision>>,
}

/// Who or what ended a request.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "type")]
enum ClosedBy {
    /// A person.
    Person { username: String },
    /// The deadline.
    Clock,
    /// The run was stopped, or is gone.
    Engine,
}

/// The username of the person who ended a request, when it was one.
pub(super) async fn who_closed(ctx: &Context, closed: &Closed) -> Result<Option<String>, Problem> {
    match &closed.by {
        Actor::Person(person) => Ok(Some(ctx.recorder.username(person).await?)),
        Actor::Clock | Actor::Engine => Ok(None),
    }
}

impl ClosedView {
    /// The same with the username of the person who ended it in place of their id.
    pub(super) fn of(closed: Closed, username: Option<String>) -> Self {
        let Closed { status, at, by, door, receipt, answers, revision } = closed;
        let by = match by {
            Actor::Person(id) => {
                ClosedBy::Person { username: username.unwrap_or_else(|| id.to_string()) }
            }
            Actor::Clock => ClosedBy::Clock,
            Actor::Engine => ClosedBy::Engine,
        };
        Self { status, at, by, door, receipt, answers, revision }
    }
}
