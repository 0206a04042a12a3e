//! Connection and endpoint of a `file_parser` (F-099).

use countersign_registry::Field;
use indexmap::IndexMap;

use super::connection::rate_limit;
use super::field::{Named, named, unique};
use super::{bounds, format};
use crate::diagnostic::{Diagnostics, Position};
use crate::model::{
    Connection, Endpoint, FieldRule, FileConnection, FileSource, Operation, OutputSchema,
    OutputShape, PARSERS, Parameter, ParseRules, RateLimit, ValueType, endings,
};
use crate::reading::Reading;
use crate::xpath::XPath;
use crate::yaml::{Mapping, as_text};

pub(super) fn connection(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<FileConnection> {
    let source = match map.required_text("source", out) {
        Some(("upload", _)) => Some(FileSource::Upload),
        Some(("url", _)) => Some(FileSource::Url),
        Some(("directory", _)) => Some(FileSource::Directory),
        Some((other, at)) => {
            out.hinted(
                "source",
                at,
                format!("`{other}` is not a source"),
                "use `upload`, `url` or `directory`",
            );
            None
        }
        None => None,
    };
    let mut accepted_formats = Vec::new();
    for node in map.list("accepted_formats", out) {
        let Some(format) = as_text(node, "accepted_formats", out) else { continue };
        let format = format.trim_start_matches('.').to_ascii_lowercase();
        let known = PARSERS.iter().flat_map(|(_, endings)| endings.iter().copied());
        if known.clone().any(|ending| ending == format) {
            accepted_formats.push(format);
        } else {
            let all = known.collect::<Vec<_>>().join(", ");
            let message = format!("files of format `{format}` are not read by any parser");
            out.hinted("format", node.at, message, format!("use one of {all}"));
        }
    }
    let max_file_size_mb = bounds::MAX_FILE_SIZE_MB.of(&mut map, out);
    let (timeout_seconds, rate_limit) = requested(&mut map, source, out);
    map.finish(out);
    Some(FileConnection {
        source: source?,
        accepted_formats,
        max_file_size_mb,
        timeout_seconds,
        rate_limit,
    })
}

/// How addresses are requested. Uploads are not, so that these keys say nothing of them.
fn requested(
    map: &mut Mapping<'_>,
    source: Option<FileSource>,
    out: &mut Diagnostics,
) -> (u32, Option<RateLimit>) {
    if matches!(source, Some(FileSource::Upload | FileSource::Directory)) {
        for key in ["timeout_seconds", "rate_limit"] {
            if let Some(node) = map.get(key) {
                let message = format!("`{key}` is for files from addresses, not for uploaded ones");
                out.hinted(key, node.at, message, "leave it out, or use `source: url`");
            }
        }
        return (FileConnection::usual_timeout(), None);
    }
    let rate = map.mapping("rate_limit", out).map(|rate| rate_limit(rate, out));
    (bounds::TIMEOUT_SECONDS.of(map, out), rate)
}

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
        Operation::ParseXml(ParseRules {
            root_element,
            list_element,
            fields,
            context_fields,
            reading: Reading::default(),
        }),
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
        let Some(mut entry) = Mapping::of(node, "a field", out) else { continue };
        let xpath =
            entry.required_text("xpath", out).and_then(|(text, at)| read_path(text, at, out));
        let Some(named) = named(entry, out) else { continue };
        unique(&named, taken.iter().chain(&all).map(|rule| rule.field.as_str()), out);
        let Named { field, value_type, description, .. } = named;
        let value_type = value_type.unwrap_or(ValueType::String);
        all.extend(xpath.map(|xpath| FieldRule { field, xpath, value_type, description }));
    }
    all
}
