//! Runs sub-steps side by side. The engine itself does it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::Nothing;
use crate::shape::AnyObject;
use crate::{Action, PARALLEL};

/// The declaration.
#[derive(Debug)]
pub struct Parallel;

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Steps that do not need each other's results.
    #[schemars(with = "Vec<AnyObject>")]
    pub parallel_steps: Vec<Value>,
}

impl Action for Parallel {
    const NAME: &'static str = PARALLEL;
    const FUNCTION: &'static str = "";
    const DESCRIPTION: &'static str = "Runs its sub-steps side by side; each has its own output.";
    type Inputs = Nothing;
    type Params = Params;
    type Output = Nothing;
}
