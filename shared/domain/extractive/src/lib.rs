//! The built-in model, for deployments without a provider.
//!
//! It ranks the sentences and records of the data by the words of the task, and quotes the best with their place. It never
//! writes a word of its own: what it cannot quote it refuses with `MODEL_REQUIRED`. The same task has the same answer.

mod answer;
mod passages;
mod question;
mod rank;

use countersign_failure::Failure;
use countersign_registry::OutputSchema;
use serde_json::Value;

pub use answer::answer;
pub use rank::words;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Task<'t> {
    /// What to do with the data; its words say what is looked for.
    pub instructions: Option<&'t str>,
    /// The form of the answer: below each of its headings stand the quotations for it.
    pub template: Option<&'t str>,
    /// What is quoted.
    pub data: &'t Value,
    /// What must be answered.
    pub schema: &'t OutputSchema,
}

/// Quoting does not answer it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[error("the built-in model only quotes: {0}")]
#[failure(
    code = "MODEL_REQUIRED",
    status = 422,
    help = "ask only for text, or have an administrator set up a provider (docs/models.md)"
)]
pub struct ModelRequired(pub String);

#[cfg(test)]
mod tests;
