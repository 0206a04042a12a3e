//! Endpoints of `file_parser` with every parser: what is read, what is refused and where, what is left to defaults.

use crate::contract::endpoint_contract;
use crate::model::{Connection, FormatRules, Operation, Pick, ValueType};
use crate::parse;

/// A connector with this `connection` and one endpoint of these lines.
fn yaml(connection: &str, endpoint: &str) -> String {
    let indented: String = endpoint.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "id: files\nname: Files\ntype: file_parser\nversion: 1.0.0\nconnection: {{ {connection} }}\nendpoints:\n  read:\n    description: reads\n{indented}"
    )
}

fn rules(endpoint: &str) -> FormatRules {
    let parsed = parse(&yaml("source: upload", endpoint));
    assert_eq!(parsed.diagnostics, []);
    match parsed.definition.unwrap().endpoints["read"].operation.clone() {
        Operation::Parse(rules) => *rules,
        other => panic!("{other:?}"),
    }
}

/// Checks the one problem of an endpoint: `line:column rule`, and a part of its message or hint.
fn check(connection: &str, endpoint: &str, at: &str, part: &str) {
    let parsed = parse(&yaml(connection, endpoint));
    let [problem] = &parsed.diagnostics[..] else { panic!("{:#?}", parsed.diagnostics) };
    let found = format!("{}:{} {}", problem.place().0, problem.place().1, problem.code);
    assert_eq!(found, at, "{problem}");
    assert!(problem.to_string().contains(part), "{problem}");
    assert!(parsed.definition.is_none(), "{endpoint}");
}

#[test]
fn f_099_every_parser_has_its_defaults() {
    let FormatRules::Csv(csv) = rules("parser: csv") else { panic!("csv") };
    assert_eq!((csv.delimiter, csv.encoding, csv.table.header_row), (None, None, Some(1)));
    assert!(csv.table.fields.is_empty());
    let FormatRules::Xlsx(xlsx) = rules("parser: xlsx") else { panic!("xlsx") };
    assert_eq!((xlsx.sheet, xlsx.table.header_row), (None, Some(1)));
    let FormatRules::Json(json) = rules("parser: json") else { panic!("json") };
    assert_eq!((json.results_path, json.fields.len()), (None, 0));
    assert!(matches!(rules("parser: jsonl"), FormatRules::Jsonl(_)));
    let FormatRules::HtmlTable(html) = rules("parser: html_table") else { panic!("html") };
    assert_eq!((html.pick, html.table.header_row), (None, Some(1)));
    assert!(matches!(rules("parser: pdf_text"), FormatRules::PdfText(_)));
}

#[test]
fn f_099_columns_are_names_numbers_and_alternatives() {
    let endpoint = "parser: csv\nfields:\n  - { field: name, column: [Full name, 3], type: string }\n  - { field: sum, column: 2 }\n";
    let FormatRules::Csv(csv) = rules(endpoint) else { panic!("csv") };
    let [name, sum] = &csv.table.fields[..] else { panic!("two fields") };
    assert_eq!(name.columns, [Pick::Name("Full name".to_owned()), Pick::Number(3)]);
    assert_eq!(
        (name.value_type, sum.value_type, &sum.columns),
        (Some(ValueType::String), None, &vec![Pick::Number(2)])
    );
}

#[test]
fn f_099_a_parser_reads_only_formats_that_are_accepted() {
    check(
        "source: upload, accepted_formats: [xml]",
        "parser: csv",
        "9:13 parser",
        "accept csv or tsv or txt",
    );
    check("source: upload, accepted_formats: [docx]", "parser: csv", "5:50 format", "`docx`");
    let parsed = parse(&yaml("source: upload, accepted_formats: [csv, xlsx, .TSV]", "parser: csv"));
    let Connection::FileParser(files) = parsed.definition.unwrap().connection else {
        panic!("files")
    };
    assert_eq!(files.accepted_formats, ["csv", "xlsx", "tsv"]);
    let parsed = parse(&yaml("source: upload", "parser: jsonl"));
    let Connection::FileParser(files) = parsed.definition.unwrap().connection else {
        panic!("files")
    };
    assert_eq!(
        files.accepted_formats,
        ["jsonl", "ndjson"],
        "those of the endpoints, when none are named"
    );
}

#[test]
fn f_099_problems_of_formats_stand_where_they_are() {
    let source = "source: upload";
    check(source, "parser: xslx", "9:13 parser", "did you mean `xlsx`?");
    check(source, "parser: docx", "9:13 parser", "must be one of `xml`, `csv`");
    check(source, "parser: csv\ndelimiter: ab", "10:16 delimiter", "`tab`");
    check(source, "parser: csv\nencoding: klingon", "10:15 encoding", "`klingon`");
    check(source, "parser: csv\nheader: 3", "10:13 type", "`header` must be true or false");
    check(source, "parser: csv\nheader: false\nheader_row: 2", "8:5 header", "contradict");
    check(source, "parser: csv\nsheet: 2", "10:5 unknown_key", "sheet");
    check(
        source,
        "parser: csv\nfields: [{ field: a, column: 1, xpath: b }]",
        "10:37 unknown_key",
        "has no key `xpath`",
    );
    check(source, "parser: csv\nfields: [{ field: a, column: 0 }]", "10:34 type", "from 1");
    check(source, "parser: csv\nfields: [{ field: a, column: [] }]", "10:34 length", "1 to 32");
    check(
        source,
        "parser: csv\nheader: false\nfields: [{ field: a, column: B }]",
        "11:34 column",
        "without a header",
    );
    check(
        source,
        "parser: csv\nfields: [{ field: a, column: 1 }, { field: a, column: 2 }]",
        "10:48 duplicate",
        "twice",
    );
    check(source, "parser: csv\nfields: [{ field: _a, column: 1 }]", "10:23 name", "`_a`");
    check(
        source,
        "parser: csv\nfields: [{ field: a, column: 1, type: text }]",
        "10:43 type",
        "`text`",
    );
    check(source, "parser: xlsx\nsheet: [1]", "10:12 type", "a string or a whole number");
    check(source, "parser: json\nresults_path: a..b", "10:19 path", "a..b");
    check(source, "parser: json\nfields: [{ field: a, path: 'b | c' }]", "10:32 path", "a list");
    check(source, "parser: jsonl\nresults_path: a", "10:5 unknown_key", "results_path");
    check(source, "parser: pdf_text\nrecords: line", "10:14 records", "`page`, `document`");
    check(source, "parser: pdf_text\nfields: []", "10:5 unknown_key", "fields");
}

