//! Condition and update expressions.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;

use crate::error::StoreError;

/// A condition such as `#status = :pending AND #deadline > :now`.
///
/// Every `#name` in the text stands for the attribute `name`, so reserved words need no care; every `:name` is bound
/// with [`Expr::bind`].
#[derive(Debug, Clone, Default)]
pub struct Expr {
    pub(crate) text: String,
    pub(crate) values: HashMap<String, AttributeValue>,
}

impl Expr {
    /// A condition in DynamoDB's own language.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), values: HashMap::new() }
    }

    /// The item does not exist yet.
    #[must_use]
    pub fn absent() -> Self {
        Self::new("attribute_not_exists(#PK)")
    }

    /// The item exists.
    #[must_use]
    pub fn exists() -> Self {
        Self::new("attribute_exists(#PK)")
    }

    /// The item still has the version that was seen; 0 is that of none.
    ///
    /// # Errors
    /// [`StoreError::Encode`] as [`Expr::bind`].
    pub fn version(seen: u64) -> Result<Self, StoreError> {
        match seen {
            0 => Ok(Self::absent()),
            _ => Self::new("#version = :seen").bind("seen", &seen),
        }
    }

    /// Gives `:name` its value.
    ///
    /// # Errors
    /// [`StoreError::Encode`] when the value has no DynamoDB form.
    pub fn bind(mut self, name: &str, value: &impl Serialize) -> Result<Self, StoreError> {
        self.values.insert(format!(":{name}"), attribute(value)?);
        Ok(self)
    }

    /// Both conditions.
    #[must_use]
    pub fn and(mut self, other: Expr) -> Self {
        self.text = if self.text.is_empty() {
            other.text
        } else {
            format!("({}) AND ({})", self.text, other.text)
        };
        self.values.extend(other.values);
        self
    }
}

/// The `#name` placeholders of a text with the attributes they stand for.
pub(crate) fn names(text: &str) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for part in text.split('#').skip(1) {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
        let name = &part[..end];
        if !name.is_empty() {
            found.insert(format!("#{name}"), name.to_owned());
        }
    }
    found
}

/// A value as an attribute.
pub(crate) fn attribute(value: &impl Serialize) -> Result<AttributeValue, StoreError> {
    serde_dynamo::to_attribute_value(value).map_err(StoreError::encode)
}

pub(crate) fn non_empty<K, V>(map: HashMap<K, V>) -> Option<HashMap<K, V>> {
    if map.is_empty() { None } else { Some(map) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hash_name_stands_for_its_attribute() {
        let found = names("#status = :s AND attribute_not_exists(#a_b) AND #status <> :t");
        assert_eq!(found.len(), 2);
        assert_eq!(found["#a_b"], "a_b");
    }

    #[test]
    fn conditions_combine_with_and() {
        let both = Expr::absent().and(Expr::new("#v = :v").bind("v", &3).unwrap());
        assert_eq!(both.text, "(attribute_not_exists(#PK)) AND (#v = :v)");
        assert_eq!(both.values[":v"], AttributeValue::N("3".to_owned()));
    }
}
