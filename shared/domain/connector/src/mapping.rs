//! JSON becomes records (F-090): where they stand, which fields they have, and values of the declared types (F-091).

use countersign_decimal::json::ExactJson;
use countersign_registry::{Field, Warnings};
use serde_json::{Map, Value};

use crate::answer::AnswerError;
use crate::base64_text::decoded;
use crate::coerce::coerce_written;
use crate::json_number::settled;
use crate::json_path::Found;
use crate::model::{JsonMapping, Layout, OutputSchema};
use crate::reading::Reading;

/// Records, and what was not as declared.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mapped {
    /// The records.
    pub records: Vec<Map<String, Value>>,
    /// One text for each value that is not of its field's type and was left null.
    pub warnings: Warnings,
    /// How many records the answer holds, also those that were not read.
    pub count: usize,
}

/// Which records of a call an answer gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// How many came from earlier answers, so that warnings count through.
    pub before: usize,
    /// How many of this one are read.
    pub most: usize,
}

impl Default for Part {
    fn default() -> Self {
        Self { before: 0, most: MAX }
    }
}

/// No call gives more records.
const MAX: usize = 10_000;

/// The records of one answer, mapped. A single object counts as one record, `null` as none.
///
/// # Errors
/// [`AnswerError::NoResults`] when nothing stands at the results path.
pub fn records(
    mapping: &JsonMapping,
    schema: &OutputSchema,
    answer: &ExactJson,
    part: Part,
) -> Result<Mapped, AnswerError> {
    let Items { records, count, shorter } = items(mapping, answer.value(), part.most)?;
    let written = answer.written().map(|answer| items(mapping, answer, part.most)).transpose()?;
    let mut written = written.map(|items| items.records.into_iter());
    let mut mapped = Mapped { count, ..Mapped::default() };
    shorter.into_iter().for_each(|message| mapped.warnings.push(message));
    for (number, mut record) in records.into_iter().enumerate() {
        let mut written = written.as_mut().and_then(Iterator::next);
        for complaint in decoded(&mut record, &mapping.base64) {
            mapped.warnings.push(about_record(part.before + number + 1, &complaint));
        }
        if let Some(written) = &mut written {
            decoded(written, &mapping.base64);
        }
        for complaint in fit_written(&mut record, written, &schema.fields, &mapping.reading) {
            mapped.warnings.push(about_record(part.before + number + 1, &complaint));
        }
        mapped.records.push(record);
    }
    Ok(mapped)
}

/// The records of an answer before their values have types.
struct Items {
    records: Vec<Map<String, Value>>,
    /// How many the answer has.
    count: usize,
    /// What is said of lists of different lengths.
    shorter: Option<String>,
}

fn items(mapping: &JsonMapping, answer: &Value, most: usize) -> Result<Items, AnswerError> {
    let found = match &mapping.results_path {
        Some(path) => match path.select(answer) {
            None if mapping.results_optional && answer.is_object() => Found::One(&Value::Null),
            found => found.ok_or_else(|| AnswerError::NoResults(path.to_string()))?,
        },
        None => Found::One(answer),
    };
    let rows;
    let mut longest = 0;
    let mut shorter = None;
    let items: Vec<&Value> = match found {
        Found::One(Value::Object(columns)) if mapping.layout == Layout::Columns => {
            (rows, longest) = rows_of(columns, most);
            shorter = shorter_than(longest, columns, mapping);
            rows.iter().collect()
        }
        Found::Every(items) => items,
        Found::One(Value::Array(items)) => items.iter().collect(),
        Found::One(Value::Null) => Vec::new(),
        Found::One(one) => vec![one],
    };
    let count = items.len().max(longest);
    let records = items.into_iter().take(most).map(|item| record(mapping, item)).collect();
    Ok(Items { records, count, shorter })
}

/// What is said of a record of an answer, counted from 1.
#[must_use]
pub fn about_record(number: usize, what: &str) -> String {
    format!("record {number}, {what}")
}

/// The number and the rest of what [`about_record`] has said; none of anything else.
#[must_use]
pub fn record_number(sentence: &str) -> Option<(usize, &str)> {
    let (number, what) = sentence.strip_prefix("record ")?.split_once(", ")?;
    Some((number.parse().ok()?, what))
}

