//! Connectors: what agents can read and call.

use countersign_connector::{AcceptedEndpoint, ConnectorId, StoredConnector};
use countersign_identity::UserId;
use countersign_store_kit::{Key, Page, Query, Window, Write};

use crate::collection::{Collection, StoredDocument, doing, put};
use crate::error::CatalogError;
use crate::keys::Owner;
use crate::record::StoredRecord;
use crate::{Answer, Catalog, Result, keys, record};

impl StoredDocument for StoredConnector {
    type Id = ConnectorId;

    const KIND: &'static str = "connector";
    const KEY: &'static str = "CONNECTOR";

    fn id(&self) -> &ConnectorId {
        &self.definition.id
    }

    fn owner(&self) -> Option<&UserId> {
        self.owner.as_ref()
    }

    fn version(&self) -> Option<u64> {
        None
    }

    fn property(&self) -> String {
        self.definition.kind().to_owned()
    }

    fn repeats(&self, stored: &Self) -> bool {
        self.yaml == stored.yaml
    }

    fn unique_name(&self) -> (&'static str, String) {
        ("connector id", self.definition.id.to_string())
    }

    /// Every text of a person's connector is kept. Bindings to a removed one stay and find the system's of the same id,
    /// or nothing.
    fn written_with(_: Option<&Self>, after: Option<&Self>) -> Result<Vec<Write>> {
        let Some((owner, after)) = after.and_then(|after| Some((after.owner.as_ref()?, after)))
        else {
            return Ok(Vec::new());
        };
        let partition = keys::versions(Owner::User(owner), &after.definition.id);
        let key = Key::new(partition, after.updated_at.to_string());
        let version = StoredRecord::of(Self::KIND, after, 1)?.put(&key);
        Ok(vec![version.map_err(doing::<Self>("keep the text of"))?])
    }
}

impl Catalog {
    /// The connectors.
    #[must_use]
    pub fn connectors(&self) -> Collection<'_, StoredConnector> {
        self.collection()
    }
}

impl<'c> Collection<'c, StoredConnector> {
    /// Replaces what administrators accepted of a connector that is still as it was read.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when its owner changed it in between.
    pub fn set_accepted(
        self,
        before: &'c StoredConnector,
        accepted: Vec<AcceptedEndpoint>,
    ) -> Answer<'c, StoredConnector> {
        Box::pin(async move {
            let doing = doing::<StoredConnector>("keep what was accepted of");
            let after = StoredConnector { accepted, ..before.clone() };
            let unchanged =
                StoredRecord::of(StoredConnector::KIND, before, 1)?.is_kept().map_err(doing)?;
            let write = put(Owner::of(before.owner.as_ref()), &after)?.when(unchanged);
            let is_unchanged = self.table.try_write(write).await.map_err(doing)?;
            is_unchanged.then_some(after).ok_or(CatalogError::Changed(StoredConnector::KIND))
        })
    }

    /// Every text a connector of its owner has had, newest first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer or the cursor is not one of this list.
    pub fn versions(
        self,
        owner: &UserId,
        id: &ConnectorId,
        window: Window,
    ) -> Answer<'c, Page<StoredConnector>> {
        let query = Query::partition(&keys::versions(Owner::User(owner), id)).descending();
        let query = query.within(window);
        record::list(self.table, query, "read the versions of the connector")
    }
}
