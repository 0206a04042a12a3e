//! What is refused, one change after the other.

use serde_json::{Value, json};

use super::corpus::{DATABASE, FEED, FETCHED, FILES, GRAPHQL, OAUTH, PAIR, REST, SCRAPER, TOOL};
use super::schema::tree;
use crate::parse_template;

/// The document with another value at a place, or with the key when it was not there; a null takes it away.
fn with(text: &str, place: &str, value: &Value) -> Value {
    let mut document = tree(text);
    let (parent, key) = place.rsplit_once('/').unwrap();
    match document.pointer_mut(parent).unwrap() {
        Value::Object(map) if value.is_null() => drop(map.shift_remove(key).unwrap()),
        Value::Object(map) => drop(map.insert(key.to_owned(), value.clone())),
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
        other => panic!("{place}: {other}"),
    }
    document
}

#[track_caller]
fn check(text: &str, refused: &[(&str, Value)]) {
    for (place, value) in refused {
        let document = with(text, place, value);
        let parsed = parse_template(&document.to_string());
        assert!(parsed.definition.is_none(), "{place} {value}");
        // Each is explained in words that are ours.
        for problem in &parsed.diagnostics {
            assert!(!problem.message.contains("needed here"), "{place} {value}: {problem}");
        }
    }
}

#[test]
fn f_107_the_heading() {
    check(
        REST,
        &[
            ("/x", json!(1)),
            ("/id", json!("Small")),
            ("/id", json!("a--b")),
            ("/id", json!("templates")),
            ("/id", json!("from-template")),
            ("/id", json!(null)),
            ("/name", json!(7)),
            ("/name", json!(null)),
            ("/type", json!("rest")),
            ("/type", json!("database2")),
            ("/version", json!("1.0")),
            ("/version", json!("01.0.0")),
            ("/version", json!(1.0)),
            ("/description", json!(["a"])),
            ("/category", json!("finances")),
            ("/tags", json!("donors")),
            ("/tags/0", json!("Donors")),
            ("/tags", (0..21).map(|n| format!("t{n}")).collect()),
            ("/auth_fields/0/name", json!(null)),
            ("/auth_fields/0/type", json!("file")),
            ("/auth_fields/0/x", json!(1)),
            ("/connection", json!(null)),
            ("/connection", json!([])),
            ("/endpoints", json!(null)),
            ("/endpoints", json!({})),
            ("/endpoints/a b", json!({ "path": "/" })),
            ("/endpoints/x", json!("/")),
        ],
    );
}

#[test]
fn f_107_a_connection_over_http() {
    check(
        REST,
        &[
            ("/connection/timeout_secs", json!(5)),
            ("/connection/timeout_seconds", json!(0)),
            ("/connection/timeout_seconds", json!(301)),
            ("/connection/timeout_seconds", json!("30")),
            ("/connection/base_url", json!(null)),
            ("/connection/base_url", json!("https://api.example.com/?a=b")),
            ("/connection/base_url", json!("ftp://api.example.com")),
            ("/connection/headers/Host", json!("x")),
            ("/connection/headers/a b", json!("x")),
            ("/connection/headers/x", json!("é")),
            ("/connection/headers/x", json!(1)),
            ("/connection/headers/x", json!(" a")),
            ("/connection/idempotency", json!({})),
            ("/connection/idempotency", json!("x-request-id")),
            ("/connection/idempotency/header", json!("Authorization")),
            ("/connection/idempotency/header", json!("a b")),
            ("/connection/idempotency/hours", json!(-1)),
            ("/connection/idempotency/hours", json!(8_761)),
            ("/connection/idempotency/x", json!(1)),
            ("/connection/rate_limit", json!({})),
            ("/connection/rate_limit/requests_per_hour", json!(0)),
            ("/connection/rate_limit/requests_per_year", json!(1)),
            ("/connection/auth", json!("none")),
            ("/connection/auth/type", json!("digest")),
            ("/connection/auth/type", json!("basic")),
            ("/connection/auth/header", json!("Cookie")),
            ("/connection/auth/header", json!(null)),
            ("/connection/auth/key_param", json!("key")),
        ],
    );
    check(
        OAUTH,
        &[
            ("/connection/auth/token_url", json!(null)),
            ("/connection/auth/client_auth", json!("query")),
            ("/connection/auth/secret", json!("s")),
        ],
    );
}

