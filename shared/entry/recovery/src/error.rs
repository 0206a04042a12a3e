//! Why a run could not be started.

use countersign_failure::Failure;
use countersign_states::StatesError;
use countersign_store_kit::StoreError;

/// Why a run could not be started; trying again is always safe.
#[derive(Debug, thiserror::Error, Failure)]
pub enum RecoveryError {
    /// The table does not answer.
    #[error("reading or writing the run")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The state machine's service does not answer.
    #[error("starting the execution")]
    #[failure(forward)]
    States(#[from] StatesError),
}
