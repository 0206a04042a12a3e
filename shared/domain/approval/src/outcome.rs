//! What people say became of calls whose answer was lost: one answer for each call.

use std::fmt;

use countersign_run::{Sending, Sent};
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::Unknown;
use crate::unknown_call::UnknownCall;

/// The longest evidence of one answer, in characters.
pub const MAX_EVIDENCE_CHARS: usize = 1_000;

/// The most characters of evidence in one vote: a vote is one item of the table.
pub const MAX_VOTE_EVIDENCE_CHARS: usize = 20_000;

/// What somebody says of one call.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "snake_case", parse_err_ty = Unknown, parse_err_fn = unknown)]
#[schemars(rename = "OutcomeChoice")]
pub enum Choice {
    /// It happened. This takes evidence.
    Done,
    /// It did not happen.
    NotDone,
    /// Send the same bytes with the same key again.
    Again,
}

impl Choice {
    /// The word used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The word used in sentences.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NotDone => "not done",
            Self::Again => "send again",
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

fn unknown(word: &str) -> Unknown {
    Unknown::new(word, "done, not_done, again")
}

/// The choice for one call, without its evidence: what a receipt says in the clear, and what a one-time code is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallChoice {
    /// Which effect of the step, from 0.
    pub n: u32,
    /// What became of it.
    pub choice: Choice,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeAnswer {
    /// Which effect of the step, from 0.
    pub n: u32,
    /// What became of it.
    pub choice: Choice,
    /// What it is known from; untrusted text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

impl OutcomeAnswer {
    /// The same for people, who count calls from 1.
    #[must_use]
    pub fn shown(&self) -> Self {
        Self { n: shown_number(self.n), ..self.clone() }
    }

    /// An answer; blank evidence is none.
    #[must_use]
    pub fn new(n: u32, choice: Choice, evidence: Option<&str>) -> Self {
        let evidence = evidence.map(str::trim).filter(|evidence| !evidence.is_empty());
        Self { n, choice, evidence: evidence.map(str::to_owned) }
    }
}

/// The choices of answers, in their order.
#[must_use]
pub fn choices(answers: &[OutcomeAnswer]) -> Vec<CallChoice> {
    answers.iter().map(|answer| CallChoice { n: answer.n, choice: answer.choice }).collect()
}

/// The number of a call for people: what is stored and signed counts from 0, everything that is shown from 1.
#[must_use]
pub fn shown_number(n: u32) -> u32 {
    n.saturating_add(1)
}

/// Choices in words: `done`, or `1: done, 4: send again` of several calls.
#[must_use]
pub fn words(choices: &[CallChoice]) -> String {
    if let [only] = choices {
        return only.choice.words().to_owned();
    }
    let one = |call: &CallChoice| format!("{}: {}", shown_number(call.n), call.choice.words());
    choices.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// One thing that is wrong with answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct AnswerProblem {
    /// Which of the given answers, from 0; none when one is missing.
    pub at: Option<usize>,
    /// Which call of the step.
    pub n: u32,
    /// What is wrong.
    pub fault: AnswerFault,
}

impl AnswerProblem {
    /// Where it is in the list of answers: `answers[0].evidence`.
    #[must_use]
    pub fn path(&self) -> String {
        match self.at {
            Some(at) => format!("answers[{at}].{}", self.fault.member()),
            None => "answers".to_owned(),
        }
    }
}

/// What can be wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFault {
    /// A call of the request has no answer.
    #[error("call {} has no answer: `done`, `not_done` or `again`", shown_number(*.0))]
    Missing(u32),
    /// The request does not ask about this call.
    #[error("the request does not ask about call {}", shown_number(*.0))]
    NotAsked(u32),
    /// A call has two answers.
    #[error("call {} has more than one answer", shown_number(*.0))]
    Repeated(u32),
    /// `done` is said without evidence.
    #[error("`done` needs evidence: 1 to {MAX_EVIDENCE_CHARS} characters that say how it is known")]
    EvidenceMissing,
    /// Evidence is too long.
    #[error("the evidence has {0} characters and may have {MAX_EVIDENCE_CHARS}")]
    EvidenceTooLong(usize),
    /// The evidence of all answers together is too long.
    #[error(
        "the evidence of all answers has {0} characters and may have {MAX_VOTE_EVIDENCE_CHARS}"
    )]
    VoteTooLong(usize),
}

