//! An endpoint of a `file_parser` (F-099).

use countersign_registry::Field;
use indexmap::IndexMap;

use super::{format, is_name};
use crate::diagnostic::{Diagnostics, Position};
use crate::model::{
    Connection, Endpoint, FieldRule, Operation, OutputSchema, OutputShape, PARSERS, Parameter,
    ParseRules, ValueType, endings,
};
use crate::xpath::XPath;
use crate::yaml::{Mapping, Node};

pub(super) fn operation(
    map: &mut Mapping<'_>,
    parameters: &[Parameter],
    connection: Option<&Connection>,
    out: &mut Diagnostics,
) -> Option<(Operation, OutputSchema)> {
    let parser = parser(map, connection, out);
    if parameters.iter().any(|parameter| parameter.name != "source") {
        out.error(
            "parameters",
            map.at,
            "an endpoint of a file parser takes no parameter but `source`",
        );
    }
    let parser = parser?;
    if let Some((rules, output)) = format::rules(parser, map, out) {
        return Some((Operation::Parse(Box::new(rules)), output));
    }
    let root_element = path(map, "root_element", out);
    let list_element = path(map, "list_element", out);
    let at = map.at;
    let fields = fields(map, "fields", &[], out);
    if fields.is_empty() {
        out.error("missing", at, "the endpoint has no `fields`");
    }
    let context_fields = self::fields(map, "context_fields", &fields, out);
    let described = |rule: &FieldRule| Field {
        description: rule.description.clone(),
        ..Field::new(&rule.field, rule.value_type.data_type())
    };
    let output = OutputSchema {
        shape: OutputShape::RecordSet,
        fields: fields.iter().chain(&context_fields).map(described).collect(),
        inferred: true,
    };
    Some((
        Operation::ParseXml(ParseRules { root_element, list_element, fields, context_fields }),
        output,
    ))
}

/// The parser an endpoint names, `xml` when it names none. One of its files' endings must be accepted.
fn parser(
    map: &mut Mapping<'_>,
    connection: Option<&Connection>,
    out: &mut Diagnostics,
) -> Option<&'static str> {
    let (name, at) = map.text("parser", out).unwrap_or(("xml", map.at));
    let Some((known, endings)) = PARSERS.iter().find(|(known, _)| *known == name) else {
        let all = PARSERS.map(|(known, _)| known);
        let hint = crate::yaml::nearest(name, all.into_iter()).map_or_else(
            || format!("use one of {}", all.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        out.hinted("parser", at, format!("`{name}` is not a parser"), hint);
        return None;
    };
    if let Some(Connection::FileParser(files)) = connection
        && !files.accepted_formats.is_empty()
        && !endings.iter().any(|ending| files.accepted_formats.iter().any(|one| one == ending))
    {
        let message =
            format!("the parser `{known}` reads no file of the connection's `accepted_formats`");
        out.hinted("parser", at, message, format!("accept {}", endings.join(" or ")));
    }
    Some(known)
}

/// A connection that names no formats accepts those its endpoints read.
pub(super) fn with_formats(
    mut connection: Connection,
    all: &IndexMap<String, Endpoint>,
) -> Connection {
    if let Connection::FileParser(files) = &mut connection
        && files.accepted_formats.is_empty()
    {
        for ending in all.values().filter_map(|one| one.operation.parser()).flat_map(endings) {
            if !files.accepted_formats.iter().any(|known| known == ending) {
                files.accepted_formats.push((*ending).to_owned());
            }
        }
    }
    connection
}

fn path(map: &mut Mapping<'_>, key: &'static str, out: &mut Diagnostics) -> Option<XPath> {
    let (text, at) = map.text(key, out)?;
    let path = read_path(text, at, out)?;
    if path.alternatives().iter().any(|alternative| alternative.attribute.is_some()) {
        out.error("xpath", at, format!("`{key}` must name an element, not an attribute"));
    }
    Some(path)
}

fn read_path(text: &str, at: Position, out: &mut Diagnostics) -> Option<XPath> {
    XPath::parse(text).map_err(|error| out.error("xpath", at, error.to_string())).ok()
}

fn fields(
    map: &mut Mapping<'_>,
    key: &'static str,
    taken: &[FieldRule],
    out: &mut Diagnostics,
) -> Vec<FieldRule> {
    let mut all: Vec<FieldRule> = Vec::new();
    for node in map.list(key, out) {
        let Some((rule, at)) = field(node, out) else { continue };
        if taken.iter().chain(&all).any(|other| other.field == rule.field) {
            out.error("duplicate", at, format!("the field `{}` is mapped twice", rule.field));
        }
        all.push(rule);
    }
    all
}

fn field(node: &Node, out: &mut Diagnostics) -> Option<(FieldRule, Position)> {
    let mut entry = Mapping::of(node, "a field", out)?;
    let xpath = entry.required_text("xpath", out).and_then(|(text, at)| read_path(text, at, out));
    let name = entry.required_text("field", out);
    let value_type = match entry.text("type", out) {
        None => Some(ValueType::String),
        Some((text, at)) => value_type(text, at, out),
    };
    let description =
        entry.text("description", out).map(|(text, _)| text.trim().to_owned()).unwrap_or_default();
    entry.finish(out);
    let (name, at) = name?;
    if !is_name(name) || name.starts_with('_') {
        out.error(
            "name",
            at,
            format!("`{name}` is not a field name: letters, digits and `_`, first a letter"),
        );
    }
    Some((
        FieldRule { field: name.to_owned(), xpath: xpath?, value_type: value_type?, description },
        at,
    ))
}

pub(super) fn value_type(text: &str, at: Position, out: &mut Diagnostics) -> Option<ValueType> {
    let known = match text {
        "string" => ValueType::String,
        "number" => ValueType::Number,
        "integer" => ValueType::Integer,
        "date" => ValueType::Date,
        "boolean" => ValueType::Boolean,
        "string[]" => ValueType::StringList,
        "number[]" => ValueType::NumberList,
        _ => {
            let hint = "use string, number, integer, date, boolean, string[] or number[]";
            out.hinted("type", at, format!("`{text}` is not a type of field"), hint);
            return None;
        }
    };
    Some(known)
}
