//! What a run's record says of a request: how it stands, who decided what and when, and whom it waits for. People stand
//! in it by name: the protocol knows ids, readers know people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use countersign_failure::beginning;
use countersign_identity::UserId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actor::ReceiptId;
use crate::not_counted::NotCounted;
use crate::opening::OnReject;
use crate::outcome::{CallChoice, OutcomeAnswer, choices, words};
use crate::position::ApprovalId;
use crate::request::Request;
use crate::status::Status;
use crate::vote::{Verdict, Vote};

/// One person's decision, as the record tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedDecision {
    /// The person's username.
    pub by: String,
    /// What they decided.
    pub verdict: Verdict,
    /// When.
    pub at: Timestamp,
    /// What they say became of each call, numbered from 1, when the request asks that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<OutcomeAnswer>,
    /// What they noted; untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Why it does not count any more, when it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_counted: Option<NotCounted>,
}

/// How many people have said the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OutcomeTally")]
pub struct Tally {
    /// What they said: `done`; of several calls `1: done, 4: send again`.
    pub answer: String,
    /// How many.
    pub given: u32,
}

/// One request of a run, as the record tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalRecord {
    /// The step that asked.
    pub step: String,
    /// The request.
    pub approval: ApprovalId,
    /// Where it stands.
    pub status: Status,
    /// The username of the person whose decision ended it; none while it is open, and when no person ended it.
    pub by: Option<String>,
    /// When it ended.
    pub at: Option<Timestamp>,
    /// What that person noted; untrusted text.
    pub note: Option<String>,
    /// Approvals of the present version that count; of answers, those of the most frequent one.
    pub given: u32,
    /// Approvals it takes.
    pub needed: u32,
    /// The usernames of those who may decide and have not, or whose approval does not count any more, while it is open.
    pub waits_for: Vec<String>,
    /// Every decision on the present version, the earliest first, also one that does not count any more.
    pub decisions: Vec<RecordedDecision>,
    /// What a refusal does to the run.
    pub on_reject: OnReject,
    /// Whether it asks what to do about a step that may have acted already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
    /// How many people have given which answers: only equal ones add up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tally: Vec<Tally>,
    /// The receipt that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<ReceiptId>,
}

/// The different answers of these votes, the most frequent first.
fn tally(votes: &[&Vote]) -> Vec<Tally> {
    let mut counts: BTreeMap<Vec<CallChoice>, u32> = BTreeMap::new();
    for vote in votes.iter().filter(|vote| !vote.answers.is_empty()) {
        *counts.entry(choices(&vote.answers)).or_default() += 1;
    }
    let mut tally: Vec<Tally> = counts
        .iter()
        .map(|(choices, given)| Tally { answer: words(choices), given: *given })
        .collect();
    tally.sort_by_key(|tally| std::cmp::Reverse(tally.given));
    tally
}

/// The votes on the present version, also those that do not count any more.
fn cast<'a>(request: &'a Request, votes: &'a [Vote]) -> impl Iterator<Item = &'a Vote> {
    votes.iter().filter(|vote| vote.version == request.version)
}

/// Those who may decide and have not, or whose approval does not count any more.
fn silent<'a>(request: &'a Request, votes: &'a [Vote]) -> impl Iterator<Item = &'a UserId> {
    let counts = |vote: &Vote, person: &UserId| request.counts(vote) && vote.person == *person;
    let voted = move |person: &UserId| votes.iter().any(|vote| counts(vote, person));
    let open = request.status == Status::Pending;
    request.policy.eligible(&request.requesters).filter(move |person| open && !voted(person))
}

impl ApprovalRecord {
    /// Everybody the record of a request names.
    #[must_use]
    pub fn people(request: &Request, votes: &[Vote]) -> BTreeSet<UserId> {
        let voters = cast(request, votes).map(|vote| &vote.person);
        let closer = request.closed.as_ref().and_then(|closed| closed.by.person());
        voters.chain(silent(request, votes)).chain(closer).cloned().collect()
    }

    /// The record of a request; `name` gives the username of an id.
    #[must_use]
    pub fn of(request: &Request, votes: &[Vote], name: &dyn Fn(&UserId) -> String) -> Self {
        let mut cast: Vec<&Vote> = cast(request, votes).collect();
        cast.sort_by_key(|vote| vote.at);
        let closer = request.closed.as_ref().and_then(|closed| closed.by.person());
        let last = cast.iter().rfind(|vote| Some(&vote.person) == closer);
        let counted: Vec<&Vote> =
            cast.iter().copied().filter(|vote| request.counts(vote)).collect();
        let tally = tally(&counted);
        Self {
            step: request.position.step.clone(),
            approval: request.id.clone(),
            status: request.status,
            by: closer.map(name),
            at: request.closed.as_ref().map(|closed| closed.at),
            note: last.and_then(|vote| vote.note.clone()),
            given: request.approvals(votes),
            needed: request.policy.quorum,
            waits_for: silent(request, votes).map(name).collect(),
            decisions: cast
                .into_iter()
                .map(|vote| RecordedDecision {
                    by: name(&vote.person),
                    verdict: vote.verdict,
                    at: vote.at,
                    answers: vote.answers.iter().map(OutcomeAnswer::shown).collect(),
                    note: vote.note.clone(),
                    not_counted: request.not_counted(vote),
                })
                .collect(),
            on_reject: request.on_reject,
            in_doubt: !request.outcome.is_empty(),
            tally,
            receipt: request.closed.as_ref().map(|closed| closed.receipt.clone()),
        }
    }

