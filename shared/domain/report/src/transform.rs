//! Changes to the data on its way to one destination (F-288).

use std::collections::HashSet;

use countersign_document::{List, Text, Whole};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::error::ReportError;
use crate::path::at;

/// A change to the data on its way to one destination, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Transform {
    /// Goes on with the value at a path.
    Pick {
        /// The path, such as `people`.
        path: Text<200>,
    },
    /// Keeps the named fields of every record; one that no record has is `null`.
    Select {
        /// The fields.
        fields: List<Text<200>, 1, 1_000>,
    },
    /// Gives a field of every record another name; one that no record has is `null` under its new name.
    Rename {
        /// The field.
        from: Text<200>,
        /// Its new name.
        to: Text<200>,
    },
    /// Keeps the first records.
    Limit {
        /// How many.
        count: Whole<0, 1_000_000>,
    },
}

impl Transform {
    /// The data after the change. What it names and the data does not have is added to `notes`, a sentence each. Fields that no
    /// record has become `null`: a column without a value is seen, one that is not there is not.
    pub(crate) fn apply(&self, data: Value, notes: &mut Vec<String>) -> Result<Value, ReportError> {
        self.can_rename(&data)?;
        let (asked, missing): (Vec<&str>, Vec<&str>) =
            self.unknown_fields(&data).into_iter().unzip();
        let unknown = |field| format!("no record has `{field}`, which its `transforms` name");
        notes.extend(asked.into_iter().map(unknown));
        notes.extend(self.without_effect(&data));
        Ok(match (self, data) {
            (Self::Pick { path }, data) => at(&data, path).cloned().unwrap_or(Value::Null),
            (Self::Limit { count }, Value::Array(items)) => {
                items.into_iter().take(count.to()).collect()
            }
            (change, Value::Array(items)) => {
                items.into_iter().map(|item| change.apply_to_record(item, &missing)).collect()
            }
            (change, data) => change.apply_to_record(data, &missing),
        })
    }

    /// Why it does not do what it says.
    fn without_effect(&self, data: &Value) -> Option<String> {
        match self {
            Self::Pick { path } if at(data, path).is_none() => {
                Some(format!("the data has no `{}`, which its `transforms` pick", &**path))
            }
            Self::Limit { .. } if !data.is_array() && !data.is_null() => {
                Some("the data is not a list, so that `limit` of its `transforms` keeps all".into())
            }
            _ => None,
        }
    }

    /// The fields asked for that no record has, and what they are called afterwards.
    fn unknown_fields(&self, data: &Value) -> Vec<(&str, &str)> {
        let asked: Vec<(&str, &str)> = match self {
            Self::Select { fields } => fields.iter().map(|field| (&**field, &**field)).collect(),
            Self::Rename { from, to } => vec![(from, to)],
            Self::Pick { .. } | Self::Limit { .. } => Vec::new(),
        };
        if asked.is_empty() {
            return Vec::new();
        }
        let records = data.as_array().map_or(std::slice::from_ref(data), Vec::as_slice);
        let known: HashSet<&str> = records
            .iter()
            .filter_map(Value::as_object)
            .flat_map(|record| record.keys().map(String::as_str))
            .collect();
        let is_unknown = |(from, to): &(&str, &str)| !known.contains(from) && !known.contains(to);
        // Of no records nothing can be said.
        if known.is_empty() { Vec::new() } else { asked.into_iter().filter(is_unknown).collect() }
    }

    /// Whether no record has both names: one of two values would be lost.
    fn can_rename(&self, data: &Value) -> Result<(), ReportError> {
        let Self::Rename { from, to } = self else { return Ok(()) };
        let (from, to): (&str, &str) = (from, to);
        let has_both = |record: &Value| record.get(from).is_some() && record.get(to).is_some();
        let is_taken = match data {
            Value::Array(items) => items.iter().any(has_both),
            record => has_both(record),
        };
        if from != to && is_taken {
            return Err(ReportError::FieldTaken { from: from.to_owned(), to: to.to_owned() });
        }
        Ok(())
    }

    fn apply_to_record(&self, record: Value, missing: &[&str]) -> Value {
        let Value::Object(map) = record else { return record };
        let renamed = |(name, value): (String, Value)| match self {
            Self::Select { fields } => {
                let kept = fields.iter().any(|field| **field == name);
                kept.then_some((name, value))
            }
            Self::Rename { from, to } if **from == name => Some((to.to_string(), value)),
            _ => Some((name, value)),
        };
        let missing = missing.iter().map(|&name| (name.to_owned(), Value::Null));
        Value::Object(map.into_iter().filter_map(renamed).chain(missing).collect())
    }
}
