//! The JSON Schema of connector YAML (F-107), for editors and for programs that write connectors.
//!
//! It stands in `docs/schema/connector.json` and is written from here, with the parser's own bounds and words. It refuses
//! nothing that the parser takes; what only the parser can know (expressions, and what one part says of another) it
//! leaves to the parser.

mod build;
mod connection;
mod database;
mod endpoint;
mod file;
mod http;
mod mapping;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::takes;

use serde_json::{Map, Value, json};

use self::build::{Keys, choice, described, list, matching, reference, text, usually};
use crate::model::{Category, RESERVED_IDS};
use crate::parse::{SUPPORTED, auth::MOST_PARTS, category::MOST_TAGS};

/// Names of endpoints and parameters.
const NAME: &str = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";
/// Names of fields: a first `_` is for what Countersign adds.
const FIELD: &str = "^[A-Za-z][A-Za-z0-9_]{0,63}$";
const ID: &str = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$";
const VERSION: &str = r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)([-+][\s\S]*)?$";
const TAG: &str = "^[a-z0-9][a-z0-9-]{0,31}$";

/// The schema, JSON Schema draft 2020-12.
#[must_use]
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Countersign connector",
        "description": "A connector: how an agent reads a source, or acts on one. Written bare or under the one key `connector`. The schema refuses nothing that Countersign takes, and Countersign checks more than a schema can: paths, selectors, GraphQL documents, placeholders, and what one part says of another.",
        "type": "object",
        "if": { "required": ["connector"], "maxProperties": 1 },
        "then": { "properties": { "connector": reference("connector") } },
        "else": reference("connector"),
        "$defs": definitions(),
    })
}

fn definitions() -> Value {
    let mut all = Map::new();
    let mut put = |name: &str, schema| all.insert(name.to_owned(), schema);
    put("connector", connector());
    for kind in SUPPORTED {
        put(&format!("{kind}_connection"), connection::of(kind));
        put(&format!("{kind}_endpoint"), endpoint::of(kind));
    }
    put("auth", connection::auth());
    put("headers", connection::headers());
    put("rate_limit", connection::rate_limit());
    put("query", http::query());
    put("parameter", endpoint::parameter());
    put("json_path", mapping::json_path());
    put("data_type", mapping::data_type());
    put("json_mapping", mapping::response_mapping(true));
    put("record_mapping", mapping::response_mapping(false));
    put("json_output", mapping::output_schema(true));
    put("record_output", mapping::output_schema(false));
    put("entity_rule", mapping::entity_rule());
    put("output_field", mapping::output_field());
    all.into()
}

fn connector() -> Value {
    let mut id = no_longer(
        matching(ID, "Its name among your connectors: lower-case words joined by hyphens."),
        64,
    );
    if let Some(id) = id.as_object_mut() {
        id.insert("not".to_owned(), json!({ "enum": RESERVED_IDS }));
    }
    let version =
        no_longer(matching(VERSION, "Semantic version: three numbers, such as 1.0.0."), 64);
    let branch = |kind: &str| {
        json!({
            "if": { "properties": { "type": { "const": kind } }, "required": ["type"] },
            "then": { "properties": {
                "connection": reference(&format!("{kind}_connection")),
                "endpoints": { "additionalProperties": reference(&format!("{kind}_endpoint")) },
            } },
        })
    };
    let keys = Keys::new()
        .required("id", id)
        .required("name", text("What people read."))
        .required("type", choice(SUPPORTED, "What kind of source it is; the keys of `connection` and of the endpoints depend on it."))
        .required("version", version)
        .key("description", text("One or two sentences about the source."))
        .key("category", usually(
            choice(Category::ALL.map(Category::as_str), "What the source is about."),
            Category::default().as_str(),
        ))
        .key("tags", tags())
        .required("connection", json!({
            "description": "How the source is reached, by type.", "type": "object",
        }))
        .key("auth_fields", auth_fields())
        .required("endpoints", endpoints());
    described(
        keys.also("allOf", SUPPORTED.map(branch).into_iter().collect()).closed(),
        "One connector.",
    )
}

fn no_longer(mut schema: Value, most: u32) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("maxLength".to_owned(), most.into());
    }
    schema
}

fn tags() -> Value {
    let tag = matching(TAG, "Lower-case letters, digits and hyphens, at most 32 characters.");
    at_most(list(tag, "Words to find the connector by."), MOST_TAGS)
}

fn at_most(mut schema: Value, most: usize) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("maxItems".to_owned(), most.into());
    }
    schema
}

fn auth_fields() -> Value {
    let field = Keys::new()
        .required("name", text("The part of the credential it fills, such as `api_key`; `auth` says which are needed."))
        .key("label", text("What the form says; the name when left out."))
        .key("type", usually(choice(["password", "text"], "Whether the form hides what is typed."), "password"))
        .key("env_var", text("The deployment's environment name it may be filled from. Kept in system templates only; ignored with a warning everywhere else."));
    at_most(
        list(
            field.closed(),
            "The form in which the owner enters a credential. Left out, it asks for the parts that `auth` needs.",
        ),
        MOST_PARTS,
    )
}

fn endpoints() -> Value {
    json!({
        "description": "What can be asked of the source, by name. Every endpoint is an action of playbooks and a tool of models.",
        "type": "object",
        "propertyNames": { "pattern": NAME },
        "minProperties": 1,
    })
}
