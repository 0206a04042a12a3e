//! Why wiring failed.

use countersign_failure::Failure;

use crate::coerce::TypeError;

/// A text that is not a reference, template or condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// Where in the text, in bytes; always on a character boundary and at most the text's length.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl SyntaxError {
    pub(crate) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Why a value could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum WiringError {
    /// A text is not a template.
    #[error("the text `{text}` cannot be read: {source}")]
    #[failure(code = "WIRING_SYNTAX", help = source.help.clone())]
    Syntax {
        /// The text, shortened.
        text: String,
        /// What is wrong with it.
        source: SyntaxError,
    },
    /// A reference leads nowhere: the step was skipped, or its result has no such field.
    #[error("`{{{0}}}` leads to no value")]
    #[failure(
        code = "WIRING_UNDEFINED",
        help = "guard the step with a condition such as `{step.field} is defined`"
    )]
    Undefined(String),
    /// The resolved value would be too large.
    #[error("the wired value is larger than {0} bytes")]
    #[failure(code = "WIRING_TOO_LARGE", help = "filter or limit the data in an earlier step")]
    TooLarge(usize),
    /// The value has another type.
    #[error(transparent)]
    #[failure(code = "WIRING_TYPE")]
    Type(#[from] TypeError),
}
