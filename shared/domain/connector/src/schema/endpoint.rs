//! One endpoint: what every type shares.

use serde_json::{Value, json};

use super::build::{Keys, choice, described, list, matching, reference, text, truth, usually};
use super::{NAME, database, file, http};
use crate::contract::CURSOR_ARGUMENT;
use crate::model::{FeedOperation, ToolId};
use crate::parse::endpoint::{DATA_TYPES, JSON_TYPES};

/// The schema of a type's endpoints. A type without one takes nothing, which the tests do not let pass.
pub(super) fn of(kind: &str) -> Value {
    match kind {
        "rest_api" => http::rest(),
        "graphql" => http::graphql(),
        "web_scraper" => http::scraper(),
        "file_parser" => file::endpoint(),
        "rss_feed" => feed(),
        "existing_tool" => tool(),
        "database" => database::endpoint(),
        _ => Value::Bool(false),
    }
}

/// What endpoints of every type have; `parameters` is what this type lets them be.
pub(super) fn shared(kind: &str, parameters: Value) -> Keys {
    let key = if kind == "graphql" { "variables" } else { "parameters" };
    let json_answer = JSON_TYPES.contains(&kind);
    let keys = if kind == "rss_feed" { Keys::new() } else { reading() };
    keys.key("description", text("What it does, in one sentence: people and models choose by it."))
        .key(key, parameters)
        .key(
            "response_mapping",
            reference(if json_answer { "json_mapping" } else { "record_mapping" }),
        )
        .key("output_schema", reference(if json_answer { "json_output" } else { "record_output" }))
}

/// How texts become numbers and dates.
fn reading() -> Keys {
    let locale =
        "How its numbers and dates are written, such as `en-US`: a language and a region (BCP 47).";
    let currency = "The currency of its sums (ISO 4217), such as `EUR`, where it is not the locale's own; needs `locale`.";
    Keys::new()
        .key("locale", matching("^[a-z]{2,3}(-[A-Z][a-z]{3})?-[A-Z]{2}$", locale))
        .key("currency", matching("^[A-Z]{3}$", currency))
}

pub(super) fn parameters() -> Value {
    list(reference("parameter"), "What a call passes.")
}

/// Parameters of these names only.
pub(super) fn only<'n>(names: impl IntoIterator<Item = &'n str>, description: &str) -> Value {
    let names = choice(names, "One of the names it may have.");
    let known = json!({ "allOf": [reference("parameter"), { "properties": { "name": names } }] });
    list(known, description)
}

pub(super) fn parameter() -> Value {
    let name = json!({
        "description": format!("Letters, digits and `_`, first a letter; `{CURSOR_ARGUMENT}` is taken."),
        "type": "string",
        "pattern": NAME,
        "not": { "const": CURSOR_ARGUMENT },
    });
    let keys = Keys::new()
        .required("name", name)
        .key("type", usually(described(reference("data_type"), "The type of its value."), "string"))
        .key("description", text("One sentence."))
        .key("required", truth("Whether a call without it is refused.", false))
        .key("default", json!({ "description": "What holds when it is left out; of the type." }))
        .also("allOf", defaults().into());
    described(keys.closed(), "One argument of a call.")
}

/// A default is of its parameter's type.
fn defaults() -> Vec<Value> {
    let form = |name: &'static str| match name {
        "date" | "decimal" => Some("string"),
        "any" => None,
        same => Some(same),
    };
    let then = |default: Value| json!({ "properties": { "default": default } });
    let unsaid = json!({ "anyOf": [
        { "not": { "required": ["type"] } },
        { "properties": { "type": { "enum": ["string", "date", "decimal", null] } } },
    ] });
    let mut all =
        vec![json!({ "if": unsaid, "then": then(json!({ "type": ["string", "null"] })) })];
    for name in DATA_TYPES {
        let is = |word: &str| json!({ "properties": { "type": { "const": word } }, "required": ["type"] });
        let items = form(name).map_or(json!({}), |form| json!({ "type": form }));
        let several = json!({ "type": ["array", "null"], "items": items });
        if let Some(one) = form(name).filter(|form| *form != "string") {
            all.push(json!({ "if": is(name), "then": then(json!({ "type": [one, "null"] })) }));
        }
        all.push(json!({ "if": is(&format!("{name}[]")), "then": then(several) }));
    }
    all
}

fn feed() -> Value {
    let known = FeedOperation::parameters();
    let names = known.iter().map(|parameter| parameter.name.as_str());
    let parameters = only(
        names,
        "Other words and defaults for `feed_name` and `since_hours`, which every call may pass.",
    );
    let operation = json!({
        "description": "What it does.",
        "type": "string",
        "enum": [FeedOperation::GetRecent],
        "default": FeedOperation::GetRecent,
    });
    let keys = shared("rss_feed", parameters).key("operation", operation);
    described(keys.closed(), "The items of the last hours.")
}

fn tool() -> Value {
    let arguments = |tool: ToolId| tool.contract().arguments().into_iter().map(|slot| slot.name);
    let names: Vec<String> = ToolId::ALL.into_iter().flat_map(arguments).collect();
    let parameters = only(
        names.iter().map(String::as_str),
        "Arguments of the action. The one it cannot do without must be among them, required or with a default.",
    );
    let keys = shared("existing_tool", parameters).key(
        "passthrough",
        json!({
            "description": "Whether the action's output comes back as it is. That holds anyway when there is no mapping, and cannot when there is one.",
            "type": "boolean",
        }),
    );
    described(keys.closed(), "A use of the action.")
}

pub(super) fn attribute() -> Value {
    matching(
        "^[A-Za-z0-9_:.-]{1,64}$",
        "The attribute that holds it; without it the element's text.",
    )
}
