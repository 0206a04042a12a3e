//! What a model has written so far of an answer that is not complete.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The texts of an answer, as far as they are written. Nobody has checked them: the answer may be refused, and written anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// The step.
    pub step: String,
    /// Which turn of the step's model; a later one begins anew.
    pub turn: u32,
    /// When it was last written to.
    pub at: Timestamp,
    /// Fields of the answer and their texts.
    pub texts: BTreeMap<String, String>,
}