#[test]
fn f_099_a_misspelt_parser_hides_nothing() {
    let endpoint = "parser: cvs\ndelimiter: ab\nfields: [{ field: _a, column: 0 }]";
    let parsed = parse(&yaml("source: upload", endpoint));
    let found: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|problem| format!("{}:{} {}", problem.place().0, problem.place().1, problem.code))
        .collect();
    assert_eq!(found, ["9:13 parser", "10:16 delimiter", "11:23 name", "11:35 type"]);
    assert_eq!(parsed.diagnostics[0].hint.as_deref(), Some("did you mean `csv`?"));
}

#[test]
fn f_092_the_schema_of_every_format_is_inferred() {
    let outputs = |endpoint: &str| {
        let parsed = parse(&yaml("source: upload", endpoint));
        let definition = parsed.definition.unwrap();
        let contract = endpoint_contract(&definition, "read").unwrap();
        assert!(!contract.irreversible);
        assert_eq!(contract.outputs.last().map(|slot| slot.name.as_str()), Some("file_notes"));
        let fields = definition.endpoints["read"].output.fields.iter();
        fields.map(|field| format!("{}: {}", field.name, field.data_type)).collect::<Vec<_>>()
    };
    assert_eq!(
        outputs(
            "parser: csv\nfields: [{ field: a, column: 1 }, { field: b, column: 2, type: number }]"
        ),
        ["a: string", "b: number"]
    );
    assert_eq!(outputs("parser: xlsx\nfields: [{ field: a, column: 1 }]"), ["a: any"]);
    assert_eq!(
        outputs(
            "parser: json\nfields: [{ field: a, path: b.c }, { field: d, path: 'e[*]', type: 'string[]' }]"
        ),
        ["a: any", "d: string[]"]
    );
    assert_eq!(outputs("parser: pdf_text"), ["page: integer", "text: string"]);
    assert_eq!(outputs("parser: pdf_text\nrecords: document"), ["pages: integer", "text: string"]);
    assert!(outputs("parser: csv").is_empty());
}

#[test]
fn f_099_the_stored_form_of_every_format_reads_back_the_same() {
    for endpoint in [
        "parser: csv\ndelimiter: tab\nencoding: latin1\nfields: [{ field: a, column: [1, B], type: date }]",
        "parser: xlsx\nsheet: Two\nheader_row: 4",
        "parser: json\nresults_path: a.b[0]\nfields: [{ field: a, path: [x, 'y[*].z'] }]",
        "parser: jsonl",
        "parser: html_table\ntable: 2\nheader: false",
        "parser: pdf_text\nrecords: document",
    ] {
        let definition = parse(&yaml("source: directory", endpoint)).definition.unwrap();
        let stored = serde_json::to_string(&definition).unwrap();
        assert_eq!(
            serde_json::from_str::<crate::ConnectorDefinition>(&stored).unwrap(),
            definition
        );
    }
}

#[test]
fn f_099_a_locale_is_known_and_reads_something() {
    let with = |keys: &str| {
        format!("parser: csv\n{keys}\nfields:\n  - {{ field: sum, column: 1, type: number }}\n")
    };
    let FormatRules::Csv(csv) = rules(&with("locale: de-CH\ncurrency: EUR")) else { panic!("csv") };
    let stored = serde_json::to_value(&csv.table.reading).unwrap();
    assert_eq!(stored, serde_json::json!({ "locale": "de-CH", "currency": "EUR" }));
    let upload = "source: upload";
    check(upload, &with("locale: en_US"), "10:13 locale", "did you mean `en-US`?");
    check(upload, &with("locale: de"), "10:13 locale", "did you mean `de-DE`?");
    check(upload, &with("locale: en-US\ncurrency: dollars"), "11:15 currency", "ISO 4217");
    check(upload, &with("currency: EUR"), "10:15 currency", "`locale: en-US`");
    check(
        upload,
        "parser: csv\nlocale: en-US\n",
        "10:13 locale",
        "no field that a locale is needed for",
    );
    check(upload, "parser: pdf_text\nlocale: en-US\n", "10:13 locale", "no field");
    let texts =
        "parser: csv\nlocale: en-US\nfields:\n  - { field: name, column: 1, type: string }\n";
    check(upload, texts, "10:13 locale", "no field");
}

#[test]
fn f_099_the_records_of_a_json_file_are_not_found_by_the_text_of_a_key() {
    let endpoint = "parser: json\nresults_path: \"items[kind='a'].rows\"\n";
    check("source: upload", endpoint, "10:19 path", "not found by the text of a key");
    let by_key = "parser: json\nfields: [{ field: a, path: \"items[kind='a'].name\" }]\n";
    assert!(matches!(rules(by_key), FormatRules::Json(_)));
}
