//! A collection: the documents of one kind, each under its owner, or under `system` for what the deployment ships.

use std::fmt;
use std::marker::PhantomData;

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Page, Query, StoreError, Table, Write};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::CatalogError;
use crate::keys::Owner;
use crate::record::StoredRecord;
use crate::{Answer, Catalog, Result, keys, record};

/// How often a removal is tried against those who change the document meanwhile.
const TRIES: u32 = 5;

/// A kind of document that the catalog keeps.
pub trait StoredDocument: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What names a document among those of its owner.
    type Id: fmt::Display + PartialEq + DeserializeOwned + Send + Sync;

    /// The kind's name in messages, such as `connector`.
    const KIND: &'static str;
    /// The first word of its keys, such as `CONNECTOR`; the index lists documents under its plural, `CONNECTORS`.
    const KEY: &'static str;
    /// Whether a list of one's own documents begins with the newest.
    const NEWEST_FIRST: bool = false;

    /// Its id.
    fn id(&self) -> &Self::Id;
    /// Its owner; none for what the deployment ships (F-006).
    fn owner(&self) -> Option<&UserId>;
    /// A number that every change raises by one: a document only replaces its predecessor. A kind without one is
    /// replaced whatever it was.
    fn version(&self) -> Option<u64>;
    /// The property by which lists can be narrowed, such as a connector's type.
    fn property(&self) -> String;
    /// Whether a request to create this document repeats the one that created the stored one.
    fn repeats(&self, stored: &Self) -> bool;

    /// What no two documents of an owner share, and what that is called.
    fn unique_name(&self) -> (&'static str, String);

    /// What is written in one transaction with a document that is created (no `before`), replaced, or removed (no
    /// `after`).
    ///
    /// # Errors
    /// [`CatalogError`] when a record cannot be written.
    fn written_with(_before: Option<&Self>, _after: Option<&Self>) -> Result<Vec<Write>> {
        Ok(Vec::new())
    }
}

/// Which documents to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Listing<'a> {
    /// Only those with one property: `active` or `inactive`, a connector's type, a playbook's category.
    pub of: Option<&'a str>,
    /// At most so many.
    pub limit: i32,
    /// The store's own cursor.
    pub after: Option<&'a str>,
}

/// The documents of one kind.
#[derive(Debug)]
pub struct Collection<'c, T> {
    pub(crate) table: &'c Table,
    kind: PhantomData<fn() -> T>,
}

impl<T> Clone for Collection<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Collection<'_, T> {}

impl Catalog {
    /// The documents of a kind.
    #[must_use]
    pub fn collection<T: StoredDocument>(&self) -> Collection<'_, T> {
        Collection { table: &self.table, kind: PhantomData }
    }
}

