//! Grouping (K-54).

use self::groups::Groups;
use serde_json::{Map, Number, Value, json};

use super::{TransformError, lookup, order};

/// `{group_by, function, field, as}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregate {
    /// Dotted paths; none puts all records into one group.
    pub group_by: Vec<String>,
    /// What is computed.
    pub function: Function,
    /// Of which field; only `count` needs none.
    pub field: Option<String>,
    /// The key of the result.
    pub name: String,
}

/// What is computed over a group. Values that are null or absent do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The sum of numbers.
    Sum,
    /// How many records, or how many with a value in the field.
    Count,
    /// The mean of numbers; null for none.
    Avg,
    /// The least value; null for none.
    Min,
    /// The greatest value; null for none.
    Max,
    /// How many different values.
    CountDistinct,
}

impl Function {
    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Count => "count",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
            Self::CountDistinct => "count_distinct",
        }
    }
}

impl Aggregate {
    /// One record per group, in the order in which the groups first appear: the group's fields, then the result.
    pub(super) fn apply(
        &self,
        records: &[Value],
        index: usize,
    ) -> Result<Vec<Value>, TransformError> {
        let mut groups = Groups::default();
        for (place, record) in records.iter().enumerate() {
            let key: Vec<String> =
                self.group_by.iter().map(|field| order::key(lookup(record, field))).collect();
            groups.add(key.join("\u{1f}"), place);
        }
        // Without `group_by` there is one group even of nothing.
        let all = self.group_by.is_empty() && records.is_empty();
        let groups = if all { vec![Vec::new()] } else { groups.into_vec() };
        groups.iter().map(|group| self.group(records, group, index)).collect()
    }

    fn group(
        &self,
        records: &[Value],
        group: &[usize],
        index: usize,
    ) -> Result<Value, TransformError> {
        let mut out = Map::new();
        if let Some(first) = group.first() {
            for field in &self.group_by {
                out.insert(field.clone(), lookup(&records[*first], field).clone());
            }
        }
        out.insert(self.name.clone(), self.compute(records, group, index)?);
        Ok(Value::Object(out))
    }

    fn compute(
        &self,
        records: &[Value],
        group: &[usize],
        index: usize,
    ) -> Result<Value, TransformError> {
        let Some(field) = &self.field else { return Ok(json!(group.len())) };
        let values: Vec<(usize, &Value)> = group
            .iter()
            .map(|place| (*place, lookup(&records[*place], field)))
            .filter(|(_, value)| !value.is_null())
            .collect();
        Ok(match self.function {
            Function::Count => json!(values.len()),
            Function::CountDistinct => json!(
                values
                    .iter()
                    .map(|(_, v)| order::key(v))
                    .collect::<std::collections::HashSet<_>>()
                    .len()
            ),
            Function::Min => values
                .iter()
                .map(|(_, v)| *v)
                .min_by(|a, b| order::sort_order(a, b))
                .cloned()
                .unwrap_or(Value::Null),
            Function::Max => values
                .iter()
                .map(|(_, v)| *v)
                .max_by(|a, b| order::sort_order(a, b))
                .cloned()
                .unwrap_or(Value::Null),
            Function::Sum => number(sum(&values, field, index)?),
            Function::Avg if values.is_empty() => Value::Null,
            Function::Avg => number(sum(&values, field, index)? / values.len() as f64),
        })
    }
}

fn sum(values: &[(usize, &Value)], field: &str, index: usize) -> Result<f64, TransformError> {
    values.iter().try_fold(0.0, |sum, (record, value)| {
        let problem = || format!("`{field}` is not a number");
        let amount = order::amount(value).ok_or_else(|| TransformError::Record {
            index,
            record: *record,
            problem: problem(),
        })?;
        Ok(sum + amount)
    })
}

/// Whole results are written without a point.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "checked to be whole and small enough"
        )]
        return json!(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Groups in the order of their first record.
mod groups {
    use std::collections::HashMap;

    #[derive(Default)]
    pub(super) struct Groups {
        place: HashMap<String, usize>,
        members: Vec<Vec<usize>>,
    }

    impl Groups {
        pub(super) fn add(&mut self, key: String, member: usize) {
            let next = self.members.len();
            let place = *self.place.entry(key).or_insert(next);
            if place == next {
                self.members.push(Vec::new());
            }
            self.members[place].push(member);
        }

        pub(super) fn into_vec(self) -> Vec<Vec<usize>> {
            self.members
        }
    }
}
