//! A mapping whose keys have a form.

use std::borrow::Cow;
use std::hash::Hash;
use std::ops::Deref;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

use crate::entry_count::{self, read};

/// A mapping of `MIN` to `MAX` entries, in the order in which they are written, whose keys are `K`: a type of
/// [`crate::text_type!`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<K: Eq + Hash, V, const MIN: usize = 0, const MAX: usize = { usize::MAX }>(
    IndexMap<K, V>,
);

impl<K: Eq + Hash, V, const MAX: usize> Default for Named<K, V, 0, MAX> {
    fn default() -> Self {
        Self(IndexMap::new())
    }
}

impl<K: Eq + Hash, V, const MIN: usize, const MAX: usize> Deref for Named<K, V, MIN, MAX> {
    type Target = IndexMap<K, V>;
    fn deref(&self) -> &IndexMap<K, V> {
        &self.0
    }
}

impl<K: Eq + Hash, V, const MIN: usize, const MAX: usize> IntoIterator for Named<K, V, MIN, MAX> {
    type Item = (K, V);
    type IntoIter = indexmap::map::IntoIter<K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'de, K, V, const MIN: usize, const MAX: usize> Deserialize<'de> for Named<K, V, MIN, MAX>
where
    K: Deserialize<'de> + Eq + Hash,
    V: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, MIN, MAX, IndexMap::len).map(Self)
    }
}

impl<K: JsonSchema + Eq + Hash, V: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema
    for Named<K, V, MIN, MAX>
{
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Named".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (names, values) = (generator.subschema_for::<K>(), generator.subschema_for::<V>());
        let mut schema = json_schema!({
            "type": "object", "propertyNames": names, "additionalProperties": values,
        });
        entry_count::describe(&mut schema, ["minProperties", "maxProperties"], MIN, MAX);
        schema
    }
}
