//! A switch that is always on.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// `true`. It may be written, and cannot be switched off.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Always;

impl<'de> Deserialize<'de> for Always {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let is_on = bool::deserialize(deserializer)?;
        if is_on { Ok(Self) } else { Err(D::Error::custom("cannot be switched off")) }
    }
}

impl JsonSchema for Always {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Always".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean", "const": true })
    }
}
