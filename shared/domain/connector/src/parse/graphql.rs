//! A `graphql` connector (F-097).

use countersign_registry::DataType;

use super::auth::auth_or_none;
use super::bounds;
use super::connection::{address, headers, key_header, rate_limit};
use super::document::{self, Document, Selected};
use super::endpoint::ResponseMapping;
use super::idempotency::{check_free, idempotency};
use super::mapping::json_path;
use super::rest::{inferred, page_bounds};
use crate::diagnostic::{Diagnostics, Position};
use crate::json_path::JsonPath;
use crate::model::{
    GraphqlConnection, GraphqlRules, Operation, OutputSchema, Parameter, RelayPages,
};
use crate::yaml::{Mapping, nearest};

pub(super) fn connection(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<GraphqlConnection> {
    let endpoint = map
        .required_text("endpoint", out)
        .and_then(|(text, at)| address("endpoint", text, at, out));
    let auth = auth_or_none(&mut map, out);
    let rate_limit = map.mapping("rate_limit", out).map(|rate| rate_limit(rate, out));
    let timeout_seconds = bounds::TIMEOUT_SECONDS.of(&mut map, out);
    let headers = headers(&mut map, out);
    let idempotency = idempotency(&mut map, auth.as_ref(), out);
    check_free(&mut map, auth.as_ref(), key_header(idempotency.as_ref()), out);
    map.finish(out);
    Some(GraphqlConnection {
        endpoint: endpoint?,
        auth: auth?,
        rate_limit,
        timeout_seconds,
        headers,
        idempotency,
    })
}

pub(super) fn operation(
    map: &mut Mapping<'_>,
    parameters: &[Parameter],
    mapping: &ResponseMapping,
    out: &mut Diagnostics,
) -> Option<(Operation, OutputSchema)> {
    let own = map.get("results_path").map(|node| (json_path(node, "results_path", out), node.at));
    let query = map.required_text("query", out);
    let pagination = map.mapping("pagination", out).map(|map| pagination(map, out));
    let (text, at) = query?;
    let document = match document::read(text) {
        Ok(document) => document,
        Err(fault) => {
            let at = out.inside(at, text, fault.offset);
            out.error("graphql", at, fault.message);
            return None;
        }
    };
    let pagination = match pagination {
        None => None,
        Some(read) => Some(read?),
    };
    let cursor = pagination.as_ref().map(|(pages, at)| (pages.cursor_variable.as_str(), *at));
    check_variables(&document, parameters, cursor, (text, at), map.at, out);
    let mut json = mapping.json();
    let results_at = own.as_ref().map(|(_, at)| *at).or(mapping.results_at);
    if let Some((path, at)) = own {
        if mapping.results_at.is_some() {
            let message = "`results_path` stands both here and in `response_mapping`";
            out.hinted("duplicate", at, message, "keep one of them");
        }
        json.results_path = path;
    }
    json.results_path = json.results_path.map(|path| path.below("data"));
    for item in &mut json.metadata {
        item.path = item.path.clone().below("data");
    }
    if let (Some(path), Some(at)) = (&json.results_path, results_at) {
        check_path(path, &document.data, at, out);
    }
    if let Some((pages, at)) = &pagination {
        check_path(&pages.page_info_path, &document.data, *at, out);
    }
    let output = inferred(&json.fields);
    let rules = GraphqlRules {
        query: text.to_owned(),
        effect: document.effect,
        pagination: pagination.map(|(pages, _)| pages),
        mapping: json,
    };
    if rules.has_effect() && rules.pagination.is_some() {
        out.error("pagination", map.at, "a mutation has no pages");
    }
    Some((Operation::Graphql(Box::new(rules)), output))
}

fn pagination(mut map: Mapping<'_>, out: &mut Diagnostics) -> Option<(RelayPages, Position)> {
    if let Some((kind, at)) = map.text("type", out)
        && kind != "relay"
    {
        let message = format!("`{kind}` is not a kind of pagination of graphql connectors");
        out.hinted("pagination", at, message, "use relay");
    }
    let cursor_variable =
        map.text("cursor_variable", out).map_or("after", |(text, _)| text).to_owned();
    let found = map.required_text("page_info_path", out);
    let bounds = page_bounds(&mut map, out);
    map.finish(out);
    let (text, at) = found?;
    let path =
        JsonPath::parse(text).map_err(|error| out.error("path", at, error.to_string())).ok()?;
    Some((RelayPages { cursor_variable, page_info_path: path.below("data"), bounds }, at))
}

/// Variables and parameters are the same, by name and type.
fn check_variables(
    document: &Document,
    parameters: &[Parameter],
    cursor: Option<(&str, Position)>,
    (text, at): (&str, Position),
    endpoint_at: Position,
    out: &mut Diagnostics,
) {
    let known = |name: &str| document.variables.iter().find(|variable| variable.name == name);
    for variable in &document.variables {
        let place = out.inside(at, text, variable.offset);
        let name = &variable.name;
        if cursor.is_some_and(|(cursor, _)| cursor == name) {
            if variable.required {
                let message = format!(
                    "`${name}` takes the cursor and must not be required: the first page has none"
                );
                out.error("variable", place, message);
            }
            continue;
        }
        match parameters.iter().find(|parameter| parameter.name == *name) {
            None if variable.required => {
                let message =
                    format!("`${name}` is required, and the endpoint has no variable of that name");
                out.hinted("variable", place, message, "declare it under `variables`");
            }
            None => {}
            Some(parameter) => check_variable(variable, parameter, place, out),
        }
    }
    for parameter in parameters {
        if known(&parameter.name).is_none() {
            let near = nearest(&parameter.name, document.variables.iter().map(|v| v.name.as_str()));
            let hint = near.map_or("declare it in the document".to_owned(), |near| {
                format!("did you mean `{near}`?")
            });
            let message = format!("the document takes no variable `${}`", parameter.name);
            out.hinted("variable", endpoint_at, message, hint);
        }
    }
    if let Some((cursor, at)) = cursor {
        if known(cursor).is_none() {
            let message = format!("the document takes no variable `${cursor}` for the cursor");
            out.hinted("pagination", at, message, "name it with `cursor_variable`");
        }
        if parameters.iter().any(|parameter| parameter.name == cursor) {
            let message = format!("`{cursor}` takes the cursor and is not a variable of the call");
            out.error("pagination", at, message);
        }
    }
}

fn check_variable(
    variable: &document::Variable,
    parameter: &Parameter,
    at: Position,
    out: &mut Diagnostics,
) {
    let name = &variable.name;
    if variable.required && !parameter.required && parameter.default.is_none() {
        let message = format!(
            "`${name}` is required in the document, so the variable must be required or have a default"
        );
        out.error("variable", at, message);
    }
    let fits = match (variable.scalar.as_deref(), &parameter.data_type) {
        (_, DataType::Any) => true,
        (Some("String"), given) => matches!(given, DataType::String | DataType::Date),
        (Some("ID"), given) => matches!(given, DataType::String | DataType::Integer),
        (Some("Int"), given) => *given == DataType::Integer,
        (Some("Float"), given) => matches!(given, DataType::Number | DataType::Integer),
        (Some("Boolean"), given) => *given == DataType::Boolean,
        // A single value stands for a list of one in GraphQL, and other types are the source's own.
        (Some(_) | None, _) => true,
    };
    if !fits {
        let message = format!(
            "`${name}` is of type {} in the document and {} under `variables`",
            variable.written, parameter.data_type
        );
        out.error("variable", at, message);
    }
}

/// The path leads along fields the document asks for.
fn check_path(path: &JsonPath, data: &Selected, at: Position, out: &mut Diagnostics) {
    for keys in path.leading_keys() {
        let mut selected = data;
        // The first key is `data` itself.
        for key in keys.into_iter().skip(1) {
            let Some(next) = selected.0.get(key) else {
                let near = nearest(key, selected.0.keys().map(String::as_str));
                let message = format!("the document does not ask for `{key}` in `{path}`");
                out.hinted(
                    "path",
                    at,
                    message,
                    near.map_or("add it to the document".to_owned(), |near| {
                        format!("did you mean `{near}`?")
                    }),
                );
                break;
            };
            selected = next;
        }
    }
}
