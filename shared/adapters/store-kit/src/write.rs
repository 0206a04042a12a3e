//! One write: put, update, delete or check, with its condition.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;

use crate::error::StoreError;
use crate::expr::{Expr, attribute, names, non_empty};
use crate::key::{Item, Key};

/// A write that has not happened yet.
#[derive(Debug, Clone)]
pub struct Write {
    pub(crate) key: Key,
    pub(crate) kind: Kind,
    pub(crate) condition: Option<Expr>,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Put(Item),
    Update {
        set: Vec<(String, String)>,
        add: Vec<(String, String)>,
        remove: Vec<String>,
        values: HashMap<String, AttributeValue>,
    },
    Delete,
    Check,
}

impl Write {
    /// Stores `body` under `key`; an item already there is replaced unless a condition forbids it.
    ///
    /// # Errors
    /// [`StoreError::Encode`] when the body is not an object with a DynamoDB form.
    pub fn put(key: &Key, body: &impl Serialize) -> Result<Self, StoreError> {
        let mut item: Item = serde_dynamo::to_item(body).map_err(StoreError::encode)?;
        item.insert("PK".to_owned(), AttributeValue::S(key.pk.clone()));
        item.insert("SK".to_owned(), AttributeValue::S(key.sk.clone()));
        Ok(Self { key: key.clone(), kind: Kind::Put(item), condition: None })
    }

    /// Changes attributes of the item under `key`.
    #[must_use]
    pub fn update(key: &Key) -> Self {
        let kind = Kind::Update {
            set: Vec::new(),
            add: Vec::new(),
            remove: Vec::new(),
            values: HashMap::new(),
        };
        Self { key: key.clone(), kind, condition: None }
    }

    /// Removes the item under `key`.
    #[must_use]
    pub fn delete(key: &Key) -> Self {
        Self { key: key.clone(), kind: Kind::Delete, condition: None }
    }

    /// Writes nothing: only the condition must hold. For transactions.
    #[must_use]
    pub fn check(key: &Key, condition: Expr) -> Self {
        Self { key: key.clone(), kind: Kind::Check, condition: Some(condition) }
    }

    /// Adds a condition; several must all hold.
    #[must_use]
    pub fn when(mut self, condition: Expr) -> Self {
        self.condition = Some(self.condition.unwrap_or_default().and(condition));
        self
    }

    /// Only if nothing is stored under the key yet.
    #[must_use]
    pub fn if_absent(self) -> Self {
        self.when(Expr::absent())
    }

    /// Puts the item into the index under these keys. Only for [`Write::put`].
    #[must_use]
    pub fn indexed(mut self, pk: &str, sk: &str) -> Self {
        if let Kind::Put(item) = &mut self.kind {
            item.insert("GSI1PK".to_owned(), AttributeValue::S(pk.to_owned()));
            item.insert("GSI1SK".to_owned(), AttributeValue::S(sk.to_owned()));
        }
        self
    }

    /// Lets the item expire at this time (epoch seconds). Only for [`Write::put`].
    #[must_use]
    pub fn expires_at(mut self, epoch_seconds: i64) -> Self {
        if let Kind::Put(item) = &mut self.kind {
            item.insert("expires_at".to_owned(), AttributeValue::N(epoch_seconds.to_string()));
        }
        self
    }

    /// Sets an attribute. Only for [`Write::update`].
    ///
    /// # Errors
    /// [`StoreError::Encode`] when the value has no DynamoDB form.
    pub fn set(mut self, name: &str, value: &impl Serialize) -> Result<Self, StoreError> {
        if let Kind::Update { set, values, .. } = &mut self.kind {
            let place = format!(":set{}", set.len());
            set.push(placed(values, name, place, value)?);
        }
        Ok(self)
    }

    /// Appends to a list, which may not be there yet. Only for [`Write::update`].
    ///
    /// # Errors
    /// [`StoreError::Encode`] when a value has no DynamoDB form.
    pub fn append<T: Serialize>(mut self, name: &str, items: &[T]) -> Result<Self, StoreError> {
        if let Kind::Update { set, values, .. } = &mut self.kind {
            let (place, none) = (format!(":set{}", set.len()), format!(":none{}", set.len()));
            let list = format!("list_append(if_not_exists(#{name}, {none}), {place})");
            set.push((format!("#{name}"), list));
            values.insert(none, AttributeValue::L(Vec::new()));
            values.insert(place, attribute(&items)?);
        }
        Ok(self)
    }

