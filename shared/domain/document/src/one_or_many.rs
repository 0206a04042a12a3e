//! One value, or a list of several.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::number::List;

/// One value, or a list of `MIN` to `MAX`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct OneOrMany<T, const MAX: usize = { usize::MAX }, const MIN: usize = 1>(Vec<T>);

impl<T, const MAX: usize, const MIN: usize> OneOrMany<T, MAX, MIN> {
    /// The values.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }

    /// The values.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize, const MIN: usize> Deserialize<'de>
    for OneOrMany<T, MAX, MIN>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, bound(deserialize = "T: Deserialize<'de>"))]
        enum Either<T, const MAX: usize, const MIN: usize> {
            Many(List<T, MIN, MAX>),
            One(T),
        }
        Ok(match Either::<T, MAX, MIN>::deserialize(deserializer)? {
            Either::Many(list) => Self(list.into_vec()),
            Either::One(one) => Self(vec![one]),
        })
    }
}

impl<T: JsonSchema, const MAX: usize, const MIN: usize> JsonSchema for OneOrMany<T, MAX, MIN> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "OneOrMany".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        let many = generator.subschema_for::<List<T, MIN, MAX>>();
        // One of several is one of more.
        let mut either = match one.get("anyOf") {
            Some(Value::Array(forms)) => forms.clone(),
            _ => vec![one.to_value()],
        };
        either.push(many.to_value());
        json_schema!({ "anyOf": either })
    }
}
