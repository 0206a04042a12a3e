//! An endpoint of a `rest_api` (F-096, K-76).

use countersign_registry::{DataType, Field};
use indexmap::IndexMap;
use serde_json::Value;

use super::bounds;
use super::connection::headers;
use super::endpoint::ResponseMapping;
use super::idempotency::check_free;
use crate::diagnostic::{Diagnostics, Position};
use crate::embed;
use crate::json_path::JsonPath;
use crate::model::{
    Auth, BodyFormat, Connection, Method, Operation, OutputSchema, OutputShape, PageBounds,
    PagePlace, Pagination, Parameter, RequestRules,
};
use crate::request::{is_dots, placeholders, whole};
use crate::yaml::{Mapping, Node, as_text};

pub(super) fn operation(
    map: &mut Mapping<'_>,
    parameters: &[Parameter],
    mapping: &ResponseMapping,
    connection: Option<&Connection>,
    out: &mut Diagnostics,
) -> Option<(Operation, OutputSchema)> {
    let (method, method_at) = match map.text("method", out) {
        None => (Some(Method::Get), map.at),
        Some((text, at)) => (method(text, at, out), at),
    };
    let safe = map.boolean("safe", out);
    if safe && method.is_some_and(|method| method != Method::Post && !method.reads()) {
        out.error("safe", method_at, "only a POST that searches can be called safe");
    }
    let path =
        map.required_text("path", out).and_then(|(text, at)| path(text, at, parameters, out));
    let query = query(map, parameters, connection, out);
    let headers = headers(map, out);
    if let Some(connection) = connection {
        check_free(map, connection.auth(), connection.key_header(), out);
    }
    let body = map.get("body").map(|node| body(node, parameters, out));
    if body.is_some() && method.is_some_and(Method::reads) {
        out.error("body", method_at, "a GET or HEAD request has no body");
    }
    let body_format = match map.text("body_format", out) {
        None | Some(("json", _)) => Some(BodyFormat::Json),
        Some(("form", _)) => Some(BodyFormat::Form),
        Some((other, at)) => {
            let message = format!("`{other}` is not a way to write a body");
            out.hinted("body_format", at, message, "use json or form");
            None
        }
    };
    let pagination =
        map.mapping("pagination", out).map_or(Some(Pagination::None), |map| pagination(map, out));
    let rules = RequestRules {
        method: method?,
        safe,
        path: path?,
        query,
        headers,
        body,
        body_format: body_format?,
        pagination: pagination?,
        mapping: mapping.json(),
    };
    check_places(&rules, method_at, out);
    let output = inferred(&rules.mapping.fields);
    Some((Operation::Request(Box::new(rules)), output))
}

/// What stands in a body needs one, and a form is flat.
fn check_places(rules: &RequestRules, at: Position, out: &mut Diagnostics) {
    let in_body = match &rules.pagination {
        Pagination::Page { place, .. }
        | Pagination::Offset { place, .. }
        | Pagination::Cursor { place, .. } => *place == PagePlace::Body,
        Pagination::None | Pagination::LinkHeader { .. } => false,
    };
    if rules.method.reads() && in_body {
        out.error("pagination", at, "a GET or HEAD request has no body for the page to stand in");
    }
    let has_effect = !rules.method.reads() && !rules.safe;
    if has_effect && !matches!(rules.pagination, Pagination::None) {
        let message = "a request with an effect is sent once and has no pages";
        out.hinted("pagination", at, message, "if it only reads, say so with `safe: true`");
    }
    if rules.method.reads() && rules.body_format == BodyFormat::Form {
        out.error("body_format", at, "a GET or HEAD request has no body");
    }
    let object = rules.body.as_ref().map(Value::as_object);
    if (in_body || rules.body_format == BodyFormat::Form) && object == Some(None) {
        out.error("body", at, "the body must be a mapping to be a form or to hold the page");
    }
    let nested = |value: &Value| match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        _ => false,
    };
    if rules.body_format == BodyFormat::Form
        && let Some((name, _)) =
            object.flatten().into_iter().flatten().find(|(_, value)| nested(value))
    {
        out.error(
            "body",
            at,
            format!("a form is flat: `{name}` must be one value or a list of them"),
        );
    }
}

