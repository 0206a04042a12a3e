//! Fields that no record of a call has: a source that renames what it gives, or a mistyped path, leaves a column empty.

use serde_json::{Map, Value};

use crate::model::{Endpoint, OutputShape};

/// Those of these fields that are empty in every record; none where there is no record. As in the alternatives of a path, null,
/// empty texts and empty lists do not count.
pub fn empty_everywhere<'n, 'r>(
    names: impl IntoIterator<Item = &'n str>,
    records: impl IntoIterator<Item = &'r Map<String, Value>>,
) -> Vec<&'n str> {
    let records: Vec<&Map<String, Value>> = records.into_iter().collect();
    if records.is_empty() {
        return Vec::new();
    }
    let has = |name: &str| records.iter().any(|record| record.get(name).is_some_and(is_given));
    names.into_iter().filter(|name| !has(name)).collect()
}

/// Whether a value is neither null nor an empty text or list.
pub(crate) fn is_given(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    }
}

impl Endpoint {
    /// The fields that are empty in everything a call of this endpoint gave.
    #[must_use]
    pub fn empty_fields(&self, output: &Value) -> Vec<&str> {
        let records = match self.output.shape {
            OutputShape::RecordSet => output.get("results").and_then(Value::as_array),
            OutputShape::Object => None,
            OutputShape::Scalar => return Vec::new(),
        };
        let records = records.map_or_else(|| std::slice::from_ref(output), Vec::as_slice);
        let names = self.output.fields.iter().map(|field| field.name.as_str());
        empty_everywhere(names, records.iter().filter_map(Value::as_object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::empty_everywhere;

    #[track_caller]
    fn check(records: &Value, expect: &[&str]) {
        let records = records.as_array().unwrap().iter().filter_map(Value::as_object);
        assert_eq!(empty_everywhere(["a", "b"], records), expect);
    }

    #[test]
    fn f_091_a_field_is_empty_when_no_record_has_a_value_for_it() {
        check(&json!([]), &[]);
        check(&json!([{ "a": 1 }, { "b": false }]), &[]);
        check(&json!([{ "a": 0, "b": null }, { "a": null }]), &["b"]);
        check(&json!([{ "a": "", "b": [] }, { "c": 1 }]), &["a", "b"]);
        check(&json!([{ "a": {}, "b": [null] }]), &[]);
    }
}
