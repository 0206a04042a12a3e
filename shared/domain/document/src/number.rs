//! Numbers and lists within bounds.

use std::borrow::Cow;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::entry_count::{self, read};

/// A whole number from `MIN` to `MAX`, and `DEFAULT` when the key has `#[serde(default)]` and is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Whole<const MIN: i64, const MAX: i64, const DEFAULT: i64 = 0>(i64);

impl<const MIN: i64, const MAX: i64, const DEFAULT: i64> Whole<MIN, MAX, DEFAULT> {
    /// The smallest and the largest number.
    pub const BOUNDS: (i64, i64) = (MIN, MAX);

    /// The number.
    #[must_use]
    pub fn get(self) -> i64 {
        self.0
    }

    /// Whether it is the number that holds where the key is left out.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.0 == DEFAULT
    }

    /// The number in another type. The bounds must be within that type.
    #[must_use]
    pub fn to<T: TryFrom<i64> + Default>(self) -> T {
        T::try_from(self.0).unwrap_or_default()
    }
}

impl<const MIN: i64, const MAX: i64, const DEFAULT: i64> Default for Whole<MIN, MAX, DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const MIN: i64, const MAX: i64, const DEFAULT: i64> Deserialize<'de>
    for Whole<MIN, MAX, DEFAULT>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        let number = number.as_i64().or_else(|| whole(number.as_f64()?));
        let number = number.filter(|number| (MIN..=MAX).contains(number)).map(Self);
        number
            .ok_or_else(|| D::Error::custom(format!("must be a whole number from {MIN} to {MAX}")))
    }
}

impl<const MIN: i64, const MAX: i64, const DEFAULT: i64> JsonSchema for Whole<MIN, MAX, DEFAULT> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Whole".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX, "x-whole": false })
    }
}

/// `5.0` is the whole number 5, as it is for JSON Schema.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "what was cut off is compared")]
    let whole = number as i64;
    #[expect(clippy::cast_precision_loss, reason = "larger numbers are not compared")]
    let is_same = number.abs() < 9e15 && (whole as f64).total_cmp(&number).is_eq();
    is_same.then_some(whole)
}

/// A list of `MIN` to `MAX` entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct List<T, const MIN: usize, const MAX: usize>(Vec<T>);

impl<T, const MIN: usize, const MAX: usize> List<T, MIN, MAX> {
    /// The entries.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }
}

impl<T, const MAX: usize> Default for List<T, 0, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MIN: usize, const MAX: usize> Deref for List<T, MIN, MAX> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const MIN: usize, const MAX: usize> IntoIterator for List<T, MIN, MAX> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'de, T: Deserialize<'de>, const MIN: usize, const MAX: usize> Deserialize<'de>
    for List<T, MIN, MAX>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, MIN, MAX, Vec::len).map(Self)
    }
}

impl<T: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema for List<T, MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "List".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = generator.subschema_for::<Vec<T>>();
        entry_count::describe(&mut schema, ["minItems", "maxItems"], MIN, MAX);
        schema
    }
}
