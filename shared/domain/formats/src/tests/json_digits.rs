//! Numbers of JSON with more digits than a number keeps.

use countersign_decimal::{Decimal, keeps_digits};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::{check, read};

/// Named by keys alone, behind a list index, as one of several paths, as lists, and without a type.
const FIELDS: &str = "
locale: de-DE
fields:
  - { field: number, path: a, type: number }
  - { field: inner, path: 'b[0]', type: number }
  - { field: either, path: [x, a], type: number }
  - { field: whole, path: a, type: integer }
  - { field: exact, path: 'b[0]', type: decimal }
  - { field: all, path: b, type: 'number[]' }
  - { field: texts, path: b, type: 'string[]' }
  - { field: raw, path: a }
";

const LONG: &str = "has more digits than a number keeps: a `decimal` has up to 28";

#[test]
fn f_091_a_json_number_is_not_rounded_without_a_word() {
    for (format, line) in [("json", "record 1, line 1"), ("jsonl", "line 1")] {
        let file = br#"{"a": 12345678901234567890123, "b": [1234567890123456.78, 1.5]}"#;
        let found = check(
            &format!("parser: {format}{FIELDS}"),
            file,
            json!([{
                "number": null, "inner": null, "either": null, "whole": null,
                "exact": "1234567890123456.78", "all": [1.5], "texts": ["1234567890123456.78", "1.5"],
                "raw": "12345678901234567890123",
            }]),
        );
        let said: Vec<(&str, &str)> = found
            .warnings
            .iter()
            .map(|warning| (warning.field.as_str(), warning.message.as_str()))
            .collect();
        let unfit = |number: &str| format!("{line}: `{number}` is not of type number; it {LONG}");
        let (whole, fraction) = ("12345678901234567890123", "1234567890123456.78");
        let expect = [
            ("number", unfit(whole)),
            ("inner", unfit(fraction)),
            ("either", unfit(whole)),
            ("whole", format!("{line}: `{whole}` is not of type integer")),
            ("all", unfit(fraction)),
            ("raw", format!("{line}: `{whole}` {LONG}; it is kept as a text")),
        ];
        assert_eq!(said, expect.each_ref().map(|(field, message)| (*field, message.as_str())));
    }
}

#[test]
fn f_091_numbers_with_exponents_are_exact_or_said() {
    let endpoint = "parser: jsonl
fields:
  - { field: number, path: a, type: number }
  - { field: whole, path: a, type: integer }
  - { field: exact, path: a, type: decimal }
";
    let found = check(
        endpoint,
        b"{\"a\": 1.5e3}\n{\"a\": 1.2345678901234567891e3}\n{\"a\": 9007199254740993.0}\n{\"a\": 1e-400}",
        json!([
            { "number": 1500.0, "whole": 1500, "exact": "1500" },
            { "number": null, "whole": null, "exact": "1234.5678901234567891" },
            { "number": null, "whole": 9_007_199_254_740_993_i64, "exact": "9007199254740993.0" },
            { "number": null, "whole": null, "exact": null },
        ]),
    );
    assert_eq!(found.warnings.len(), 6, "{:?}", found.warnings);
}

#[test]
fn f_099_fields_of_one_path_each_have_the_number_as_it_is_written() {
    let fields = "fields:
  - { field: exact, path: a, type: decimal }
  - { field: text, path: a, type: string }
  - { field: near, path: a, type: number }
  - { field: inner, path: a.b, type: decimal }
";
    for format in ["json", "jsonl"] {
        check(
            &format!("parser: {format}\n{fields}"),
            br#"{"a": 1250.00}"#,
            json!([{ "exact": "1250.00", "text": "1250.00", "near": 1250.0, "inner": null }]),
        );
    }
}

#[test]
fn f_091_json_without_fields_keeps_all_digits() {
    let found = check(
        "parser: json",
        br#"[{"a": {"b": [0.1, 1234567890123456.78]}}, 0.30000000000000004, 18446744073709551615]"#,
        json!([
            { "a": { "b": [0.1, "1234567890123456.78"] } },
            { "value": 0.1 + 0.2 },
            { "value": u64::MAX },
        ]),
    );
    let said: Vec<&str> = found.warnings.iter().map(|one| one.message.as_str()).collect();
    let expect = format!("record 1, line 1: `1234567890123456.78` {LONG}; it is kept as a text");
    assert_eq!(said, [expect]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn f_091_json_numbers_keep_their_digits_or_a_warning_says(
        numbers in proptest::collection::vec("-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,12})?([eE][-+]?[0-9])?", 1..8),
    ) {
        let lines: Vec<String> =
            numbers.iter().map(|number| format!("{{\"a\": {number}, \"b\": [{number}]}}")).collect();
        let endpoint = "parser: jsonl
fields: [{ field: f, path: a, type: number }, { field: g, path: 'b[0]', type: number }, { field: d, path: 'b[0]', type: decimal }]";
        let found = read(endpoint, lines.join("\n").as_bytes()).unwrap();
        for (at, number) in numbers.iter().enumerate() {
            let record = &found.records[at];
            prop_assert_eq!(&record["f"], &record["g"]);
            let is_said = |field: &str| {
                found.warnings.iter().any(|one| one.record == Some(at) && one.field == field)
            };
            match &record["f"] {
                Value::Null => prop_assert!(is_said("f") && is_said("g"), "{number}"),
                kept => {
                    let read = kept.as_f64().unwrap();
                    prop_assert!(!kept.is_f64() || keeps_digits(number, read), "{number}");
                    prop_assert!(!is_said("f"), "{number}");
                }
            }
            // A short number that is not named by keys alone may lose the noughts at its end, and nothing else.
            let exact = Decimal::of_json(number).ok();
            let read = record["d"].as_str().map(|text| Decimal::parse(text).unwrap());
            prop_assert_eq!(read, exact);
            prop_assert_eq!(is_said("d"), exact.is_none());
        }
    }
}
