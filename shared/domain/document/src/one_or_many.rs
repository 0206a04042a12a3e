//! One value, or a list of several.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::number::List;

/// One value, or a list of 1 to `MAX`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OneOrMany<T, const MAX: usize = { usize::MAX }>(Vec<T>);

impl<T, const MAX: usize> OneOrMany<T, MAX> {
    /// The values, at least one.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The values, at least one.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for OneOrMany<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, bound(deserialize = "T: Deserialize<'de>"))]
        enum Either<T, const MAX: usize> {
            Many(List<T, 1, MAX>),
            One(T),
        }
        Ok(match Either::<T, MAX>::deserialize(deserializer)? {
            Either::Many(list) => Self(list.into_vec()),
            Either::One(one) => Self(vec![one]),
        })
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for OneOrMany<T, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "OneOrMany".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        let many = generator.subschema_for::<List<T, 1, MAX>>();
        json_schema!({ "anyOf": [one, many] })
    }
}
