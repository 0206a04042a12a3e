//! From an item to a type.

use serde::de::DeserializeOwned;

use crate::Result;
use crate::error::StoreError;
use crate::key::Item;

/// Reads an item as a `T`.
///
/// # Errors
/// [`StoreError::Decode`] when the item has another shape.
pub fn decode<T: DeserializeOwned>(table: &str, item: Item) -> Result<T> {
    serde_dynamo::from_item(item).map_err(|error| StoreError::unreadable(table, &error))
}
