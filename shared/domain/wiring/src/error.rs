//! Why wiring failed.

use countersign_failure::{Class, Failure};

use crate::coerce::TypeError;

/// A text that is no reference, template or condition.
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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WiringError {
    /// A text is no template.
    #[error("the text `{text}` cannot be read: {source}")]
    Syntax {
        /// The text, shortened.
        text: String,
        /// What is wrong with it.
        source: SyntaxError,
    },
    /// A reference leads nowhere: the step was skipped, or its result has no such field.
    #[error("`{{{0}}}` leads to no value")]
    Undefined(String),
    /// The resolved value would be too large.
    #[error("the wired value is larger than {0} bytes")]
    TooLarge(usize),
    /// The value has another type.
    #[error(transparent)]
    Type(#[from] TypeError),
}

impl Failure for WiringError {
    fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "WIRING_SYNTAX",
            Self::Undefined(_) => "WIRING_UNDEFINED",
            Self::TooLarge(_) => "WIRING_TOO_LARGE",
            Self::Type(_) => "WIRING_TYPE",
        }
    }

    fn class(&self) -> Class {
        Class::Terminal
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Syntax { source, .. } => source.help.clone(),
            Self::Undefined(_) => {
                Some("guard the step with a condition such as `{step.field} is defined`".to_owned())
            }
            Self::TooLarge(_) => Some("filter or limit the data in an earlier step".to_owned()),
            Self::Type(_) => None,
        }
    }
}