    /// The same record with every note cut after `limit` characters, with a mark.
    #[must_use]
    pub fn with_notes_cut(mut self, limit: usize) -> Self {
        let notes = self.decisions.iter_mut().map(|decision| &mut decision.note);
        for note in notes.chain([&mut self.note]).flatten() {
            *note = beginning(note, limit);
        }
        let answers = self.decisions.iter_mut().flat_map(|decision| &mut decision.answers);
        for evidence in answers.filter_map(|answer| answer.evidence.as_mut()) {
            *evidence = beginning(evidence, limit);
        }
        self
    }

    /// Whether it was refused, by a person or by the clock.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self.status, Status::Denied | Status::TimedOut)
    }

    /// Whether it was refused and the run went on without the steps behind it.
    #[must_use]
    pub fn was_skipped(&self) -> bool {
        self.is_refused() && !self.in_doubt && self.on_reject == OnReject::Skip
    }

    /// The record in a sentence without its full stop: `sign_off was denied: maria denied, noting “not these”`. Notes are
    /// cut after `note_limit` characters, with a mark.
    #[must_use]
    pub fn sentence(&self, note_limit: usize) -> String {
        let mut sentence = format!("{} {}", self.step, self.ending());
        for (n, decision) in self.decisions.iter().enumerate() {
            let mark = if n == 0 { ":" } else { ";" };
            // Writing to a text cannot fail.
            let _ = write!(sentence, "{mark} {} {}", decision.by, decision.said(note_limit));
            let before = if decision.verdict.revises() { ": " } else { ", noting " };
            if let Some(note) = &decision.note {
                let _ = write!(sentence, "{before}“{}”", beginning(note, note_limit));
            }
            if let Some(why) = decision.not_counted {
                let _ = write!(sentence, " (not counted: {why})");
            }
        }
        sentence
    }

    /// How many votes there are of those it takes: `1 of 2`; of answers `1 of 2 for done, 1 of 2 for not done`.
    #[must_use]
    pub fn progress(&self) -> String {
        if self.tally.is_empty() {
            return format!("{} of {}", self.given, self.needed);
        }
        let one =
            |tally: &Tally| format!("{} of {} for {}", tally.given, self.needed, tally.answer);
        self.tally.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn ending(&self) -> String {
        if self.in_doubt {
            return self.ending_in_doubt();
        }
        match self.status {
            Status::Pending => format!("waits: {}", self.progress()),
            Status::Approved => "was approved".to_owned(),
            Status::Denied => "was denied".to_owned(),
            Status::TimedOut | Status::Expired => "was not decided in time".to_owned(),
            Status::Superseded => "was sent back for changes".to_owned(),
            Status::Cancelled => "was closed undecided".to_owned(),
        }
    }

    /// Nobody's silence decides what happened.
    fn ending_in_doubt(&self) -> String {
        let stays = |why: &str| format!("may have been sent, outcome unknown: {why}");
        match self.status {
            Status::Pending => stays(&format!("the question waits, {}", self.progress())),
            Status::Approved => {
                let answer = self.tally.first().map_or("", |tally| tally.answer.as_str());
                format!("may have been sent, and people have answered: {answer}")
            }
            Status::Denied if self.tally.is_empty() => stays("whoever was asked does not know"),
            Status::Denied => stays(&format!("no answer had enough votes, {}", self.progress())),
            Status::TimedOut | Status::Expired => stays("no answer in time"),
            Status::Superseded => stays("it was asked anew"),
            Status::Cancelled => stays("the question was closed"),
        }
    }
}

impl RecordedDecision {
    /// What they decided, in words: `approved`, `denied`, `answered done, with the evidence “statement 47”`.
    fn said(&self, limit: usize) -> String {
        match self.verdict {
            Verdict::Approve if self.answers.is_empty() => "approved".to_owned(),
            Verdict::Approve => format!("answered {}", told(&self.answers, limit)),
            Verdict::Deny => "denied".to_owned(),
            Verdict::Enhance => "asked for changes".to_owned(),
            Verdict::Override => "asked for something else instead".to_owned(),
        }
    }
}

fn told(answers: &[OutcomeAnswer], limit: usize) -> String {
    let one = |answer: &OutcomeAnswer| {
        let of_many = if answers.len() > 1 { format!("{}: ", answer.n) } else { String::new() };
        let evidence = answer.evidence.as_deref();
        let evidence = evidence
            .map(|evidence| format!(", with the evidence “{}”", beginning(evidence, limit)));
        format!("{of_many}{}{}", answer.choice.words(), evidence.unwrap_or_default())
    };
    answers.iter().map(one).collect::<Vec<_>>().join("; ")
}
