//! Answers that are documented by the JSON schema derived of the types they are made of. utoipa holds a placeholder for each, with
//! the schema in it, until the document is complete.

use std::borrow::Cow;

use countersign_document::inside_mut;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use utoipa::openapi::RefOr;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Where a placeholder has the name of its type, and all schemas that the type needs, by name.
const HELD: &str = "x-json-schemas";

/// A type of another crate in an answer. Give it a name for the macros of utoipa: `type TodoAnswer = Documented<Todo>`.
pub(crate) struct Documented<T>(T);

impl<T: JsonSchema> ToSchema for Documented<T> {
    fn name() -> Cow<'static, str> {
        T::schema_name()
    }
}

impl<T: JsonSchema> PartialSchema for Documented<T> {
    fn schema() -> RefOr<Schema> {
        placeholder::<T>()
    }
}

/// Documents types of this crate by their JSON schemas.
macro_rules! documented {
    ($($type:ty),+ $(,)?) => {
        $(
            impl utoipa::ToSchema for $type {
                fn name() -> std::borrow::Cow<'static, str> {
                    <Self as schemars::JsonSchema>::schema_name()
                }
            }

            impl utoipa::PartialSchema for $type {
                fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                    $crate::documented::placeholder::<Self>()
                }
            }
        )+
    };
}

pub(crate) use documented;

/// What utoipa holds of a type.
pub(crate) fn placeholder<T: JsonSchema>() -> RefOr<Schema> {
    let held = json!({"name": T::schema_name(), "schemas": schemas::<T>()});
    let held = ExtensionsBuilder::new().add(HELD, held).build();
    ObjectBuilder::new().extensions(Some(held)).into()
}

/// The schema of a type as it is sent, and those it refers to.
fn schemas<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let own = generator.subschema_for::<T>();
    let mut schemas = generator.take_definitions(true);
    schemas.entry(T::schema_name()).or_insert_with(|| own.to_value());
    schemas.values_mut().for_each(plain);
    schemas
}

/// Puts the schemas in the place of their placeholders. Names that two different schemas have are given back: a test refuses them.
pub(crate) fn complete(document: &mut Value) -> Vec<String> {
    let mut held = Vec::new();
    if let Some(components) = document["components"]["schemas"].as_object_mut() {
        components.retain(|_, component| lift(component, &mut held).is_none());
    }
    reference(document, &mut held);
    let Some(components) = document["components"]["schemas"].as_object_mut() else {
        return Vec::new();
    };
    let mut twice = Vec::new();
    for (name, schema) in held {
        match components.get(&name) {
            Some(other) if *other != schema => twice.push(name),
            Some(_) => {}
            None => _ = components.insert(name, schema),
        }
    }
    twice
}

/// The name of a placeholder, whose schemas are added to those that were held; none of anything else.
fn lift(schema: &mut Value, held: &mut Vec<(String, Value)>) -> Option<String> {
    let Value::Object(mut placeholder) = schema.get_mut(HELD)?.take() else { return None };
    if let Some(Value::Object(schemas)) = placeholder.shift_remove("schemas") {
        held.extend(schemas);
    }
    placeholder.get("name")?.as_str().map(str::to_owned)
}

/// Refers to types by their names: utoipa writes the items of a page out.
fn reference(value: &mut Value, held: &mut Vec<(String, Value)>) {
    if let Some(name) = lift(value, held) {
        *value = json!({"$ref": format!("#/components/schemas/{name}")});
        return;
    }
    inside_mut(value).into_iter().for_each(|part| reference(part, held));
}

/// Writes schemas as generators of clients know them: words that are described one by one as one list of words, maps by their values.
/// Fields that a later release adds are allowed.
fn plain(schema: &mut Value) {
    inside_mut(schema).into_iter().for_each(plain);
    let Value::Object(members) = schema else { return };
    for closing in ["additionalProperties", "unevaluatedProperties"] {
        if members.get(closing) == Some(&Value::Bool(false)) {
            members.shift_remove(closing);
        }
    }
    if let Some(of_keys) = members.shift_remove("patternProperties") {
        // A map of ids: whatever its keys are, its values are of one kind.
        let of_key = of_keys.as_object().and_then(|of_keys| of_keys.values().next());
        members.extend(of_key.map(|of_key| ("additionalProperties".to_owned(), of_key.clone())));
    }
    if let Some((words, says)) = members.get("oneOf").and_then(words) {
        members.shift_remove("oneOf");
        members.insert("type".to_owned(), "string".into());
        members.insert("enum".to_owned(), words);
        members.insert("x-enum-descriptions".to_owned(), says);
    }
}

/// The alternatives that are plain words, with the description of each.
fn words(alternatives: &Value) -> Option<(Value, Value)> {
    let mut words = Vec::new();
    let mut says = Vec::new();
    for one in alternatives.as_array()? {
        let of = [one.get("const"), one.get("enum")].into_iter().flatten().next()?;
        let of = of.as_array().cloned().unwrap_or_else(|| vec![of.clone()]);
        says.extend(of.iter().map(|_| one.get("description").cloned().unwrap_or(json!(""))));
        words.extend(of);
    }
    words.iter().all(Value::is_string).then(|| (words.into(), says.into()))
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::json;

    use super::*;

    /// Where something stands.
    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Place {
        /// Above.
        Top,
        /// Below.
        AtEnd,
    }

    #[derive(Serialize, JsonSchema)]
    struct Thing {
        place: Option<Place>,
        #[serde(default)]
        names: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }

    #[test]
    fn a_type_is_documented_as_it_is_sent() {
        let held = json!(placeholder::<Thing>());
        let page = json!({"items": held});
        let schemas = json!({"Thing": held, "Other": {}, "Page_Thing": page});
        let mut document = json!({"components": {"schemas": schemas}});
        assert_eq!(complete(&mut document), [""; 0]);
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["Thing"]["required"], json!(["place", "names"]));
        let place = json!([{"$ref": "#/components/schemas/Place"}, {"type": "null"}]);
        assert_eq!(schemas["Thing"]["properties"]["place"]["anyOf"], place);
        assert_eq!(schemas["Place"]["enum"], json!(["top", "at_end"]));
        assert_eq!(schemas["Place"]["x-enum-descriptions"], json!(["Above.", "Below."]));
        assert!(schemas["Other"].is_object());
        assert_eq!(schemas["Page_Thing"]["items"]["$ref"], "#/components/schemas/Thing");
    }

    #[test]
    fn two_types_of_one_name_are_found() {
        let held = json!(placeholder::<Thing>());
        let schemas = json!({"Thing": held, "Place": {"type": "integer"}});
        let mut document = json!({"components": {"schemas": schemas}});
        assert_eq!(complete(&mut document), ["Place"]);
    }
}