#[test]
fn f_107_an_endpoint_over_http() {
    check(
        REST,
        &[
            ("/endpoints/search/x", json!(1)),
            ("/endpoints/search/method", json!("FETCH")),
            ("/endpoints/search/method", json!("PUT")),
            ("/endpoints/search/method", json!("get")),
            ("/endpoints/search/safe", json!("yes")),
            ("/endpoints/search/path", json!(null)),
            ("/endpoints/search/path", json!("search")),
            ("/endpoints/search/path", json!("/a/../b")),
            ("/endpoints/search/path", json!("/a?b")),
            ("/endpoints/search/query/q", json!([1])),
            ("/endpoints/search/body_format", json!("xml")),
            ("/endpoints/search/parameters/0/name", json!(null)),
            ("/endpoints/search/parameters/0/name", json!("_cursor")),
            ("/endpoints/search/parameters/0/type", json!("int")),
            ("/endpoints/search/parameters/0/type", json!("string[][]")),
            ("/endpoints/search/parameters/0/required", json!(1)),
            ("/endpoints/search/parameters/0/x", json!(1)),
            ("/endpoints/search/parameters/1/default", json!(7)),
            ("/endpoints/search/parameters/2/default", json!(["a"])),
            ("/endpoints/search/pagination/type", json!("pages")),
            ("/endpoints/search/pagination/type", json!("cursor")),
            ("/endpoints/search/pagination/type", json!(null)),
            ("/endpoints/search/pagination/max_pages", json!(101)),
            ("/endpoints/search/pagination/first_page", json!(2)),
            ("/endpoints/search/pagination/in", json!("header")),
            ("/endpoints/search/pagination/cursor_path", json!("a")),
            ("/endpoints/cursor/pagination/cursor_path", json!(null)),
            ("/endpoints/cursor/pagination/also", json!(["seed"])),
            ("/endpoints/cursor/pagination/also/seed", json!(1)),
            ("/endpoints/links/pagination/page_size", json!(1)),
            ("/endpoints/links/body", json!({})),
            ("/endpoints/links/body_format", json!("form")),
            ("/endpoints/offset/pagination/in", json!("body")),
            ("/endpoints/form/body", json!([1])),
            ("/endpoints/form/body/a", json!({ "b": "c" })),
        ],
    );
}

#[test]
fn f_107_a_mapping() {
    check(
        REST,
        &[
            ("/endpoints/search/response_mapping/x", json!(1)),
            ("/endpoints/search/response_mapping/results_path", json!([])),
            ("/endpoints/search/response_mapping/results_path", json!("")),
            ("/endpoints/search/response_mapping/layout", json!("rowwise")),
            ("/endpoints/search/response_mapping/fields/name", json!(1)),
            ("/endpoints/search/response_mapping/fields/_name", json!("a")),
            ("/endpoints/search/response_mapping/entity_extraction/0/field", json!(null)),
            ("/endpoints/search/response_mapping/entity_extraction/0/x", json!(1)),
            (
                "/endpoints/search/response_mapping/entity_extraction/0/relationship_type",
                json!("member_of"),
            ),
            ("/endpoints/search/output_schema/type", json!("list")),
            ("/endpoints/search/output_schema/x", json!(1)),
            ("/endpoints/search/output_schema/fields/0/name", json!(null)),
            ("/endpoints/search/output_schema/fields/0/type", json!("text")),
            ("/endpoints/search/output_schema/metadata_fields/0/path", json!("a")),
            ("/endpoints/search/output_schema/metadata_fields/1/path", json!(null)),
            ("/endpoints/search/output_schema/metadata_fields/1/name", json!("results")),
        ],
    );
}

#[test]
fn f_107_pages_feeds_documents_and_tools() {
    check(
        GRAPHQL,
        &[
            ("/connection/endpoint", json!(null)),
            ("/connection/auth/scheme", json!("To ken")),
            ("/connection/base_url", json!("https://a.example")),
            ("/endpoints/search/query", json!(null)),
            ("/endpoints/search/results_path", json!("search.nodes")),
            ("/endpoints/members/results_path", json!([])),
            ("/endpoints/members/response_mapping", json!({ "results_path": "org.members" })),
            ("/endpoints/search/parameters", json!([])),
            ("/endpoints/search/pagination/type", json!("page")),
            ("/endpoints/search/pagination/page_info_path", json!(null)),
        ],
    );
    check(
        SCRAPER,
        &[
            ("/connection/delay_seconds", json!(61)),
            ("/connection/respect_robots", json!(false)),
            ("/connection/auth", json!({ "type": "none" })),
            ("/endpoints/search/fields", json!([])),
            ("/endpoints/search/fields/0/attr", json!("a b")),
            ("/endpoints/search/fields/0/type", json!("text")),
            ("/endpoints/search/next_page", json!(null)),
            ("/endpoints/search/response_mapping/results_path", json!("a")),
            ("/endpoints/search/output_schema/metadata_fields/0/name", json!("total")),
        ],
    );
    check(
        FEED,
        &[
            ("/connection/feeds", json!([])),
            ("/connection/feeds/0/name", json!("ALL")),
            ("/connection/feeds/0/name", json!(" ")),
            ("/connection/feeds/0/url", json!("a.example.org/rss")),
            ("/connection/poll_interval_minutes", json!(4)),
            ("/connection/max_items_per_poll", json!(1_001)),
            ("/connection/rate_limit", json!({})),
            ("/endpoints/recent/operation", json!("get_all")),
            ("/endpoints/recent/parameters/0/name", json!("topic")),
        ],
    );
    check(
        TOOL,
        &[
            ("/connection/tool", json!("os")),
            ("/connection/tool", json!(null)),
            ("/connection/tool_module", json!("web")),
            ("/endpoints/search/passthrough", json!("no")),
            ("/endpoints/search/parameters/1/name", json!("limit")),
        ],
    );
    check(
        PAIR,
        &[
            ("/connection/tool_function", json!(null)),
            ("/connection/tool_module", json!("web_search")),
            ("/connection/tool_function", json!("system")),
        ],
    );
}

