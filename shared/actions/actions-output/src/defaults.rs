//! Where results go when a step does not say.

use countersign_identity::UserId;
use countersign_registry::action::ActionFuture;
use countersign_report::Destination;

/// A destination of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnDestination {
    /// It.
    pub destination: Destination,
    /// The digest of what its owner wrote: the list may be another one when it is tried again.
    pub digest: String,
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
