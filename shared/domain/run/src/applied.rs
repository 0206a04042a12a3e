//! What applies to a run beside its context: how much a model takes part, and whether gates ask.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Strategy;

/// How much a model takes part: written in playbooks and profiles, asked for, and kept with the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ExecutionMode {
    /// Tools and gates only; no tokens.
    Deterministic,
    /// A model plans and works.
    LlmAugmented,
    /// Both.
    #[default]
    Hybrid,
}

/// Whether steps that can be taken back need a signature. Irreversible ones always do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalPolicy {
    /// Gates wait for people.
    #[default]
    Require,
    /// In scheduled and monitor runs, gates before reversible steps open by themselves.
    AutoApprove,
}

/// What the gates of a run do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GatePolicy {
    /// They wait for people.
    #[default]
    Require,
    /// In scheduled and monitor runs, those before reversible steps open by themselves.
    AutoApprove,
    /// They ask nobody, and what stands behind them is left out (R-067, K-18). Only whoever starts a run asks for this.
    Skip,
}

impl From<ApprovalPolicy> for GatePolicy {
    fn from(written: ApprovalPolicy) -> Self {
        match written {
            ApprovalPolicy::Require => Self::Require,
            ApprovalPolicy::AutoApprove => Self::AutoApprove,
        }
    }
}

/// An input that was read from the question (F-135).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnderstoodInput {
    /// The input.
    pub input: String,
    /// Its value.
    pub value: Value,
    /// The words of the question it was read from.
    pub words: String,
}

impl ExecutionMode {
    /// How the answer of a run that follows a playbook in this mode is found.
    #[must_use]
    pub fn strategy(self) -> Strategy {
        match self {
            Self::Deterministic => Strategy::Pipeline,
            Self::LlmAugmented | Self::Hybrid => Strategy::Playbook,
        }
    }

    /// The word of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
