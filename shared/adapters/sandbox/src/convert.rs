//! Between JSON and values of Python.

use monty_types::{DictPairs, MontyObject};
use serde_json::{Map, Number, Value};

/// How deep a result may be.
const MAX_DEPTH: usize = 100;

/// JSON as Python's own `json` reads it.
pub(crate) fn python(value: Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(flag) => MontyObject::Bool(flag),
        Value::Number(number) => number_in(&number),
        Value::String(text) => MontyObject::String(text),
        Value::Array(items) => MontyObject::List(items.into_iter().map(python).collect()),
        Value::Object(fields) => {
            let pairs =
                fields.into_iter().map(|(name, value)| (MontyObject::String(name), python(value)));
            MontyObject::Dict(pairs.collect::<Vec<_>>().into())
        }
    }
}

fn number_in(number: &Number) -> MontyObject {
    match (number.as_i64(), number.as_u64()) {
        (Some(whole), _) => MontyObject::Int(whole),
        (None, Some(whole)) => MontyObject::BigInt(whole.into()),
        (None, None) => MontyObject::Float(number.as_f64().unwrap_or_default()),
    }
}

/// A value of Python as JSON, or what in it has no place there. Whole numbers beyond 64 bits are texts.
pub(crate) fn data(value: MontyObject) -> Result<Value, String> {
    inside(value, 0)
}

fn inside(value: MontyObject, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("something inside of more than {MAX_DEPTH} others"));
    }
    let all = |items: Vec<MontyObject>| {
        items.into_iter().map(|item| inside(item, depth + 1)).collect::<Result<Value, String>>()
    };
    match value {
        MontyObject::None => Ok(Value::Null),
        MontyObject::Bool(flag) => Ok(flag.into()),
        MontyObject::Int(whole) => Ok(whole.into()),
        MontyObject::BigInt(whole) => Ok(whole.to_string().into()),
        MontyObject::Float(number) => {
            let number = Number::from_f64(number);
            number.map(Value::Number).ok_or_else(|| "a number that is not finite".to_owned())
        }
        MontyObject::String(text) => Ok(text.into()),
        MontyObject::List(items)
        | MontyObject::Tuple(items)
        | MontyObject::Set(items)
        | MontyObject::FrozenSet(items) => all(items),
        MontyObject::NamedTuple { values, .. } => all(values),
        MontyObject::Dict(pairs) => object(pairs, depth),
        MontyObject::Repr(shown) => {
            let shown: String = shown.chars().take(60).collect();
            Err(format!("`{shown}`, such as `list(…)` would make a list of"))
        }
        other => Err(format!("a `{}`", other.type_name())),
    }
}

fn object(pairs: DictPairs, depth: usize) -> Result<Value, String> {
    let mut fields = Map::new();
    for (key, value) in pairs {
        let name = match key {
            MontyObject::String(text) => text,
            MontyObject::Int(whole) => whole.to_string(),
            other => return Err(format!("a key that is a `{}`", other.type_name())),
        };
        let value = inside(value, depth + 1)?;
        if fields.contains_key(&name) {
            return Err(format!("two keys that are both `{name}` as texts"));
        }
        fields.insert(name, value);
    }
    Ok(Value::Object(fields))
}
