//! Where results go when a step does not say.

use countersign_identity::UserId;
use countersign_profile::{OutputConfig, StoredDestination};
use countersign_registry::action::{ActionError, ActionFuture};
use countersign_report::Destination;

/// A destination of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnDestination {
    /// It.
    pub destination: Destination,
    /// The digest of what its owner wrote: the list may be another one when it is tried again.
    pub digest: String,
}

impl OwnDestination {
    /// The destinations of a profile, in order.
    ///
    /// # Errors
    /// [`ActionError`] when one does not fit any more, or has no digest.
    pub fn all(config: &OutputConfig<StoredDestination>) -> Result<Vec<Self>, ActionError> {
        let destinations = config.destinations();
        let destinations = destinations.map_err(|error| ActionError::from_failure(&error))?;
        let written = config.destinations.iter();
        written.zip(destinations).map(|(written, read)| Self::of(written, read)).collect()
    }

    fn of(written: &StoredDestination, destination: Destination) -> Result<Self, ActionError> {
        let digest = written.digest();
        let digest =
            digest.map_err(|error| ActionError::terminal("OUTPUT_INVALID", error.to_string()))?;
        Ok(Self { destination, digest })
    }
}

/// The `output_config.destinations` of a profile (F-171).
pub trait ProfileOutputs: Send + Sync {
    /// The destinations of a profile this owner may use; empty when it has none or does not exist.
    fn destinations<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
    ) -> ActionFuture<'a, Vec<OwnDestination>>;
}
