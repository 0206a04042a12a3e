//! Why a run could not be started.

use countersign_failure::{Class, Failure};
use countersign_states::StatesError;
use countersign_store_kit::StoreError;

/// Why a run could not be started; trying again is always safe.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// The table does not answer.
    #[error("reading or writing the run")]
    Store(#[from] StoreError),
    /// The state machine's service does not answer.
    #[error("starting the execution")]
    States(#[from] StatesError),
}

impl Failure for RecoveryError {
    fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::States(error) => error.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Store(error) => error.class(),
            Self::States(error) => error.class(),
        }
    }
}
