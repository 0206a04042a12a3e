//! One endpoint: what every type of connector shares.

use countersign_decimal::Decimal;
use countersign_knowledge::Relationship;
use countersign_registry::{DataType, Field};
use serde_json::Value;

use super::{database, feed, file, graphql, is_name, mapping, reading, rest, scraper, tool};
use crate::contract::CURSOR_ARGUMENT;
use crate::diagnostic::{Diagnostics, Position};
use crate::json_path::JsonPath;
use crate::model::{
    Connection, Endpoint, EntityRule, EntityRules, JsonMapping, Layout, MetadataField,
    OutputSchema, OutputShape, Parameter,
};
use crate::reading::Reading;
use crate::yaml::{Mapping, Node, nearest};

/// Types whose answers are JSON.
pub(crate) const JSON_TYPES: [&str; 3] = ["rest_api", "graphql", "existing_tool"];

/// `response_mapping`, as far as the types share it.
#[derive(Default)]
pub(super) struct ResponseMapping {
    pub(super) entities: EntityRules,
    pub(super) results_path: Option<JsonPath>,
    pub(super) results_at: Option<Position>,
    pub(super) layout: Layout,
    pub(super) fields: indexmap::IndexMap<String, JsonPath>,
    pub(super) metadata: Vec<MetadataField>,
    rules_at: Vec<Position>,
}

impl ResponseMapping {
    /// How records are read from JSON.
    pub(super) fn json(&self) -> JsonMapping {
        JsonMapping {
            results_path: self.results_path.clone(),
            layout: self.layout,
            fields: self.fields.clone(),
            metadata: self.metadata.clone(),
            reading: Reading::default(),
        }
    }
}

pub(super) fn read(
    kind: &str,
    connection: Option<&Connection>,
    name: &str,
    node: &Node,
    out: &mut Diagnostics,
) -> Option<Endpoint> {
    let mut map = Mapping::of(node, format!("endpoint `{name}`"), out)?;
    let description =
        map.text("description", out).map(|(text, _)| text.trim().to_owned()).unwrap_or_default();
    if description.is_empty() {
        out.warning(
            "description",
            map.at,
            format!("endpoint `{name}` has no description: models cannot tell when to use it"),
        );
    }
    let key = if kind == "graphql" { "variables" } else { "parameters" };
    let mut parameters = parameters(&mut map, key, out);
    let mut mapping = response_mapping(&mut map, kind, out);
    let declared = map
        .mapping("output_schema", out)
        .and_then(|schema| output_schema(schema, &mut mapping.metadata, out));
    if !JSON_TYPES.contains(&kind) && !mapping.metadata.is_empty() {
        let message = format!("a {kind} has no answer to read metadata fields from");
        out.error("metadata", map.at, message);
    }
    let written = reading::written(kind, &mut map, out);
    let operation = match kind {
        "file_parser" => file::operation(&mut map, &parameters, connection, out),
        "web_scraper" => scraper::operation(&mut map, &parameters, out),
        "rss_feed" => feed::operation(&mut map, &mut parameters, out),
        "database" => database::operation(&mut map, &mut parameters, connection, out),
        "graphql" => graphql::operation(&mut map, &parameters, &mapping, out),
        "existing_tool" => tool::operation(&mut map, &parameters, &mapping, connection, out),
        _ => rest::operation(&mut map, &parameters, &mapping, connection, out),
    };
    map.finish(out);
    let (mut operation, inferred) = operation?;
    let output = match declared {
        Some((schema, places)) => agreeing(schema, &places, &inferred, out),
        None => inferred.clone(),
    };
    if let Some(written) = written {
        let metadata = mapping.metadata.iter().map(|item| &item.field);
        let fields = inferred.fields.iter().chain(&output.fields).chain(metadata);
        reading::declare(written, name, &mut operation, fields, out);
    }
    check_extraction(&mapping, &output, out);
    Some(Endpoint { description, parameters, operation, entities: mapping.entities, output })
}

