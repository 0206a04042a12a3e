//! Operations on records: filter, sort, aggregate, deduplicate, limit (F-051, K-54).
//!
//! Fields are dotted paths (`filer.ein`, `officers.0.name`); a field that is not there is null. Values of mixed types
//! have one fixed order, used by sorting and by the comparing operators: null < booleans < numbers < texts < lists <
//! objects. Texts that are plain numbers compare as numbers, because filings write amounts as text, and dates and times as
//! what they are: a day is all of its times. All arithmetic is exact
//! and decimal; what a filter cannot compare is left out with a warning, and a sort says what it puts after the numbers.

mod aggregate;
mod order;
mod warning;
mod written;

use std::collections::HashSet;

use countersign_decimal::DIGITS;
use countersign_failure::Failure;
use countersign_knowledge::cross::lookup as find;
use countersign_registry::Warnings;
use countersign_registry::actions::transform_data::Warning;
pub use countersign_registry::actions::transform_data::{Function, Operator};
use serde_json::Value;

pub use self::aggregate::Aggregate;
pub use self::order::compare;
pub(crate) use self::warning::no_record_has;
use self::warning::{not_compared, note_absent, note_nulls, note_one_number, note_unlike};

/// The most records one call takes.
pub const MAX_RECORDS: usize = 100_000;

/// One operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Keeps records whose field compares so with the value.
    Filter {
        /// Dotted path.
        field: String,
        /// How.
        operator: Operator,
        /// With what.
        value: Value,
    },
    /// Orders by a field; records that are equal keep their order.
    Sort {
        /// Dotted path.
        field: String,
        /// Highest first.
        descending: bool,
    },
    /// One record per group.
    Aggregate(Aggregate),
    /// Keeps the first record of each; by these fields, or by the whole record when there are none. A record in which all
    /// of these fields are null is kept.
    Deduplicate {
        /// Dotted paths.
        fields: Vec<String>,
    },
    /// Keeps the first so many.
    Limit {
        /// How many.
        count: usize,
    },
}

/// Why an operation was refused; `index` counts from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum TransformError {
    /// A record cannot be used as the operation asks.
    #[error("operations[{index}]: record {record}: {problem}")]
    #[failure(code = "BAD_RECORD")]
    Record {
        /// Which operation.
        index: usize,
        /// Which record, as it stood when the operation began.
        record: usize,
        /// What is wrong.
        problem: String,
    },
    /// A sum or an average needs more digits than a decimal has.
    #[error(
        "operations[{index}]: record {record}: the result needs more than {DIGITS} digits, and is not rounded"
    )]
    #[failure(code = "DECIMAL_OVERFLOW")]
    Overflow {
        /// Which operation.
        index: usize,
        /// The record at which it became too long, as it stood when the operation began.
        record: usize,
    },
    /// Too much was given.
    #[error("{what}: {count} given, at most {limit} are handled")]
    #[failure(code = "TOO_MANY_RECORDS")]
    TooMany {
        /// What.
        what: &'static str,
        /// How many.
        count: usize,
        /// How many may.
        limit: usize,
    },
}

/// Applies operations in order.
///
/// # Errors
/// [`TransformError`] with the index of the operation that could not be done.
pub fn apply(records: Vec<Value>, operations: &[Operation]) -> Result<Transformed, TransformError> {
    if records.len() > MAX_RECORDS {
        return Err(TransformError::TooMany {
            what: "data",
            count: records.len(),
            limit: MAX_RECORDS,
        });
    }
    let mut warnings = Warnings::default();
    let steps = operations.iter().enumerate();
    let records = steps.into_iter().try_fold(records, |records, (index, operation)| {
        step(records, operation, index, &mut warnings)
    })?;
    Ok(Transformed { records, warnings })
}

/// What is left of the records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transformed {
    /// The records, in order.
    pub records: Vec<Value>,
    /// What could not be compared, nulls, and fields that no record has.
    pub warnings: Warnings<Warning>,
}

fn step(
    mut records: Vec<Value>,
    operation: &Operation,
    index: usize,
    warnings: &mut Warnings<Warning>,
) -> Result<Vec<Value>, TransformError> {
    note_absent(&records, operation, index, warnings);
    note_nulls(&records, operation, index, warnings);
    note_one_number(&records, operation, index, warnings);
    match operation {
        Operation::Filter { field, operator, value } => {
            let mut place = 0;
            records.retain(|record| {
                let found = lookup(record, field);
                let is_kept = holds(*operator, found, value);
                if !can_tell(*operator, found, value) {
                    warnings.push_with(|| not_compared(index, place, field, found, value, is_kept));
                }
                place += 1;
                is_kept
            });
        }
        Operation::Sort { field, descending } => {
            note_unlike(&records, field, index, warnings);
            sort(&mut records, field, *descending);
        }
        Operation::Aggregate(aggregate) => return aggregate.apply(&records, index),
        Operation::Deduplicate { fields } => deduplicate(&mut records, fields),
        Operation::Limit { count } => records.truncate(*count),
    }
    Ok(records)
}

