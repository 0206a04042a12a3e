//! How a record lies in its item: as JSON text.

use countersign_store_kit::{Expr, Item, Key, Page, Query, StoreError, Table, Write, decode};
use futures::future::{BoxFuture, try_join_all};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;

/// The largest record; an item may have 400 KB with its keys.
const LIMIT: usize = 350 * 1024;

/// The part of an item this crate reads back.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredRecord {
    /// The record.
    json: String,
    /// Raised by every change.
    pub(crate) version: u64,
}

impl StoredRecord {
    pub(crate) fn of(
        what: &'static str,
        value: &impl Serialize,
        version: u64,
    ) -> Result<Self, CatalogError> {
        let json = serde_json::to_string(value)
            .map_err(|error| CatalogError::doing("write the record")(StoreError::encode(error)))?;
        if json.len() > LIMIT {
            return Err(CatalogError::TooLarge { what, bytes: json.len(), limit: LIMIT });
        }
        Ok(Self { json, version })
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, table: &str) -> Result<T, StoreError> {
        serde_json::from_str(&self.json).map_err(|error| StoreError::unreadable(table, &error))
    }

    /// The condition that the item still holds this record.
    pub(crate) fn is_kept(&self) -> Result<Expr, StoreError> {
        Expr::new("#json = :before").bind("before", &self.json)
    }

    pub(crate) fn put(&self, key: &Key) -> Result<Write, StoreError> {
        Write::put(key, self)
    }

    /// A put that does nothing when the record there has this version or a later one.
    pub(crate) fn put_later(&self, key: &Key) -> Result<Write, StoreError> {
        let later = Expr::new("attribute_not_exists(#PK) OR #version < :version");
        Ok(self.put(key)?.when(later.bind("version", &self.version)?))
    }

    /// A put if the record there has the version that was seen; 0 is that of none.
    pub(crate) fn put_after(&self, key: &Key, seen: u64) -> Result<Write, StoreError> {
        Ok(self.put(key)?.when(Expr::version(seen)?))
    }
}

/// Reads one record.
pub(crate) async fn get<T: DeserializeOwned>(
    table: &Table,
    key: &Key,
) -> Result<Option<T>, StoreError> {
    let record: Option<StoredRecord> = table.get(key).await?;
    record.map(|record| record.read(table.name())).transpose()
}

/// The record of an item that a batch has read.
pub(crate) fn read<T: DeserializeOwned>(
    table: &str,
    item: Option<Item>,
) -> Result<Option<T>, StoreError> {
    item.map(|item| decode::<StoredRecord>(table, item)?.read(table)).transpose()
}

/// Reads a page of records.
pub(crate) fn page<T: DeserializeOwned>(
    table: &Table,
    page: Page<Item>,
) -> Result<Page<T>, StoreError> {
    let read = |item| decode::<StoredRecord>(table.name(), item)?.read(table.name());
    let items = page.items.into_iter().map(read).collect::<Result<Vec<T>, StoreError>>()?;
    Ok(Page { items, next: page.next })
}

/// Reads one record; `doing` is what an error says was tried.
pub(crate) fn one<'t, T: DeserializeOwned + Send>(
    table: &'t Table,
    key: Key,
    doing: &'static str,
) -> BoxFuture<'t, Result<Option<T>, CatalogError>> {
    Box::pin(async move { get(table, &key).await.map_err(CatalogError::doing(doing)) })
}

/// As [`one`], of a record that holds more than its caller asks for.
pub(crate) fn one_as<'t, R, T>(
    table: &'t Table,
    key: Key,
    doing: &'static str,
    view: fn(R) -> T,
) -> BoxFuture<'t, Result<Option<T>, CatalogError>>
where
    R: DeserializeOwned + Send + 'static,
    T: 'static,
{
    Box::pin(async move { Ok(one(table, key, doing).await?.map(view)) })
}