fn parameters(map: &mut Mapping<'_>, key: &'static str, out: &mut Diagnostics) -> Vec<Parameter> {
    let mut all: Vec<Parameter> = Vec::new();
    for node in map.list(key, out) {
        let Some(mut entry) = Mapping::of(node, "a parameter", out) else { continue };
        let name = entry.required_text("name", out);
        let data_type = match entry.text("type", out) {
            Some((text, at)) => data_type(text, at, out),
            None => Some(DataType::String),
        };
        let description = entry
            .text("description", out)
            .map(|(text, _)| text.trim().to_owned())
            .unwrap_or_default();
        let required = entry.boolean("required", out);
        let default = entry.get("default").map(|node| (node.to_json(), node.at));
        entry.finish(out);
        let (Some((name, at)), Some(data_type)) = (name, data_type) else { continue };
        if !is_name(name) {
            out.error(
                "name",
                at,
                format!(
                    "`{name}` is not a parameter name: letters, digits and `_`, first a letter"
                ),
            );
        } else if name == CURSOR_ARGUMENT {
            out.error("name", at, format!("`{name}` is where a call goes on, and not a parameter"));
        } else if all.iter().any(|other| other.name == name) {
            out.error("duplicate", at, format!("the parameter `{name}` is declared twice"));
        }
        if let Some((value, at)) = &default
            && !fits(value, &data_type)
        {
            out.error(
                "default",
                *at,
                format!("the default of `{name}` is not of type {data_type}"),
            );
        }
        let default = default.map(|(value, _)| value);
        all.push(Parameter { name: name.to_owned(), data_type, description, required, default });
    }
    all
}

/// The types a value may be declared as; each also as a list, such as `string[]`.
pub(crate) const DATA_TYPES: [&str; 9] =
    ["string", "number", "decimal", "integer", "date", "boolean", "object", "array", "any"];

/// One of [`DATA_TYPES`], or a list of one.
pub(super) fn data_type(text: &str, at: Position, out: &mut Diagnostics) -> Option<DataType> {
    let known = match text {
        "string" => DataType::String,
        "number" => DataType::Number,
        "decimal" => DataType::Decimal,
        "integer" => DataType::Integer,
        "date" => DataType::Date,
        "boolean" => DataType::Boolean,
        "object" => DataType::Object,
        "array" => DataType::array(DataType::Any),
        "any" => DataType::Any,
        _ => match text.strip_suffix("[]") {
            Some(item) if !item.ends_with("[]") => {
                return data_type(item, at, out).map(DataType::array);
            }
            _ => {
                let hint = "use string, number, decimal, integer, date, boolean, object, array or string[]";
                out.hinted("type", at, format!("`{text}` is not a type"), hint);
                return None;
            }
        },
    };
    Some(known)
}

fn fits(value: &Value, data_type: &DataType) -> bool {
    match data_type {
        DataType::String | DataType::Date => value.is_string(),
        DataType::Number => value.is_number(),
        DataType::Decimal => value.as_str().is_some_and(|text| Decimal::canonical(text).is_some()),
        DataType::Integer => value.is_i64() || value.is_u64(),
        DataType::Boolean => value.is_boolean(),
        DataType::Object | DataType::Record(_) => value.is_object(),
        DataType::Array(item) => {
            value.as_array().is_some_and(|items| items.iter().all(|value| fits(value, item)))
        }
        DataType::Any => true,
    }
}

fn response_mapping(map: &mut Mapping<'_>, kind: &str, out: &mut Diagnostics) -> ResponseMapping {
    let mut read = ResponseMapping::default();
    let Some(mut mapping) = map.mapping("response_mapping", out) else { return read };
    read.entities.entity_type =
        mapping.text("entity_type", out).map(|(text, _)| text.to_owned()).unwrap_or_default();
    for node in mapping.list("entity_extraction", out) {
        if let Some((rule, at)) = entity_rule(node, out) {
            read.entities.extraction.push(rule);
            read.rules_at.push(at);
        }
    }
    if JSON_TYPES.contains(&kind) {
        mapping::paths(&mut mapping, &mut read, out);
    }
    mapping.finish(out);
    read
}