    /// Adds to a number, or elements to a set. Only for [`Write::update`].
    ///
    /// # Errors
    /// [`StoreError::Encode`] when the value has no DynamoDB form.
    pub fn add(mut self, name: &str, value: &impl Serialize) -> Result<Self, StoreError> {
        if let Kind::Update { add, values, .. } = &mut self.kind {
            let place = format!(":add{}", add.len());
            add.push(placed(values, name, place, value)?);
        }
        Ok(self)
    }

    /// Removes an attribute. Only for [`Write::update`].
    #[must_use]
    pub fn remove(mut self, name: &str) -> Self {
        if let Kind::Update { remove, .. } = &mut self.kind {
            remove.push(format!("#{name}"));
        }
        self
    }

    /// The update expression of an update, and its values.
    pub(crate) fn update_text(&self) -> (String, HashMap<String, AttributeValue>) {
        let Kind::Update { set, add, remove, values } = &self.kind else {
            return (String::new(), HashMap::new());
        };
        let mut parts = Vec::new();
        if !set.is_empty() {
            let list: Vec<String> =
                set.iter().map(|(name, place)| format!("{name} = {place}")).collect();
            parts.push(format!("SET {}", list.join(", ")));
        }
        if !add.is_empty() {
            let list: Vec<String> =
                add.iter().map(|(name, place)| format!("{name} {place}")).collect();
            parts.push(format!("ADD {}", list.join(", ")));
        }
        if !remove.is_empty() {
            parts.push(format!("REMOVE {}", remove.join(", ")));
        }
        (parts.join(" "), values.clone())
    }
}

/// Keeps a value of an update under this place; the attribute, and its place.
fn placed(
    values: &mut HashMap<String, AttributeValue>,
    name: &str,
    place: String,
    value: &impl Serialize,
) -> Result<(String, String), StoreError> {
    values.insert(place.clone(), attribute(value)?);
    Ok((format!("#{name}"), place))
}

/// A condition as requests take it: its text, its names, its values.
type Parts =
    (Option<String>, Option<HashMap<String, String>>, Option<HashMap<String, AttributeValue>>);

impl Write {
    /// The condition text with the names and values of the condition and of the update together.
    pub(crate) fn parts(&self, update: &str) -> Parts {
        let (_, mut values) = self.update_text();
        let condition = self.condition.clone().unwrap_or_default();
        values.extend(condition.values);
        let mut all = names(&condition.text);
        all.extend(names(update));
        let text = Some(condition.text).filter(|text| !text.is_empty());
        (text, non_empty(all), non_empty(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_lists_its_sets_adds_and_removes() {
        let key = Key::new("a", "b");
        let write = Write::update(&key)
            .set("status", &"done")
            .unwrap()
            .add("version", &1)
            .unwrap()
            .remove("token");
        let (text, values) = write.update_text();
        assert_eq!(text, "SET #status = :set0 ADD #version :add0 REMOVE #token");
        assert_eq!(values.len(), 2);
    }

    #[test]
    fn an_update_appends_to_a_list_that_may_be_missing() {
        let write = Write::update(&Key::new("a", "b")).append("seen", &["x"]).unwrap();
        let (text, values) = write.update_text();
        assert_eq!(text, "SET #seen = list_append(if_not_exists(#seen, :none0), :set0)");
        assert_eq!(values[":set0"], AttributeValue::L(vec![AttributeValue::S("x".to_owned())]));
    }

    #[test]
    fn a_put_carries_its_keys() {
        let key = Key::new("a", "b");
        let write =
            Write::put(&key, &serde_json::json!({"x": 1})).unwrap().indexed("g", "h").expires_at(7);
        let Kind::Put(item) = write.kind else { panic!("not a put") };
        assert_eq!(item.len(), 6);
    }
}
