//! Runs Python that computes with data, where it can reach nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Action;

/// The declaration.
#[derive(Debug)]
pub struct RunPython;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What the code sees as the variable `data`: any value; null when it is left out.
    pub data: Option<Value>,
}

/// Settings.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Params {
    /// Python, a part of it: no imports but `math`, `json`, `re`, `datetime` and the like, no files, no network. The last expression is
    /// the result: texts, numbers, lists, dictionaries. It may compute for 10 seconds with 128 MiB of memory.
    #[schemars(length(min = 1, max = 20_000))]
    pub code: String,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The value of the last expression; null when the code ends with none. Whole numbers beyond 64 bits are texts.
    pub result: Value,
    /// What the code printed, up to 64 KB.
    pub stdout: String,
}

impl Action for RunPython {
    const NAME: &'static str = "run_python";
    const FUNCTION: &'static str = "tool-code";
    const DESCRIPTION: &'static str = "Runs Python that computes with the data it is given; it reaches no files, no network and no clock.";
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;
}
