//! What the handler works with; built once per process.

use countersign_http_out::{Egress, Policy};
use countersign_identity::Rights;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_store_approvals::Approvals;
use countersign_store_directory::Directory;
use countersign_store_runs::RunStore;
use countersign_web::AuthContext;
use countersign_web::token::Verifier;

use crate::api::Api;

/// Tokens, people, runs and what they ask; and the API, where runs are started.
pub struct Context {
    pub(crate) verifier: Verifier,
    pub(crate) directory: Directory,
    pub(crate) runs: RunStore,
    pub(crate) approvals: Approvals,
    pub(crate) api: Api,
}

impl AuthContext for Context {
    fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    fn rights(&self) -> &dyn Rights {
        &self.directory
    }
}

impl Context {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] names the setting that is missing or unusable.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        Ok(Self {
            verifier: Verifier::of(&boot.settings)?,
            directory: Directory::new(boot.table(Setting::TableDirectory)?),
            runs: RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?),
            approvals: Approvals::new(boot.table(Setting::TableApprovals)?),
            api: Api::new(
                Egress::new(Policy { allow_loopback: boot.settings.allow_loopback() }),
                boot.settings.need(Setting::PublicUrl)?,
            )
            .map_err(|reason| StartError::invalid(Setting::PublicUrl, reason))?,
        })
    }
}
