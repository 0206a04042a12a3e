//! From a model's words to the output of a step.

use countersign_decimal::json::ExactJson;
use countersign_registry::{DataType, Field, OutputSchema, Shape};
use countersign_wiring::coerce;
use serde_json::{Map, Value};

/// How many problems are told.
const TOLD: usize = 10;

/// The output that an answer is, or what is wrong with it. A problem names fields of the schema and quotes nothing of the
/// answer.
pub(crate) fn read(text: &str, schema: &OutputSchema) -> Result<Value, String> {
    let json = ExactJson::from_slice(unfenced(text).as_bytes()).map_err(|error| {
        format!("it is not JSON (line {}, column {})", error.line(), error.column())
    })?;
    // A number that a double does not keep is a text: of it a decimal has all digits, and a number refuses it.
    output(json.into_settled().0, schema)
}

/// The output that a JSON value is.
pub(crate) fn output(mut value: Value, schema: &OutputSchema) -> Result<Value, String> {
    if schema.shape == Shape::RecordSet
        && let Value::Object(fields) = &mut value
        && let Some(Value::Array(results)) = fields.get("results")
    {
        let count = results.len();
        fields.insert("count".to_owned(), count.into());
    }
    let wanted = schema.data_type();
    let mut problems = Vec::new();
    compare(&value, &wanted, "", &mut problems);
    if !problems.is_empty() {
        let more = problems.len().saturating_sub(TOLD);
        problems.truncate(TOLD);
        problems.extend((more > 0).then(|| format!("and {more} more")));
        return Err(problems.join("; "));
    }
    coerce(value, &wanted).map_err(|error| error.to_string())
}

/// Models like to put JSON between fences, whatever they are told.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    inner.and_then(|inner| inner.strip_suffix("```")).unwrap_or(text)
}

/// Which fields are missing, and which are not declared.
fn compare(value: &Value, wanted: &DataType, at: &str, problems: &mut Vec<String>) {
    match (wanted, value) {
        (DataType::Record(fields), Value::Object(given)) => {
            compare_fields(given, fields, at, problems);
        }
        (DataType::Record(_), _) => {
            problems.push(format!("{} must be an object", shown(at)));
        }
        (DataType::Array(item), Value::Array(items)) => {
            for (n, value) in items.iter().enumerate() {
                compare(value, item, &format!("{at}[{n}]"), problems);
            }
        }
        (DataType::Array(_), _) => problems.push(format!("{} must be a list", shown(at))),
        (wanted, value) if !value.is_null() => {
            if let Err(error) = coerce(value.clone(), wanted) {
                problems.push(format!("{}: {error}", shown(at)));
            }
        }
        _ => {}
    }
}

fn compare_fields(
    given: &Map<String, Value>,
    fields: &[Field],
    at: &str,
    problems: &mut Vec<String>,
) {
    let dot = if at.is_empty() { "" } else { "." };
    for field in fields {
        let place = format!("{at}{dot}{}", field.name);
        match given.get(&field.name) {
            None => problems.push(format!("`{place}` is missing")),
            Some(value) => compare(value, &field.data_type, &place, problems),
        }
    }
    let unknown = given.keys().filter(|name| fields.iter().all(|field| field.name != **name));
    let unknown = unknown.count();
    if unknown > 0 {
        problems.push(format!("{} has {unknown} fields that are not declared", shown(at)));
    }
}

fn shown(at: &str) -> String {
    if at.is_empty() { "the answer".to_owned() } else { format!("`{at}`") }
}
