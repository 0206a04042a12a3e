//! Rows whose columns are declared get the declared types (F-091).

use countersign_registry::Field;
use serde_json::{Map, Value};

use crate::coerce::coerce;
use crate::reading::Reading;

/// Turns the values of a record into their declared types, as those of any other answer. Gives what is to be said about it.
pub fn fit(record: &mut Map<String, Value>, fields: &[Field], reading: &Reading) -> Vec<String> {
    let mut complaints = Vec::new();
    for field in fields {
        let Some(value) = record.get_mut(&field.name) else {
            complaints.push(format!("the statement gives no column `{}`", field.name));
            continue;
        };
        let (fitting, complaint) = coerce(value.take(), &field.data_type, reading);
        *value = fitting;
        complaints.extend(complaint.map(|text| format!("the column `{}`: {text}", field.name)));
    }
    complaints
}
