//! Bindings: which connectors an agent may use, and how they fare.

use std::collections::HashMap;

use countersign_connector::{
    AgentConnector, Binding, BindingId, ConnectorId, ConnectorSource, CredentialId, Found, Health,
    HealthSink, SourceError, SourceFuture, StoredConnector,
};
use countersign_identity::UserId;
use countersign_store_kit::{Expr, Item, Lookup, Op, Query, StoreError, Write, decode};
use futures::TryFutureExt as _;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::keys::Owner;
use crate::record::{self, StoredRecord};
use crate::{Answer, Catalog, Result, keys};

/// A profile has at most so many connectors.
const MAX: usize = 200;

/// How often a binding is read again that others change while it is removed.
const TRIES: u32 = 8;

/// The write that removes a credential from the vault, for the transaction that removes what refers to it.
pub type Forget<'a> = &'a (dyn Fn(&CredentialId) -> Op + Send + Sync);

/// How a binding fares lies beside it, so that noting it never overwrites a change by its owner.
#[derive(Serialize, Deserialize)]
struct Noted {
    #[serde(default)]
    health: Health,
}

/// Where a connector and its binding are: the owner's own before the system's.
#[derive(Debug, Clone)]
pub struct Lookups {
    connectors: [Lookup; 2],
    bindings: [Lookup; 2],
}

impl Lookups {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<Lookup> {
        [&self.connectors[..], &self.bindings[..]].concat()
    }
}

