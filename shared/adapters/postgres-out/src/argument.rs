//! JSON values as bound parameters. They travel as text apart from the statement, and the database reads them as the type
//! the parameter has there: no value can become a part of the statement.

use std::error::Error;

use bytes::BytesMut;
use serde_json::Value;
use tokio_postgres::types::{Format, IsNull, Kind, ToSql, Type, to_sql_checked};

#[derive(Debug)]
pub(crate) struct Argument<'a>(pub(crate) &'a Value);

impl ToSql for Argument<'_> {
    fn to_sql(
        &self,
        data_type: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let Some(text) = text(self.0, data_type)? else { return Ok(IsNull::Yes) };
        if text.contains('\0') {
            return Err("a value holds a NUL character, which PostgreSQL has no place for".into());
        }
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

/// The value as PostgreSQL writes it; `None` is NULL.
fn text(value: &Value, data_type: &Type) -> Result<Option<String>, String> {
    let is_json = [Type::JSON, Type::JSONB].contains(data_type);
    Ok(Some(match value {
        Value::Null => return Ok(None),
        _ if is_json => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => match data_type.kind() {
            Kind::Array(item) => array(items, item)?,
            _ => return Err(format!("`{data_type}` is wanted, found a list")),
        },
        Value::Object(_) => return Err(format!("`{data_type}` is wanted, found an object")),
    }))
}

/// `{"a","b",NULL}`; what is quoted is never read as anything but the item's text.
fn array(items: &[Value], data_type: &Type) -> Result<String, String> {
    let mut parts = Vec::with_capacity(items.len());
    for item in items {
        parts.push(match item {
            // A list in a list: the type of its items is the array's own.
            Value::Array(inner) if !matches!(*data_type, Type::JSON | Type::JSONB) => {
                array(inner, data_type)?
            }
            _ => match text(item, data_type)? {
                None => "NULL".to_owned(),
                Some(text) => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            },
        });
    }
    Ok(format!("{{{}}}", parts.join(",")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use tokio_postgres::types::Type;

    use super::text;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn check(value: Value, data_type: Type, expect: Result<Option<&str>, ()>) {
        let found = text(&value, &data_type);
        assert_eq!(found.as_ref().map(Option::as_deref).map_err(|_| ()), expect, "{found:?}");
    }

    #[test]
    fn k_40_values_are_text_of_their_own() {
        check(json!(null), Type::TEXT, Ok(None));
        check(json!("'; drop table x; --"), Type::TEXT, Ok(Some("'; drop table x; --")));
        check(json!(12.5), Type::NUMERIC, Ok(Some("12.5")));
        check(json!("1250.00"), Type::NUMERIC, Ok(Some("1250.00")));
        check(json!(true), Type::BOOL, Ok(Some("true")));
        check(
            json!(["a\"b", "c\\", null, "{}"]),
            Type::TEXT_ARRAY,
            Ok(Some(r#"{"a\"b","c\\",NULL,"{}"}"#)),
        );
        check(json!([[1, 2], [3, 4]]), Type::INT4_ARRAY, Ok(Some(r#"{{"1","2"},{"3","4"}}"#)));
        check(json!([{"a": [1]}]), Type::JSONB_ARRAY, Ok(Some(r#"{"{\"a\":[1]}"}"#)));
        check(json!({"a": 1}), Type::JSONB, Ok(Some(r#"{"a":1}"#)));
        check(json!("a"), Type::JSON, Ok(Some(r#""a""#)));
        check(json!([1]), Type::INT4, Err(()));
        check(json!({"a": 1}), Type::TEXT, Err(()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn k_40_no_text_leaves_its_place_in_an_array(item in ".{0,40}") {
            let text = text(&json!([item]), &Type::TEXT_ARRAY).unwrap().unwrap();
            let inner = text.strip_prefix("{\"").and_then(|text| text.strip_suffix("\"}")).unwrap();
            let mut chars = inner.chars();
            let mut read = String::new();
            while let Some(c) = chars.next() {
                prop_assert_ne!(c, '"');
                read.push(if c == '\\' { chars.next().unwrap() } else { c });
            }
            prop_assert_eq!(read, item);
        }
    }
}