#[test]
fn f_107_databases() {
    check(
        DATABASE,
        &[
            ("/connection/driver", json!("mysql")),
            ("/connection/driver", json!(null)),
            ("/connection/auth/type", json!("basic")),
            ("/connection/sslmode", json!("require")),
            ("/connection/ca_certificate", json!("certificate")),
            ("/connection/ca_certificate", json!("-----BEGIN CERTIFICATE----- PRIVATE KEY")),
            ("/connection/schema/0", json!("Public")),
            ("/connection/pool_size", json!(11)),
            ("/connection/read_only", json!(false)),
            ("/connection/allow_free_sql", json!("yes")),
            ("/connection/base_url", json!("https://a.example")),
            ("/endpoints/paid/type", json!("nosql")),
            ("/endpoints/paid/sql", json!("")),
            ("/endpoints/paid/max_rows", json!(1_001)),
            ("/endpoints/paid/response_mapping/results_path", json!("a")),
            (
                "/endpoints/paid/output_schema/metadata_fields",
                json!([{ "name": "total", "path": "a" }]),
            ),
        ],
    );
}

#[test]
fn f_107_files() {
    check(
        FILES,
        &[
            ("/connection/source", json!("ftp")),
            ("/connection/source", json!(null)),
            ("/connection/accepted_formats/0", json!("doc")),
            ("/connection/max_file_size_mb", json!(201)),
            ("/connection/timeout_seconds", json!(10)),
            ("/connection/rate_limit", json!({ "requests_per_minute": 1 })),
            ("/endpoints/xml/parser", json!("yaml")),
            ("/endpoints/xml/fields", json!(null)),
            ("/endpoints/xml/fields", json!([])),
            ("/endpoints/xml/fields/0/xpath", json!(null)),
            ("/endpoints/xml/fields/0/field", json!("_name")),
            ("/endpoints/xml/fields/0/type", json!("object")),
            ("/endpoints/xml/delimiter", json!(",")),
            ("/endpoints/xml/parameters/0/name", json!("file")),
            ("/endpoints/plain/records", json!("page")),
            ("/endpoints/csv/delimiter", json!("ab")),
            ("/endpoints/csv/delimiter", json!("x")),
            ("/endpoints/csv/header", json!("no")),
            ("/endpoints/csv/header", json!(false)),
            ("/endpoints/csv/header_row", json!(0)),
            ("/endpoints/csv/fields/0/column", json!([])),
            ("/endpoints/csv/fields/0/column", json!(0)),
            ("/endpoints/csv/fields/0/column", json!(" ")),
            ("/endpoints/rows/header_row", json!(2)),
            ("/endpoints/rows/fields/0/column", json!("sum")),
            ("/endpoints/xlsx/sheet", json!(true)),
            ("/endpoints/json/fields/0/path", json!("a | b")),
            ("/endpoints/json/fields/0/path", json!(null)),
            ("/endpoints/jsonl/results_path", json!("a")),
            ("/endpoints/html/list_element", json!("a")),
            ("/endpoints/pdf/records", json!("line")),
            ("/endpoints/pdf/fields", json!([])),
        ],
    );
    check(
        FETCHED,
        &[
            ("/connection/timeout_seconds", json!(0)),
            ("/connection/rate_limit", json!({})),
            ("/connection/source", json!("upload")),
            ("/connection/source", json!("directory")),
            ("/connection/headers", json!({ "x-a": "b" })),
        ],
    );
}
