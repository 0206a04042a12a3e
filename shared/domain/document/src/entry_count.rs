//! How many entries a mapping or a list has.

use schemars::Schema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Reads entries, and refuses fewer than `min` and more than `max`.
pub(crate) fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    min: usize,
    max: usize,
    count: fn(&T) -> usize,
) -> Result<T, D::Error> {
    let entries = T::deserialize(deserializer)?;
    if (min..=max).contains(&count(&entries)) {
        return Ok(entries);
    }
    Err(D::Error::custom(format!("must have {min} to {max} entries")))
}

/// Says both bounds in a schema, under these keys; one that bounds nothing is left out.
pub(crate) fn describe(schema: &mut Schema, keys: [&str; 2], min: usize, max: usize) {
    let [least, most] = keys.map(str::to_owned);
    if min > 0 {
        schema.insert(least, min.into());
    }
    if max < usize::MAX {
        schema.insert(most, max.into());
    }
}
