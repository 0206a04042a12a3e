//! Whole numbers are written without a point. JSON Schema also counts `3.0` as one; serde does not.

use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

/// The remark at every schema of a whole number: whether a point is refused. [`crate::Whole`] reads `3.0` too.
pub(crate) const WHOLE: &str = "x-whole";

/// Checks the remark.
pub(crate) struct WithoutPoint(pub(crate) bool);

impl<'i> Keyword<'i> for WithoutPoint {
    fn validate(&self, value: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(value) {
            Ok(())
        } else {
            Err(ValidationError::custom("a whole number is written without a point"))
        }
    }

    fn is_valid(&self, value: &'i Value) -> bool {
        // Any other number is refused for its type.
        !self.0 || value.as_f64().is_none_or(|number| !value.is_f64() || number.fract() != 0.0)
    }
}
