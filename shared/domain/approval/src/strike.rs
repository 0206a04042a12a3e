//! Striking effects out of a request before anybody signs: a step with many effects keeps those that are left.
//!
//! A strike removes or restores; it never adds. Whoever may vote may strike, with the same proof. What is struck is signed
//! ([`Covered::struck`]), so every strike is a new version with a new digest, and the votes so far are void.

use countersign_failure::Failure;
use countersign_identity::{Caller, UserId};
use jiff::Timestamp;

use crate::covered::Covered;
use crate::covered::StepEffects;
use crate::decide::{DecideError, check_open, check_rights, parse_digest};
use crate::hashing::SubjectError;
use crate::kind::Kind;
use crate::lifecycle::Move;
use crate::policy::{Assurance, Door};
use crate::request::Request;
use crate::strike_record::StrikeRecord;
use countersign_effect::Digest;

/// The most strikes of one request: each of them mails the others, and all of them stay in the record.
pub const MAX_STRIKES: usize = 32;

/// One try to strike effects out, or to restore them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strike {
    /// The digest they saw, as it came in.
    pub digest: Option<String>,
    /// The version they saw, where the door carries it.
    pub version: Option<u32>,
    /// The step.
    pub step: String,
    /// All effects of the step that are struck afterwards, numbered from 0 in the opened list, in any order.
    pub indices: Vec<u32>,
    /// The door they came through.
    pub door: Door,
    /// How surely it is them.
    pub assurance: Assurance,
}

/// What follows from a strike.
#[derive(Debug, Clone, PartialEq)]
pub enum Struck {
    /// A new version of the request.
    Changed(Box<Move>),
    /// These very effects are struck already: nothing changes.
    Unchanged,
}

/// Why nothing changes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum StrikeError {
    /// What keeps the person from voting keeps them from striking.
    #[error(transparent)]
    #[failure(forward)]
    Decide(#[from] DecideError),
    /// The request has no effects of such a step.
    #[error("the request has no effects of a step `{step}`")]
    #[failure(code = "STRIKE_STEP", help = "name a step of the request's `effects`")]
    UnknownStep {
        /// The step.
        step: String,
    },
    /// There is nothing to choose from.
    #[error("`{step}` has one effect, which cannot be struck out")]
    #[failure(
        code = "STRIKE_STEP",
        help = "deny the request: that is how all of it is left undone"
    )]
    OneEffect {
        /// The step.
        step: String,
    },
    /// The request asks what became of effects that were sent.
    #[error("this request asks what became of calls: nothing of it can be struck out")]
    #[failure(code = "STRIKE_STEP", help = "answer for each call what became of it")]
    AlreadySent,
    /// There is no effect of this number.
    #[error("`{step}` has {count} rows, so there is no row {} (index {index}, counted from 0)", u64::from(*.index) + 1)]
    #[failure(
        code = "STRIKE_INDEX",
        help = "send the index of every row that is to be struck out afterwards once, counted from 0"
    )]
    OutOfRange {
        /// Which of the indices.
        at: usize,
        /// The index.
        index: u32,
        /// The step.
        step: String,
        /// How many effects it has.
        count: u64,
    },
    /// An effect is named twice.
    #[error("row {} is listed twice (index {index}, counted from 0)", u64::from(*.index) + 1)]
    #[failure(
        code = "STRIKE_INDEX",
        help = "send the index of every row that is to be struck out afterwards once, counted from 0"
    )]
    Twice {
        /// Which of the indices.
        at: usize,
        /// The index.
        index: u32,
    },
    /// Nothing would be left.
    #[error("this would strike out everything that is asked for")]
    #[failure(code = "STRIKE_ALL", help = "deny the request: that is how all of it is left undone")]
    NothingLeft,
    /// The request was changed too often.
    #[error(
        "the request was changed {MAX_STRIKES} times by striking out and restoring; it cannot be changed again"
    )]
    #[failure(
        code = "STRIKES_TOO_MANY",
        status = 409,
        help = "decide on what the request shows now"
    )]
    TooMany,
    /// What is left has no digest.
    #[error(transparent)]
    #[failure(forward)]
    Subject(#[from] SubjectError),
}

