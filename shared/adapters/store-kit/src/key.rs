//! Items and their keys.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

/// An item as DynamoDB has it.
pub type Item = HashMap<String, AttributeValue>;

/// The key of an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// The partition key.
    pub pk: String,
    /// The sort key.
    pub sk: String,
}

impl Key {
    /// A key of two texts.
    pub fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self { pk: pk.into(), sk: sk.into() }
    }

    /// The key of an item that was read.
    #[must_use]
    pub fn of(item: &Item) -> Option<Self> {
        Some(Self::new(item.get("PK")?.as_s().ok()?, item.get("SK")?.as_s().ok()?))
    }

    /// Whether anything can be stored under it: DynamoDB takes partition keys of 2,048 bytes and sort keys of 1,024.
    pub(crate) fn fits(&self) -> bool {
        self.pk.len() <= MAX_PARTITION && self.sk.len() <= MAX_SORT
    }

    pub(crate) fn item(&self) -> Item {
        [
            ("PK".to_owned(), AttributeValue::S(self.pk.clone())),
            ("SK".to_owned(), AttributeValue::S(self.sk.clone())),
        ]
        .into()
    }
}

/// The longest partition key, in bytes.
pub(crate) const MAX_PARTITION: usize = 2048;

/// The longest sort key, in bytes.
pub(crate) const MAX_SORT: usize = 1024;