/// Reads a page of records; `doing` is what an error says was tried.
pub(crate) fn list<'t, T: DeserializeOwned + Send>(
    table: &'t Table,
    query: Query,
    doing: &'static str,
) -> BoxFuture<'t, Result<Page<T>, CatalogError>> {
    Box::pin(async move {
        let read = table.query(query).await.and_then(|read| page(table, read));
        read.map_err(CatalogError::doing(doing))
    })
}

/// The put of a record: what it is called, the record and its version. `doing` is what an error says was tried.
pub(crate) fn put(
    key: &Key,
    (what, value, version): (&'static str, &impl Serialize, u64),
    doing: &'static str,
) -> Result<Write, CatalogError> {
    let put = StoredRecord::of(what, value, version)?.put(key);
    put.map_err(CatalogError::doing(doing))
}

/// Writes a record that has no version of its own in place of what is there; `doing` is what an error says was tried.
pub(crate) fn keep<'t>(
    table: &'t Table,
    key: &Key,
    (what, value): (&'static str, &impl Serialize),
    doing: &'static str,
) -> BoxFuture<'t, Result<(), CatalogError>> {
    let put = put(key, (what, value, 1), doing);
    Box::pin(async move { table.write(put?).await.map_err(CatalogError::doing(doing)) })
}

/// Removes what is under a key; `doing` is what an error says was tried.
pub(crate) fn remove<'t>(
    table: &'t Table,
    key: &Key,
    doing: &'static str,
) -> BoxFuture<'t, Result<(), CatalogError>> {
    let write = Write::delete(key);
    Box::pin(async move { table.write(write).await.map_err(CatalogError::doing(doing)) })
}

/// The first of what several partitions of the index hold up to the sort key `end`, by time.
pub(crate) async fn first_until<T>(
    table: &Table,
    partitions: impl IntoIterator<Item = String>,
    end: &str,
    most: i32,
    (read, at): (impl Fn(Page<Item>) -> Result<Page<T>, StoreError>, impl Fn(&T) -> Timestamp),
) -> Result<Vec<T>, StoreError> {
    let part = |part: String| table.query(Query::index(&part).between("0", end).limit(most));
    let parts = try_join_all(partitions.into_iter().map(part)).await?;
    let parts = parts.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let mut all: Vec<T> = parts.into_iter().flat_map(|page| page.items).collect();
    all.sort_by_key(at);
    all.truncate(usize::try_from(most).unwrap_or_default());
    Ok(all)
}

/// Does all writes if every condition holds, false when one does not; `doing` is what an error says was tried.
pub(crate) fn change<'t>(
    table: &'t Table,
    writes: Result<Vec<Write>, CatalogError>,
    doing: &'static str,
) -> BoxFuture<'t, Result<bool, CatalogError>> {
    Box::pin(async move { table.try_transact(writes?).await.map_err(CatalogError::doing(doing)) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_record_over_the_bound_is_refused_by_name() {
        let large = json!("x".repeat(LIMIT));
        let error = StoredRecord::of("playbook", &large, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the playbook takes {} bytes; at most {LIMIT} fit", LIMIT + 2)
        );
    }

    #[test]
    fn a_record_of_another_shape_is_a_decode_error() {
        let record = StoredRecord::of("x", &json!({"a": 1}), 1).unwrap();
        assert!(matches!(record.read::<Vec<u8>>("Catalog"), Err(StoreError::Decode { .. })));
    }

    proptest! {
        #[test]
        fn key_order_and_numbers_survive(keys in prop::collection::vec("[a-z]{1,6}", 0..12), number in any::<f64>()) {
            prop_assume!(number.is_finite());
            let value: Value = keys.into_iter().map(|key| (key, json!(number))).collect::<serde_json::Map<_, _>>().into();
            let back: Value = StoredRecord::of("x", &value, 1).unwrap().read("Catalog").unwrap();
            prop_assert_eq!(back.to_string(), value.to_string());
        }
    }
}
