//! What a filter or a sort could not compare, fields that no record has, and what a figure leaves out.

use std::collections::HashMap;
use std::slice::from_ref;

use countersign_registry::Warnings;
use countersign_registry::actions::transform_data::Warning;
use countersign_registry::nearest;
use serde_json::Value;

use super::{Aggregate, Function, Operation, Operator, find, has_no_key, lookup, order};

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
    is_kept: bool,
) -> Warning {
    let (text, other) = (shown(found), shown(value));
    let outcome = if is_kept { "kept" } else { "left out" };
    let message = format!(
        "{}: `{text}` cannot be compared with `{other}`, so the record is {outcome}",
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
    for field in named(operation) {
        if let Some(said) = no_record_has(records, field) {
            let message = format!("{}: {said}", place(index));
            warnings.push(Warning { field: field.to_owned(), message, ..Warning::default() });
        }
    }
}

/// What is said of a field that none of some records has; of no records nothing is.
pub(crate) fn no_record_has(records: &[Value], field: &str) -> Option<String> {
    let first = records.first()?;
    if records.iter().any(|record| find(record, field).is_some()) {
        return None;
    }
    let known = first.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let near = nearest(field, known).map(|near| format!("; did you mean `{near}`?"));
    Some(format!("no record has this field{}", near.unwrap_or_default()))
}

/// Notes the records whose value is null where an operation leaves them out, or cannot tell them apart: a figure without
/// them must say so. What no record has is noted as [`note_absent`] does.
pub(super) fn note_nulls(
    records: &[Value],
    operation: &Operation,
    index: usize,
    warnings: &mut Warnings<Warning>,
) {
    let Some((fields, outcome)) = passes_over_nulls(operation) else { return };
    let nulls = records.iter().filter(|record| has_no_key(record, fields)).count();
    let is_known = |record: &Value| fields.iter().any(|field| find(record, field).is_some());
    if nulls == 0 || !records.iter().any(is_known) {
        return;
    }
    let all = records.len();
    warnings.push_with(|| Warning {
        field: fields.join(", "),
        message: format!("{}: null in {nulls} of {all} records, which {outcome}", place(index)),
        ..Warning::default()
    });
}

/// Notes that a sort puts texts that are not numbers after those that are: `9,000.00` is not more than 10000. And so of dates.
pub(super) fn note_unlike(
    records: &[Value],
    field: &str,
    index: usize,
    warnings: &mut Warnings<Warning>,
) {
    note_others(records, field, index, "numbers", order::is_amount, warnings);
    note_others(records, field, index, "dates", order::is_moment, warnings);
}

fn note_others(
    records: &[Value],
    field: &str,
    index: usize,
    kind: &str,
    is_of_kind: fn(&Value) -> bool,
    warnings: &mut Warnings<Warning>,
) {
    let values = || records.iter().map(|record| lookup(record, field)).enumerate();
    let Some((_, known)) = values().find(|(_, value)| is_of_kind(value)) else { return };
    let mut others =
        values().filter(|(_, value)| order::is_other_text(value) && !is_of_kind(value));
    if let Some((record, other)) = others.next() {
        let (text, known, count) = (shown(other), shown(known), others.count() + 1);
        let message = format!(
            "{}: `{text}` cannot be compared with `{known}`; {count} of {} records have such texts, \
             which are ordered as greater than all {kind}",
            place(index),
            records.len()
        );
        let field = field.to_owned();
        warnings.push(Warning { record: Some(record), field, text: Some(text), message });
    }
}

/// Notes that values which an operation takes for two write one number, such as `10` and `10.00`: as ids they are two, as
/// amounts they are not.
pub(super) fn note_one_number(
    records: &[Value],
    operation: &Operation,
    index: usize,
    warnings: &mut Warnings<Warning>,
) {
    for field in told_apart(operation) {
        let mut known: HashMap<String, String> = HashMap::new();
        let other = records.iter().find_map(|record| {
            let value = lookup(record, field);
            let first =
                known.entry(order::number_written(value)?).or_insert_with(|| order::key(value));
            (*first != order::key(value)).then(|| (shown_key(first), shown(value)))
        });
        if let Some((first, other)) = other {
            let message = format!(
                "{}: `{first}` and `{other}` count as two values, though they write one number",
                place(index)
            );
            warnings.push(Warning { field: field.to_owned(), message, ..Warning::default() });
        }
    }
}

/// A key as the value that it is of.
fn shown_key(key: &str) -> String {
    key.trim_matches('"').chars().take(SHOWN).collect()
}

/// The fields whose values an operation tells apart.
fn told_apart(operation: &Operation) -> Vec<&str> {
    let of_distinct = |aggregate: &Aggregate| aggregate.function == Function::CountDistinct;
    match operation {
        Operation::Aggregate(aggregate) => {
            let counted = aggregate.field.iter().filter(|_| of_distinct(aggregate));
            aggregate.group_by.iter().chain(counted).map(String::as_str).collect()
        }
        Operation::Deduplicate { fields } => fields.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// An operation as people who sign a warning count them.
fn place(index: usize) -> String {
    format!("operation {}", index + 1)
}

/// The fields of a figure, an ordered comparison or a key, and what becomes of records without them.
fn passes_over_nulls(operation: &Operation) -> Option<(&[String], &'static str)> {
    use Operator::{Gt, Gte, Lt, Lte};
    match operation {
        Operation::Filter { field, operator: Gt | Gte | Lt | Lte, .. } => {
            Some((from_ref(field), "the comparison leaves out"))
        }
        Operation::Aggregate(aggregate) => {
            let outcome = match aggregate.function {
                Function::Sum => "the sum leaves out",
                Function::Avg => "the average leaves out",
                Function::Min => "the minimum leaves out",
                Function::Max => "the maximum leaves out",
                // To count values is to leave out what has none.
                Function::Count | Function::CountDistinct => return None,
            };
            Some((from_ref(aggregate.field.as_ref()?), outcome))
        }
        Operation::Deduplicate { fields } => Some((fields, "are all kept")),
        _ => None,
    }
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
