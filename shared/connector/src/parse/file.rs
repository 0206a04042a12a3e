//! An endpoint of a `file_parser` (F-099).

use countersign_registry::Field;

use super::is_name;
use crate::diagnostic::{Diagnostics, Position};
use crate::model::{
    FieldRule, Operation, OutputSchema, OutputShape, Parameter, ParseRules, ValueType,
};
use crate::xpath::XPath;
use crate::yaml::{Mapping, Node};

pub(super) fn operation(
    map: &mut Mapping<'_>,
    parameters: &[Parameter],
    out: &mut Diagnostics,
) -> Option<(Operation, OutputSchema)> {
    if let Some((parser, at)) = map.text("parser", out)
        && parser != "xml"
    {
        out.error(
            "parser",
            at,
            format!("the parser `{parser}` is not supported by this release; use `xml`"),
        );
    }
    if parameters.iter().any(|parameter| parameter.name != "source") {
        out.error(
            "parameters",
            map.at,
            "an endpoint of a file parser takes no parameter but `source`",
        );
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

fn value_type(text: &str, at: Position, out: &mut Diagnostics) -> Option<ValueType> {
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
