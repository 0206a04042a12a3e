//! The fields that the document has once and each of its records gets.

use std::sync::Arc;

use serde_json::Value;

use crate::model::FieldRule;
use crate::reading::{Reading, shown};
use crate::records::Cell;

use super::collect::MAX_VALUES;

/// The texts found for one field of the document, and how preferred the path was that found them.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) rank: usize,
    pub(super) texts: Vec<String>,
}

/// A field of the document, as every record gets it.
pub(super) struct OfDocument {
    pub(super) rank: Option<usize>,
    pub(super) cell: Cell,
    pub(super) complaint: Option<String>,
}

/// What is said of a figure that stands in two elements with different values.
pub(super) fn second(first: &str, other: &str) -> String {
    let first = shown(first);
    format!("another element of this path has `{other}`; only the first, `{first}`, counts")
}

/// What is said of a list whose last values were not kept.
pub(super) fn too_many() -> String {
    format!("there are more than {MAX_VALUES} values; the rest is left out")
}

/// The typed value of a field of the document.
pub(super) fn shared(
    found: Option<&Found>,
    rule: &FieldRule,
    reading: &Reading,
    other: Option<&String>,
) -> OfDocument {
    let texts = found.map_or(&[][..], |found| &found.texts);
    let other = texts.first().zip(other).map(|(first, other)| {
        if rule.value_type.is_list() { too_many() } else { second(first, other) }
    });
    let (value, complaint) = reading.convert(texts, rule.value_type);
    let cell = match value {
        Value::String(text) => Cell::Shared(Arc::from(text)),
        other => Cell::from(other),
    };
    OfDocument { rank: found.map(|found| found.rank), cell, complaint: complaint.or(other) }
}
