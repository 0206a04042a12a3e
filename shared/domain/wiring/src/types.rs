//! Types before a run (F-161).

use countersign_registry::{DataType, Field, nearest};
use serde_json::Value;

use crate::reference::{Reference, Segment};
use crate::template::Template;

/// Whether a value of one type may be wired to a place of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compat {
    /// The same type, or one that is always also the other (an integer is a number).
    Exact,
    /// Accepted, with a conversion that may fail or surprise. Says what happens.
    Loose(&'static str),
    /// The type is known only at run time, where it is checked.
    Deferred,
    /// Never.
    Incompatible,
}

impl Compat {
    /// The weaker of two.
    fn and(self, other: Compat) -> Compat {
        let rank = |compat: &Compat| match compat {
            Compat::Exact => 0,
            Compat::Deferred => 1,
            Compat::Loose(_) => 2,
            Compat::Incompatible => 3,
        };
        if rank(&other) > rank(&self) { other } else { self }
    }
}

/// Rule 2 (F-161): the same type; integer to number or decimal; decimal to text; text to a list of texts; records by their
/// fields. Numbers, booleans and dates become text, numbers whole numbers or decimals, decimals numbers, and texts dates or
/// decimals only loosely, because that is a conversion.
#[must_use]
pub fn compatible(from: &DataType, to: &DataType) -> Compat {
    use DataType::{Any, Array, Boolean, Date, Decimal, Integer, Number, Object, Record, String};
    match (from, to) {
        (_, Any) => Compat::Exact,
        (Any, _) => Compat::Deferred,
        (Integer, Number | Decimal) | (Date | Decimal, String) | (Record(_), Object) => {
            Compat::Exact
        }
        (Number, Integer) => Compat::Loose("a number with a fraction is rejected at run time"),
        (Decimal, Number) => Compat::Loose("a number keeps about 15 of its digits"),
        (Decimal, Integer) => Compat::Loose("a number with a fraction is rejected at run time"),
        (Number, Decimal) => Compat::Loose("it is taken as its shortest text"),
        (String, Decimal) => Compat::Loose("a text that is not a decimal is rejected at run time"),
        (Number | Integer | Boolean, String) => Compat::Loose("it is written out as text"),
        (String, Date) => Compat::Loose("a text that is not a date is rejected at run time"),
        (String, Array(item)) if **item == String => {
            Compat::Loose("the text becomes a list of one text")
        }
        (Object, Record(_)) => Compat::Deferred,
        (Record(from), Record(to)) => fields_compatible(from, to),
        (Array(from), Array(to)) => compatible(from, to),
        (from, to) if from == to => Compat::Exact,
        _ => Compat::Incompatible,
    }
}

/// Every declared field that both have must fit; a field that is missing is found at run time, if it is needed.
fn fields_compatible(from: &[Field], to: &[Field]) -> Compat {
    let shared =
        to.iter().map(|wanted| match from.iter().find(|field| field.name == wanted.name) {
            Some(field) => compatible(&field.data_type, &wanted.data_type),
            None => Compat::Deferred,
        });
    shared.fold(Compat::Exact, Compat::and)
}

/// Why a path does not fit a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A record without that field.
    #[error("there is no field `{field}`")]
    UnknownField {
        /// The field asked for.
        field: String,
        /// The fields there are.
        available: Vec<String>,
    },
    /// A field of something that has none.
    #[error("a {found} has no field `{field}`")]
    NotARecord {
        /// The field asked for.
        field: String,
        /// What is there.
        found: String,
    },
    /// A position in something that is not a list.
    #[error("a {found} is not a list")]
    NotAList {
        /// What is there.
        found: String,
    },
}

impl PathError {
    /// What to write instead.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::UnknownField { field, available } if !available.is_empty() => {
                let likely = nearest(field, available.iter().map(String::as_str));
                Some(likely.map_or_else(
                    || format!("the fields are {}", quoted(available)),
                    |likely| format!("did you mean `{likely}`?"),
                ))
            }
            Self::NotARecord { field, found } if found.ends_with("[]") => Some(format!(
                "write `[*].{field}` for that field of every item, or `[0].{field}` for the first"
            )),
            _ => None,
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().take(12).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The type a path leads to. After `[*]` it is a list of what the rest of the path leads to in each item; further `[*]`
/// do not nest.
///
/// # Errors
/// [`PathError`] when a field does not exist or a move does not fit.
pub fn type_of_path(from: &DataType, path: &[Segment]) -> Result<DataType, PathError> {
    let Some((segment, rest)) = path.split_first() else { return Ok(from.clone()) };
    match (segment, from) {
        (_, DataType::Any) => Ok(any_along(path)),
        (Segment::Field(_), DataType::Object) => Ok(any_along(path)),
        (Segment::Field(name), DataType::Record(fields)) => {
            match fields.iter().find(|field| &field.name == name) {
                Some(field) => type_of_path(&field.data_type, rest),
                None => Err(unknown(name, fields)),
            }
        }
        (Segment::Field(name), found) => {
            Err(PathError::NotARecord { field: name.clone(), found: found.to_string() })
        }
        (Segment::Index(_), DataType::Array(item)) => type_of_path(item, rest),
        (Segment::Every, DataType::Array(item)) => {
            let each = type_of_path(item, rest)?;
            let flat = rest.contains(&Segment::Every) && matches!(each, DataType::Array(_));
            Ok(if flat { each } else { DataType::array(each) })
        }
        (Segment::Index(_) | Segment::Every, found) => {
            Err(PathError::NotAList { found: found.to_string() })
        }
    }
}

