//! `file_parser`: its connection, and an endpoint for every parser.

use serde_json::{Value, json};

use super::FIELD;
use super::build::{
    Keys, by_word, described, expression, in_any_case, list, matching, or_list, reference, some,
    text, truth, usually, whole,
};
use super::endpoint::{only, shared};
use crate::model::{FileSource, PARSERS, PdfRecords, ValueType};
use crate::parse::bounds::{HEADER_ROW, MAX_FILE_SIZE_MB, TIMEOUT_SECONDS};
use crate::parse::format::{MAX_ALTERNATIVES, MAX_COLUMNS};

pub(super) fn connection() -> Value {
    let endings: Vec<&str> = PARSERS.iter().flat_map(|(_, endings)| *endings).copied().collect();
    let written = format!(r"^\.*({})$", in_any_case(endings.iter().copied()));
    let format = json!({
        "description": "An ending of file names.",
        "anyOf": [{ "enum": endings }, { "type": "string", "pattern": written }],
    });
    let source = json!({
        "description": "Where files come from: uploaded by the owner, an HTTPS address, or a folder of uploads.",
        "type": "string",
        "enum": [FileSource::Upload, FileSource::Url, FileSource::Directory],
    });
    let uploaded = json!({
        "properties": { "source": { "enum": [FileSource::Upload, FileSource::Directory] } },
        "required": ["source"],
    });
    let nothing = json!({ "description": "Uploaded files are not requested.", "type": "null" });
    let unrequested =
        json!({ "properties": { "timeout_seconds": nothing, "rate_limit": nothing } });
    let keys = Keys::new()
        .required("source", source)
        .key(
            "accepted_formats",
            list(format, "Endings of the files it takes; those its endpoints read when left out."),
        )
        .bound(MAX_FILE_SIZE_MB, "No larger file is read, in megabytes.")
        .bound(
            TIMEOUT_SECONDS,
            "Seconds one request may take, its body included; for `source: url`.",
        )
        .key("rate_limit", reference("rate_limit"))
        .also("if", uploaded)
        .also("then", unrequested);
    described(keys.closed(), "Files to read.")
}

pub(super) fn endpoint() -> Value {
    let branches =
        PARSERS.into_iter().map(|(parser, _)| (parser, shared_keys().and(rules(parser))));
    let description = "What reads the file; `xml` when left out.";
    described(
        by_word("parser", description, true, branches.collect()),
        "How records are read from a file.",
    )
}

fn shared_keys() -> Keys {
    shared("file_parser", only(["source"], "The one input, `source`, may be described here."))
}

/// What a parser's endpoints have. A parser without rules takes nothing more, which the tests do not let pass.
fn rules(parser: &str) -> Keys {
    match parser {
        "xml" => xml(),
        "csv" => Keys::new().key("delimiter", delimiter()).key("encoding", encoding()).and(table()),
        "xlsx" => Keys::new()
            .key("sheet", pick("The sheet, by name or by number from 1; the first when left out."))
            .and(table()),
        "json" => Keys::new()
            .key(
                "results_path",
                one_path("Where the list of records stands; the document itself when left out."),
            )
            .key("fields", json_fields()),
        "jsonl" => Keys::new().key("fields", json_fields()),
        "html_table" => Keys::new()
            .key(
                "table",
                pick("The table, by CSS selector or by number from 1; the first when left out."),
            )
            .key("encoding", encoding())
            .and(table()),
        "pdf_text" => Keys::new().key("records", records()),
        _ => Keys::new(),
    }
}

pub(super) fn value_type() -> Value {
    json!({
        "description": "What its text is read as.",
        "type": "string",
        "enum": [
            ValueType::String, ValueType::Number, ValueType::Decimal, ValueType::Integer,
            ValueType::Date, ValueType::Boolean, ValueType::StringList, ValueType::NumberList,
        ],
    })
}

fn xml() -> Keys {
    let element = |description: &str| expression(description);
    let field = || {
        Keys::new()
            .required("field", matching(FIELD, "Its name in the record."))
            .required(
                "xpath",
                expression("Where its value stands, such as `Person/Name | Name`; by local name."),
            )
            .key("type", usually(value_type(), json!(ValueType::String)))
            .key("description", text("One sentence."))
            .closed()
    };
    Keys::new()
        .key(
            "root_element",
            element(
                "The part of the document that bounds lists and that relative paths start from.",
            ),
        )
        .key(
            "list_element",
            element("One record per element; without it the document is one record."),
        )
        .required("fields", some(field(), "The record's fields."))
        .key(
            "context_fields",
            list(field(), "Fields of the whole document, carried on every record."),
        )
}

fn delimiter() -> Value {
    matching(
        r"^(auto|tab|[\x00-\x09\x0b\x0c\x0e-!#-/:-@\[-`{-\x7f])$",
        "What separates cells: one character such as `,` or `;`, or `tab`; found in the file when left out.",
    )
}

fn encoding() -> Value {
    text("The encoding of files that do not say, such as utf-8 or windows-1252.")
}

/// By number from 1, or by name.
fn pick(description: &str) -> Value {
    let number = whole(1, MAX_COLUMNS, None, "By number, from 1.");
    let name =
        json!({ "description": "By name.", "type": "string", "pattern": r"\S", "maxLength": 512 });
    json!({ "description": description, "anyOf": [name, number] })
}

fn named() -> Keys {
    Keys::new()
        .required("field", matching(FIELD, "Its name in the record."))
        .key("type", value_type())
        .key("description", text("One sentence."))
}

fn table() -> Keys {
    let column = or_list(
        &pick("A column."),
        Some(MAX_ALTERNATIVES),
        "The column, by its name in the header or by number from 1; or several, of which the first with a value counts.",
    );
    let fields = list(
        named().required("column", column).closed(),
        "The record's fields; every column when left out.",
    );
    let nameless = json!({ "properties": {
        "header_row": { "description": "`header: false` says there is none.", "type": "null" },
        "fields": { "items": { "properties": { "column": {
            "description": "Without a header a column has no name: give its number.",
            "not": { "anyOf": [{ "type": "string" }, { "type": "array", "contains": { "type": "string" } }] },
        } } } },
    } });
    Keys::new()
        .key("header", truth("Whether a row names the columns.", true))
        .bound(HEADER_ROW, "The row with the columns' names, from 1; rows above it are not read.")
        .key("fields", fields)
        .also(
            "if",
            json!({ "properties": { "header": { "const": false } }, "required": ["header"] }),
        )
        .also("then", nameless)
}

fn one_path(description: &str) -> Value {
    let mut path = matching(r"^[^|]*$", description);
    if let Some(path) = path.as_object_mut() {
        path.insert("minLength".to_owned(), 1.into());
    }
    path
}

fn json_fields() -> Value {
    let path = or_list(
        &one_path("A path such as `a.b[0]`; write alternatives as a list."),
        Some(MAX_ALTERNATIVES),
        "Where its value stands in the record; or several paths, of which the first that leads to a value counts.",
    );
    list(
        named().required("path", path).closed(),
        "The record's fields; the record as it is when left out.",
    )
}

fn records() -> Value {
    json!({
        "description": "What one record is: a page (`page`, `text`) or the document (`pages`, `text`).",
        "type": "string",
        "enum": [PdfRecords::Page, PdfRecords::Document],
        "default": PdfRecords::Page,
    })
}