/// A field by dotted path; null when it is not there.
pub(crate) fn lookup<'a>(record: &'a Value, path: &str) -> &'a Value {
    find(record, path).unwrap_or(&Value::Null)
}

fn sort(records: &mut [Value], field: &str, descending: bool) {
    records.sort_by(|a, b| {
        let (x, y) = (lookup(a, field), lookup(b, field));
        // What has no value stands last in either direction.
        let missing = x.is_null().cmp(&y.is_null());
        let order = order::sort_order(x, y);
        missing.then(if descending { order.reverse() } else { order })
    });
}

fn deduplicate(records: &mut Vec<Value>, fields: &[String]) {
    let mut seen = HashSet::new();
    records.retain(|record| {
        let key = if fields.is_empty() {
            order::key(record)
        } else if has_no_key(record, fields) {
            return true;
        } else {
            fields
                .iter()
                .map(|field| order::key(lookup(record, field)))
                .collect::<Vec<_>>()
                .join("\u{1f}")
        };
        seen.insert(key)
    });
}

/// Whether a record has none of the key fields; such a record is never a duplicate.
fn has_no_key(record: &Value, fields: &[String]) -> bool {
    !fields.is_empty() && fields.iter().all(|field| lookup(record, field).is_null())
}

/// Whether the two can be compared. A value that is not there can be, and is neither more nor less. A text that is not a
/// number may still write the one that a filter looks for: `9,000.00` is not said to differ from 9000, nor from `9000.00`.
fn can_tell(operator: Operator, field: &Value, value: &Value) -> bool {
    match operator {
        Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte => {
            field.is_null() || value.is_null() || order::same_kind(field, value)
        }
        Operator::Eq => !order::is_text_for_number(field, value) && !is_unclear(field, value),
        Operator::Ne => !is_unclear(field, value),
        Operator::In => value.as_array().is_none_or(|items| {
            let is_found = || items.iter().any(|item| order::equal(field, item));
            let is_unlike = || items.iter().all(|item| order::is_text_for_number(field, item));
            let is_unread = || items.iter().any(|item| is_unclear(field, item));
            items.is_empty() || is_found() || !is_unlike() && !is_unread()
        }),
        Operator::Contains => true,
    }
}

/// Whether a value may be meant to equal another that is written otherwise.
fn is_unclear(field: &Value, value: &Value) -> bool {
    order::is_unread_amount(field, value)
        || order::is_part(field, value)
        || order::is_text_for_boolean(field, value)
}

fn holds(operator: Operator, field: &Value, value: &Value) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ordered = |wanted: &[std::cmp::Ordering]| {
        // Null is neither more nor less than anything; a list is not compared with a text.
        let comparable = !field.is_null() && !value.is_null() && order::same_kind(field, value);
        comparable && wanted.contains(&compare(field, value))
    };
    match operator {
        Operator::Eq => order::equal(field, value),
        Operator::Ne => !order::equal(field, value),
        Operator::Gt => ordered(&[Greater]),
        Operator::Gte => ordered(&[Greater, Equal]),
        Operator::Lt => ordered(&[Less]),
        Operator::Lte => ordered(&[Less, Equal]),
        Operator::Contains => contains(field, value),
        Operator::In => {
            value.as_array().is_some_and(|items| items.iter().any(|item| order::equal(field, item)))
        }
    }
}

fn contains(field: &Value, value: &Value) -> bool {
    match (field, value) {
        (Value::Array(items), _) => items.iter().any(|item| order::equal(item, value)),
        (Value::String(text), Value::String(part)) => {
            text.to_lowercase().contains(&part.to_lowercase())
        }
        (Value::String(text), Value::Number(part)) => text.contains(&part.to_string()),
        (Value::Number(number), Value::String(part)) => number.to_string().contains(part.as_str()),
        (Value::Number(number), Value::Number(part)) => {
            number.to_string().contains(&part.to_string())
        }
        (Value::Object(fields), Value::String(key)) => fields.contains_key(key),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
