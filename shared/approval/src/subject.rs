//! What is signed, and its digest.
//!
//! Digest v1 is `SHA-256("countersign/v1/<kind>\0" + RFC 8785 JSON of the subject)`; `docs/approvals.md` gives the
//! layout per kind and `docs/digest-vectors.json` the test vectors. RFC 8785 writes numbers as IEEE doubles, so a whole
//! number beyond 2^53 would change on the way: such amounts are refused here and have to be texts.

use std::fmt;
use std::str::FromStr;

use countersign_failure::Failure;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::kind::Kind;
use crate::request::Tenant;

/// The largest whole number that a double holds together with all smaller ones.
const EXACT: u64 = 1 << 53;

/// An irreversible step that a gate covers, with its exact arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The step's name in its plan.
    pub step: String,
    /// The action it calls.
    pub action: String,
    /// The arguments the action will get: its resolved inputs and params.
    pub arguments: Value,
}

/// What a request asks people to sign.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A gate of a playbook.
    Step {
        /// The seal of the plan that runs.
        plan_seal: String,
        /// Every irreversible step behind the gate whose arguments are known, in plan order.
        effects: Vec<Effect>,
    },
    /// One call of a tool.
    Tool {
        /// The action.
        action: String,
        /// Its resolved inputs and params.
        arguments: Value,
    },
    /// A plan.
    Plan(Value),
    /// A result.
    Result(Value),
    /// An article as it will be public.
    Publish(Value),
    /// The two entities and what they become.
    Merge(Value),
    /// The question and what it is about.
    Clarification(Value),
}

/// Why a subject has no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// A number would not survive canonical JSON.
    #[error("the number `{number}` at `{path}` cannot be signed exactly")]
    InexactNumber {
        /// Where it stands: a JSON pointer.
        path: String,
        /// The number.
        number: String,
    },
    /// The JSON could not be written canonically.
    #[error("writing canonical JSON: {0}")]
    Canonical(String),
}

impl Failure for SubjectError {
    fn code(&self) -> &'static str {
        "SUBJECT_NOT_SIGNABLE"
    }

    fn http_status(&self) -> u16 {
        422
    }

    fn help(&self) -> Option<String> {
        Some("write large numbers and amounts of money as texts".to_owned())
    }
}

impl Subject {
    /// The kind of request this subject belongs to.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Step { .. } => Kind::Step,
            Self::Tool { .. } => Kind::Tool,
            Self::Plan(_) => Kind::Plan,
            Self::Result(_) => Kind::Result,
            Self::Publish(_) => Kind::Publish,
            Self::Merge(_) => Kind::Merge,
            Self::Clarification(_) => Kind::Clarification,
        }
    }

    /// The digest v1 of this subject in the deployment `tenant`.
    ///
    /// # Errors
    /// [`SubjectError::InexactNumber`] when a whole number beyond 2^53 stands in it.
    pub fn digest(&self, tenant: &Tenant) -> Result<Digest, SubjectError> {
        let json = self.json(tenant);
        refuse_inexact(&json, &mut String::new())?;
        hash(&format!("countersign/v1/{}", self.kind()), &json)
    }

    fn json(&self, tenant: &Tenant) -> Value {
        let tenant = tenant.as_str();
        match self {
            Self::Step { plan_seal, effects } => {
                json!({ "tenant": tenant, "plan_seal": plan_seal, "effects": effects })
            }
            Self::Tool { action, arguments } => {
                json!({ "tenant": tenant, "action": action, "arguments": arguments })
            }
            Self::Plan(content)
            | Self::Result(content)
            | Self::Publish(content)
            | Self::Merge(content)
            | Self::Clarification(content) => json!({ "tenant": tenant, "content": content }),
        }
    }
}

impl Effect {
    /// The digest of this call alone: what a receipt must cover before the step may act.
    ///
    /// # Errors
    /// As [`Subject::digest`].
    pub fn digest(&self, tenant: &Tenant) -> Result<Digest, SubjectError> {
        Subject::Tool { action: self.action.clone(), arguments: self.arguments.clone() }
            .digest(tenant)
    }
}

/// `SHA-256(domain + "\0" + RFC 8785 JSON)`.
pub(crate) fn hash(domain: &str, json: &impl Serialize) -> Result<Digest, SubjectError> {
    let canonical = serde_json_canonicalizer::to_vec(json)
        .map_err(|error| SubjectError::Canonical(error.to_string()))?;
    Ok(hash_bytes(domain, &[&canonical]))
}

/// `SHA-256(domain + "\0" + parts)`; the caller makes the parts unambiguous.
pub(crate) fn hash_bytes(domain: &str, parts: &[&[u8]]) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update(domain.as_bytes());
    hasher.update([0]);
    for part in parts {
        hasher.update(part);
    }
    Digest(hasher.finalize().into())
}

fn refuse_inexact(value: &Value, path: &mut String) -> Result<(), SubjectError> {
    match value {
        Value::Number(number) if !is_exact(number) => {
            Err(SubjectError::InexactNumber { path: path.clone(), number: number.to_string() })
        }
        Value::Array(items) => {
            let named = items.iter().enumerate().map(|(index, item)| (index.to_string(), item));
            refuse_inside(named, path)
        }
        Value::Object(fields) => {
            refuse_inside(fields.iter().map(|(name, field)| (name.clone(), field)), path)
        }
        _ => Ok(()),
    }
}

fn refuse_inside<'a>(
    parts: impl Iterator<Item = (String, &'a Value)>,
    path: &mut String,
) -> Result<(), SubjectError> {
    for (name, part) in parts {
        let length = path.len();
        path.push('/');
        path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        refuse_inexact(part, path)?;
        path.truncate(length);
    }
    Ok(())
}

fn is_exact(number: &serde_json::Number) -> bool {
    match (number.as_u64(), number.as_i64()) {
        (Some(whole), _) => whole <= EXACT,
        (None, Some(negative)) => negative.unsigned_abs() <= EXACT,
        // What came in as a double is written as that double.
        (None, None) => true,
    }
}

/// A SHA-256, written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a digest of 64 lower-case hex digits")]
pub struct InvalidDigest(String);

impl Digest {
    /// The digest with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first sixteen bytes, for derived ids.
    #[must_use]
    pub fn head(&self) -> [u8; 16] {
        let mut head = [0; 16];
        head.copy_from_slice(&self.0[..16]);
        head
    }

    /// Four groups of four hex digits, for people to compare by eye.
    #[must_use]
    pub fn short(&self) -> String {
        let text = self.to_string();
        format!("{} {} {} {}", &text[..4], &text[4..8], &text[8..12], &text[12..16])
    }
}

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let invalid = || InvalidDigest(text.chars().take(80).collect());
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(invalid());
        }
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| invalid())?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
