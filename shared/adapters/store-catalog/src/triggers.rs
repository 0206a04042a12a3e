//! What playbooks listen to, apart from their texts (F-152): a question is compared without reading the playbooks.

use std::collections::HashMap;

use countersign_identity::UserId;
use countersign_playbook::{Trigger, ValidPlaybook};
use countersign_store_kit::{Item, Key, StoreError, Write, decode};
use serde::{Deserialize, Serialize};

use crate::collection::doing;
use crate::keys::Owner;
use crate::playbooks::StoredPlaybook;
use crate::record::StoredRecord;
use crate::{Catalog, Result, keys};

/// What is known of a playbook when a question is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedPlaybook {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it listens to.
    pub triggers: Vec<Trigger>,
    /// The names of the inputs without which it does not start.
    pub required: Vec<String>,
}

impl From<&ValidPlaybook> for IndexedPlaybook {
    fn from(playbook: &ValidPlaybook) -> Self {
        let required = playbook
            .inputs
            .iter()
            .filter(|input| input.required && input.default.is_none())
            .map(|input| input.name.clone());
        Self {
            id: playbook.id.clone(),
            name: playbook.name.clone(),
            description: playbook.description.clone(),
            triggers: playbook.triggers.clone(),
            required: required.collect(),
        }
    }
}

/// Keeps the entry of a playbook as the playbook is.
pub(crate) fn written_with(
    before: Option<&StoredPlaybook>,
    after: Option<&StoredPlaybook>,
) -> Result<Vec<Write>> {
    if let Some(after) = after {
        let entry = IndexedPlaybook::from(&after.playbook);
        let record = StoredRecord::of("playbook", &entry, after.revision)?;
        let key = keys::triggers(Owner::of(after.owner.as_ref()), &entry.id);
        return Ok(vec![record.put(&key).map_err(doing::<StoredPlaybook>("index"))?]);
    }
    let key = |before: &StoredPlaybook| {
        keys::triggers(Owner::of(before.owner.as_ref()), &before.playbook.id)
    };
    Ok(before.map(|before| Write::delete(&key(before))).into_iter().collect())
}

impl Catalog {
    /// What is known of these playbooks of the owner, or of the system where the owner has none of the id; in their order.
    /// Those that there are not are left out.
    ///
    /// # Errors
    /// [`CatalogError::Store`](crate::CatalogError::Store) when the table does not answer.
    pub async fn indexed(&self, owner: &UserId, ids: &[&str]) -> Result<Vec<IndexedPlaybook>> {
        let of =
            |owner: Owner<'_>| ids.iter().map(|id| keys::triggers(owner, id)).collect::<Vec<Key>>();
        let (own, system) = (of(Owner::User(owner)), of(Owner::System));
        let mut wanted: Vec<Key> = own.iter().chain(&system).cloned().collect();
        wanted.sort_by(|a, b| (&a.pk, &a.sk).cmp(&(&b.pk, &b.sk)));
        wanted.dedup();
        let doing = doing::<StoredPlaybook>("look up the triggers of");
        let mut found = self.table.get_many(&wanted).await.map_err(doing)?;
        let mut entries = Vec::with_capacity(ids.len());
        for (own, system) in own.iter().zip(&system) {
            entries.extend(self.entry(&mut found, own, system).map_err(doing)?);
        }
        Ok(entries)
    }

    fn entry(
        &self,
        found: &mut HashMap<Key, Item>,
        own: &Key,
        system: &Key,
    ) -> std::result::Result<Option<IndexedPlaybook>, StoreError> {
        let Some(item) = found.remove(own).or_else(|| found.remove(system)) else {
            return Ok(None);
        };
        let name = self.table.name();
        decode::<StoredRecord>(name, item)?.read(name).map(Some)
    }
}
