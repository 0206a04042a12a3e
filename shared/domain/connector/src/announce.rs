//! Telling the owner that a source refuses the credential (F-306).

use countersign_identity::UserId;
use jiff::Timestamp;

use crate::binding::{Binding, SourceFuture};

/// Tells whoever listens how a binding fares. `outbox` implements it.
pub trait Announcer: Send + Sync {
    /// The source refused the binding's credential, and had not before.
    fn auth_failed<'a>(
        &'a self,
        owner: &'a UserId,
        binding: &'a Binding,
        at: Timestamp,
    ) -> SourceFuture<'a, ()>;
}
