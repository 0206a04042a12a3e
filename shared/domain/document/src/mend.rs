//! Changes that make a broken document fit its schema, so that the rest of it can be checked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::nearest::nearest;
use crate::remarked::Remarked;
use crate::text;
use crate::tree::unescaped;

/// A change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mend {
    /// A key that means nothing is left out: the rest is as it was.
    Drop(String),
    /// What need not be there is left out.
    Remove(String),
    /// What must be there is replaced by a sample.
    Put(String, Value),
    /// The entries of a list that are too many are left out.
    Cut(String, usize),
    /// A word is replaced by the one that is probably meant: what depends on it can be checked.
    Meant(String, Value),
}

impl Mend {
    pub(crate) fn pointer(&self) -> &str {
        match self {
            Self::Drop(pointer)
            | Self::Remove(pointer)
            | Self::Cut(pointer, _)
            | Self::Put(pointer, _)
            | Self::Meant(pointer, _) => pointer,
        }
    }

    fn apply(&self, value: &mut Value) {
        match self {
            Self::Drop(_) => {}
            Self::Remove(pointer) => remove(value, pointer),
            Self::Cut(pointer, most) => {
                if let Some(Value::Array(items)) = value.pointer_mut(pointer) {
                    items.truncate(*most);
                }
            }
            Self::Put(pointer, new) | Self::Meant(pointer, new) => put(value, pointer, new.clone()),
        }
    }

    /// Whether the change is at or inside a part.
    pub(crate) fn is_inside(&self, pointer: &str) -> bool {
        is_within(self.pointer(), pointer)
    }

    /// Whether the change is above, at or below a part, and makes it another.
    pub(crate) fn touches(&self, pointer: &str) -> bool {
        !matches!(self, Self::Drop(_)) && self.is_near(pointer)
    }

    fn is_near(&self, pointer: &str) -> bool {
        is_within(self.pointer(), pointer) || is_within(pointer, self.pointer())
    }

    /// Whether the part is, or is inside, something that was not written.
    pub(crate) fn replaces(&self, pointer: &str) -> bool {
        matches!(self, Self::Put(..) | Self::Meant(..)) && is_within(pointer, self.pointer())
    }
}

/// Makes changes. Keys are left out of a mapping all at once: there may be very many.
pub(crate) fn apply(mends: &[Mend], value: &mut Value) {
    let mut dropped: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for mend in mends {
        mend.apply(value);
        if let Mend::Drop(pointer) = mend
            && let Some((above, key)) = pointer.rsplit_once('/')
        {
            dropped.entry(above).or_default().insert(unescaped(key));
        }
    }
    for (above, keys) in dropped {
        if let Some(Value::Object(map)) = value.pointer_mut(above) {
            map.retain(|key, _| !keys.contains(key));
        }
    }
}

fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn put(value: &mut Value, pointer: &str, new: Value) {
    let Some((above, key)) = pointer.rsplit_once('/') else {
        *value = new;
        return;
    };
    match value.pointer_mut(above) {
        Some(Value::Object(map)) => drop(map.insert(unescaped(key), new)),
        Some(Value::Array(items)) => {
            if let Some(item) = key.parse::<usize>().ok().and_then(|n| items.get_mut(n)) {
                *item = new;
            }
        }
        _ => {}
    }
}

fn remove(value: &mut Value, pointer: &str) {
    if let Some((above, key)) = pointer.rsplit_once('/')
        && let Some(Value::Object(map)) = value.pointer_mut(above)
    {
        map.shift_remove(&unescaped(key));
    }
}

impl Remarked {
    /// The smallest value that fits a schema.
    pub(crate) fn sample(&self, schema: &Value) -> Value {
        self.sample_at(schema, 0)
    }

    fn sample_at(&self, schema: &Value, depth: usize) -> Value {
        let schema = self.resolved(schema);
        if depth > 16 {
            return Value::Null;
        }
        let fixed = ["const", "default", "minimum"].into_iter().find_map(|key| schema.get(key));
        if let Some(fixed) = fixed.or_else(|| schema["enum"].get(0)) {
            return fixed.clone();
        }
        if let Some(first) = schema["anyOf"].get(0).or_else(|| schema["oneOf"].get(0)) {
            return self.sample_at(first, depth + 1);
        }
        match schema["type"].as_str() {
            Some("string") => {
                let form = schema["format"].as_str().and_then(text::form);
                form.map_or("a", |form| form.sample).into()
            }
            Some("array") if schema["minItems"].as_u64().unwrap_or(0) > 0 => {
                vec![self.sample_at(&schema["items"], depth + 1)].into()
            }
            Some("array") => Value::Array(Vec::new()),
            Some("object") => self.sample_object(schema, depth).into(),
            Some("boolean") => false.into(),
            Some(_) => 1.into(),
            None => Value::Null,
        }
    }

    fn sample_object(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let required =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut made: Map<String, Value> = required
            .map(|name| (name.to_owned(), self.sample_at(&schema["properties"][name], depth + 1)))
            .collect();
        if schema["minProperties"].as_u64().unwrap_or(0) > 0 && made.is_empty() {
            let value = self.sample_at(&schema["additionalProperties"], depth + 1);
            if let Value::String(name) = self.sample_at(&schema["propertyNames"], depth + 1) {
                made.insert(name, value);
            }
        }
        // The first word of a tag is its sample.
        let branch = schema["allOf"].get(0).map(|branch| &branch["then"]);
        if let Some(branch) = branch.filter(|branch| branch.is_object()) {
            made.extend(self.sample_object(self.resolved(branch), depth + 1));
        }
        made
    }
}

/// The change for a word that is not one of those a schema has.
pub(crate) fn meant_word(pointer: &str, word: &str, words: &[&str]) -> Option<Mend> {
    let near = nearest(word, words.iter().copied())?;
    Some(Mend::Meant(pointer.to_owned(), near.into()))
}