impl Catalog {
    /// Binds a connector to a profile the owner has; the write of its credential is done with it or not at all. Binding it
    /// again with the same id answers as the first time, and writes nothing.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when the owner has no such profile, [`CatalogError::Bound`] when the connector is
    /// bound to it already, [`CatalogError::Changed`] when that binding was removed in between.
    pub fn create_binding<'a>(
        &'a self,
        owner: &'a UserId,
        binding: &'a Binding,
        credential: Option<Op>,
    ) -> Answer<'a, Binding> {
        Box::pin(async move {
            let (profile, connector) = (&binding.profile_id, &binding.connector_id);
            let put = put(Owner::User(owner), binding);
            let doing = "bind the connector";
            if self.add_to_profile(owner, profile, put, credential, doing).await? {
                return Ok(binding.clone());
            }
            let known = self.binding_of(Owner::User(owner), profile, connector).await?;
            match known {
                Some(known) if known.id == binding.id => Ok(known),
                Some(Binding { id, .. }) => {
                    let (connector, binding) = (connector.to_string(), id.to_string());
                    Err(CatalogError::Bound { connector, binding })
                }
                None => Err(CatalogError::Changed("data source")),
            }
        })
    }

    /// Replaces a binding that is still as it was read, together with the writes to the vault that go with it: a credential is
    /// in the vault exactly as long as a binding has it. Its health stays what was noted last, unless it gets another credential:
    /// nothing is known of that one yet.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when it was changed in between, [`CatalogError::NotFound`] when there is none any more.
    pub fn replace_binding<'a>(
        &'a self,
        owner: &'a UserId,
        before: &'a Binding,
        after: &'a Binding,
        with: Vec<Op>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("change the binding");
            let owner = Owner::User(owner);
            let write = replacement(owner, before, after).map_err(doing)?;
            let is_done = if with.is_empty() {
                self.table.try_write(write).await
            } else {
                let all = std::iter::once(self.table.op(write)).chain(with);
                self.table.try_transact_across(all.collect()).await
            };
            if is_done.map_err(doing)? {
                return Ok(());
            }
            let known = self.binding_of(owner, &before.profile_id, &before.connector_id).await?;
            let is_there = known.is_some_and(|known| known.id == before.id);
            let what = "data source";
            Err(if is_there { CatalogError::Changed(what) } else { CatalogError::NotFound(what) })
        })
    }

    /// Removes a binding together with the credential that it has then, whoever has given it another one meanwhile.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when there is none, [`CatalogError::Changed`] when others change it each time.
    pub fn delete_binding<'a>(
        &'a self,
        owner: &'a UserId,
        binding: &'a Binding,
        forget: Forget<'a>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let (doing, what) = (CatalogError::doing("remove the binding"), "data source");
            let key = keys::binding(Owner::User(owner), &binding.profile_id, &binding.connector_id);
            for _ in 0..TRIES {
                let record: Option<StoredRecord> = self.table.get(&key).await.map_err(doing)?;
                let record = record.ok_or(CatalogError::NotFound(what))?;
                let stands: Binding = record.read(self.table.name()).map_err(doing)?;
                if stands.id != binding.id {
                    return Err(CatalogError::NotFound(what));
                }
                let gone = Write::delete(&key).when(record.is_kept().map_err(doing)?);
                let secret = stands.credential.as_ref().map(forget);
                let all = std::iter::once(self.table.op(gone)).chain(secret).collect();
                if self.table.try_transact_across(all).await.map_err(doing)? {
                    return Ok(());
                }
            }
            Err(CatalogError::Changed(what))
        })
    }

    /// The bindings of a profile of the owner; of a profile the system ships when the owner has none there.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn bindings(&self, owner: &UserId, profile: &str) -> Result<Vec<Binding>> {
        let own = self.bindings_of(Owner::User(owner), profile).await?;
        if own.is_empty() { self.bindings_of(Owner::System, profile).await } else { Ok(own) }
    }

    /// One binding of the owner's profile, by its id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn binding_by_id(
        &self,
        owner: &UserId,
        profile: &str,
        id: &BindingId,
    ) -> Result<Option<Binding>> {
        let all = self.bindings_of(Owner::User(owner), profile).await?;
        Ok(all.into_iter().find(|binding| binding.id == *id))
    }

    /// Replaces all bindings of a profile the system ships.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn put_system_bindings<'a>(
        &'a self,
        profile: &'a str,
        bindings: &'a [Binding],
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("store the library's bindings");
            let wanted =
                |known: &Binding| bindings.iter().any(|new| new.connector_id == known.connector_id);
            let known = self.bindings_of(Owner::System, profile).await?;
            let gone = known.iter().filter(|known| !wanted(known));
            let mut writes: Vec<Write> = gone
                .map(|binding| {
                    Write::delete(&keys::binding(Owner::System, profile, &binding.connector_id))
                })
                .collect();
            for binding in bindings {
                writes.push(put(Owner::System, binding)?);
            }
            self.table.write_many(writes).await.map_err(doing)
        })
    }

    /// Removes all bindings of a profile of the owner, each with its credential. Doing it again finishes the work.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] and [`CatalogError::Store`] as [`Catalog::delete_binding`].
    pub fn delete_bindings<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        forget: Forget<'a>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            for binding in self.bindings_of(Owner::User(owner), profile).await? {
                match self.delete_binding(owner, &binding, forget).await {
                    Ok(()) | Err(CatalogError::NotFound(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
    }

    fn bindings_of(&self, owner: Owner<'_>, profile: &str) -> Answer<'_, Vec<Binding>> {
        let mut query = Query::partition(&keys::bound(owner, profile)).consistent();
        Box::pin(async move {
            let doing = CatalogError::doing("list the bindings");
            let mut all = Vec::new();
            loop {
                let page = self.table.query(query.clone()).await.map_err(doing)?;
                for item in page.items {
                    all.push(read(self.table.name(), item).map_err(doing)?);
                }
                match page.next {
                    Some(next) if all.len() < MAX => query = query.after(Some(&next)),
                    _ => return Ok(all),
                }
            }
        })
    }

    async fn binding_of(
        &self,
        owner: Owner<'_>,
        profile: &str,
        connector: &ConnectorId,
    ) -> Result<Option<Binding>> {
        let doing = CatalogError::doing("read the binding");
        let key = keys::binding(owner, profile, connector);
        let item = self.table.get_item(&key).await.map_err(doing)?;
        item.map(|item| read(self.table.name(), item)).transpose().map_err(doing)
    }
}

fn put(owner: Owner<'_>, binding: &Binding) -> Result<Write> {
    let key = keys::binding(owner, &binding.profile_id, &binding.connector_id);
    record::put(&key, ("data source", &said(binding), 1), "store the binding")
}

/// What the owner said of a binding, without what was noted of it since.
fn said(binding: &Binding) -> Binding {
    Binding { health: Health::default(), ..binding.clone() }
}

fn replacement(
    owner: Owner<'_>,
    before: &Binding,
    after: &Binding,
) -> std::result::Result<Write, StoreError> {
    let key = keys::binding(owner, &before.profile_id, &before.connector_id);
    let json = |binding: &Binding| {
        let text = serde_json::to_string(&said(binding));
        text.map_err(StoreError::encode)
    };
    let unchanged = Expr::new("#json = :before").bind("before", &json(before)?)?;
    let write = Write::update(&key).when(unchanged).set("json", &json(after)?)?;
    if before.credential == after.credential {
        return Ok(write);
    }
    write.set("health", &Health::default())
}

fn read(table: &str, item: Item) -> std::result::Result<Binding, StoreError> {
    let noted: Noted = decode(table, item.clone())?;
    let binding: Binding = decode::<StoredRecord>(table, item)?.read(table)?;
    Ok(Binding { health: noted.health, ..binding })
}

impl ConnectorSource for Catalog {
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<StoredConnector>> {
        Box::pin(async move { self.connectors().get(owner, id).await.map_err(boxed) })
    }

    fn binding<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
        let read = move |whose| self.binding_of(whose, &of.profile, &of.connector);
        Box::pin(Owner::own_or_system(&of.owner, read).map_err(boxed))
    }

    fn bound<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Found> {
        Box::pin(async move { self.both(of).await.map_err(boxed) })
    }
}

impl Catalog {
    /// The connector and its binding, each the owner's own or the system's, with one request.
    async fn both(&self, of: &AgentConnector) -> Result<Found> {
        let doing = CatalogError::doing("read the connector and its binding");
        let wanted = self.lookups(of);
        let mut read = self.table.get_across(&wanted.all()).await.map_err(doing)?;
        self.found(&wanted, &mut read)
    }

    /// Where the connector and its binding are, for a batch across tables.
    #[must_use]
    pub fn lookups(&self, of: &AgentConnector) -> Lookups {
        let AgentConnector { owner, profile, connector } = of;
        let owners = [Owner::User(owner), Owner::System];
        let connectors = owners.map(|owner| keys::document::<StoredConnector>(owner, connector));
        let bindings = owners.map(|owner| keys::binding(owner, profile, connector));
        let lookup = |key| self.table.lookup(key);
        Lookups { connectors: connectors.map(lookup), bindings: bindings.map(lookup) }
    }

    /// The connector and its binding, among what a batch has read: each the owner's own or the system's.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when an item has another shape.
    pub fn found(&self, of: &Lookups, from: &mut HashMap<Lookup, Item>) -> Result<Found> {
        let doing = CatalogError::doing("read the connector and its binding");
        let table = self.table.name();
        let connector = of.connectors.iter().find_map(|key| from.remove(key));
        let connector = connector.map(|item| decode::<StoredRecord>(table, item)?.read(table));
        let binding = of.bindings.iter().find_map(|key| from.remove(key));
        let binding = binding.map(|item| read(table, item));
        Ok(Found {
            connector: connector.transpose().map_err(doing)?,
            binding: binding.transpose().map_err(doing)?,
        })
    }
}

impl HealthSink for Catalog {
    fn note<'a>(
        &'a self,
        owner: &'a UserId,
        binding: &'a Binding,
        health: Health,
    ) -> SourceFuture<'a, ()> {
        let doing = CatalogError::doing("note the health of the binding");
        // What the system ships has no health of its own: one user's credential says nothing about another's.
        let key = keys::binding(Owner::User(owner), &binding.profile_id, &binding.connector_id);
        let write = Write::update(&key).when(Expr::exists()).set("health", &health);
        Box::pin(async move {
            let write = write.map_err(|error| boxed(doing(error)))?;
            let written = self.table.try_write(write).await;
            written.map(drop).map_err(|error| boxed(doing(error)))
        })
    }
}

fn boxed(error: CatalogError) -> SourceError {
    Box::new(error)
}
