//! Columns become JSON without losing anything: what has no place in JSON becomes text, or is refused by name.

mod number;
mod time;

use std::error::Error;

use countersign_decimal::json::ExactJson;
use serde_json::{Number, Value};
use tokio_postgres::types::{FromSql, Kind, Type};

/// A value, and what about it is worth a warning.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) value: Value,
    pub(crate) note: Option<&'static str>,
}

/// A `numeric` as text, with the digits it has.
#[derive(Debug)]
pub(crate) struct Written(pub(crate) String);

impl<'a> FromSql<'a> for Written {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Failed> {
        number::text(raw).map(Self)
    }

    fn accepts(data_type: &Type) -> bool {
        *data_type == Type::NUMERIC
    }
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        Self { value, note: None }
    }
}

type Failed = Box<dyn Error + Sync + Send>;

/// Whether columns of a type can be read.
pub(crate) fn is_known(data_type: &Type) -> bool {
    match data_type.kind() {
        Kind::Array(item) => is_known(item),
        Kind::Domain(base) => is_known(base),
        Kind::Enum(_) => true,
        _ => is_text(data_type) || SIMPLE.contains(data_type),
    }
}

const SIMPLE: [Type; 16] = [
    Type::BOOL,
    Type::INT2,
    Type::INT4,
    Type::INT8,
    Type::OID,
    Type::FLOAT4,
    Type::FLOAT8,
    Type::NUMERIC,
    Type::DATE,
    Type::TIME,
    Type::TIMESTAMP,
    Type::TIMESTAMPTZ,
    Type::UUID,
    Type::JSON,
    Type::JSONB,
    Type::VOID,
];

/// Types whose binary form is their text.
fn is_text(data_type: &Type) -> bool {
    let known = [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME, Type::UNKNOWN, Type::XML];
    known.contains(data_type) || data_type.name() == "citext"
}

impl<'a> FromSql<'a> for Cell {
    fn from_sql(data_type: &Type, raw: &'a [u8]) -> Result<Self, Failed> {
        match data_type.kind() {
            Kind::Domain(base) => Self::from_sql(base, raw),
            Kind::Array(_) => array(data_type, raw),
            Kind::Enum(_) => Ok(Self::from(Value::from(std::str::from_utf8(raw)?))),
            _ => simple(data_type, raw),
        }
    }

    fn accepts(data_type: &Type) -> bool {
        is_known(data_type)
    }
}

fn array(data_type: &Type, raw: &[u8]) -> Result<Cell, Failed> {
    let items: Vec<Option<Cell>> = Vec::from_sql(data_type, raw)
        .map_err(|_| "holds a list that cannot be read; use `to_json(…)`".to_owned())?;
    let note = items.iter().flatten().find_map(|cell| cell.note);
    let values: Vec<Value> =
        items.into_iter().map(|cell| cell.map_or(Value::Null, |cell| cell.value)).collect();
    Ok(Cell { value: values.into(), note })
}

fn simple(data_type: &Type, raw: &[u8]) -> Result<Cell, Failed> {
    let value = match *data_type {
        Type::BOOL => bool::from_sql(data_type, raw)?.into(),
        Type::INT2 => i16::from_sql(data_type, raw)?.into(),
        Type::INT4 => i32::from_sql(data_type, raw)?.into(),
        Type::INT8 => i64::from_sql(data_type, raw)?.into(),
        Type::OID => u32::from_sql(data_type, raw)?.into(),
        Type::FLOAT4 => single(f32::from_sql(data_type, raw)?),
        Type::FLOAT8 => double(f64::from_sql(data_type, raw)?),
        Type::NUMERIC => return number::numeric(raw),
        Type::DATE => time::date(raw)?,
        Type::TIME => time::time(raw)?,
        Type::TIMESTAMP => time::timestamp(raw, "")?,
        Type::TIMESTAMPTZ => time::timestamp(raw, "Z")?,
        Type::UUID => uuid(raw)?.into(),
        Type::JSON => return json(raw),
        Type::JSONB => {
            return json(raw.strip_prefix(&[1]).ok_or("holds an unknown form of jsonb")?);
        }
        Type::VOID => Value::Null,
        _ => std::str::from_utf8(raw)?.into(),
    };
    Ok(value.into())
}

/// The shortest decimal that is this number and no other, not the tail of digits it has as a double.
fn single(value: f32) -> Value {
    if value.is_finite() {
        double(value.to_string().parse().unwrap_or(f64::from(value)))
    } else {
        special(f64::from(value))
    }
}

fn double(value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| special(value), Value::Number)
}

/// As PostgreSQL writes them; JSON has no such numbers.
fn special(value: f64) -> Value {
    let text = match (value.is_nan(), value > 0.0) {
        (true, _) => "NaN",
        (_, true) => "Infinity",
        (_, false) => "-Infinity",
    };
    text.into()
}

fn uuid(raw: &[u8]) -> Result<String, Failed> {
    let bytes: [u8; 16] = raw.try_into()?;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Ok(parts.join("-"))
}

/// As it is. What no JSON number here can hold, such as `1e400`, leaves the whole as text, and a number with more digits than a
/// double keeps becomes a text; both are said.
fn json(raw: &[u8]) -> Result<Cell, Failed> {
    match ExactJson::from_slice(raw) {
        Ok(json) => {
            let (value, said) = json.into_settled();
            let note = said.map(
                |_| "holds JSON with numbers of more digits than a number keeps, kept as text",
            );
            Ok(Cell { value, note })
        }
        Err(_) => {
            let note = Some("holds JSON that cannot be read, kept as text");
            Ok(Cell { value: String::from_utf8_lossy(raw).into_owned().into(), note })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::json as read;

    fn check(column: &str, expect: Value, note: Option<&str>) {
        let cell = read(column.as_bytes()).unwrap();
        assert_eq!((cell.value, cell.note), (expect, note), "{column}");
    }

    #[test]
    fn f_091_json_of_a_column_keeps_its_digits_or_a_note_says() {
        check(r#"{"a": [1.5, 18446744073709551615]}"#, json!({ "a": [1.5, u64::MAX] }), None);
        check(
            r#"{"a": 1234567890123456.78}"#,
            json!({ "a": "1234567890123456.78" }),
            Some("holds JSON with numbers of more digits than a number keeps, kept as text"),
        );
        check("1e400", json!("1e400"), Some("holds JSON that cannot be read, kept as text"));
    }
}
