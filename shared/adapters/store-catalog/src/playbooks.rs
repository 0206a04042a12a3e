//! Playbooks: what agents do.

use countersign_identity::UserId;
use countersign_playbook::ValidPlaybook;
use countersign_store_kit::Write;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::collection::{Collection, StoredDocument};
use crate::{Catalog, Result, triggers};

/// A playbook as stored: its text and what the compiler made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredPlaybook {
    /// The owner; none for what the deployment ships (F-006).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserId>,
    /// The YAML, as written.
    pub yaml: String,
    /// What it compiles to. Runs are planned from this.
    pub playbook: ValidPlaybook,
    /// Raised by every change.
    pub revision: u64,
    /// When it was stored first.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// Who changed it last: an editor does not decide what they edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<UserId>,
}

/// Runs keep the plan they were started with, whatever becomes of their playbook.
impl StoredDocument for StoredPlaybook {
    type Id = String;

    const KIND: &'static str = "playbook";
    const KEY: &'static str = "PLAYBOOK";

    fn id(&self) -> &String {
        &self.playbook.id
    }

    fn owner(&self) -> Option<&UserId> {
        self.owner.as_ref()
    }

    fn version(&self) -> Option<u64> {
        Some(self.revision)
    }

    fn property(&self) -> String {
        let category = serde_json::to_value(self.playbook.category).ok();
        category.as_ref().and_then(|name| name.as_str()).unwrap_or_default().to_owned()
    }

    fn repeats(&self, stored: &Self) -> bool {
        self.yaml == stored.yaml
    }

    fn unique_name(&self) -> (&'static str, String) {
        ("playbook id", self.playbook.id.clone())
    }

    /// Its triggers are kept apart from its text (F-152).
    fn written_with(before: Option<&Self>, after: Option<&Self>) -> Result<Vec<Write>> {
        triggers::written_with(before, after)
    }
}

impl Catalog {
    /// The playbooks.
    #[must_use]
    pub fn playbooks(&self) -> Collection<'_, StoredPlaybook> {
        self.collection()
    }
}
