//! Records as readers make them: the names once, the values in rows.
//!
//! A file of tens of thousands of records is held many times smaller this way than as JSON objects; each object is made
//! when the record is handed on.

use std::sync::Arc;

use compact_str::CompactString;
use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

/// One value of a record.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Cell {
    /// Nothing.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// A text of this record; short ones take no memory of their own.
    Text(CompactString),
    /// A text that many records have.
    Shared(Arc<str>),
    /// A list, an object, or a number that fits no other.
    Other(Box<Value>),
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::String(text) => Self::Text(text.into()),
            Value::Number(number) => match (number.as_i64(), number.is_f64()) {
                (Some(whole), false) => Self::Integer(whole),
                (_, true) => number.as_f64().map_or(Self::Null, Self::Float),
                _ => Self::Other(Box::new(Value::Number(number))),
            },
            other => Self::Other(Box::new(other)),
        }
    }
}

impl From<Cell> for Value {
    fn from(cell: Cell) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Bool(value) => Self::Bool(value),
            Cell::Integer(number) => Self::from(number),
            Cell::Float(number) => Number::from_f64(number).map_or(Self::Null, Self::Number),
            Cell::Text(text) => Self::String(text.into()),
            Cell::Shared(text) => Self::from(&*text),
            Cell::Other(value) => *value,
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Shared(text) => serializer.serialize_str(text),
            Self::Other(value) => value.serialize(serializer),
        }
    }
}

/// The records of one file, in its order.
#[derive(Debug, Clone, PartialEq)]
pub enum Records {
    /// Records that all have the same fields.
    Rows {
        /// The fields.
        names: Vec<String>,
        /// The values of one record after the other.
        cells: Vec<Cell>,
    },
    /// Records each with fields of its own.
    Whole(Vec<Map<String, Value>>),
}

impl Default for Records {
    fn default() -> Self {
        Self::Whole(Vec::new())
    }
}

impl Records {
    /// No records yet, of these fields.
    #[must_use]
    pub fn rows(names: Vec<String>) -> Self {
        Self::Rows { names, cells: Vec::new() }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Rows { names, cells } => cells.len().checked_div(names.len()).unwrap_or(0),
            Self::Whole(all) => all.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Map<String, Value>> {
        match self {
            Self::Rows { names, cells } => {
                let start = index.checked_mul(names.len())?;
                let row = cells.get(start..start + names.len())?;
                (!names.is_empty()).then(|| object(names, row.iter().cloned()))
            }
            Self::Whole(all) => all.get(index).cloned(),
        }
    }

    /// All of them as they are written, without making an object of each.
    pub fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        (0..self.len()).filter_map(|index| match self {
            Self::Rows { names, cells } => {
                let row = cells.chunks(names.len()).nth(index)?;
                Some(Record::Row(names, row))
            }
            Self::Whole(all) => all.get(index).map(Record::Whole),
        })
    }

    /// Takes the last one away.
    pub fn pop(&mut self) {
        match self {
            Self::Rows { names, cells } => cells.truncate(cells.len().saturating_sub(names.len())),
            Self::Whole(all) => all.truncate(all.len().saturating_sub(1)),
        }
    }

    /// Adds one with fields of its own.
    pub fn push(&mut self, record: Map<String, Value>) {
        match self {
            Self::Whole(all) => all.push(record),
            Self::Rows { names, cells } => {
                let mut record = record;
                let mut take = |name: &String| record.remove(name).unwrap_or_default();
                cells.extend(names.iter().map(|name| Cell::from(take(name))));
            }
        }
    }
}

/// One record, to be written.
#[derive(Debug, Clone, Copy)]
pub enum Record<'r> {
    /// Fields that others have too, and their values.
    Row(&'r [String], &'r [Cell]),
    /// Fields of its own.
    Whole(&'r Map<String, Value>),
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Row(names, cells) => serializer.collect_map(names.iter().zip(*cells)),
            Self::Whole(record) => record.serialize(serializer),
        }
    }
}

fn object(names: &[String], row: impl Iterator<Item = Cell>) -> Map<String, Value> {
    // Room for where it came from, which every record is given.
    let mut record = Map::with_capacity(names.len() + 8);
    record.extend(names.iter().cloned().zip(row.map(Value::from)));
    record
}

impl IntoIterator for Records {
    type Item = Map<String, Value>;
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        match self {
            Self::Rows { names, cells } => IntoIter::Rows(names, cells.into_iter()),
            Self::Whole(all) => IntoIter::Whole(all.into_iter()),
        }
    }
}

/// Hands records on one by one.
#[derive(Debug)]
pub enum IntoIter {
    /// Of the same fields.
    Rows(Vec<String>, std::vec::IntoIter<Cell>),
    /// Each with fields of its own.
    Whole(std::vec::IntoIter<Map<String, Value>>),
}

impl Iterator for IntoIter {
    type Item = Map<String, Value>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Rows(names, cells) if cells.len() >= names.len() && !names.is_empty() => {
                Some(object(names, cells.by_ref().take(names.len())))
            }
            Self::Rows(..) => None,
            Self::Whole(all) => all.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
    use serde_json::{Map, Value, json};

    use super::{Cell, Records};

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(|number| json!(number)),
            "\\PC{0,8}".prop_map(Value::from),
            proptest::collection::vec("[a-z]{0,3}", 0..3).prop_map(Value::from),
            Just(json!({ "a": { "b": [1, null] } })),
        ]
    }

    proptest! {
        #[test]
        fn a_value_comes_back_from_its_cell(value in value()) {
            prop_assert_eq!(Value::from(Cell::from(value.clone())), value);
        }

        #[test]
        fn rows_come_back_as_the_records_they_were(rows in proptest::collection::vec((value(), value()), 0..20)) {
            let record = |(a, b): &(Value, Value)| {
                [("a".to_owned(), a.clone()), ("b".to_owned(), b.clone())].into_iter().collect::<Map<_, _>>()
            };
            let all: Vec<Map<String, Value>> = rows.iter().map(record).collect();
            let mut records = Records::rows(vec!["a".to_owned(), "b".to_owned()]);
            all.iter().for_each(|record| records.push(record.clone()));
            prop_assert_eq!(records.len(), all.len());
            prop_assert_eq!(records.get(all.len()), None);
            for (index, record) in all.iter().enumerate() {
                let found = records.get(index);
                prop_assert_eq!(found.as_ref(), Some(record));
            }
            let written: Vec<Value> = records.iter().map(|record| json!(record)).collect();
            prop_assert_eq!(&json!(written), &json!(all));
            prop_assert_eq!(records.into_iter().collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn a_cell_is_small() {
        assert_eq!(size_of::<Cell>(), 24);
    }
}
