//! What a step's warnings mean for the run. Our addition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a step's warnings mean: values that are not of their type, files that could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnWarning {
    /// They are counted and told, and the run goes on. What a step without an irreversible one behind it does.
    #[default]
    Continue,
    /// No irreversible step behind it acts on a signature that was given without knowing them. What a step with an
    /// irreversible one behind it does.
    Gate,
    /// The step fails, and the run ends.
    Stop,
}
