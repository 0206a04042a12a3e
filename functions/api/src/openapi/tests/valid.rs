//! That the document is one of OpenAPI 3.1, as far as its rules can be checked without its schema.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::document;

/// Where something is wrong, and what.
type Found = Vec<String>;

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn says(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

/// Everything that is wrong with a document.
fn wrong(document: &Value) -> Found {
    let mut found = Found::new();
    let mut need = |is_so: bool, place: &str| {
        if !is_so {
            found.push(place.to_owned());
        }
    };
    need(
        document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1.")),
        "openapi",
    );
    need(says(&document["info"]["title"]), "info.title");
    need(says(&document["info"]["version"]), "info.version");
    let schemes = &document["components"]["securitySchemes"];
    let mut ids = BTreeSet::new();
    for (path, item) in members(&document["paths"]) {
        need(path.starts_with('/'), path);
        for (method, operation) in members(item) {
            let place = format!("{method} {path}");
            let id = operation["operationId"].as_str().unwrap_or_default();
            need(!id.is_empty() && ids.insert(id), &format!("{place}: operationId `{id}`"));
            for name in items(&operation["security"]).flat_map(members).map(|(name, _)| name) {
                need(schemes[name].is_object(), &format!("{place}: security `{name}`"));
            }
            found_of_parameters(operation, path, &mut |is_so, what| {
                need(is_so, &format!("{place}: {what}"));
            });
            found_of_answers(operation, &mut |is_so, what| {
                need(is_so, &format!("{place}: {what}"));
            });
        }
    }
    unresolved(document, document, &mut found);
    found
}

fn found_of_parameters(operation: &Value, path: &str, need: &mut dyn FnMut(bool, &str)) {
    let mut seen = BTreeSet::new();
    for parameter in items(&operation["parameters"]) {
        let (name, place) = (&parameter["name"], &parameter["in"]);
        let key = format!("parameter {name} in {place}");
        need(says(name) && ["path", "query", "header"].iter().any(|one| place == one), &key);
        need(seen.insert(key.clone()), &format!("{key}, twice"));
        need(parameter["schema"].is_object() || parameter["content"].is_object(), &key);
        need(place != "path" || parameter["required"] == true, &format!("{key}, not required"));
    }
    let of_path = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let named: BTreeSet<String> =
        of_path.map(|name| format!("parameter \"{name}\" in \"path\"")).collect();
    let given: BTreeSet<String> =
        seen.into_iter().filter(|key| key.ends_with("in \"path\"")).collect();
    need(named == given, "the parameters are not those of the path");
}

fn found_of_answers(operation: &Value, need: &mut dyn FnMut(bool, &str)) {
    need(members(&operation["responses"]).next().is_some(), "no responses");
    for (status, response) in members(&operation["responses"]) {
        let is_status = status.len() == 3 && status.starts_with(['1', '2', '3', '4', '5']);
        need(is_status, &format!("response {status}"));
        need(says(&response["description"]), &format!("response {status}: no description"));
    }
    if let Some(body) = operation.get("requestBody") {
        need(members(&body["content"]).next().is_some(), "the body has no content");
    }
}

/// Adds every reference that leads nowhere.
fn unresolved(document: &Value, value: &Value, found: &mut Found) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| unresolved(document, one, found)),
        Value::Object(members) => {
            found.extend(reference(members).filter(|to| !leads(document, to)).map(str::to_owned));
            members.values().for_each(|one| unresolved(document, one, found));
        }
        _ => {}
    }
}

fn reference(members: &Map<String, Value>) -> impl Iterator<Item = &str> {
    members.get("$ref").and_then(Value::as_str).into_iter()
}

fn leads(document: &Value, to: &str) -> bool {
    to.strip_prefix('#').is_some_and(|pointer| document.pointer(pointer).is_some())
}

/// Adds every text that names a requirement, which only those who work on this know.
fn names_of_requirements(value: &Value, found: &mut Found) {
    match value {
        Value::Array(all) => all.iter().for_each(|one| names_of_requirements(one, found)),
        Value::Object(members) => {
            for (name, member) in members {
                let text = member.as_str().filter(|_| name == "description" || name == "summary");
                found.extend(text.filter(|text| names_requirement(text)).map(str::to_owned));
                names_of_requirements(member, found);
            }
        }
        _ => {}
    }
}

/// Whether a text has a word such as `F-166`.
fn names_requirement(text: &str) -> bool {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let mut parts = words.filter_map(|word| word.split_once('-'));
    parts.any(|(letter, number)| {
        let is_number = number.len() >= 2 && number.bytes().all(|b| b.is_ascii_digit());
        letter.len() == 1 && letter.bytes().all(|b| b.is_ascii_uppercase()) && is_number
    })
}

#[test]
fn no_text_names_a_requirement() {
    let mut found = Found::new();
    names_of_requirements(&document(), &mut found);
    assert_eq!(found, [""; 0]);
    assert!(names_requirement("what F-166 reports") && names_requirement("here (K-34)."));
    assert!(!names_requirement("SHA-256, 2026-11-21 and a-12"));
}

#[test]
fn the_document_is_one_of_openapi() {
    assert_eq!(wrong(&document()), [""; 0]);
}

#[test]
fn what_no_document_of_openapi_has_is_found() {
    let answers = serde_json::json!({"204": {}, "ok": {"description": "x"}});
    let of_id = serde_json::json!({
        "operationId": "a", "responses": answers, "security": [{"bearer": []}],
        "requestBody": {"content": {"x/y": {"schema": {"$ref": "#/components/schemas/None"}}}},
    });
    let document = serde_json::json!({
        "openapi": "3.1.0", "info": {"title": "A", "version": "1"},
        "paths": {"/a/{id}": {"get": of_id}, "/b": {"get": {"operationId": "a"}}},
    });
    let expect = [
        "get /a/{id}: security `bearer`",
        "get /a/{id}: the parameters are not those of the path",
        "get /a/{id}: response 204: no description",
        "get /a/{id}: response ok",
        "get /b: operationId `a`",
        "get /b: no responses",
        "#/components/schemas/None",
    ];
    assert_eq!(wrong(&document), expect);
}
