//! What is said of a file beside its records: the first are written out, the rest are counted.

use std::collections::BTreeMap;

use crate::{Extraction, Warning};

/// Warnings kept of one file.
pub(crate) const MAX_WARNINGS: usize = 1_000;

/// A warning about a record; it is only counted when there are too many.
pub(crate) fn warn(
    warnings: &mut Vec<Warning>,
    more: &mut BTreeMap<String, u64>,
    record: usize,
    field: &str,
    message: String,
) {
    if warnings.len() < MAX_WARNINGS {
        warnings.push(Warning { record: Some(record), field: field.to_owned(), message });
    } else {
        *more.entry(field.to_owned()).or_default() += 1;
    }
}

/// A note that is not about a record; false when there are too many for it.
pub(crate) fn note(out: &mut Extraction, message: String) -> bool {
    let has_room = out.warnings.len() < MAX_WARNINGS;
    if has_room {
        out.warnings.push(Warning { record: None, field: String::new(), message });
    }
    has_room
}

/// The same, which is counted when there are too many.
pub(crate) fn note_or_count(out: &mut Extraction, message: String) {
    if !note(out, message) {
        *out.more_warnings.entry(String::new()).or_default() += 1;
    }
}
