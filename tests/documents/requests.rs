//! Requests in the documents: method and address are in the OpenAPI document, and a body fits its schema.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::blocks::Block;

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const FACTORY: &str = "/api/agent-factory";

static API: LazyLock<Value> = LazyLock::new(api::openapi);

/// A block of requests: each line a method, an address and perhaps a body; lines that begin with a space go on.
pub(crate) fn check(block: &Block) -> Option<Result<(), String>> {
    let first = block.text.split_whitespace().next()?;
    if !block.language.is_empty() || !METHODS.contains(&first) {
        return None;
    }
    let mut requests: Vec<String> = Vec::new();
    for line in block.text.lines() {
        match requests.last_mut() {
            Some(before) if line.starts_with(' ') => *before += line,
            _ => requests.push(line.to_owned()),
        }
    }
    Some(requests.iter().try_for_each(|request| one(request)))
}

fn one(request: &str) -> Result<(), String> {
    let (method, rest) = request.split_once(' ').unwrap_or((request, ""));
    let rest = rest.trim_start();
    if rest.starts_with('<') {
        // An address that an answer gave, such as that of an upload.
        return Ok(());
    }
    let (path, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let operation = operation(method, path)?;
    if !rest.trim_start().starts_with('{') {
        return Ok(());
    }
    // An id in a document is cut short: `prof_…`.
    let rest = rest.replace("_…\"", &format!("_{}\"", "0".repeat(32)));
    let mut values = serde_json::Deserializer::from_str(&rest).into_iter::<Value>();
    let body = values.next().transpose().ok().flatten();
    let body = body.ok_or_else(|| format!("the body of `{request}` is not JSON"))?;
    fits(operation, &body).map_err(|why| format!("`{request}`: {why}"))
}

/// The operation of an address, in full or below the agent factory; a segment in braces, or one that a path leaves open, is any.
fn operation(method: &str, path: &str) -> Result<&'static Value, String> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let paths = API["paths"].as_object().expect("paths");
    let fits = |documented: &str| {
        let full =
            if path.starts_with("/api/") { path.to_owned() } else { format!("{FACTORY}{path}") };
        [full.as_str(), path].iter().any(|path| same(documented, path))
    };
    let found = paths.iter().filter(|(documented, _)| fits(documented));
    let found = found.filter_map(|(_, item)| item.get(method.to_lowercase())).next();
    let found = found.ok_or_else(|| format!("the API has no `{method} {path}`"))?;
    query.split('&').filter(|pair| !pair.is_empty()).try_for_each(|pair| asked(found, pair))?;
    Ok(found)
}

/// A parameter of an address: the operation has it, with a value that it takes.
fn asked(operation: &Value, pair: &str) -> Result<(), String> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let mut parameters = operation["parameters"].as_array().into_iter().flatten();
    let found = parameters.find(|one| one["in"] == "query" && one["name"] == name);
    let found = found.ok_or_else(|| format!("the operation has no parameter `{name}`"))?;
    let whole = json!({ "allOf": [found["schema"]], "components": API["components"] });
    let validator = jsonschema::draft202012::new(&whole).map_err(|error| error.to_string())?;
    // A number in an address is text too.
    let is_taken = [json!(value), serde_json::from_str(value).unwrap_or_default()]
        .iter()
        .any(|value| validator.is_valid(value));
    let is_open = value.is_empty() || value.contains(['…', '{']);
    if is_taken || is_open { Ok(()) } else { Err(format!("`{name}` does not take `{value}`")) }
}

fn same(documented: &str, path: &str) -> bool {
    let (documented, path): (Vec<&str>, Vec<&str>) =
        (documented.split('/').collect(), path.split('/').collect());
    let is_open = |part: &str| part.starts_with('{') && part.ends_with('}');
    documented.len() == path.len()
        && documented.iter().zip(&path).all(|(a, b)| a == b || is_open(a) && !b.is_empty())
}

fn fits(operation: &Value, body: &Value) -> Result<(), String> {
    let content = operation.pointer("/requestBody/content").and_then(Value::as_object);
    let schema = content.and_then(|kinds| kinds.values().next());
    let schema = schema.ok_or("it takes no body")?["schema"].clone();
    let whole = json!({ "allOf": [schema], "components": API["components"] });
    let validator = jsonschema::draft202012::new(&whole).map_err(|error| error.to_string())?;
    let wrong = validator.iter_errors(body).next();
    wrong.map_or(Ok(()), |error| Err(format!("{} at `{}`", error, error.instance_path())))
}

/// `GET /me` in a sentence.
pub(crate) fn named(code: &str) -> Option<Result<(), String>> {
    let (method, path) = code.split_once(' ')?;
    if !METHODS.contains(&method) || !path.starts_with('/') {
        return None;
    }
    if ["/openapi.json", "/docs"].contains(&path) || path.starts_with("/errors/") {
        return Some(Ok(()));
    }
    let path = path.split_whitespace().next().unwrap_or_default();
    Some(operation(method, path).map(drop))
}

/// Whether an address in a sentence is written in full, as the page on the API promises.
pub(crate) fn in_full(code: &str) -> Result<(), String> {
    let whole = ["/api/", "/health", "/errors/{code}", "/openapi.json", "/docs", "/hooks/{id}"];
    let path = match code.split_once(' ') {
        Some((method, path)) if METHODS.contains(&method) => path,
        _ => code,
    };
    if !path.starts_with('/') || whole.iter().any(|whole| path.starts_with(whole)) {
        return Ok(());
    }
    Err(format!("write the whole address, such as `{FACTORY}{path}`"))
}

/// Documents and answers: one JSON value, or one in each line.
pub(crate) fn answers(block: &Block) -> Option<Result<(), String>> {
    if block.language != "json" {
        return None;
    }
    let is_json = |line: &str| {
        serde_json::from_str::<Value>(line).map(drop).map_err(|error| format!("{error}: {line}"))
    };
    if serde_json::from_str::<Value>(&block.text).is_ok() {
        return Some(Ok(()));
    }
    Some(block.text.lines().try_for_each(is_json))
}
