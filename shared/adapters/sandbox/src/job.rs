//! What is handed to the child, and what comes back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is to be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Python. Its last expression is the result.
    pub code: String,
    /// What the code sees as the variable `data`.
    pub data: Value,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// The value of the last expression; null when the code ends with none.
    pub result: Value,
    /// What it printed, up to 64 KB.
    pub stdout: String,
}

/// What the child says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Said {
    /// It ran.
    Ran(Ran),
    /// It cannot be read as Python, or raised an exception: which, and where.
    Raised(String),
    /// Its result is no data: what in it is not.
    NotData(String),
}
