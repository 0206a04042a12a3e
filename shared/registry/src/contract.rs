//! The contract of an action.

use countersign_identity::Requirement;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data_type::DataType;

/// A named input, param or output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// The key.
    pub name: String,
    /// The type of its value.
    #[serde(rename = "type")]
    pub data_type: DataType,
    /// Whether a call without it is refused.
    #[serde(default)]
    pub required: bool,
    /// What holds when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The only values allowed, when there are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// One sentence for people and models.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// One action, typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contract {
    /// The name used in playbooks, snake_case.
    pub name: String,
    /// What it does, in one sentence.
    pub description: String,
    /// Data wired from other steps.
    pub inputs: Vec<Slot>,
    /// Static settings.
    pub params: Vec<Slot>,
    /// What comes back.
    pub outputs: Vec<Slot>,
    /// Who may call it.
    pub requirement: Requirement,
    /// Whether its effect cannot be taken back (K-25): it then needs a signature.
    pub irreversible: bool,
    /// Whether it calls a model (K-58).
    pub uses_llm: bool,
    /// Grants the agent must have, such as `team_file_access`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// The folder of the Lambda that hosts it, such as `tool-data`; empty for control actions, which no Lambda runs.
    pub function: String,
}