impl<'c, T: StoredDocument> Collection<'c, T> {
    /// The owner's document of this id, or the system's.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn get(self, owner: &'c UserId, id: &'c T::Id) -> Answer<'c, Option<T>> {
        Box::pin(Owner::own_or_system(owner, move |whose| self.read(whose, id)))
    }

    /// The owner's own document of this id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn own(self, owner: &'c UserId, id: &'c T::Id) -> Answer<'c, Option<T>> {
        Box::pin(self.read(Owner::User(owner), id))
    }

    /// The system's document of this id.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn system(self, id: &'c T::Id) -> Answer<'c, Option<T>> {
        Box::pin(self.read(Owner::System, id))
    }

    /// The owner's documents.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn list(self, owner: &'c UserId, listing: Listing<'c>) -> Answer<'c, Page<T>> {
        Box::pin(self.page(Owner::User(owner), listing, T::NEWEST_FIRST))
    }

    /// Every document of the owner.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn all(self, owner: &'c UserId) -> Answer<'c, Vec<T>> {
        Box::pin(self.everything(Owner::User(owner), T::NEWEST_FIRST))
    }

    /// Every document of the system.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn all_system(self) -> Answer<'c, Vec<T>> {
        Box::pin(self.everything(Owner::System, false))
    }

    async fn everything(self, owner: Owner<'_>, newest_first: bool) -> Result<Vec<T>> {
        let (mut all, mut after) = (Vec::new(), None::<String>);
        loop {
            let listing = Listing { of: None, limit: 100, after: after.as_deref() };
            let page = self.page(owner, listing, newest_first).await?;
            all.extend(page.items);
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(all),
            }
        }
    }

    /// The documents the deployment ships.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn list_system(self, listing: Listing<'c>) -> Answer<'c, Page<T>> {
        Box::pin(self.page(Owner::System, listing, false))
    }

    /// Stores a new document of its owner. Repeating the request answers as the first time.
    ///
    /// # Errors
    /// [`CatalogError::Taken`] when the owner has another document of that name.
    pub fn create(self, document: &'c T) -> Answer<'c, T> {
        Box::pin(async move {
            let mut writes = vec![put(Owner::of(document.owner()), document)?.if_absent()];
            writes.extend(T::written_with(None, Some(document))?);
            match self.write(writes).await {
                Ok(()) => Ok(document.clone()),
                Err(error) if error.is_condition() => self.repeated_or_taken(document).await,
                Err(error) => Err(doing::<T>("store")(error)),
            }
        })
    }

    /// A repeated request finds what the first one stored.
    async fn repeated_or_taken(self, document: &T) -> Result<T> {
        let known = self.read(Owner::of(document.owner()), document.id()).await?;
        known.filter(|known| document.repeats(known)).ok_or_else(|| taken(document))
    }

    /// Replaces a document of its owner.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when it is not the version before `after` any more, [`CatalogError::NotFound`] when it
    /// has no versions and is gone, [`CatalogError::Taken`] when another document has its new name.
    pub fn replace(self, before: &'c T, after: &'c T) -> Answer<'c, ()> {
        Box::pin(async move {
            let unchanged = match after.version() {
                Some(version) => Expr::new("#version = :seen")
                    .bind("seen", &version.saturating_sub(1))
                    .map_err(doing::<T>("change"))?,
                None => Expr::exists(),
            };
            let mut writes = vec![put(Owner::of(before.owner()), after)?.when(unchanged)];
            writes.extend(T::written_with(Some(before), Some(after))?);
            self.write(writes).await.map_err(|error| match (&error, after.version()) {
                (StoreError::ConditionFailed { index: 0, .. }, Some(_)) => {
                    CatalogError::Changed(T::KIND)
                }
                (StoreError::ConditionFailed { index: 0, .. }, None) => {
                    CatalogError::NotFound(T::KIND)
                }
                (StoreError::ConditionFailed { .. }, _) => taken(after),
                _ => doing::<T>("change")(error),
            })
        })
    }

    /// Stores or replaces a document the deployment ships.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn put_system(self, document: &'c T) -> Answer<'c, ()> {
        Box::pin(async move {
            let mut writes = vec![put(Owner::System, document)?];
            writes.extend(T::written_with(None, Some(document))?);
            self.write(writes).await.map_err(doing::<T>("store"))
        })
    }

    /// Removes a document of its owner, as it is by then: what is written beside its latest version goes with it.
    ///
    /// # Errors
    /// [`CatalogError::NotFound`] when it is gone already, [`CatalogError::Changed`] when others change it again and again.
    pub fn delete(self, document: &'c T) -> Answer<'c, ()> {
        Box::pin(async move {
            let mut known = document.clone();
            for _ in 0..TRIES {
                match self.write(removed(&known)?).await {
                    Ok(()) => return Ok(()),
                    Err(error) if error.is_condition() => {}
                    Err(error) => return Err(doing::<T>("remove")(error)),
                }
                let now = self.read(Owner::of(document.owner()), document.id()).await?;
                known = now.ok_or(CatalogError::NotFound(T::KIND))?;
            }
            Err(CatalogError::Changed(T::KIND))
        })
    }

    pub(crate) async fn read(self, owner: Owner<'_>, id: &T::Id) -> Result<Option<T>> {
        let key = keys::document::<T>(owner, id);
        record::get(self.table, &key).await.map_err(doing::<T>("read"))
    }

    async fn page(
        self,
        owner: Owner<'_>,
        listing: Listing<'_>,
        newest_first: bool,
    ) -> Result<Page<T>> {
        let doing = CatalogError::doing("list the documents");
        let query = match listing.of {
            Some(property) => Query::index(&keys::listed::<T>(owner, property)),
            None => {
                let prefix = format!("{}#", T::KEY);
                Query::partition(&keys::partition(owner)).prefix(&prefix).consistent()
            }
        };
        let query = if newest_first { query.descending() } else { query };
        let query = query.limit(listing.limit).after(listing.after);
        let page = self.table.query(query).await.map_err(doing)?;
        record::page(self.table, page).map_err(doing)
    }

    async fn write(self, mut writes: Vec<Write>) -> std::result::Result<(), StoreError> {
        match (writes.len(), writes.pop()) {
            (1, Some(only)) => self.table.write(only).await,
            (_, last) => {
                writes.extend(last);
                self.table.transact(writes).await
            }
        }
    }
}

/// The writes that remove this version of a document.
fn removed<T: StoredDocument>(document: &T) -> Result<Vec<Write>> {
    let unchanged = match document.version() {
        Some(version) => {
            Expr::new("#version = :seen").bind("seen", &version).map_err(doing::<T>("remove"))?
        }
        None => Expr::exists(),
    };
    let key = keys::document::<T>(Owner::of(document.owner()), document.id());
    let mut writes = vec![Write::delete(&key).when(unchanged)];
    writes.extend(T::written_with(Some(document), None)?);
    Ok(writes)
}

pub(crate) fn doing<T: StoredDocument>(
    verb: &'static str,
) -> impl Fn(StoreError) -> CatalogError + Copy {
    CatalogError::doing_to(verb, T::KIND)
}

/// The write that puts a document where it is found by its id and, in the index, by its property.
pub(crate) fn put<T: StoredDocument>(owner: Owner<'_>, document: &T) -> Result<Write> {
    let record = StoredRecord::of(T::KIND, document, document.version().unwrap_or(1))?;
    let put =
        record.put(&keys::document::<T>(owner, document.id())).map_err(doing::<T>("store"))?;
    Ok(put.indexed(&keys::listed::<T>(owner, &document.property()), &document.id().to_string()))
}

fn taken<T: StoredDocument>(document: &T) -> CatalogError {
    let (what, name) = document.unique_name();
    CatalogError::Taken { what, name }
}

#[cfg(test)]
mod tests;
