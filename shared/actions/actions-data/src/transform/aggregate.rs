//! Grouping (K-54).

use self::groups::Groups;
use countersign_decimal::Decimal;
use serde_json::{Map, Number, Value, json};

use super::order::Addend;
use super::{Function, TransformError, lookup, order};

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
            Function::Min | Function::Max => {
                let values: Vec<&Value> = alike(&values, field, index)?;
                let extreme = match self.function {
                    Function::Min => values.into_iter().min_by(|a, b| order::sort_order(a, b)),
                    _ => values.into_iter().max_by(|a, b| order::sort_order(a, b)),
                };
                extreme.cloned().unwrap_or(Value::Null)
            }
            // Nothing that could be read is not the same as nothing.
            Function::Sum if values.is_empty() && !group.is_empty() => Value::Null,
            Function::Sum => Total::of(&values, field, index)?.sum(),
            Function::Avg if values.is_empty() => Value::Null,
            Function::Avg => Total::of(&values, field, index)?.average(values.len(), index)?,
        })
    }
}

/// A sum, exact to the last digit.
struct Total {
    sum: Decimal,
    /// Whether a value was a text: then so is the result, with its digits.
    is_text: bool,
    /// The last record with a value.
    last: usize,
}

impl Total {
    fn of(values: &[(usize, &Value)], field: &str, index: usize) -> Result<Self, TransformError> {
        let mut total = Self { sum: Decimal::ZERO, is_text: false, last: 0 };
        for (record, value) in values {
            let overflow = || TransformError::Overflow { index, record: *record };
            match order::addend(value) {
                Some(Addend::Exact(amount, is_text)) => {
                    total.sum = total.sum.checked_add(amount).ok_or_else(overflow)?;
                    total.is_text |= is_text;
                }
                Some(Addend::Beyond) => return Err(overflow()),
                None => {
                    let problem = format!("`{field}` is not a number");
                    return Err(TransformError::Record { index, record: *record, problem });
                }
            }
            total.last = *record;
        }
        Ok(total)
    }

    fn sum(&self) -> Value {
        self.written(self.sum)
    }

    fn average(&self, count: usize, index: usize) -> Result<Value, TransformError> {
        let average = self.sum.shared_among(count);
        let overflow = TransformError::Overflow { index, record: self.last };
        average.map(|average| self.written(average)).ok_or(overflow)
    }

    /// A number of JSON, when all values were and one holds it exactly; otherwise a text.
    fn written(&self, result: Decimal) -> Value {
        let number = (!self.is_text).then(|| number(result)).flatten();
        number.unwrap_or_else(|| result.to_string().into())
    }
}

/// The JSON number that is exactly this one; a whole one is written without a point.
fn number(result: Decimal) -> Option<Value> {
    let whole = result.whole();
    let small = whole.and_then(|whole| i64::try_from(whole).ok()).map(Value::from);
    let large = || whole.and_then(|whole| u64::try_from(whole).ok()).map(Value::from);
    if let Some(whole) = small.or_else(large) {
        return Some(whole);
    }
    let float = result.approximately();
    let same = Decimal::of_json(&float.to_string()).is_ok_and(|shortest| shortest == result);
    Number::from_f64(float).filter(|_| same).map(Value::Number)
}

/// The values, unless some are amounts or dates and some are texts that are not: of those, none is the least.
fn alike<'v>(
    values: &[(usize, &'v Value)],
    field: &str,
    index: usize,
) -> Result<Vec<&'v Value>, TransformError> {
    let unlike = |kind: &str, is_of_kind: fn(&Value) -> bool| {
        let has_some = values.iter().any(|(_, value)| is_of_kind(value));
        let other = values.iter().find(|(_, value)| value.is_string() && !is_of_kind(value));
        let (record, _) = other.filter(|_| has_some)?;
        let problem = format!("`{field}` is not a {kind}, and in other records it is");
        Some(TransformError::Record { index, record: *record, problem })
    };
    match unlike("number", order::is_amount).or_else(|| unlike("date", order::is_moment)) {
        Some(error) => Err(error),
        None => Ok(values.iter().map(|(_, value)| *value).collect()),
    }
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