/// Something unknown stays unknown, but a projection is a list in any case.
fn any_along(path: &[Segment]) -> DataType {
    if path.contains(&Segment::Every) { DataType::array(DataType::Any) } else { DataType::Any }
}

fn unknown(name: &str, fields: &[Field]) -> PathError {
    let available = fields.iter().map(|field| field.name.clone()).collect();
    PathError::UnknownField { field: name.to_owned(), available }
}

/// The type of a value whose texts may hold references; `of` gives the type of each.
#[must_use]
pub fn type_of_value(value: &Value, of: &dyn Fn(&Reference) -> DataType) -> DataType {
    match value {
        Value::String(text) => match Template::parse(text) {
            Ok(template) => template.whole().map_or(DataType::String, of),
            Err(_) => DataType::String,
        },
        Value::Array(items) => {
            DataType::array(common(items.iter().map(|item| type_of_value(item, of))))
        }
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| Field::new(name, type_of_value(value, of));
            DataType::Record(fields.iter().map(field).collect())
        }
        other => DataType::of(other),
    }
}

fn common(mut types: impl Iterator<Item = DataType>) -> DataType {
    let Some(first) = types.next() else { return DataType::Any };
    if types.all(|data_type| data_type == first) { first } else { DataType::Any }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(from: &DataType, to: &DataType, expect: Compat) {
        let got = match compatible(from, to) {
            Compat::Loose(_) => Compat::Loose(""),
            other => other,
        };
        assert_eq!(got, expect, "{from} to {to}");
    }

    fn people() -> DataType {
        DataType::records(vec![
            Field::new("name", DataType::String),
            Field::new("tags", DataType::array(DataType::String)),
            Field::new("homes", DataType::records(vec![Field::new("city", DataType::String)])),
        ])
    }

    #[test]
    fn f_161_compatible_types() {
        let texts = DataType::array(DataType::String);
        check(&DataType::String, &DataType::String, Compat::Exact);
        check(&DataType::Integer, &DataType::Number, Compat::Exact);
        check(&DataType::String, &texts, Compat::Loose(""));
        check(&DataType::Number, &DataType::Integer, Compat::Loose(""));
        check(&DataType::Integer, &DataType::String, Compat::Loose(""));
        check(&DataType::String, &DataType::Date, Compat::Loose(""));
        check(&DataType::Integer, &DataType::Decimal, Compat::Exact);
        check(&DataType::Decimal, &DataType::String, Compat::Exact);
        check(&DataType::Decimal, &DataType::Number, Compat::Loose(""));
        check(&DataType::Decimal, &DataType::Integer, Compat::Loose(""));
        check(&DataType::Number, &DataType::Decimal, Compat::Loose(""));
        check(&DataType::String, &DataType::Decimal, Compat::Loose(""));
        check(&DataType::Boolean, &DataType::Decimal, Compat::Incompatible);
        check(&DataType::Date, &DataType::Decimal, Compat::Incompatible);
        check(&people(), &DataType::array(DataType::Object), Compat::Exact);
        check(&DataType::array(DataType::Any), &people(), Compat::Deferred);
        check(&DataType::Any, &DataType::Date, Compat::Deferred);
        check(&DataType::Object, &people(), Compat::Incompatible);
        check(&DataType::String, &DataType::Number, Compat::Incompatible);
        check(&texts, &DataType::String, Compat::Incompatible);
        check(&DataType::Number, &texts, Compat::Incompatible);
    }

    #[test]
    fn f_161_records_fit_by_their_fields() {
        let named = |data_type| DataType::Record(vec![Field::new("name", data_type)]);
        check(&named(DataType::Integer), &named(DataType::Number), Compat::Exact);
        check(&named(DataType::Boolean), &named(DataType::Number), Compat::Incompatible);
        check(&DataType::Record(vec![]), &named(DataType::Number), Compat::Deferred);
    }

    fn path(text: &str, expect: Result<&str, &str>) {
        let from = DataType::Record(vec![
            Field::new("people", people()),
            Field::new("raw", DataType::Object),
        ]);
        let reference = Reference::parse(&format!("x.{text}")).unwrap();
        let got = type_of_path(&from, reference.segments());
        assert_eq!(
            got.as_ref().map(ToString::to_string).map_err(ToString::to_string),
            expect.map(str::to_owned).map_err(str::to_owned),
            "{text}"
        );
    }

    #[test]
    fn f_161_types_along_paths() {
        path("people[0].name", Ok("string"));
        path("people[*].name", Ok("string[]"));
        path("people[*].tags", Ok("string[][]"));
        path("people[*].tags[*]", Ok("string[]"));
        path("people[*].homes[*].city", Ok("string[]"));
        path("raw.anything[*].x", Ok("any[]"));
        path("people.name", Err("a record[] has no field `name`"));
        path("people[0].nam", Err("there is no field `nam`"));
        path("raw[0]", Err("a object is not a list"));
    }

    #[test]
    fn values_have_types() {
        let of = |_: &Reference| DataType::Date;
        assert_eq!(type_of_value(&json!("{a}"), &of), DataType::Date);
        assert_eq!(type_of_value(&json!("on {a}"), &of), DataType::String);
        assert_eq!(type_of_value(&json!([1, 2.5]), &of), DataType::array(DataType::Any));
        assert_eq!(type_of_value(&json!(["a", "b"]), &of), DataType::array(DataType::String));
    }
}
