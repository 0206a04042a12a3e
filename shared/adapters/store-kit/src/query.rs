//! Reading many items, a page at a time.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;

use crate::decode::decode;
use crate::error::StoreError;
use crate::expr::Expr;
use crate::key::{Item, MAX_PARTITION, MAX_SORT};

/// What to read from one partition.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) partition: String,
    pub(crate) range: Range,
    pub(crate) index: bool,
    pub(crate) descending: bool,
    pub(crate) consistent: bool,
    pub(crate) limit: i32,
    pub(crate) after: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) enum Range {
    All,
    Prefix(String),
    Between(String, String),
}

impl Query {
    /// Everything under a partition key, 100 items a page.
    #[must_use]
    pub fn partition(pk: &str) -> Self {
        let range = Range::All;
        Self {
            partition: pk.to_owned(),
            range,
            index: false,
            descending: false,
            consistent: false,
            limit: 100,
            after: None,
        }
    }

    /// Everything under a partition key of the index.
    #[must_use]
    pub fn index(pk: &str) -> Self {
        Self { index: true, ..Self::partition(pk) }
    }

    /// Only sort keys that start so.
    #[must_use]
    pub fn prefix(mut self, sk: &str) -> Self {
        self.range = Range::Prefix(sk.to_owned());
        self
    }

    /// Only sort keys from `low` to `high`, both included.
    #[must_use]
    pub fn between(mut self, low: &str, high: &str) -> Self {
        self.range = Range::Between(low.to_owned(), high.to_owned());
        self
    }

    /// Highest sort key first.
    #[must_use]
    pub fn descending(mut self) -> Self {
        self.descending = true;
        self
    }

    /// Reads what was written a moment ago. Not for the index.
    #[must_use]
    pub fn consistent(mut self) -> Self {
        self.consistent = true;
        self
    }

    /// Whether anything can be stored there.
    pub(crate) fn fits(&self) -> bool {
        let sort = match &self.range {
            Range::All => 0,
            Range::Prefix(prefix) => prefix.len(),
            Range::Between(low, high) => low.len().max(high.len()),
        };
        self.partition.len() <= MAX_PARTITION && sort <= MAX_SORT
    }

    /// The key condition; DynamoDB takes no parentheses around its parts.
    pub(crate) fn condition(&self) -> Result<Expr, StoreError> {
        let (pk, sk) = if self.index { ("GSI1PK", "GSI1SK") } else { ("PK", "SK") };
        let condition = match &self.range {
            Range::All => Expr::new(&format!("#{pk} = :pk")),
            Range::Prefix(prefix) => {
                Expr::new(&format!("#{pk} = :pk AND begins_with(#{sk}, :from)"))
                    .bind("from", prefix)?
            }
            Range::Between(low, high) => {
                Expr::new(&format!("#{pk} = :pk AND #{sk} BETWEEN :from AND :to"))
                    .bind("from", low)?
                    .bind("to", high)?
            }
        };
        condition.bind("pk", &self.partition)
    }

    /// At most so many items a page.
    #[must_use]
    pub fn limit(mut self, limit: i32) -> Self {
        self.limit = limit;
        self
    }

    /// Goes on after the cursor of an earlier page.
    #[must_use]
    pub fn after(mut self, cursor: Option<&str>) -> Self {
        self.after = cursor.map(str::to_owned);
        self
    }

    /// This part of the list.
    #[must_use]
    pub fn within(self, window: Window) -> Self {
        Self { limit: window.limit, after: window.after, ..self }
    }
}

/// Which part of a list.
#[derive(Debug, Clone)]
pub struct Window {
    /// At most so many items.
    pub limit: i32,
    /// The cursor of an earlier page; none begins at the start.
    pub after: Option<String>,
}

impl Window {
    /// The first items of a list.
    #[must_use]
    pub fn first(limit: i32) -> Self {
        Self { limit, after: None }
    }
}

/// Some items, and where to go on.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The cursor of the next page; none when this was the last.
    pub next: Option<String>,
}

impl Page<Item> {
    /// Reads every item as a `T`.
    ///
    /// # Errors
    /// [`StoreError::Decode`] when an item has another shape.
    pub fn decode<T: DeserializeOwned>(self, table: &str) -> Result<Page<T>, StoreError> {
        let items =
            self.items.into_iter().map(|item| decode(table, item)).collect::<Result<_, _>>()?;
        Ok(Page { items, next: self.next })
    }
}

impl<T> Page<T> {
    /// The same page with every item changed.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Page<U> {
        Page { items: self.items.into_iter().map(change).collect(), next: self.next }
    }
}

/// A last evaluated key as an opaque text. Keys are strings in every table, so the text is a JSON object of strings.
pub(crate) fn encode_cursor(key: &Item) -> Option<String> {
    let strings: serde_json::Map<String, serde_json::Value> = key
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.as_s().ok()?.clone().into())))
        .collect();
    serde_json::to_vec(&strings).ok().map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
}

/// Reads a cursor back; anything that is none is refused.
pub(crate) fn decode_cursor(text: &str) -> Result<Item, StoreError> {
    let invalid = || StoreError::Encode("the cursor is not one of ours".to_owned());
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid())?;
    let strings: std::collections::HashMap<String, String> =
        serde_json::from_slice(&bytes).map_err(|_| invalid())?;
    Ok(strings
        .into_iter()
        .map(|(name, value)| (name, aws_sdk_dynamodb::types::AttributeValue::S(value)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue;

    #[test]
    fn a_cursor_survives_its_text() {
        let key: Item = [("PK".to_owned(), AttributeValue::S("a".to_owned()))].into();
        let text = encode_cursor(&key).unwrap();
        assert_eq!(decode_cursor(&text).unwrap(), key);
        assert!(decode_cursor("!!").is_err());
    }

    #[test]
    fn where_nothing_can_be_stored_nothing_is_asked() {
        assert!(Query::partition(&"x".repeat(2048)).prefix(&"y".repeat(1024)).fits());
        assert!(!Query::partition(&"x".repeat(2049)).fits());
        assert!(!Query::partition("x").prefix(&"y".repeat(1025)).fits());
    }
}
