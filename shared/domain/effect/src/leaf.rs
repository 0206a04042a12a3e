//! The hashes of rows and effects, as the trees of [`crate::tree`] take them.

use countersign_canonical::canonical;
use serde_json::Value;

use crate::digest::{Digest, hash_parts};
use crate::error::EffectError;

/// The hash of one row of a preview.
///
/// # Errors
/// [`EffectError::Canonical`] when the row cannot be written as JSON.
pub fn row_leaf(row: &Value) -> Result<Digest, EffectError> {
    Ok(leaf("row", &canonical(row)?))
}

/// The hash of one effect's canonical text.
#[must_use]
pub fn effect_leaf(text: &str) -> Digest {
    leaf("effect", text)
}

/// `SHA-256(00 ‖ "countersign/v2/" + type + 00 ‖ text)`.
pub(crate) fn leaf(kind: &str, text: &str) -> Digest {
    hash_parts(&[&[0], b"countersign/v2/", kind.as_bytes(), &[0], text.as_bytes()])
}
