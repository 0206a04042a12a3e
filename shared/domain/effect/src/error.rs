//! Why an effect cannot be signed.

use countersign_failure::Failure;

/// Why an effect or a row has no canonical text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum EffectError {
    /// It is larger than anybody can be asked to read.
    #[error("the request has {bytes} bytes; at most {limit} can be signed")]
    #[failure(
        code = "EFFECTS_TOO_LARGE",
        help = "send less in one call, or split it over several steps"
    )]
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A stored text is not an effect of this version.
    #[error("a stored effect cannot be read: {0}")]
    #[failure(code = "EFFECT_UNREADABLE")]
    Unreadable(String),
    /// A mail that cannot be written.
    #[error("the mail cannot be sent: {0}")]
    #[failure(code = "CONNECTOR_ARGUMENT")]
    Mail(String),
    /// The JSON could not be written canonically.
    #[error("writing canonical JSON: {0}")]
    #[failure(code = "SUBJECT_NOT_SIGNABLE")]
    Canonical(String),
}

impl From<serde_json::Error> for EffectError {
    fn from(error: serde_json::Error) -> Self {
        Self::Canonical(error.to_string())
    }
}