impl AnswerFault {
    fn member(&self) -> &'static str {
        match self {
            Self::Missing(_) | Self::NotAsked(_) | Self::Repeated(_) => "n",
            Self::EvidenceMissing | Self::EvidenceTooLong(_) | Self::VoteTooLong(_) => "evidence",
        }
    }
}

/// The answers to `asked`, one for each call and in their order.
///
/// # Errors
/// Everything that is wrong with them.
pub fn check_answers(
    asked: &[UnknownCall],
    given: &[OutcomeAnswer],
) -> Result<Vec<OutcomeAnswer>, Vec<AnswerProblem>> {
    let mut problems: Vec<AnswerProblem> = Vec::new();
    for (at, answer) in given.iter().enumerate() {
        let faults = faults(asked, &given[..at], answer);
        problems.extend(faults.into_iter().map(|fault| AnswerProblem {
            at: Some(at),
            n: answer.n,
            fault,
        }));
    }
    let missing = |call: &&UnknownCall| given.iter().all(|answer| answer.n != call.n);
    problems.extend(asked.iter().filter(missing).map(|call| AnswerProblem {
        at: None,
        n: call.n,
        fault: AnswerFault::Missing(call.n),
    }));
    let total: usize = given.iter().map(evidence_chars).sum();
    if let (true, Some(last)) = (total > MAX_VOTE_EVIDENCE_CHARS, given.last()) {
        let fault = AnswerFault::VoteTooLong(total);
        problems.push(AnswerProblem { at: Some(given.len() - 1), n: last.n, fault });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut answers: Vec<OutcomeAnswer> = given.to_vec();
    answers.sort_by_key(|answer| answer.n);
    Ok(answers)
}

fn faults(
    asked: &[UnknownCall],
    before: &[OutcomeAnswer],
    answer: &OutcomeAnswer,
) -> Vec<AnswerFault> {
    let mut faults = Vec::new();
    if asked.iter().all(|call| call.n != answer.n) {
        faults.push(AnswerFault::NotAsked(answer.n));
    } else if before.iter().any(|earlier| earlier.n == answer.n) {
        faults.push(AnswerFault::Repeated(answer.n));
    }
    match evidence_chars(answer) {
        0 if answer.choice == Choice::Done => faults.push(AnswerFault::EvidenceMissing),
        chars if chars > MAX_EVIDENCE_CHARS => faults.push(AnswerFault::EvidenceTooLong(chars)),
        _ => {}
    }
    faults
}

fn evidence_chars(answer: &OutcomeAnswer) -> usize {
    answer.evidence.as_deref().map_or(0, |evidence| evidence.trim().chars().count())
}

impl UnknownCall {
    /// The call as journal, mail, page and API tell it.
    #[must_use]
    pub fn sent(&self) -> Sent {
        let what = Sending {
            call: self.call,
            receipt: self.receipt.clone(),
            approval: Some(self.approval.to_string()),
            target: self.target.clone(),
            key: self.key.clone(),
            items: 0,
        };
        Sent { at: self.sent_at, what }
    }

    /// What sending it again risks at this time; none while the service still knows the key.
    #[must_use]
    pub fn again_warning(&self, now: Timestamp) -> Option<String> {
        const TWICE: &str = "If the first one arrived, sending it again may do it twice.";
        let Some(hours) = self.key_hours else {
            return Some(format!(
                "The service does not say how long it remembers the key. {TWICE}"
            ));
        };
        if hours == 0 {
            return Some(
                "The service does not recognise a repeated request. If the first one arrived, sending it again does it twice."
                    .to_owned(),
            );
        }
        let remembered = SignedDuration::from_hours(i64::from(hours));
        let forgotten = self.sent_at.checked_add(remembered).is_ok_and(|until| until < now);
        let plural = if hours == 1 { "hour" } else { "hours" };
        forgotten.then(|| {
            let ago = now.duration_since(self.sent_at).as_hours();
            format!(
                "The service remembers a key for {hours} {plural}, and this was sent {ago} hours ago. {TWICE}"
            )
        })
    }
}
