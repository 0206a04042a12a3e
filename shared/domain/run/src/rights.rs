//! What may still be done for whoever started a run. Rights are read when they are needed, not when the run was started.

use countersign_identity::{Denied, DirectoryEntry, Refused, Requirement, permits};

use crate::Head;

/// Why nothing more is done for whoever started a run.
#[derive(Debug, thiserror::Error)]
pub enum NotPermitted {
    /// The account is gone or switched off.
    #[error("whoever started the run is no longer active")]
    Inactive,
    /// The token that the run was started with no longer counts.
    #[error("the run cannot go on as it was started: {0}")]
    Void(Refused),
    /// The rights that are left are not enough.
    #[error(transparent)]
    Denied(#[from] Denied),
}

impl Head {
    /// Whether whoever started the run has what this takes: the scopes it was started with ∩ those of the directory's `entry`, and
    /// nothing once the token is void.
    ///
    /// # Errors
    /// [`NotPermitted`] says why not.
    pub fn permits(
        &self,
        entry: Option<&DirectoryEntry>,
        requirement: &Requirement,
    ) -> Result<(), NotPermitted> {
        let entry = entry.filter(|entry| entry.active).ok_or(NotPermitted::Inactive)?;
        if let Some(token) = &self.token {
            entry.effective(token).map_err(NotPermitted::Void)?;
        }
        Ok(permits(&self.scopes.intersect(&entry.scopes), requirement, None)?)
    }
}
