//! `GET /docs`: the document for people, with every operation on one page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>API of Countersign</title></head>\n<body>\n<h1>API of Countersign</h1>\n";

/// Every operation of a document, below its tag: parameters, body and answers. Their fields are in the document itself.
pub(super) fn page(document: &Value) -> String {
    let mut groups: BTreeMap<&str, String> = BTreeMap::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let tag = operation["tags"][0].as_str().unwrap_or("other");
            describe(groups.entry(tag).or_default(), (method, path), operation);
        }
    }
    let mut page = HEAD.to_owned();
    paragraph(&mut page, document["info"]["description"].as_str());
    let links = groups.keys().map(|tag| format!("<a href=\"#{0}\">{0}</a>", escaped(tag)));
    let links: Vec<String> = links.collect();
    let fields =
        "The fields of each body and answer are in <a href=\"openapi.json\">openapi.json</a>.";
    let _ = writeln!(page, "<p>{fields} Below: {}.</p>", links.join(", "));
    for (tag, operations) in groups {
        let _ = writeln!(page, "<h2 id=\"{0}\">{0}</h2>\n{operations}", escaped(tag));
    }
    page + "</body>\n</html>\n"
}

fn describe(out: &mut String, (method, path): (&str, &str), operation: &Value) {
    let id = escaped(operation["operationId"].as_str().unwrap_or_default());
    let (method, path) = (method.to_uppercase(), escaped(path));
    let _ = writeln!(out, "<h3 id=\"{id}\"><code>{method} {path}</code></h3>");
    paragraph(out, operation["summary"].as_str());
    paragraph(out, operation["description"].as_str());
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    list(out, "Parameters", parameters.map(parameter));
    let body = operation["requestBody"].as_object().map(|body| {
        let need =
            if body.get("required").is_some_and(|is| is == true) { "required" } else { "optional" };
        let kinds = body.get("content").and_then(Value::as_object).into_iter().flatten();
        let kinds: Vec<String> =
            kinds.map(|(kind, _)| format!("<code>{}</code>", escaped(kind))).collect();
        format!("{}; {need}", kinds.join(", "))
    });
    list(out, "Body", body.into_iter());
    let answers = operation["responses"].as_object().into_iter().flatten();
    let answers = answers.map(|(status, answer)| {
        format!("<code>{}</code> {}", escaped(status), text(answer["description"].as_str()))
    });
    list(out, "Answers", answers);
}

fn parameter(parameter: &Value) -> String {
    let of = |name: &str| escaped(parameter[name].as_str().unwrap_or_default());
    let need = if parameter["required"] == true { ", required" } else { "" };
    let about = text(parameter["description"].as_str());
    format!("<code>{}</code> ({}{need}) {about}", of("name"), of("in"))
}

/// A list with what stands before it; nothing of an empty one.
fn list(out: &mut String, title: &str, entries: impl Iterator<Item = String>) {
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        return;
    }
    let _ = writeln!(out, "<p>{title}:</p>\n<ul>");
    for entry in entries {
        let _ = writeln!(out, "<li>{}</li>", entry.trim_end());
    }
    let _ = writeln!(out, "</ul>");
}

fn paragraph(out: &mut String, written: Option<&str>) {
    let written = text(written);
    if !written.is_empty() {
        let _ = writeln!(out, "<p>{written}</p>");
    }
}

/// A text with what stands between backticks as code.
fn text(written: Option<&str>) -> String {
    let parts = written.unwrap_or_default().trim().split('`').enumerate();
    let shown = parts.map(|(n, part)| match n % 2 {
        0 => escaped(part),
        _ => format!("<code>{}</code>", escaped(part)),
    });
    shown.collect()
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::page;
    use crate::openapi::document;

    #[test]
    fn r_097_every_operation_is_on_the_page() {
        let document = document();
        let page = page(&document);
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
        let page = page(&json!({ "paths": { "/a/{id}": { "get": operation } } }));
        for part in [
            "<h2 id=\"other\">other</h2>",
            "<h3 id=\"x\"><code>GET /a/{id}</code></h3>",
            "<p>Reads &lt;b&gt; of <code>a&lt;b</code>.</p>",
            "<li><code>q</code> (query, required) what</li>",
            "<li><code>application/json</code>; optional</li>",
            "<li><code>200</code> a &amp; &quot;b&quot;</li>",
        ] {
            assert!(page.contains(part), "`{part}` is not in {page}");
        }
    }
}
