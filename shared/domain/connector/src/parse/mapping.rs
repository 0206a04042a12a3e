//! The parts of `response_mapping` and `output_schema` that read JSON (F-090, F-091).

use countersign_registry::{DataType, Field};

use super::endpoint::{ResponseMapping, data_type};
use super::is_name;
use crate::diagnostic::{Diagnostics, Position};
use crate::json_path::JsonPath;
use crate::model::{Layout, MetadataField, OutputShape};
use crate::yaml::{Kind, Mapping, Node, as_text};

/// What is provided without a path.
pub(crate) const PROVIDED: [&str; 5] =
    ["count", "has_more", "next_cursor", "_has_more", "_next_cursor"];
/// Outputs that have their own meaning.
pub(crate) const TAKEN: [&str; 8] = [
    "results",
    "value",
    "warnings",
    "warning_count",
    "errors",
    "files_read",
    "files_failed",
    "file_notes",
];

/// `results_path`, `layout` and `fields`.
pub(super) fn paths(map: &mut Mapping<'_>, read: &mut ResponseMapping, out: &mut Diagnostics) {
    if let Some(node) = map.get("results_path") {
        read.results_path = json_path(node, "results_path", out);
        read.results_at = Some(node.at);
    }
    read.layout = match map.text("layout", out) {
        None | Some(("rows", _)) => Layout::Rows,
        Some(("columns", _)) => Layout::Columns,
        Some((other, at)) => {
            out.hinted("layout", at, format!("`{other}` is not a layout"), "use rows or columns");
            Layout::Rows
        }
    };
    let Some(fields) = map.mapping("fields", out) else { return };
    for (name, at, node) in fields.entries() {
        let path = json_path(node, name, out);
        if !is_name(name) || name.starts_with('_') {
            let message =
                format!("`{name}` is not a field name: letters, digits and `_`, first a letter");
            out.error("name", *at, message);
        } else if let Some(path) = path {
            read.fields.insert(name.clone(), path);
        }
    }
}

/// A path, or a list of paths of which the first that leads to a value counts.
pub(super) fn json_path(node: &Node, what: &str, out: &mut Diagnostics) -> Option<JsonPath> {
    let Kind::List(items) = &node.kind else {
        return parse(as_text(node, what, out)?, node.at, out);
    };
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        // Each for itself, so that a wrong one is told where it stands.
        let path = parse(as_text(item, what, out)?, item.at, out)?;
        texts.push(path.as_str().to_owned());
    }
    parse(&texts.join(" | "), node.at, out)
}

fn parse(text: &str, at: Position, out: &mut Diagnostics) -> Option<JsonPath> {
    JsonPath::parse(text).map_err(|error| out.error("path", at, error.to_string())).ok()
}

/// `metadata_fields`: what is provided anyway may be named; everything else says where in the answer it stands.
pub(super) fn metadata(
    map: &mut Mapping<'_>,
    shape: Option<OutputShape>,
    fields: &[Field],
    metadata: &mut Vec<MetadataField>,
    out: &mut Diagnostics,
) {
    for node in map.list("metadata_fields", out) {
        let Some(mut entry) = Mapping::of(node, "a metadata field", out) else { continue };
        let name = entry.required_text("name", out);
        let data_type = entry
            .text("type", out)
            .map_or(Some(DataType::Any), |(text, at)| data_type(text, at, out));
        let description = entry
            .text("description", out)
            .map(|(text, _)| text.trim().to_owned())
            .unwrap_or_default();
        let path = entry.get("path").map(|node| (json_path(node, "path", out), node.at));
        entry.finish(out);
        let (Some((name, at)), Some(data_type)) = (name, data_type) else { continue };
        let in_record =
            shape == Some(OutputShape::Object) && fields.iter().any(|field| field.name == name);
        match path {
            None if PROVIDED.contains(&name) => {}
            None => {
                let message = format!("the metadata field `{name}` is not provided");
                out.hinted("metadata", at, message, "say with `path` where in the answer it stands; count, has_more and next_cursor need none");
            }
            Some((_, at)) if PROVIDED.contains(&name) => {
                let message = format!("`{name}` is counted here and not read from the answer");
                out.hinted(
                    "metadata",
                    at,
                    message,
                    "give what the source says another name, such as `total`",
                );
            }
            Some(_)
                if !is_name(name)
                    || name.starts_with('_')
                    || TAKEN.contains(&name)
                    || in_record =>
            {
                out.error(
                    "metadata",
                    at,
                    format!("`{name}` cannot be the name of a metadata field"),
                );
            }
            Some(_) if metadata.iter().any(|other| other.field.name == name) => {
                out.error(
                    "duplicate",
                    at,
                    format!("the metadata field `{name}` is declared twice"),
                );
            }
            Some((path, _)) => {
                let field = Field { description, ..Field::new(name, data_type) };
                metadata.extend(path.map(|path| MetadataField { field, path }));
            }
        }
    }
}
