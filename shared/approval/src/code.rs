//! One-time codes: what makes a forwarded link useless.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::deadline::later;
use crate::subject::{Digest, hash_bytes};

/// How long a code lives.
const LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// How often it may be typed.
const TRIES: u8 = 5;

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

    /// What is stored of it: a salted hash, bound to one approver's slot and one version of the request.
    #[must_use]
    pub fn stored(&self, salt: Digest, slot: u16, version: u32, now: Timestamp) -> StoredCode {
        let hash = hash_code(&salt, slot, version, &self.to_string());
        StoredCode {
            salt,
            hash,
            slot,
            version,
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

/// What is kept of a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCode {
    /// Random salt.
    pub salt: Digest,
    /// Hash of salt, slot, version and code.
    pub hash: Digest,
    /// Whose code it is.
    pub slot: u16,
    /// Which version of the request it is for.
    pub version: u32,
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
    /// Too old, typed too often, or for another version: a new one is needed.
    Spent,
}

impl StoredCode {
    /// Checks what was typed. Spaces are forgiven. The caller has counted this try in the store before, so that parallel
    /// guesses cannot share one.
    #[must_use]
    pub fn check(&self, typed: &str, version: u32, now: Timestamp) -> CodeCheck {
        if now >= self.expires_at || self.tries_left == 0 || version != self.version {
            return CodeCheck::Spent;
        }
        let typed: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
        let hash = hash_code(&self.salt, self.slot, self.version, &typed);
        let same = bool::from(hash.as_bytes().ct_eq(self.hash.as_bytes()));
        if same { CodeCheck::Right } else { CodeCheck::Wrong }
    }
}

fn hash_code(salt: &Digest, slot: u16, version: u32, code: &str) -> Digest {
    let parts =
        [&salt.as_bytes()[..], &slot.to_be_bytes(), &version.to_be_bytes(), code.as_bytes()];
    hash_bytes("countersign/v1/code", &parts)
}
