//! Endpoints that send requests: `rest_api`, `graphql`, `web_scraper`.

use serde_json::{Value, json};

use super::FIELD;
use super::build::{
    Keys, by_word, choice, described, expression, in_any_case, matching, reference, some, text,
    truth, usually,
};
use super::endpoint::{attribute, parameters, shared};
use crate::model::{BodyFormat, Method, PagePlace};
use crate::parse::bounds::{FIRST_PAGE, MAX_PAGES, MAX_RECORDS, PAGE_SIZE};

const METHODS: [Method; 6] =
    [Method::Get, Method::Head, Method::Post, Method::Put, Method::Patch, Method::Delete];

fn path() -> Value {
    json!({
        "description": "Appended to the base URL; `{name}` is replaced by a parameter, percent-encoded.",
        "type": "string",
        "pattern": r"^/[^?#\\]*$",
        "not": { "pattern": r"/\.\.(/|$)" },
    })
}

pub(super) fn query() -> Value {
    json!({
        "description": "Fixed query parameters; a value that is wholly `{name}` takes the parameter's.",
        "type": "object",
        "additionalProperties": { "type": ["string", "integer", "boolean"] },
    })
}

fn bounds() -> Keys {
    Keys::new().bound(MAX_PAGES, "Pages in one call.").bound(MAX_RECORDS, "Records in one call.")
}

fn methods(which: impl Fn(Method) -> bool) -> String {
    let words = METHODS.into_iter().filter(|method| which(*method)).map(Method::as_str);
    format!("^({})$", in_any_case(words))
}

/// The method is left out, or one of these.
fn is_method(which: impl Fn(Method) -> bool) -> Value {
    json!({ "anyOf": [{ "type": "null" }, { "type": "string", "pattern": methods(which) }] })
}

pub(super) fn rest() -> Value {
    let method = json!({
        "description": "The request's method; all but GET and HEAD have an effect and need a signature.",
        "anyOf": [{ "enum": METHODS }, { "type": "string", "pattern": methods(|_| true) }],
        "default": Method::Get,
    });
    let format = json!({
        "description": "How the body is written; a form is flat.",
        "type": "string",
        "enum": [BodyFormat::Json, BodyFormat::Form],
        "default": BodyFormat::Json,
    });
    let keys = shared("rest_api", parameters())
        .key("method", method)
        .key("safe", truth("Vouches that a POST only searches: it needs no signature.", false))
        .required("path", path())
        .key("query", reference("query"))
        .key("headers", reference("headers"))
        .key("body", json!({ "description": "A body; a value that is wholly `{name}` takes the parameter's." }))
        .key("body_format", format)
        .key("pagination", described(pagination(), "How pages follow each other."))
        .also("allOf", places());
    described(keys.closed(), "A request.")
}

/// What goes with which method and body.
fn places() -> Value {
    let reads = json!({ "anyOf": [
        { "not": { "required": ["method"] } },
        { "properties": { "method": is_method(Method::reads) } },
    ] });
    let no_body = json!({ "properties": {
        "body": { "description": "A GET or HEAD request has no body.", "type": "null" },
        "body_format": { "enum": [BodyFormat::Json, null] },
        "pagination": { "properties": { "in": { "enum": [PagePlace::Query, null] } } },
    } });
    let searches = json!({ "properties": {
        "method": is_method(|method| method.reads() || method == Method::Post),
    } });
    let flat = json!({ "properties": { "body": {
        "type": ["object", "null"],
        "additionalProperties": {
            "type": ["string", "number", "boolean", "null", "array"],
            "items": { "type": ["string", "number", "boolean", "null"] },
        },
    } } });
    let is = |key: &str, value: Value| json!({ "properties": { key: { "const": value } }, "required": [key] });
    json!([
        { "if": reads, "then": no_body },
        { "if": is("safe", true.into()), "then": searches },
        { "if": is("body_format", json!(BodyFormat::Form)), "then": flat },
    ])
}