/// One object for each place in the lists, `most` of them, and how many there are; a list that ends earlier has nothing there, and what is not a list is left out.
fn rows_of(columns: &Map<String, Value>, most: usize) -> (Vec<Value>, usize) {
    let lists: Vec<(&String, &Vec<Value>)> =
        columns.iter().filter_map(|(name, value)| Some((name, value.as_array()?))).collect();
    let longest = lists.iter().map(|(_, list)| list.len()).max().unwrap_or_default();
    let row = |at: usize| {
        let items =
            lists.iter().filter_map(|(name, list)| Some(((*name).clone(), list.get(at)?.clone())));
        Value::Object(items.collect())
    };
    ((0..longest.min(most)).map(row).collect(), longest)
}

/// The warning about lists of different lengths: the last values of the shorter ones may be in the wrong records.
fn shorter_than(
    longest: usize,
    columns: &Map<String, Value>,
    mapping: &JsonMapping,
) -> Option<String> {
    let is_read = |name: &str| {
        mapping.fields.is_empty() || mapping.fields.values().any(|path| path.begins_with(name))
    };
    let lists = columns.iter().filter_map(|(name, value)| Some((name, value.as_array()?.len())));
    let shorter = lists.filter(|(name, length)| *length < longest && is_read(name));
    let shown: Vec<String> =
        shorter.map(|(name, length)| format!("`{name}` has {length}")).take(12).collect();
    (!shown.is_empty()).then(|| {
        let shown = shown.join(", ");
        format!("the lists of the answer are of different lengths: {shown} of {longest} values; the rest is null")
    })
}

/// One record: the mapped fields, or the object as it is; what is not an object becomes `{value: …}`.
fn record(mapping: &JsonMapping, item: &Value) -> Map<String, Value> {
    if !mapping.fields.is_empty() {
        let fields = mapping.fields.iter();
        let find = |path: &crate::JsonPath| path.find(item).unwrap_or(Value::Null);
        return fields.map(|(name, path)| (name.clone(), find(path))).collect();
    }
    match item {
        Value::Object(fields) => fields.clone(),
        other => [("value".to_owned(), other.clone())].into_iter().collect(),
    }
}

/// Makes a record's values those of its declared fields; what does not fit is left null and complained about. A declared
/// field that is not there is null.
#[must_use]
pub fn fit(record: &mut Map<String, Value>, fields: &[Field], reading: &Reading) -> Vec<String> {
    fit_written(record, None, fields, reading)
}

/// As [`fit`], of a record whose long numbers are texts in `written`. What is not declared keeps all its digits too.
fn fit_written(
    record: &mut Map<String, Value>,
    mut written: Option<Map<String, Value>>,
    fields: &[Field],
    reading: &Reading,
) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut complain = |name: &str, complaint: Option<String>| {
        complaints.extend(complaint.map(|text| format!("field `{name}`: {text}")));
    };
    for field in fields {
        let value = record.get_mut(&field.name).map_or(Value::Null, Value::take);
        let text = written.as_mut().and_then(|texts| texts.remove(&field.name));
        let (value, complaint) = coerce_written(value, text, &field.data_type, reading);
        record.insert(field.name.clone(), value);
        complain(&field.name, complaint);
    }
    for (name, text) in written.unwrap_or_default() {
        if let Some(value) = record.get_mut(&name) {
            let (kept, said) = settled(value.take(), text);
            *value = kept;
            complain(&name, said);
        }
    }
    complaints
}

/// The values of the answer that stand beside its records (F-091), in the order of the YAML, and what does not fit.
#[must_use]
pub fn metadata(mapping: &JsonMapping, answer: &ExactJson) -> (Map<String, Value>, Vec<String>) {
    let mut values = Map::new();
    let mut complaints = Vec::new();
    for item in &mapping.metadata {
        let found = item.path.find(answer.value()).unwrap_or(Value::Null);
        let written = answer.written().and_then(|answer| item.path.find(answer));
        let (value, complaint) =
            coerce_written(found, written, &item.field.data_type, &mapping.reading);
        complaints.extend(complaint.map(|text| format!("metadata `{}`: {text}", item.field.name)));
        values.insert(item.field.name.clone(), value);
    }
    (values, complaints)
}

#[cfg(test)]
mod tests;
