//! The schema of a kind of document, made once.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::kind::Document;
use crate::normal::ANY_CASE;
use crate::remarked::Remarked;
use crate::tagged::Tagged;

static MADE: LazyLock<Mutex<HashMap<TypeId, Arc<Remarked>>>> = LazyLock::new(Mutex::default);

/// The schema of a kind, with its remarks.
pub(crate) fn remarked<T: Document>() -> Arc<Remarked> {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let new = || {
        let settings = SchemaSettings::draft2020_12().with_transform(Tagged);
        Arc::new(Remarked(settings.into_generator().into_root_schema_for::<T>().to_value()))
    };
    Arc::clone(made.entry(TypeId::of::<T>()).or_insert_with(new))
}

/// The published JSON Schema (draft 2020-12) of a kind of document, for editors and programs.
#[must_use]
pub fn schema<T: Document>() -> Value {
    let mut root = remarked::<T>().0.clone();
    plain(&mut root);
    let mut whole = Map::new();
    let mut put = |key: &str, value: Value| whole.insert(key.to_owned(), value);
    put("$schema", "https://json-schema.org/draft/2020-12/schema".into());
    put("$id", format!("urn:countersign:schema:{}:{}", T::KIND, T::MAJOR).into());
    put("title", format!("Countersign {}", T::KIND).into());
    let Value::Object(mut root) = root else { return whole.into() };
    let definitions = root.shift_remove("$defs");
    for known in ["$schema", "title"] {
        root.shift_remove(known);
    }
    if T::WRAPPED {
        wrapped(T::KIND, root, definitions, &mut whole);
    } else {
        whole.extend(root);
        whole.extend(definitions.map(|definitions| ("$defs".to_owned(), definitions)));
    }
    whole.into()
}

/// The document alone, or under the one key that names its kind.
fn wrapped(
    kind: &str,
    root: Map<String, Value>,
    definitions: Option<Value>,
    whole: &mut Map<String, Value>,
) {
    let inner = json!({ "$ref": format!("#/$defs/{kind}") });
    whole.extend(root.get("description").map(|said| ("description".to_owned(), said.clone())));
    whole.insert("type".to_owned(), "object".into());
    whole.insert("if".to_owned(), json!({ "required": [kind], "maxProperties": 1 }));
    whole.insert("then".to_owned(), json!({ "properties": { kind: inner } }));
    whole.insert("else".to_owned(), inner);
    let mut all = Map::from_iter([(kind.to_owned(), root.into())]);
    if let Some(Value::Object(definitions)) = definitions {
        all.extend(definitions);
    }
    whole.insert("$defs".to_owned(), all.into());
}

/// Without the remarks that only messages need.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key(ANY_CASE) {
                in_any_case(object);
            }
            object.retain(|key, _| !key.starts_with("x-"));
            object.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Words that may be written in any case: editors offer the usual one and accept the others.
fn in_any_case(object: &mut Map<String, Value>) {
    let Some(Value::Array(words)) = object.shift_remove("enum") else { return };
    let letter = |c: char| format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase());
    let spelt = |word: &Value| word.as_str().unwrap_or_default().chars().map(letter).collect();
    let all: Vec<String> = words.iter().map(spelt).collect();
    object.shift_remove("type");
    let pattern = format!("^({})$", all.join("|"));
    let either = json!([{ "enum": words }, { "type": "string", "pattern": pattern }]);
    object.insert("anyOf".to_owned(), either);
}
