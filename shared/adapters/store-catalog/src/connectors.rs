//! Connectors: what agents can read and call.

use countersign_connector::{AcceptedEndpoint, ConnectorId, StoredConnector};
use countersign_identity::UserId;
use countersign_store_kit::{Expr, Key, Page, Query, Write};
use futures::future::BoxFuture;

use crate::error::CatalogError;
use crate::keys::Owner;
use crate::profiles::Listing;
use crate::record::Record;
use crate::{Catalog, Result, keys, record};

impl Catalog {
    /// Stores a new connector of its owner.
    ///
    /// # Errors
    /// [`CatalogError::Taken`] when the owner has one of that id with another text.
    pub fn create_connector<'a>(
        &'a self,
        connector: &'a StoredConnector,
    ) -> BoxFuture<'a, Result<StoredConnector>> {
        Box::pin(async move {
            let doing = CatalogError::doing("store the connector");
            match self
                .table
                .transact(vec![self.put(connector)?.if_absent(), self.kept(connector)?])
                .await
            {
                Ok(()) => Ok(connector.clone()),
                Err(error) if error.is_condition() => self.same_or_taken(connector).await,
                Err(error) => Err(doing(error)),
            }
        })
    }

    /// A repeated request finds what the first one stored.
    async fn same_or_taken(&self, connector: &StoredConnector) -> Result<StoredConnector> {
        let id = &connector.definition.id;
        match self.connector_of(Owner::of(connector.owner.as_ref()), id).await? {
            Some(known) if known.yaml == connector.yaml => Ok(known),
            _ => Err(CatalogError::Taken { what: "connector id", name: id.to_string() }),
        }
    }

    /// Replaces a connector of its owner.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when the owner has none of that id.
    pub fn replace_connector<'a>(
        &'a self,
        connector: &'a StoredConnector,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("change the connector");
            let write = self.put(connector)?.when(Expr::exists());
            self.table.transact(vec![write, self.kept(connector)?]).await.map_err(|error| {
                if error.is_condition() {
                    CatalogError::NotFound("connector")
                } else {
                    doing(error)
                }
            })
        })
    }

    /// Stores or replaces a connector of the library.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn put_system_connector<'a>(
        &'a self,
        connector: &'a StoredConnector,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let write = self.put(&StoredConnector { owner: None, ..connector.clone() })?;
            self.table
                .write(write)
                .await
                .map_err(CatalogError::doing("store the library's connector"))
        })
    }

    /// Replaces what administrators accepted of a connector that is still as it was read.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when its owner changed it in between.
    pub fn set_accepted<'a>(
        &'a self,
        before: &'a StoredConnector,
        accepted: Vec<AcceptedEndpoint>,
    ) -> BoxFuture<'a, Result<StoredConnector>> {
        Box::pin(async move {
            let doing = CatalogError::doing("keep what was accepted of the connector");
            let after = StoredConnector { accepted, ..before.clone() };
            let unchanged = Record::of("connector", before, 1)?.is_kept().map_err(doing)?;
            match self.table.write(self.put(&after)?.when(unchanged)).await {
                Ok(()) => Ok(after),
                Err(error) if error.is_condition() => Err(CatalogError::Changed("connector")),
                Err(error) => Err(doing(error)),
            }
        })
    }

    /// Removes a connector of its owner. Bindings to it stay and find the system's of the same id, or nothing.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when the owner has none of that id.
    pub fn delete_connector<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("remove the connector");
            let write =
                Write::delete(&keys::connector(Owner::User(owner), id)).when(Expr::exists());
            self.table.write(write).await.map_err(|error| {
                if error.is_condition() {
                    CatalogError::NotFound("connector")
                } else {
                    doing(error)
                }
            })
        })
    }

    /// The owner's connector of this id, or the system's.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn connector<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<StoredConnector>>> {
        Box::pin(async move {
            match self.connector_of(Owner::User(owner), id).await? {
                Some(own) => Ok(Some(own)),
                None => self.system_connector(id).await,
            }
        })
    }

    /// The owner's own connector of this id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn own_connector<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<StoredConnector>>> {
        Box::pin(self.connector_of(Owner::User(owner), id))
    }

    /// The system's connector of this id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn system_connector<'a>(
        &'a self,
        id: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<StoredConnector>>> {
        Box::pin(self.connector_of(Owner::System, id))
    }

    /// The owner's connectors, by id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn connectors<'a>(
        &'a self,
        owner: &'a UserId,
        listing: Listing<'a>,
    ) -> BoxFuture<'a, Result<Page<StoredConnector>>> {
        self.list(Owner::User(owner), "CONNECTORS", keys::CONNECTOR, listing, false)
    }

    /// The connectors the deployment ships, by id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn system_connectors<'a>(
        &'a self,
        listing: Listing<'a>,
    ) -> BoxFuture<'a, Result<Page<StoredConnector>>> {
        self.list(Owner::System, "CONNECTORS", keys::CONNECTOR, listing, false)
    }

    async fn connector_of(
        &self,
        owner: Owner<'_>,
        id: &ConnectorId,
    ) -> Result<Option<StoredConnector>> {
        let key = keys::connector(owner, id);
        record::get(&self.table, &key).await.map_err(CatalogError::doing("read the connector"))
    }

    /// Every text a connector of its owner has had, newest first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer or the cursor is none.
    pub fn connector_versions<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
        limit: i32,
        after: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<StoredConnector>>> {
        Box::pin(async move {
            let doing = CatalogError::doing("read the connector's versions");
            let partition = keys::versions(Owner::User(owner), id);
            let query = Query::partition(&partition).descending().limit(limit).after(after);
            let page = self.table.query(query).await.map_err(doing)?;
            record::page(&self.table, page).map_err(doing)
        })
    }

    /// The text as one of the connector's versions.
    fn kept(&self, connector: &StoredConnector) -> Result<Write> {
        let owner = Owner::of(connector.owner.as_ref());
        let at = connector.updated_at.to_string();
        let key = Key::new(keys::versions(owner, &connector.definition.id), at);
        let put = Record::of("connector", connector, 1)?.put(&key);
        put.map_err(CatalogError::doing("keep the connector's version"))
    }

    fn put(&self, connector: &StoredConnector) -> Result<Write> {
        let owner = Owner::of(connector.owner.as_ref());
        let id = &connector.definition.id;
        let put = Record::of("connector", connector, 1)?.put(&keys::connector(owner, id));
        let put = put.map_err(CatalogError::doing("store the connector"))?;
        Ok(put
            .indexed(&keys::listed(owner, "CONNECTORS", connector.definition.kind()), id.as_str()))
    }
}