impl StrikeError {
    /// Which part of the strike is wrong: `indices[2]`.
    #[must_use]
    pub fn path(&self) -> Option<String> {
        match self {
            Self::UnknownStep { .. } | Self::OneEffect { .. } | Self::AlreadySent => {
                Some("step".to_owned())
            }
            Self::OutOfRange { at, .. } | Self::Twice { at, .. } => Some(format!("indices[{at}]")),
            Self::NothingLeft => Some("indices".to_owned()),
            Self::Decide(_) | Self::TooMany | Self::Subject(_) => None,
        }
    }
}

/// Strikes effects out of a pending request, or restores them. `effects` are those of the request, whole; `caller` is what
/// the directory says now, as for a vote.
///
/// What is malformed is said first, strangers learn nothing, and rights are checked last. Whoever sends the same strike twice
/// changes nothing the second time.
///
/// # Errors
/// [`StrikeError`]; the request is unchanged.
pub fn strike(
    request: &Request,
    effects: &[StepEffects],
    strike: &Strike,
    caller: &Caller,
    now: Timestamp,
) -> Result<Struck, StrikeError> {
    let seen = parse_digest(strike.digest.as_deref())?;
    if request.policy.slot_of(&caller.user).is_none() {
        return Err(DecideError::NotAnApprover.into());
    }
    check_open(request, now)?;
    let mut indices = strike.indices.clone();
    indices.sort_unstable();
    if request.was_struck_so(strike, &seen, &indices, &caller.user) {
        return Ok(Struck::Unchanged);
    }
    if !request.is_as_seen(&seen, strike.version) {
        let (version, seen) = (request.version, strike.version);
        return Err(DecideError::PreviewChanged { version, seen }.into());
    }
    let (covered, of_step) = step_of(request, effects, &strike.step)?;
    check_indices(&strike.indices, covered)?;
    if covered.struck == indices {
        return Ok(Struck::Unchanged);
    }
    let after = struck(request, strike, seen, of_step, &indices, caller, now)?;
    // Last: nobody is mailed a code for what cannot be done.
    check_rights(request, strike.door, strike.assurance, caller)?;
    Ok(Struck::Changed(Box::new(Move { request: after, receipt: None })))
}

/// The step's part of the signature, and its effects.
fn step_of<'r>(
    request: &'r Request,
    effects: &'r [StepEffects],
    step: &str,
) -> Result<(&'r Covered, &'r StepEffects), StrikeError> {
    if request.kind == Kind::Outcome {
        return Err(StrikeError::AlreadySent);
    }
    let unknown = || StrikeError::UnknownStep { step: step.to_owned() };
    let covered = request.covers.iter().find(|covered| covered.step == step).ok_or_else(unknown)?;
    let of_step = effects.iter().find(|of_step| of_step.step == step).ok_or_else(unknown)?;
    if covered.count < 2 {
        return Err(StrikeError::OneEffect { step: step.to_owned() });
    }
    if !covered.is_of(of_step) {
        return Err(DecideError::PreviewChanged { version: request.version, seen: None }.into());
    }
    Ok((covered, of_step))
}

fn check_indices(indices: &[u32], covered: &Covered) -> Result<(), StrikeError> {
    let mut met = std::collections::BTreeSet::new();
    for (at, &index) in indices.iter().enumerate() {
        if u64::from(index) >= covered.count {
            let (step, count) = (covered.step.clone(), covered.count);
            return Err(StrikeError::OutOfRange { at, index, step, count });
        }
        if !met.insert(index) {
            return Err(StrikeError::Twice { at, index });
        }
    }
    Ok(())
}

