//! Whether a request that people are asked to sign could be sent at this moment: what its connector and its binding say now.

use countersign_effect::{CredentialUse, HttpEffect};
use countersign_failure::Failure;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::binding::{Found, Health};
use crate::effect::credential;
use crate::lookup::{Bound, LookupError, bound};
use crate::request::RequestError;

/// What approving leads to when a request could not be sent as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IfApproved {
    /// The step fails, and nothing of it is sent.
    Fails,
    /// Nothing of it is sent; the step asks again, with what it would send then.
    AsksAgain,
    /// It is sent, and the service may reject it.
    MayBeRejected,
    /// Nobody knows: its connector could not be read.
    Unknown,
}

impl IfApproved {
    /// Whether it is known that nothing of the step is sent.
    #[must_use]
    pub fn sends_nothing(self) -> bool {
        matches!(self, Self::Fails | Self::AsksAgain)
    }
}

/// Why the requests of a step would not be sent as they are shown, or not be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SendProblem {
    /// The step.
    pub step: String,
    /// What approving leads to.
    pub if_approved: IfApproved,
    /// The code of the reason.
    #[schemars(with = "String")]
    pub code: &'static str,
    /// All of it, in sentences.
    pub message: String,
}

/// A request of a step that people are asked about.
#[derive(Debug, Clone, Copy)]
pub struct AskedCall<'a> {
    /// The step.
    pub step: &'a str,
    /// Whether it was sent before, with an unknown outcome, so that only the answer to send it again sends it.
    pub is_repeat: bool,
    /// What is sent.
    pub effect: &'a HttpEffect,
}

/// Why nothing is sent as it is shown, or may be rejected.
#[derive(Debug, thiserror::Error, Failure)]
enum Reason {
    #[error(transparent)]
    #[failure(forward)]
    Lookup(LookupError),
    #[error(transparent)]
    #[failure(forward)]
    Credential(RequestError),
    #[error("the agent calls `{0}` with another credential now")]
    #[failure(code = "STEP_NEEDS_SIGNATURE")]
    OtherCredential(String),
    #[error("`{0}` denied access when the agent called it last")]
    #[failure(code = "CONNECTOR_AUTH_FAILED")]
    Denied(String),
}

/// What keeps a call from being sent as it is shown, or from being accepted, by what was found of its connector; none when
/// nothing does that can be known before.
#[must_use]
pub fn send_problem(call: AskedCall<'_>, found: Found) -> Option<SendProblem> {
    let (if_approved, reason) = problem(call.effect, found)?;
    Some(SendProblem {
        step: call.step.to_owned(),
        if_approved: call.leads_to(if_approved),
        code: reason.code(),
        message: call.sentences(if_approved, &reason.to_string()),
    })
}

/// That the connector of a call could not be read, with the code of the failure.
#[must_use]
pub fn send_unknown(call: AskedCall<'_>, code: &'static str) -> SendProblem {
    let (step, again) = (call.step, if call.is_repeat { " again" } else { "" });
    SendProblem {
        step: step.to_owned(),
        if_approved: IfApproved::Unknown,
        code,
        message: format!(
            "Whether `{step}` could be sent{again} now is not known: its connector could not be read."
        ),
    }
}

fn problem(effect: &HttpEffect, found: Found) -> Option<(IfApproved, Reason)> {
    let connector = effect.via.connector.clone();
    let Bound { definition, binding, .. } = match bound(found, &params(effect)) {
        Ok(bound) => bound,
        Err(error) => return Some((IfApproved::Fails, Reason::Lookup(error))),
    };
    let used: Result<Option<CredentialUse>, _> = match definition.connection.auth() {
        Some(auth) => credential(auth, &binding),
        None => Err(RequestError::NoEffect),
    };
    match used {
        Err(error) => Some((IfApproved::Fails, Reason::Credential(error))),
        Ok(used) if used != effect.credential => {
            Some((IfApproved::AsksAgain, Reason::OtherCredential(connector)))
        }
        Ok(_) if binding.health == Health::AuthFailed => {
            Some((IfApproved::MayBeRejected, Reason::Denied(connector)))
        }
        Ok(_) => None,
    }
}

/// The params by which a step names what it calls.
fn params(effect: &HttpEffect) -> Map<String, Value> {
    let named = [("connector", &effect.via.connector), ("endpoint", &effect.via.endpoint)];
    named.into_iter().map(|(name, id)| (name.to_owned(), Value::from(id.as_str()))).collect()
}

impl AskedCall<'_> {
    /// Nothing asks again about a call whose outcome people have said.
    fn leads_to(self, if_approved: IfApproved) -> IfApproved {
        match if_approved {
            IfApproved::AsksAgain if self.is_repeat => IfApproved::Fails,
            other => other,
        }
    }

    fn sentences(self, if_approved: IfApproved, reason: &str) -> String {
        let step = self.step;
        if self.is_repeat && if_approved.sends_nothing() {
            return format!(
                "`{step}` cannot be sent again as things stand: {reason}. The answer to send it again sends nothing."
            );
        }
        match if_approved {
            IfApproved::Fails => format!(
                "`{step}` cannot be sent as things stand: {reason}. If this is approved, the step fails, and nothing of it is sent."
            ),
            IfApproved::AsksAgain => format!(
                "`{step}` cannot be sent as it is shown: {reason}. If this is approved, nothing of it is sent, and the step asks again."
            ),
            IfApproved::MayBeRejected | IfApproved::Unknown => {
                format!("`{step}` may be rejected: {reason}.")
            }
        }
    }
}

#[cfg(test)]
mod tests;
