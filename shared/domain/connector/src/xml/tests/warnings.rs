//! Values that are of another type, that stand twice, and those that every record carries.

use serde_json::Value;

use super::read;
use crate::model::{Operation, ParseRules, ValueType};
use crate::xml::{Limits, extract};

macro_rules! filing {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../../library/filings/", $name, ".xml")) as &[u8]
    };
}

#[test]
fn f_099_values_of_another_type_are_null_and_said() {
    let text = String::from_utf8(filing!("willow-creek-2021-990ez").to_vec()).unwrap();
    let text = text.replace("<CompensationAmt>46800<", "<CompensationAmt>see note<");
    let found = read("parse_990_officers", text.as_bytes()).unwrap();
    assert_eq!(found.records.get(1).unwrap()["compensation"], Value::Null);
    let [warning] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
    assert_eq!((warning.record, warning.field.as_str()), (1, "compensation"));
    assert_eq!(warning.message, "`see note` is not of type number");
}

/// An endpoint with a list of the document on every record.
fn tagged(value_type: &str) -> ParseRules {
    let yaml = format!(
        "id: tagged\nname: Tagged\ntype: file_parser\nversion: 1.0.0\nconnection: {{ source: upload }}\nendpoints:\n  read:\n    description: reads\n    parser: xml\n    list_element: r\n    fields:\n      - {{ field: num, xpath: '@n', type: integer }}\n    context_fields:\n      - {{ field: tags, xpath: t, type: '{value_type}' }}\n"
    );
    let parsed = crate::parse(&yaml);
    let definition = parsed.definition.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics));
    match &definition.endpoints["read"].operation {
        Operation::ParseXml(rules) => rules.clone(),
        _ => panic!("a file parser"),
    }
}

#[test]
fn f_099_what_every_record_carries_is_counted_for_every_record() {
    let file = |tags: usize, records: usize| {
        format!("<a>{}{}</a>", "<t>tag</t>".repeat(tags), "<r n='1'/>".repeat(records))
    };
    let limits = Limits { max_carried_bytes: 1_000_000, ..Limits::for_megabytes(50) };
    let found = extract(&tagged("string[]"), file(100, 100).as_bytes(), &limits).unwrap();
    let last = found.records.get(99).unwrap();
    assert_eq!(last["tags"].as_array().map(Vec::len), Some(100));
    let read = |file: String| extract(&tagged("string[]"), file.as_bytes(), &limits);
    let message = read(file(1_000, 10_000)).unwrap_err().to_string();
    let expect =
        "the file has more than 1000000 bytes of the document's values on its records at line 1";
    assert!(message.starts_with(expect), "{message}");
    assert!(read(file(10_000, 1)).is_ok());
    // A record without a value of its own is none, and carries nothing.
    assert!(
        read(file(1_000, 5).replace("</a>", &format!("{}</a>", "<r/>".repeat(50_000)))).is_ok()
    );
}

#[test]
fn f_099_warnings_about_values_are_bounded() {
    let file = format!("<a><t>x</t>{}</a>", "<r n='x'/>".repeat(5_000));
    let limits = Limits::for_megabytes(50);
    let found = extract(&tagged("number[]"), file.as_bytes(), &limits).unwrap();
    assert_eq!((found.records.len(), found.warnings.len()), (5_000, 1_000));
    // Each record has two fields that do not fit.
    assert_eq!(found.more_warnings.values().sum::<u64>(), 9_000, "{:?}", found.more_warnings);
}

#[test]
fn f_099_a_figure_that_stands_in_two_elements_is_reported() {
    let text = String::from_utf8(filing!("willow-creek-2021-990ez").to_vec()).unwrap();
    let twice = "<CompensationAmt>46800</CompensationAmt><CompensationAmt>64800</CompensationAmt>";
    let twice = text.replace("<CompensationAmt>46800</CompensationAmt>", twice);
    let found = read("parse_990_officers", twice.as_bytes()).unwrap();
    assert_eq!(found.records.get(1).unwrap()["compensation"], 46_800.0);
    let [warning] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
    assert_eq!((warning.record, warning.field.as_str()), (1, "compensation"));
    let expect = "another element of this path has `64800`; only the first, `46800`, counts";
    assert_eq!(warning.message, expect);
    let same = text.replace(
        "46800</CompensationAmt>",
        "46800</CompensationAmt><CompensationAmt>46800.0</CompensationAmt>",
    );
    assert_eq!(read("parse_990_officers", same.as_bytes()).unwrap().warnings, []);
}

#[test]
fn f_099_a_figure_of_the_document_that_stands_twice_is_reported_for_each_record() {
    let file = "<a><t>10.00</t><t>100.00</t><r n='1'/><r n='2'/></a>";
    let limits = Limits::for_megabytes(50);
    let found = extract(&tagged("decimal"), file.as_bytes(), &limits).unwrap();
    assert_eq!(found.records.get(1).unwrap()["tags"], "10.00");
    let expect = "another element of this path has `100.00`; only the first, `10.00`, counts";
    let messages: Vec<_> = found.warnings.iter().map(|warning| &*warning.message).collect();
    assert_eq!(messages, [expect, expect]);
    // A text may stand in several elements.
    assert_eq!(extract(&tagged("string"), file.as_bytes(), &limits).unwrap().warnings, []);
}

#[test]
fn f_099_values_of_a_list_that_are_left_out_are_said() {
    let mut rules = tagged("string[]");
    rules.fields[0].value_type = ValueType::StringList;
    rules.fields[0].xpath = crate::XPath::parse("n").unwrap();
    let said = "there are more than 10000 values; the rest is left out";
    let document = |own: usize, shared: usize| {
        format!("<d>{}<r>{}</r></d>", "<t>x</t>".repeat(shared), "<n>1</n>".repeat(own))
    };
    for (own, shared, expect) in
        [(10_000, 10_000, vec![]), (10_001, 1, vec!["num"]), (1, 10_001, vec!["tags"])]
    {
        let bytes = document(own, shared);
        let found = extract(&rules, bytes.as_bytes(), &Limits::for_megabytes(1)).unwrap();
        let fields: Vec<_> = found.warnings.iter().map(|warning| warning.field.as_str()).collect();
        assert_eq!(fields, expect);
        assert!(found.warnings.iter().all(|warning| warning.message == said));
    }
}