/// Types are not known from a mapping; only whether a path gives a list.
pub(super) fn inferred(fields: &IndexMap<String, JsonPath>) -> OutputSchema {
    let field = |(name, path): (&String, &JsonPath)| {
        Field::new(
            name,
            if path.is_list() { DataType::array(DataType::Any) } else { DataType::Any },
        )
    };
    OutputSchema {
        shape: OutputShape::RecordSet,
        fields: fields.iter().map(field).collect(),
        inferred: true,
    }
}

fn method(text: &str, at: Position, out: &mut Diagnostics) -> Option<Method> {
    match text.to_ascii_uppercase().as_str() {
        "GET" => Some(Method::Get),
        "HEAD" => Some(Method::Head),
        "POST" => Some(Method::Post),
        "PUT" => Some(Method::Put),
        "PATCH" => Some(Method::Patch),
        "DELETE" => Some(Method::Delete),
        _ => {
            out.hinted(
                "method",
                at,
                format!("`{text}` is not a method"),
                "use GET, HEAD, POST, PUT, PATCH or DELETE",
            );
            None
        }
    }
}

pub(super) fn path(
    text: &str,
    at: Position,
    parameters: &[Parameter],
    out: &mut Diagnostics,
) -> Option<String> {
    if !text.starts_with('/') || text.contains(['?', '#', '\\']) || text.split('/').any(is_dots) {
        out.error(
            "path",
            at,
            format!("`{text}` must start with `/` and hold no `?`, `#`, `\\`, and no segment `.` or `..`"),
        );
        return None;
    }
    match placeholders(text) {
        Some(names) => {
            for name in names {
                known(name, at, parameters, out);
                if parameters.iter().any(|parameter| {
                    parameter.name == name && !parameter.required && parameter.default.is_none()
                }) {
                    out.error("path", at, format!("the parameter `{name}` stands in the path and must be required or have a default"));
                }
            }
            Some(text.to_owned())
        }
        None => {
            out.error("path", at, format!("`{text}` has an unclosed or empty `{{…}}`"));
            None
        }
    }
}

fn known(name: &str, at: Position, parameters: &[Parameter], out: &mut Diagnostics) {
    if !parameters.iter().any(|parameter| parameter.name == name) {
        let near =
            crate::yaml::nearest(name, parameters.iter().map(|parameter| parameter.name.as_str()));
        let hint = near.map_or("declare it under `parameters`".to_owned(), |near| {
            format!("did you mean `{near}`?")
        });
        out.hinted(
            "placeholder",
            at,
            format!("`{{{name}}}` is not a parameter of this endpoint"),
            hint,
        );
    }
}

pub(super) fn query(
    map: &mut Mapping<'_>,
    parameters: &[Parameter],
    connection: Option<&Connection>,
    out: &mut Diagnostics,
) -> IndexMap<String, String> {
    let key_param = match connection {
        Some(Connection::RestApi(rest)) => match &rest.auth {
            Auth::ApiKeyQuery { key_param } => Some(key_param.as_str()),
            _ => None,
        },
        _ => None,
    };
    let mut all = IndexMap::new();
    let Some(map) = map.mapping("query", out) else { return all };
    for (name, at, node) in map.entries() {
        if Some(name.as_str()) == key_param {
            out.error("query", *at, format!("`{name}` is the key's own parameter"));
        }
        let text = match &node.kind {
            crate::yaml::Kind::Int(number) => number.to_string(),
            crate::yaml::Kind::Bool(value) => value.to_string(),
            _ => match as_text(node, name, out) {
                Some(text) => text.to_owned(),
                None => continue,
            },
        };
        match whole(&text) {
            Some(parameter) => known(parameter, node.at, parameters, out),
            None => embedded(&text, node.at, parameters, out),
        }
        all.insert(name.clone(), text);
    }
    all
}

/// Inside a longer text a value cannot be left out.
fn embedded(text: &str, at: Position, parameters: &[Parameter], out: &mut Diagnostics) {
    for name in embed::names(text) {
        known(name, at, parameters, out);
        let optional = |parameter: &&Parameter| !parameter.required && parameter.default.is_none();
        if parameters.iter().filter(optional).any(|parameter| parameter.name == name) {
            let message = format!(
                "the parameter `{name}` stands inside a text and must be required or have a default"
            );
            out.error("placeholder", at, message);
        }
    }
}