/// The request with these effects of the step struck; its next version.
fn struck(
    request: &Request,
    strike: &Strike,
    seen: Digest,
    effects: &StepEffects,
    indices: &[u32],
    caller: &Caller,
    now: Timestamp,
) -> Result<Request, StrikeError> {
    let mut after = request.clone();
    let mut before = Vec::new();
    for covered in after.covers.iter_mut().filter(|covered| covered.step == strike.step) {
        before.clone_from(&covered.struck);
        *covered = Covered::without(effects, indices);
    }
    if after.covers.iter().all(|covered| covered.left() == 0) {
        return Err(StrikeError::NothingLeft);
    }
    if request.strikes.len() >= MAX_STRIKES {
        return Err(StrikeError::TooMany);
    }
    after.version += 1;
    after.revision += 1;
    // They are marks of votes that are void now.
    after.uncounted.clear();
    after.digest = after.subject_digest()?;
    let not_in = |list: &[u32], other: &[u32]| -> Vec<u32> {
        list.iter().filter(|index| !other.contains(index)).copied().collect()
    };
    after.strikes.push(StrikeRecord {
        by: caller.user.clone(),
        at: now,
        door: strike.door,
        assurance: strike.assurance,
        version: after.version,
        seen,
        step: strike.step.clone(),
        struck: not_in(indices, &before),
        restored: not_in(&before, indices),
    });
    Ok(after)
}

impl Request {
    /// The strike that made the present version, if one did.
    #[must_use]
    pub fn last_strike(&self) -> Option<&StrikeRecord> {
        self.strikes.last().filter(|record| record.version == self.version)
    }

    /// What to say beside the prompt once something is struck out: its text, which is signed, stays as it was opened and may still
    /// count what is not sent any more.
    #[must_use]
    pub fn prompt_note(&self) -> Option<String> {
        let touched: Vec<_> = self.covers.iter().filter(|of| !of.struck.is_empty()).collect();
        let struck: usize = touched.iter().map(|of| of.struck.len()).sum();
        let count: u64 = touched.iter().map(|of| of.count).sum();
        match struck {
            0 => None,
            1 => Some(format!(
                "Written before 1 of {count} requests was struck out: what it counts may include that one."
            )),
            _ => Some(format!(
                "Written before {struck} of {count} requests were struck out: what it counts may include them."
            )),
        }
    }

    /// Who struck an effect that is struck now, and when; effects are numbered from 0.
    #[must_use]
    pub fn struck_by(&self, step: &str, n: u32) -> Option<&StrikeRecord> {
        let of_step = self.strikes.iter().rev().filter(|record| record.step == step);
        let mut touching =
            of_step.filter(|record| record.struck.contains(&n) || record.restored.contains(&n));
        touching.next().filter(|record| record.struck.contains(&n))
    }

    /// Whether `fresh`, a new opening of the same place with these effects, asks for what this request asked for when it was
    /// opened: only strikes, which the engine does not know of, make a difference.
    #[must_use]
    pub fn is_asked_again_by(&self, fresh: &Request, effects: &[StepEffects]) -> bool {
        if self.digest == fresh.digest {
            return true;
        }
        let mut as_struck = fresh.clone();
        for covered in &mut as_struck.covers {
            let before = self.covers.iter().find(|before| before.step == covered.step);
            let of_step = effects.iter().find(|of_step| of_step.step == covered.step);
            if let (Some(before), Some(of_step)) = (before, of_step) {
                *covered = Covered::without(of_step, &before.struck);
            }
        }
        as_struck.subject_digest().is_ok_and(|digest| digest == self.digest)
    }

    /// Whether the present version came of this very strike of this person, sent once more.
    fn was_struck_so(
        &self,
        strike: &Strike,
        seen: &Digest,
        indices: &[u32],
        person: &UserId,
    ) -> bool {
        let is_same = |record: &StrikeRecord| {
            record.by == *person
                && record.seen == *seen
                && record.step == strike.step
                && strike
                    .version
                    .is_none_or(|version| version.checked_add(1) == Some(record.version))
        };
        let covered = self.covers.iter().find(|covered| covered.step == strike.step);
        self.last_strike().is_some_and(is_same)
            && covered.is_some_and(|covered| covered.struck == indices)
    }
}
