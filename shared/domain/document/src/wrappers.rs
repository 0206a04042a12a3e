//! Words and mappings that may be written in more than one way.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Error, IntoDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// One of the words of an enum, in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnyCase<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for AnyCase<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let spelt = [text.to_ascii_uppercase(), text.to_ascii_lowercase(), text];
        let read = |text: String| {
            let text: serde::de::value::StringDeserializer<serde::de::value::Error> =
                text.into_deserializer();
            T::deserialize(text).ok()
        };
        let found = spelt.into_iter().find_map(read);
        found.map(Self).ok_or_else(|| D::Error::custom("is not one of the words"))
    }
}

impl<T: JsonSchema> JsonSchema for AnyCase<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        schema.insert(crate::normal::ANY_CASE.to_owned(), true.into());
        schema
    }
}

/// An enum with `#[serde(tag = …)]` of which one word holds when the tag is left out.
pub trait DefaultTag {
    /// The key of the tag.
    const TAG: &'static str;
    /// The word that holds.
    const WORD: &'static str;
}

/// An enum whose tag may be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagless<T>(pub T);

impl<T> Deref for Tagless<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<'de, T: DeserializeOwned + DefaultTag> Deserialize<'de> for Tagless<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        if let Value::Object(map) = &mut value {
            map.entry(T::TAG).or_insert_with(|| T::WORD.into());
        }
        T::deserialize(value).map(Self).map_err(D::Error::custom)
    }
}

impl<T: JsonSchema + DefaultTag> JsonSchema for Tagless<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        schema.insert(crate::tagged::DEFAULT_TAG.to_owned(), T::WORD.into());
        schema
    }
}
