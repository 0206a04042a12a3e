//! `response_mapping` and `output_schema`.

use countersign_knowledge::Relationship;
use serde_json::{Value, json};

use super::FIELD;
use super::build::{
    Keys, choice, described, expression, list, matching, or_list, reference, text, usually,
};
use crate::model::{Layout, OutputShape};
use crate::parse::endpoint::DATA_TYPES;
use crate::parse::mapping::{PROVIDED, TAKEN};

/// Every type: those with a name, and lists of them.
pub(super) fn data_type() -> Value {
    let plain = DATA_TYPES.iter().map(|name| (*name).to_owned());
    let lists = DATA_TYPES.iter().map(|name| format!("{name}[]"));
    choice(plain.chain(lists), "A type of values; `[]` makes it a list.")
}

pub(super) fn json_path() -> Value {
    let path = expression("A path such as `data.items[0].name`.");
    or_list(
        &path,
        None,
        "A path into JSON (`a.b`, `a[0]`, `a[*].b`, `['odd.key']`, `$`), or several in a list or with bars between them: the first that leads to a value counts.",
    )
}

pub(super) fn entity_rule() -> Value {
    let keys = Keys::new()
        .required("field", text("The record's field that names the entity."))
        .required(
            "entity_type",
            text("What it names: PERSON, ORG, LOCATION and the like, or `auto`."),
        )
        .key(
            "relationship_type",
            choice(
                Relationship::ALL.map(Relationship::as_str),
                "How it relates to the record's subject.",
            ),
        );
    described(keys.closed(), "A field that names an entity.")
}

pub(super) fn response_mapping(json_answer: bool) -> Value {
    let mut keys =
        Keys::new().key("entity_type", text("What one record is, such as nonprofit_filing.")).key(
            "entity_extraction",
            list(reference("entity_rule"), "Entities named in the records' fields."),
        );
    if json_answer {
        let fields = json!({
            "description": "The record's fields and where in the record each stands. Left out, records stay as they are.",
            "type": "object",
            "propertyNames": matching(FIELD, "A field's name."),
            "additionalProperties": reference("json_path"),
        });
        keys = keys
            .key(
                "results_path",
                described(
                    reference("json_path"),
                    "Where the records stand; the whole answer when left out.",
                ),
            )
            .key("layout", layout())
            .key("fields", fields);
    }
    described(keys.closed(), "How records are read from the answer, and what they stand for.")
}

fn layout() -> Value {
    json!({
        "description": "How the records lie there: `rows` is one object for each; `columns` one list for each field.",
        "type": "string",
        "enum": [Layout::Rows, Layout::Columns],
        "default": Layout::Rows,
    })
}

pub(super) fn output_field() -> Value {
    let keys = Keys::new()
        .required("name", text("The field's name."))
        .key("type", usually(described(reference("data_type"), "What its values become."), "any"))
        .key("description", text("One sentence."));
    described(keys.closed(), "A field of the records.")
}

pub(super) fn output_schema(json_answer: bool) -> Value {
    let shapes = json!([OutputShape::RecordSet, OutputShape::Object, OutputShape::Scalar]);
    let shape = json!({
        "description": "A list of records (`results`), one record (its fields are outputs), or one value (`value`).",
        "type": "string",
        "enum": shapes,
        "default": OutputShape::RecordSet,
    });
    let keys = Keys::new()
        .key("type", shape)
        .key(
            "fields",
            list(reference("output_field"), "The fields; only what is mapped can be promised."),
        )
        .key("metadata_fields", list(metadata_field(json_answer), "Outputs beside the records."));
    described(keys.closed(), "What comes back. Inferred from the mapping when left out.")
}

fn metadata_field(json_answer: bool) -> Value {
    let provided = json!({ "properties": { "path": { "type": "null" } } });
    let keys = Keys::new()
        .key("type", usually(described(reference("data_type"), "What its value becomes."), "any"))
        .key("description", text("One sentence."))
        .key(
            "path",
            described(
                reference("json_path"),
                "Where in the first answer it stands; count, has_more and next_cursor need none.",
            ),
        );
    if !json_answer {
        let name = choice(PROVIDED, "What is provided with every answer.");
        return Keys::new()
            .required("name", name)
            .and(keys)
            .also("allOf", json!([provided]))
            .closed();
    }
    let read = json!({
        "required": ["path"],
        "properties": {
            "name": { "pattern": FIELD, "not": { "enum": TAKEN } },
            "path": { "not": { "type": "null" } },
        },
    });
    Keys::new()
        .required("name", text("The output's name."))
        .and(keys)
        .also("if", json!({ "properties": { "name": { "enum": PROVIDED } } }))
        .also("then", provided)
        .also("else", read)
        .closed()
}
