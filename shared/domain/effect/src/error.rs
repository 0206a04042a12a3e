//! Why an effect cannot be signed.

use countersign_failure::Failure;

/// Why an effect or a row has no canonical text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EffectError {
    /// It is larger than anybody can be asked to read.
    #[error("the request has {bytes} bytes; at most {limit} can be signed")]
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A stored text is not an effect of this version.
    #[error("a stored effect cannot be read: {0}")]
    Unreadable(String),
    /// The JSON could not be written canonically.
    #[error("writing canonical JSON: {0}")]
    Canonical(String),
}

impl Failure for EffectError {
    fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "EFFECTS_TOO_LARGE",
            Self::Unreadable(_) => "EFFECT_UNREADABLE",
            Self::Canonical(_) => "SUBJECT_NOT_SIGNABLE",
        }
    }

    fn http_status(&self) -> u16 {
        422
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::TooLarge { .. } => {
                Some("send less in one call, or split it over several steps".to_owned())
            }
            _ => None,
        }
    }
}
