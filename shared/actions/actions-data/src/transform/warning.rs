//! What a filter could not compare, fields that no record has, and what a figure leaves out.

use countersign_registry::Warnings;
use countersign_registry::actions::transform_data::Warning;
use countersign_registry::nearest;
use serde_json::Value;

use super::{Function, Operation, Operator, find, lookup};

/// The longest part of a value that is shown, in characters.
const SHOWN: usize = 60;

/// Says that an operation could not compare a record's field with its value: `{record, field, text, message}`. Records count
/// from 0, as they stood when the operation began.
pub(super) fn not_compared(
    index: usize,
    record: usize,
    field: &str,
    found: &Value,
    value: &Value,
) -> Warning {
    let (text, other) = (shown(found), shown(value));
    let message = format!(
        "{}: `{text}` cannot be compared with `{other}`, so the record is left out",
        place(index)
    );
    Warning { record: Some(record), field: field.to_owned(), text: Some(text), message }
}

/// Warns of each field of an operation that none of its records has. A misspelt name would otherwise make all records
/// alike, and their sum nothing.
pub(super) fn note_absent(
    records: &[Value],
    operation: &Operation,
    index: usize,
    warnings: &mut Warnings<Warning>,
) {
    let Some(first) = records.first() else { return };
    for field in named(operation) {
        if !records.iter().any(|record| find(record, field).is_some()) {
            warnings.push_with(|| absent(index, field, first));
        }
    }
}

/// Notes the records whose value is null where an operation leaves them out: a figure without them must say so. What no record
/// has is noted as [`note_absent`] does.
pub(super) fn note_nulls(
    records: &[Value],
    operation: &Operation,
    index: usize,
    warnings: &mut Warnings<Warning>,
) {
    let Some((field, leaves_out)) = passes_over_nulls(operation) else { return };
    let nulls = records.iter().filter(|record| lookup(record, field).is_null()).count();
    if nulls == 0 || !records.iter().any(|record| find(record, field).is_some()) {
        return;
    }
    let all = records.len();
    warnings.push_with(|| Warning {
        field: field.to_owned(),
        message: format!(
            "{}: null in {nulls} of {all} records, which {leaves_out} leaves out",
            place(index)
        ),
        ..Warning::default()
    });
}

/// An operation as people who sign a warning count them.
fn place(index: usize) -> String {
    format!("operation {}", index + 1)
}

/// The field of a figure or an ordered comparison, and what it is.
fn passes_over_nulls(operation: &Operation) -> Option<(&str, &'static str)> {
    use Operator::{Gt, Gte, Lt, Lte};
    match operation {
        Operation::Filter { field, operator: Gt | Gte | Lt | Lte, .. } => {
            Some((field, "the comparison"))
        }
        Operation::Aggregate(aggregate) => match aggregate.function {
            Function::Sum => Some((aggregate.field.as_deref()?, "the sum")),
            Function::Avg => Some((aggregate.field.as_deref()?, "the average")),
            Function::Min => Some((aggregate.field.as_deref()?, "the minimum")),
            Function::Max => Some((aggregate.field.as_deref()?, "the maximum")),
            // To count values is to leave out what has none.
            Function::Count | Function::CountDistinct => None,
        },
        _ => None,
    }
}

fn absent(index: usize, field: &str, record: &Value) -> Warning {
    let known = record.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let near = nearest(field, known).map(|near| format!("; did you mean `{near}`?"));
    let message = format!("{}: no record has this field{}", place(index), near.unwrap_or_default());
    Warning { field: field.to_owned(), message, ..Warning::default() }
}

/// The fields that an operation reads. A filter for what is not there may name one that no record has.
fn named(operation: &Operation) -> Vec<&str> {
    match operation {
        Operation::Filter { value: Value::Null, .. } | Operation::Limit { .. } => Vec::new(),
        Operation::Filter { field, .. } | Operation::Sort { field, .. } => vec![field],
        Operation::Aggregate(aggregate) => {
            aggregate.group_by.iter().chain(&aggregate.field).map(String::as_str).collect()
        }
        Operation::Deduplicate { fields } => fields.iter().map(String::as_str).collect(),
    }
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(SHOWN).collect()
}
