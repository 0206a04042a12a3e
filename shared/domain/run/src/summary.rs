//! What a model says of a conversation so far, beside its answer to a question.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The step of the plan that is made for a question.
pub const STEP: &str = "answer";
/// The field of its output that holds the summary.
pub const FIELD: &str = "summary";

/// What was asked and answered up to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ConversationSummary")]
pub struct Summary {
    /// In the words of a model.
    pub summary_text: String,
    /// Up to which question: 1, 2, …
    pub turns_covered: u32,
}
