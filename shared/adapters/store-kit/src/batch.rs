//! Reading many items with one request, of one table or of several.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::KeysAndAttributes;
use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::decode::decode;
use crate::error::StoreError;
use crate::key::{Item, Key};
use crate::table::Table;
use crate::{Result, counters};

/// A read together with the table it asks, for batches across tables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lookup {
    table: String,
    key: Key,
}

impl Lookup {
    /// Whether it reads this table.
    #[must_use]
    pub fn is_of(&self, table: &Table) -> bool {
        self.table == table.name()
    }

    /// The key in its table.
    #[must_use]
    pub fn into_key(self) -> Key {
        self.key
    }
}

impl Table {
    /// Reads up to 100 items at once, strongly consistent; the order is not kept, missing ones are left out.
    pub fn get_many<'a>(&'a self, keys: &'a [Key]) -> BoxFuture<'a, Result<HashMap<Key, Item>>> {
        Box::pin(async move {
            let wanted: Vec<Lookup> = keys.iter().map(|key| self.lookup(key.clone())).collect();
            let found = self.get_across(&wanted).await?;
            Ok(found.into_iter().map(|(of, item)| (of.key, item)).collect())
        })
    }

    /// Reads up to 100 items at once, strongly consistent, in the order of their keys; missing ones are left out.
    pub fn get_in_order<'a, T>(&'a self, keys: &'a [Key]) -> BoxFuture<'a, Result<Vec<T>>>
    where
        T: DeserializeOwned + Send,
    {
        Box::pin(async move {
            let mut found = self.get_many(keys).await?;
            let items = keys.iter().filter_map(|key| found.remove(key));
            items.map(|item| decode(self.name(), item)).collect()
        })
    }

    /// A read of this table, for a batch across tables.
    #[must_use]
    pub fn lookup(&self, key: Key) -> Lookup {
        Lookup { table: self.name().to_owned(), key }
    }

    /// Reads up to 100 items of several tables at once, strongly consistent; missing ones are left out.
    pub fn get_across<'a>(
        &'a self,
        wanted: &'a [Lookup],
    ) -> BoxFuture<'a, Result<HashMap<Lookup, Item>>> {
        Box::pin(async move {
            let mut found = HashMap::new();
            let mut pending: Vec<Lookup> =
                wanted.iter().filter(|one| one.key.fits()).cloned().collect();
            let mut tries = 0_u32;
            while !pending.is_empty() {
                let rest = pending.split_off(pending.len().min(100));
                let (items, unread) = self.batch_get(pending).await?;
                found.extend(items);
                if !unread.is_empty() {
                    tries += 1;
                    self.pause_before_retry(tries).await?;
                }
                pending = unread.into_iter().chain(rest).collect();
            }
            Ok(found)
        })
    }

    async fn batch_get(&self, wanted: Vec<Lookup>) -> Result<(HashMap<Lookup, Item>, Vec<Lookup>)> {
        counters::read();
        let sent = self.client.batch_get_item().set_request_items(Some(by_table(wanted)?)).send();
        let answer = sent.await.map_err(|error| StoreError::sdk(self.name(), &error))?;
        let found = answer.responses.unwrap_or_default().into_iter();
        let found = found.flat_map(|(table, items)| keyed(table, items));
        let unread = answer.unprocessed_keys.unwrap_or_default().into_iter();
        let unread = unread.flat_map(|(table, rest)| keyed(table, rest.keys));
        Ok((found.collect(), unread.map(|(of, _)| of).collect()))
    }
}

fn by_table(wanted: Vec<Lookup>) -> Result<HashMap<String, KeysAndAttributes>> {
    let mut keys: HashMap<String, Vec<Item>> = HashMap::new();
    for Lookup { table, key } in wanted {
        keys.entry(table).or_default().push(key.item());
    }
    let request = |(table, keys): (String, Vec<Item>)| {
        let built = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true).build();
        Ok((table, built.map_err(StoreError::encode)?))
    };
    keys.into_iter().map(request).collect()
}

fn keyed(table: String, items: Vec<Item>) -> impl Iterator<Item = (Lookup, Item)> {
    items.into_iter().filter_map(move |item| {
        let key = Key::of(&item)?;
        Some((Lookup { table: table.clone(), key }, item))
    })
}