fn entity_rule(node: &Node, out: &mut Diagnostics) -> Option<(EntityRule, Position)> {
    let mut entry = Mapping::of(node, "an entity extraction rule", out)?;
    let field = entry.required_text("field", out);
    let entity_type = entry.required_text("entity_type", out).map(|(text, _)| text.to_owned());
    let relationship_type = entry
        .text("relationship_type", out)
        .and_then(|(word, at)| relationship(word, at, out).map(str::to_owned));
    entry.finish(out);
    let (field, at) = field?;
    Some((EntityRule { field: field.to_owned(), entity_type: entity_type?, relationship_type }, at))
}

/// A relationship of the knowledge graph, by its word.
fn relationship(word: &str, at: Position, out: &mut Diagnostics) -> Option<&'static str> {
    let mut words = Relationship::ALL.iter().map(|known| known.as_str());
    let found = words.clone().find(|known| *known == word);
    if found.is_none() {
        let hint = nearest(&word.to_uppercase(), words.clone()).map_or_else(
            || format!("one of {}", words.by_ref().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("`{word}` is no relationship of the knowledge graph");
        out.hinted("entity_extraction", at, message, hint);
    }
    found
}

/// The declared schema, and where each of its fields stands.
fn output_schema(
    mut map: Mapping<'_>,
    metadata: &mut Vec<MetadataField>,
    out: &mut Diagnostics,
) -> Option<(OutputSchema, Vec<Position>)> {
    let shape = match map.text("type", out) {
        None | Some(("record_set", _)) => Some(OutputShape::RecordSet),
        Some(("object", _)) => Some(OutputShape::Object),
        Some(("scalar", _)) => Some(OutputShape::Scalar),
        Some((other, at)) => {
            out.hinted(
                "output_schema",
                at,
                format!("`{other}` is not a shape"),
                "use record_set, object or scalar",
            );
            None
        }
    };
    let mut fields = Vec::new();
    let mut places = Vec::new();
    for node in map.list("fields", out) {
        if let Some(field) = schema_field(node, out) {
            fields.push(field);
            places.push(node.at);
        }
    }
    mapping::metadata(&mut map, shape, &fields, metadata, out);
    map.finish(out);
    Some((OutputSchema { shape: shape?, fields, inferred: false }, places))
}

fn schema_field(node: &Node, out: &mut Diagnostics) -> Option<Field> {
    let mut entry = Mapping::of(node, "a field", out)?;
    let name = entry.required_text("name", out).map(|(text, _)| text.to_owned());
    let data_type =
        entry.text("type", out).map_or(Some(DataType::Any), |(text, at)| data_type(text, at, out));
    let description =
        entry.text("description", out).map(|(text, _)| text.trim().to_owned()).unwrap_or_default();
    entry.finish(out);
    Some(Field { description, ..Field::new(&name?, data_type?) })
}

/// A declared schema may only promise what the mapping gives.
fn agreeing(
    schema: OutputSchema,
    places: &[Position],
    inferred: &OutputSchema,
    out: &mut Diagnostics,
) -> OutputSchema {
    if inferred.fields.is_empty() {
        return schema;
    }
    for (field, at) in schema.fields.iter().zip(places) {
        if !inferred.fields.iter().any(|known| known.name == field.name) {
            let near =
                nearest(&field.name, inferred.fields.iter().map(|known| known.name.as_str()));
            let hint = near.map_or("add it to the mapping".to_owned(), |near| {
                format!("did you mean `{near}`?")
            });
            out.hinted(
                "output_schema",
                *at,
                format!("nothing is mapped to the field `{}`", field.name),
                hint,
            );
        }
    }
    schema
}

fn check_extraction(mapping: &ResponseMapping, output: &OutputSchema, out: &mut Diagnostics) {
    if output.fields.is_empty() {
        return;
    }
    for (rule, at) in mapping.entities.extraction.iter().zip(&mapping.rules_at) {
        if !output.fields.iter().any(|field| field.name == rule.field) {
            let near = nearest(&rule.field, output.fields.iter().map(|field| field.name.as_str()));
            let hint = near.map_or("name one of the endpoint's fields".to_owned(), |near| {
                format!("did you mean `{near}`?")
            });
            out.hinted(
                "entity_extraction",
                *at,
                format!("the records have no field `{}`", rule.field),
                hint,
            );
        }
    }
}