fn pagination() -> Value {
    let place = || {
        Keys::new().key(
            "in",
            json!({
                "description": "Where the parameters that turn pages stand in a request.",
                "type": "string",
                "enum": [PagePlace::Query, PagePlace::Body],
                "default": PagePlace::Query,
            }),
        )
    };
    let more = || {
        Keys::new().key("more_path", expression("Where the answer says that there is another page; without it a full page is followed by another."))
    };
    let page = Keys::new()
        .key("page_param", usually(text("The parameter with the page's number."), "page"))
        .key("size_param", text("The parameter with the page's size."))
        .bound(PAGE_SIZE, "Records on a page.")
        .bound(FIRST_PAGE, "The first page's number.");
    let offset = Keys::new()
        .key("offset_param", usually(text("The parameter with the offset."), "offset"))
        .key("limit_param", usually(text("The parameter with the page's size."), "limit"))
        .bound(PAGE_SIZE, "Records on a page.");
    let cursor = Keys::new()
        .key("cursor_param", usually(text("The parameter with the cursor."), "cursor"))
        .required(
            "cursor_path",
            expression("Where the next cursor, or an address that holds it, stands in the answer."),
        )
        .key("also", companions());
    let branches = vec![
        ("none", bounds()),
        ("page", page.and(place()).and(more()).and(bounds())),
        ("offset", offset.and(place()).and(more()).and(bounds())),
        ("cursor", cursor.and(place()).and(bounds())),
        ("link_header", bounds()),
    ];
    by_word(
        "type",
        "How pages follow each other; `link_header` follows `Link: <…>; rel=\"next\"`.",
        false,
        branches,
    )
}

fn companions() -> Value {
    json!({
        "description": "Other parameters that go with the cursor, and where in the answer each stands.",
        "type": "object",
        "additionalProperties": expression("A path into the answer."),
    })
}

pub(super) fn graphql() -> Value {
    let pages = Keys::new()
        .key("type", usually(choice(["relay"], "The only kind."), "relay"))
        .key("cursor_variable", usually(text("The variable that takes the cursor."), "after"))
        .required(
            "page_info_path",
            expression("Where `pageInfo` stands in the answer; `data` may be left out."),
        )
        .and(bounds());
    let keys = shared("graphql", parameters())
        .required("query", expression("A document with one query or mutation and its fragments. A mutation needs a signature."))
        .key("pagination", described(pages.closed(), "Pages by cursor; a mutation has none."))
        .key(
            "results_path",
            described(
                reference("json_path"),
                "Where the records stand, here or in `response_mapping`; the whole answer when left out.",
            ),
        )
        .also("not", json!({
            "properties": {
                "results_path": given(),
                "response_mapping": { "type": "object", "properties": { "results_path": given() }, "required": ["results_path"] },
            },
            "required": ["results_path", "response_mapping"],
        }));
    described(keys.closed(), "A GraphQL document.")
}

/// Whatever is not null, which stands for a key that is left out.
fn given() -> Value {
    json!({ "not": { "type": "null" } })
}

fn selector(description: &str) -> Value {
    json!({ "description": description, "type": "string", "minLength": 1, "maxLength": 500 })
}

pub(super) fn scraper() -> Value {
    let field = Keys::new()
        .required("field", matching(FIELD, "Its name in the record."))
        .key("selector", selector("Where its value stands, inside the record's element; without it the element itself."))
        .key("attr", attribute())
        .key("type", super::file::value_type())
        .key("description", text("One sentence."));
    let more_than_one = json!({
        "properties": { "max_pages": { "type": "number", "minimum": 2 } }, "required": ["max_pages"],
    });
    let link =
        json!({ "properties": { "next_page": { "type": "string" } }, "required": ["next_page"] });
    let keys = shared("web_scraper", parameters())
        .required("path", path())
        .key("query", reference("query"))
        .key("list", selector("One record per element; without it a page is one record."))
        .required("fields", some(field.closed(), "The record's fields."))
        .key("next_page", selector("The link to the next page, or an element with one inside."))
        .and(bounds())
        .also("if", more_than_one)
        .also("then", link);
    described(keys.closed(), "Pages, and what is read from them.")
}
