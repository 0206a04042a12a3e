//! Digest v1: what requests were signed with before version 2. Kept so that old signatures stay verifiable; none of them
//! permits anything to be sent any more.
//!
//! Digest v1 is `SHA-256("countersign/v1/<kind>\0" + RFC 8785 JSON of the subject)`; `docs/approvals.md` gives the
//! layout per kind and `docs/digest-vectors-v1.json` the test vectors. RFC 8785 writes numbers as IEEE doubles, so a whole
//! number beyond 2^53 would change on the way: such amounts are refused here and have to be texts.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::hashing::{SubjectError, hash};
use crate::kind::Kind;
use crate::tenant::Tenant;
use countersign_effect::Digest;

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
