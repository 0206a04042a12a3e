//! How many entries a mapping or a list has.

use schemars::Schema;
use serde::de::Error;

/// Refuses fewer than `min` and more than `max`.
pub(crate) fn check<E: Error>(count: usize, min: usize, max: usize) -> Result<(), E> {
    if (min..=max).contains(&count) {
        return Ok(());
    }
    Err(E::custom(format!("must have {min} to {max} entries")))
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
