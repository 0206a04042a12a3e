//! The model that an agent chooses.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::name::ModelName;

/// The highest temperature of any provider.
const MAX: f64 = 2.0;

/// Another model than the deployment's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelChoice {
    /// Which.
    pub model: ModelName,
    /// How freely it chooses its words; left out, as its provider does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Temperature>,
}

/// How freely a model chooses its words, from 0 to 2.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Temperature(f64);

impl Temperature {
    /// The number.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Temperature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?.as_f64();
        let number = number.filter(|number| (0.0..=MAX).contains(number)).map(Self);
        number.ok_or_else(|| D::Error::custom("must be a number from 0 to 2"))
    }
}

impl JsonSchema for Temperature {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Temperature".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 2 })
    }
}
