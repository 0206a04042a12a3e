//! From a model's words to the output of a step.

use countersign_decimal::json::ExactJson;
use countersign_registry::actions::research_with_tools::{CONFIDENCE, says_confidence};
use countersign_registry::{DataType, Field, OutputSchema, Shape};
use countersign_wiring::coerce;
use serde_json::{Map, Value};

/// How many problems are told.
const TOLD: usize = 10;

/// How many fields that are not declared are named.
const NAMED: usize = 5;

/// The longest name of a field that is told, in characters.
const MAX_NAME: usize = 40;

/// The output that an answer is, or what is wrong with it. A problem names fields, and quotes nothing else of the answer. What says
/// how sure the model is may still be missing or wrong: [`whole`] refuses that, or whoever asked for it says what becomes of it.
pub(crate) fn read(text: &str, schema: &OutputSchema) -> Result<Value, String> {
    let json = ExactJson::from_slice(unfenced(text).as_bytes()).map_err(|error| {
        format!("it is not JSON (line {}, column {})", error.line(), error.column())
    })?;
    // A number that a double does not keep is a text: of it a decimal has all digits, and a number refuses it.
    output(json.into_settled().0, schema)
}

/// The output that a JSON value is, with the same exception.
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
    if unsure(&value, schema).is_some_and(|unsure| problems == [unsure]) {
        return apart(value, &wanted);
    }
    if !problems.is_empty() {
        let more = problems.len().saturating_sub(TOLD);
        problems.truncate(TOLD);
        problems.extend((more > 0).then(|| format!("and {more} more")));
        return Err(problems.join("; "));
    }
    coerce(value, &wanted).map_err(|error| error.to_string())
}

/// An output whose word on how sure the model is counts as any field does, or what is wrong with that.
pub(crate) fn whole(output: Value, schema: &OutputSchema) -> Result<Value, String> {
    match unsure(&output, schema) {
        None => Ok(output),
        Some(problem) => Err(problem),
    }
}

/// What is wrong with the field that says how sure the model is, where the answer has to have one.
fn unsure(value: &Value, schema: &OutputSchema) -> Option<String> {
    let given = value.as_object().filter(|_| says_confidence(schema))?;
    let mut problems = Vec::new();
    match given.get(CONFIDENCE) {
        None => problems.push(missing(CONFIDENCE)),
        Some(said) => compare(said, &DataType::Number, CONFIDENCE, &mut problems),
    }
    problems.pop()
}

/// The output with that field as it came.
fn apart(mut value: Value, wanted: &DataType) -> Result<Value, String> {
    let said = value.as_object_mut().and_then(|fields| fields.remove(CONFIDENCE));
    let mut output = coerce(value, wanted).map_err(|error| error.to_string())?;
    if let Some(said) = said {
        output[CONFIDENCE] = said;
    }
    Ok(output)
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
            None => problems.push(missing(&place)),
            Some(value) => compare(value, &field.data_type, &place, problems),
        }
    }
    let unknown = given.keys().filter(|name| fields.iter().all(|field| field.name != **name));
    let unknown: Vec<&str> = unknown.map(String::as_str).collect();
    problems.extend(undeclared(&unknown).map(|has| format!("{} has {has}", shown(at))));
}

/// `1 field that is not declared (`grade`)`. What does not look like the name of a field is only counted: it may be any text.
fn undeclared(names: &[&str]) -> Option<String> {
    let is_name = |name: &&&str| {
        (1..=MAX_NAME).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    let named: Vec<String> =
        names.iter().filter(is_name).take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = names.len() - named.len();
    let more = (more > 0 && !named.is_empty()).then(|| format!("and {more} more"));
    let named = named.into_iter().chain(more).collect::<Vec<_>>().join(", ");
    let named = if named.is_empty() { named } else { format!(" ({named})") };
    match names.len() {
        0 => None,
        1 => Some(format!("1 field that is not declared{named}")),
        count => Some(format!("{count} fields that are not declared{named}")),
    }
}

fn missing(place: &str) -> String {
    format!("`{place}` is missing")
}

fn shown(at: &str) -> String {
    if at.is_empty() { "the answer".to_owned() } else { format!("`{at}`") }
}

#[cfg(test)]
mod tests {
    use countersign_registry::{DataType, Field, OutputSchema, Shape};
    use serde_json::json;

    use super::{read, undeclared, whole};

    #[test]
    fn r_029_how_sure_a_model_is_can_be_judged_by_whoever_asked_for_it() {
        let fields = vec![
            Field::new("n", DataType::Number),
            Field::new("confidence_score", DataType::Number),
        ];
        let schema = OutputSchema { shape: Shape::Object, fields };
        let check = |text: &str, problem: &str| {
            let output = read(text, &schema).unwrap();
            assert_eq!(output["n"], json!(1), "the other fields are as declared");
            assert_eq!(whole(output, &schema), Err(problem.to_owned()), "{text}");
        };
        check(r#"{"n": "1"}"#, "`confidence_score` is missing");
        let wrong = "`confidence_score`: ";
        let output = read(r#"{"n": 1, "confidence_score": "high"}"#, &schema).unwrap();
        assert_eq!(output["confidence_score"], "high");
        assert!(whole(output, &schema).unwrap_err().starts_with(wrong));
        for good in
            [r#"{"n": 1, "confidence_score": "0.7"}"#, r#"{"n": 1, "confidence_score": null}"#]
        {
            assert!(whole(read(good, &schema).unwrap(), &schema).is_ok(), "{good}");
        }
        let all = read(r#"{"confidence_score": "high"}"#, &schema).unwrap_err();
        assert!(all.contains("`n` is missing; ") && all.contains(wrong), "{all}");
    }

    #[test]
    fn f_145_fields_that_are_not_declared_are_named() {
        let check = |names: &[&str], expect: Option<&str>| {
            assert_eq!(undeclared(names).as_deref(), expect, "{names:?}");
        };
        check(&[], None);
        check(&["grade"], Some("1 field that is not declared (`grade`)"));
        check(&["a", "b"], Some("2 fields that are not declared (`a`, `b`)"));
        check(
            &["a", "b", "c", "d", "e", "f", "g"],
            Some("7 fields that are not declared (`a`, `b`, `c`, `d`, `e`, and 2 more)"),
        );
        check(&["a sentence"], Some("1 field that is not declared"));
        check(&["a", "a sentence"], Some("2 fields that are not declared (`a`, and 1 more)"));
    }
}
