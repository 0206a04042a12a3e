//! What the entries of `fields` have in common, whatever is read: a name, a type, a description.

use super::is_name;
use crate::diagnostic::{Diagnostics, Position};
use crate::model::ValueType;
use crate::yaml::Mapping;

/// An entry of `fields`.
pub(super) struct Named {
    pub(super) field: String,
    pub(super) at: Position,
    pub(super) value_type: Option<ValueType>,
    pub(super) description: String,
}

/// Reads what is common to all; the entry holds nothing else but what was read of it before. `None` without a name.
pub(super) fn named(mut entry: Mapping<'_>, out: &mut Diagnostics) -> Option<Named> {
    let name = entry.required_text("field", out);
    let value_type = entry.text("type", out).and_then(|(text, at)| value_type(text, at, out));
    let description =
        entry.text("description", out).map(|(text, _)| text.trim().to_owned()).unwrap_or_default();
    entry.finish(out);
    let (name, at) = name?;
    if !is_name(name) || name.starts_with('_') {
        let message =
            format!("`{name}` is not a field name: letters, digits and `_`, first a letter");
        out.error("name", at, message);
    }
    Some(Named { field: name.to_owned(), at, value_type, description })
}

/// Refuses a second field of the same name.
pub(super) fn unique<'f>(
    named: &Named,
    mut taken: impl Iterator<Item = &'f str>,
    out: &mut Diagnostics,
) {
    if taken.any(|other| other == named.field) {
        out.error("duplicate", named.at, format!("the field `{}` is mapped twice", named.field));
    }
}

fn value_type(text: &str, at: Position, out: &mut Diagnostics) -> Option<ValueType> {
    let known = match text {
        "string" => ValueType::String,
        "number" => ValueType::Number,
        "decimal" => ValueType::Decimal,
        "integer" => ValueType::Integer,
        "date" => ValueType::Date,
        "boolean" => ValueType::Boolean,
        "string[]" => ValueType::StringList,
        "number[]" => ValueType::NumberList,
        _ => {
            let hint = "use string, number, decimal, integer, date, boolean, string[] or number[]";
            out.hinted("type", at, format!("`{text}` is not a type of field"), hint);
            return None;
        }
    };
    Some(known)
}