fn body(node: &Node, parameters: &[Parameter], out: &mut Diagnostics) -> Value {
    check_body(node, parameters, out);
    node.to_json()
}

fn check_body(node: &Node, parameters: &[Parameter], out: &mut Diagnostics) {
    match &node.kind {
        crate::yaml::Kind::Text(text) => {
            if let Some(name) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                known(name, node.at, parameters, out);
            }
        }
        crate::yaml::Kind::List(items) => {
            items.iter().for_each(|item| check_body(item, parameters, out));
        }
        crate::yaml::Kind::Map(entries) => {
            entries.iter().for_each(|(_, _, item)| check_body(item, parameters, out));
        }
        _ => {}
    }
}

pub(super) fn page_bounds(map: &mut Mapping<'_>, out: &mut Diagnostics) -> PageBounds {
    PageBounds {
        max_pages: bounds::MAX_PAGES.of(map, out),
        max_records: bounds::MAX_RECORDS.of(map, out),
    }
}

/// Where the parameters that turn pages stand.
fn place(map: &mut Mapping<'_>, out: &mut Diagnostics) -> PagePlace {
    match map.text("in", out) {
        None | Some(("query", _)) => PagePlace::Query,
        Some(("body", _)) => PagePlace::Body,
        Some((other, at)) => {
            let message = format!("`{other}` is not a place for the page");
            out.hinted("pagination", at, message, "use query or body");
            PagePlace::Query
        }
    }
}

fn path_of(map: &mut Mapping<'_>, key: &'static str, out: &mut Diagnostics) -> Option<JsonPath> {
    let (text, at) = map.text(key, out)?;
    JsonPath::parse(text).map_err(|error| out.error("path", at, error.to_string())).ok()
}

/// Parameters that go with a cursor.
fn companions(map: &mut Mapping<'_>, out: &mut Diagnostics) -> IndexMap<String, JsonPath> {
    let mut all = IndexMap::new();
    let Some(also) = map.mapping("also", out) else { return all };
    for (name, _, node) in also.entries() {
        let path = as_text(node, name, out).map(JsonPath::parse);
        match path {
            Some(Ok(path)) => {
                all.insert(name.clone(), path);
            }
            Some(Err(error)) => out.error("path", node.at, error.to_string()),
            None => {}
        }
    }
    all
}

fn pagination(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<Pagination> {
    let kind = map.required_text("type", out);
    let text = |map: &mut Mapping<'_>, key, default: &str, out: &mut Diagnostics| {
        map.text(key, out).map_or(default, |(text, _)| text).to_owned()
    };
    let bounds = page_bounds(&mut map, out);
    let pagination = match kind? {
        ("none", _) => Some(Pagination::None),
        ("page", _) => Some(Pagination::Page {
            page_param: text(&mut map, "page_param", "page", out),
            size_param: map.text("size_param", out).map(|(text, _)| text.to_owned()),
            page_size: bounds::PAGE_SIZE.of(&mut map, out),
            first_page: bounds::FIRST_PAGE.of(&mut map, out),
            place: place(&mut map, out),
            more_path: path_of(&mut map, "more_path", out),
            bounds,
        }),
        ("offset", _) => Some(Pagination::Offset {
            offset_param: text(&mut map, "offset_param", "offset", out),
            limit_param: text(&mut map, "limit_param", "limit", out),
            page_size: bounds::PAGE_SIZE.of(&mut map, out),
            place: place(&mut map, out),
            more_path: path_of(&mut map, "more_path", out),
            bounds,
        }),
        ("cursor", _) => {
            let cursor_param = text(&mut map, "cursor_param", "cursor", out);
            let place = place(&mut map, out);
            map.required("cursor_path", out);
            let cursor_path = path_of(&mut map, "cursor_path", out);
            let also = companions(&mut map, out);
            cursor_path.map(|cursor_path| Pagination::Cursor {
                cursor_param,
                cursor_path,
                also,
                place,
                bounds,
            })
        }
        ("link_header", _) => Some(Pagination::LinkHeader { bounds }),
        (other, at) => {
            let hint = "use none, page, offset, cursor or link_header";
            out.hinted("pagination", at, format!("`{other}` is not a kind of pagination"), hint);
            None
        }
    };
    map.finish(out);
    pagination
}
