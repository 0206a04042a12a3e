//! `GET /docs`: the document for people, with every operation on one page.

use std::collections::BTreeMap;

use askama::Template;
use serde_json::{Map, Value};

/// Every operation of a document, below its tag: parameters, body and answers. Their fields are in the document itself.
///
/// # Errors
/// [`askama::Error`] when the template fails; it is checked when this crate is built, so this means memory ran out.
pub(super) fn page(document: &Value) -> askama::Result<String> {
    let mut groups: BTreeMap<&str, Vec<Operation<'_>>> = BTreeMap::new();
    for (path, item) in members(&document["paths"]) {
        for (method, operation) in members(item) {
            let tag = operation["tags"][0].as_str().unwrap_or("other");
            groups.entry(tag).or_default().push(Operation::of(method, path, operation));
        }
    }
    let groups = groups.into_iter().map(|(tag, operations)| Group { tag, operations }).collect();
    Page { about: said(&document["info"]["description"]), groups }.render()
}

#[derive(Template)]
#[template(path = "docs.html")]
struct Page<'a> {
    about: Vec<Part<'a>>,
    groups: Vec<Group<'a>>,
}

/// The operations of a tag.
struct Group<'a> {
    tag: &'a str,
    operations: Vec<Operation<'a>>,
}

struct Operation<'a> {
    id: &'a str,
    method: String,
    path: &'a str,
    summary: Vec<Part<'a>>,
    description: Vec<Part<'a>>,
    parameters: Vec<Parameter<'a>>,
    body: Option<Body<'a>>,
    answers: Vec<Answer<'a>>,
}

struct Parameter<'a> {
    name: &'a str,
    /// Whether it is in the path, the query or a header.
    place: &'a str,
    is_required: bool,
    about: Vec<Part<'a>>,
}

struct Body<'a> {
    /// Its media types.
    kinds: Vec<&'a str>,
    is_required: bool,
}

struct Answer<'a> {
    status: &'a str,
    about: Vec<Part<'a>>,
}

/// A part of a text.
struct Part<'a> {
    /// Whether it stands between backticks.
    is_code: bool,
    text: &'a str,
}

impl<'a> Operation<'a> {
    fn of(method: &str, path: &'a str, written: &'a Value) -> Self {
        let parameters = written["parameters"].as_array().into_iter().flatten();
        let answers = members(&written["responses"]);
        let about = |(status, answer): (&'a String, &'a Value)| Answer {
            status,
            about: said(&answer["description"]),
        };
        Self {
            id: text(&written["operationId"]),
            method: method.to_uppercase(),
            path,
            summary: said(&written["summary"]),
            description: said(&written["description"]),
            parameters: parameters.map(Parameter::of).collect(),
            body: written["requestBody"].as_object().map(Body::of),
            answers: answers.map(about).collect(),
        }
    }
}

impl<'a> Parameter<'a> {
    fn of(written: &'a Value) -> Self {
        Self {
            name: text(&written["name"]),
            place: text(&written["in"]),
            is_required: written["required"] == true,
            about: said(&written["description"]),
        }
    }
}

impl<'a> Body<'a> {
    fn of(written: &'a Map<String, Value>) -> Self {
        let kinds = written.get("content").into_iter().flat_map(members);
        Self {
            kinds: kinds.map(|(kind, _)| kind.as_str()).collect(),
            is_required: written.get("required").is_some_and(|is| is == true),
        }
    }
}

/// The members of an object; nothing of anything else.
fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn text(written: &Value) -> &str {
    written.as_str().unwrap_or_default()
}

/// A text in parts, with what stands between backticks as code.
fn said(written: &Value) -> Vec<Part<'_>> {
    let parts = text(written).trim().split('`').enumerate();
    let parts = parts.map(|(n, text)| Part { is_code: n % 2 == 1, text });
    parts.filter(|part| !part.text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::page;
    use crate::openapi::document;

    #[test]
    fn r_097_every_operation_is_on_the_page() {
        let document = document();
        let page = page(&document).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let all = paths.iter().flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path))
        });
        for (method, path) in all {
            assert!(page.contains(&format!("<code>{method} {path}</code>")), "{method} {path}");
        }
        assert!(page.len() < 1_000_000, "the page has {} bytes", page.len());
    }

    #[test]
    fn r_097_no_text_is_markup() {
        let answers = json!({ "200": { "description": "a & \"b\"" } });
        let operation = json!({
            "operationId": "x", "summary": "Reads <b> of `a<b`.", "responses": answers,
            "parameters": [{ "name": "q", "in": "query", "required": true, "description": "what" }],
            "requestBody": { "content": { "application/json": {} } },
        });
        let page = page(&json!({ "paths": { "/a/{id}": { "get": operation } } })).unwrap();
        for part in [
            "<h2 id=\"other\">other</h2>",
            "<h3 id=\"x\"><code>GET /a/{id}</code></h3>",
            "<p>Reads &#60;b&#62; of <code>a&#60;b</code>.</p>",
            "<li><code>q</code> (query, required) what</li>",
            "<li><code>application/json</code>; optional</li>",
            "<li><code>200</code> a &#38; &#34;b&#34;</li>",
        ] {
            assert!(page.contains(part), "`{part}` is not in {page}");
        }
    }
}
