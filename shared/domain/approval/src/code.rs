//! One-time codes: what makes a forwarded link useless.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::deadline::later;
use crate::hashing::hash_bytes;
use crate::outcome::{CallChoice, Choice, OutcomeAnswer, choices};
use crate::vote::Verdict;
use countersign_effect::Digest;

/// How long a code lives.
const LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// How often it may be typed.
const TRIES: u8 = 5;

/// Somebody who asks again within this time is shown where to type the code they have.
const REST: SignedDuration = SignedDuration::from_secs(60);

/// Six digits, mailed to the approver. Never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Code(u32);

impl Code {
    /// Makes a code of eight random bytes: enough that the remainder favours no code.
    #[must_use]
    pub fn from_random(random: [u8; 8]) -> Self {
        let number = u64::from_be_bytes(random) % 1_000_000;
        Self(u32::try_from(number).unwrap_or_default())
    }

    /// What is stored of it: a salted hash, bound to one approver's slot, one version of the request and one decision.
    #[must_use]
    pub fn stored(
        &self,
        salt: Digest,
        slot: u16,
        version: u32,
        scope: CodeScope,
        now: Timestamp,
    ) -> StoredCode {
        let hash = hash_code(&salt, slot, version, &scope, &self.to_string());
        StoredCode {
            salt,
            hash,
            slot,
            version,
            scope,
            expires_at: later(now, LIFETIME),
            tries_left: TRIES,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:06}", self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(…)")
    }
}

/// What a code confirms: one mailed to approve denies nothing, one mailed to say `done` does not say `again`, and one mailed
/// to strike out row 4 strikes out no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeScope {
    /// The verdict.
    pub verdict: Verdict,
    /// The choice for each call, when the request asks what became of them; in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<CallChoice>,
    /// The hash of what is struck out, when it confirms a strike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strike: Option<Digest>,
    /// The hash of the instructions, when it confirms that changes are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Digest>,
}

impl CodeScope {
    /// What a code is bound to that confirms these instructions; `verdict` is one that asks for changes.
    #[must_use]
    pub fn of_revision(verdict: Verdict, instructions: &str) -> Self {
        let hash = hash_bytes("countersign/v2/code-instructions", &[instructions.as_bytes()]);
        Self { instructions: Some(hash), ..Self::of(verdict, &[]) }
    }

    /// What a code for this decision is bound to.
    #[must_use]
    pub fn of(verdict: Verdict, answers: &[OutcomeAnswer]) -> Self {
        let mut choices = choices(answers);
        choices.sort();
        Self { verdict, choices, strike: None, instructions: None }
    }

    /// A short name, another for each scope: `approve`, `deny`, `approve_4f…`, `strike_4f…`.
    #[must_use]
    pub fn name(&self) -> String {
        let (word, bound) = (self.word(), self.bound_bytes());
        if bound.is_empty() {
            return word.to_owned();
        }
        let hash = hash_bytes("countersign/v2/code-scope", &[&bound]);
        format!("{word}_{}", hex::encode(hash.head()))
    }

    fn word(&self) -> &'static str {
        if self.strike.is_some() { "strike" } else { self.verdict.as_str() }
    }

    /// Fixed width for each call, so that no two scopes of one word share their bytes.
    fn bound_bytes(&self) -> Vec<u8> {
        if let Some(bound) = self.strike.as_ref().or(self.instructions.as_ref()) {
            return bound.as_bytes().to_vec();
        }
        let one = |call: &CallChoice| {
            let choice = match call.choice {
                Choice::Done => 1,
                Choice::NotDone => 2,
                Choice::Again => 3,
            };
            [&call.n.to_be_bytes()[..], &[choice]].concat()
        };
        self.choices.iter().flat_map(one).collect()
    }
}

/// What is kept of a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCode {
    /// Random salt.
    pub salt: Digest,
    /// Hash of salt, slot, version, scope and code.
    pub hash: Digest,
    /// Whose code it is.
    pub slot: u16,
    /// Which version of the request it is for.
    pub version: u32,
    /// What it decides.
    #[serde(flatten)]
    pub scope: CodeScope,
    /// When it stops to be good.
    pub expires_at: Timestamp,
    /// How often it may still be typed. Count down before looking at the answer.
    pub tries_left: u8,
}

/// What a typed code is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeCheck {
    /// It is the code.
    Right,
    /// It is not.
    Wrong,
    /// Too old, typed too often, or for another version or decision: a new one is needed.
    Spent,
}

impl StoredCode {
    /// Checks what was typed. Spaces are forgiven. The caller has counted this try in the store before, so that parallel
    /// guesses cannot share one.
    #[must_use]
    pub fn check(&self, typed: &str, version: u32, scope: &CodeScope, now: Timestamp) -> CodeCheck {
        if !self.is_good(now) || version != self.version || *scope != self.scope {
            return CodeCheck::Spent;
        }
        let typed: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
        let hash = hash_code(&self.salt, self.slot, self.version, &self.scope, &typed);
        let same = bool::from(hash.as_bytes().ct_eq(self.hash.as_bytes()));
        if same { CodeCheck::Right } else { CodeCheck::Wrong }
    }

    /// Whether it can still decide.
    #[must_use]
    pub fn is_good(&self, now: Timestamp) -> bool {
        now < self.expires_at && self.tries_left > 0
    }

    /// Whether it can still decide and was mailed a moment ago: asking again then mails nothing.
    #[must_use]
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        let rests_until = self.expires_at.checked_sub(LIFETIME).map(|mailed| later(mailed, REST));
        self.is_good(now) && rests_until.is_ok_and(|until| now < until)
    }
}

fn hash_code(salt: &Digest, slot: u16, version: u32, scope: &CodeScope, code: &str) -> Digest {
    let (slot, version, bound) = (slot.to_be_bytes(), version.to_be_bytes(), scope.bound_bytes());
    let word = scope.word().as_bytes();
    let parts = [&salt.as_bytes()[..], &slot, &version, word, &bound, code.as_bytes()];
    hash_bytes("countersign/v2/code", &parts)
}

/// How many codes may be mailed to one approver for one version of a request: five at once, and one more every half
/// hour. Whoever holds a forwarded link can therefore neither flood a mailbox nor use up the codes for good, and has about
/// 250 guesses a day at a million numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeAllowance {
    /// How many may be mailed now.
    left: u8,
    /// Since when the next one is awaited.
    since: Timestamp,
}

impl CodeAllowance {
    /// How many at once.
    pub const MAX: u8 = 5;
    /// After which time one more.
    const INTERVAL: SignedDuration = SignedDuration::from_mins(30);

    /// What an approver starts with.
    #[must_use]
    pub fn full(now: Timestamp) -> Self {
        Self { left: Self::MAX, since: now }
    }

    /// What is left after one more code.
    ///
    /// # Errors
    /// When the next one may be mailed.
    pub fn take(self, now: Timestamp) -> Result<Self, Timestamp> {
        let Self { left, since } = self.grown(now);
        match left.checked_sub(1) {
            Some(left) => Ok(Self { left, since }),
            None => Err(later(since, Self::INTERVAL)),
        }
    }

    /// With what was added since. While it is full no time is counted.
    fn grown(self, now: Timestamp) -> Self {
        let Self { mut left, mut since } = self;
        while left < Self::MAX && now >= later(since, Self::INTERVAL) {
            (left, since) = (left + 1, later(since, Self::INTERVAL));
        }
        if left == Self::MAX { Self::full(now) } else { Self { left, since } }
    }
}
