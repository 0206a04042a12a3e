use countersign_connector::JsonPath;
use proptest::prelude::{
    BoxedStrategy, Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest,
};
use serde_json::{Map, Value, json};

use super::{Endless, Found, Pieces, check, check_error, read, reader};
use crate::{Limits, Stop};

const MAPPED: &str = "parser: json
results_path: data.items
fields:
  - { field: name, path: [person.name, name], type: string }
  - { field: amount, path: amount, type: number }
  - { field: tags, path: 'tags[*].label', type: 'string[]' }
  - { field: second, path: 'tags[1].label' }
  - { field: person, path: person }
";

const BODY: &str = r#"{"meta":{"x":[1,{"y":"}"}],"data":null},"data":{"total":2,"items":[
  {"person":{"name":"A \"q\" é","age":3},"amount":"1,200","tags":[{"label":"x"},{"label":7}]},
  {"name":5,"amount":2.5,"extra":[[],{}]}
]}}"#;

#[test]
fn f_099_json_lists_are_mapped() {
    check(
        MAPPED,
        BODY.as_bytes(),
        json!([
            { "name": "A \"q\" é", "amount": 1200, "tags": ["x", "7"], "second": 7, "person": { "name": "A \"q\" é", "age": 3 } },
            { "name": "5", "amount": 2.5, "tags": [], "second": null, "person": null },
        ]),
    );
}

#[test]
fn f_311_figures_that_differ_in_a_list_are_said() {
    let endpoint = "parser: json
fields:
  - { field: amount, path: amount, type: decimal }
  - { field: label, path: amount, type: string }
";
    let found = check(
        endpoint,
        br#"[{"amount": [1, 2, 3]}, {"amount": [4, "4.00"]}]"#,
        json!([{ "amount": "1", "label": "1" }, { "amount": "4", "label": "4" }]),
    );
    let said: Vec<&str> = found.warnings.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        said,
        ["record 1, line 1: the list has 2 other values; only the first, `1`, counts"]
    );
}

#[test]
fn f_099_json_the_size_of_reads_changes_nothing() {
    let whole = read(MAPPED, BODY.as_bytes()).unwrap();
    for size in 1..40 {
        let pieces = Pieces(BODY.as_bytes(), size);
        let found =
            reader(MAPPED).read(pieces, &Limits::for_megabytes(1), &Stop::default()).unwrap();
        assert_eq!(Found::from(found), whole, "{size}");
    }
}

#[test]
fn f_099_json_without_fields_or_path_is_kept_as_it_is() {
    check(
        "parser: json",
        br#" [{"a":1},2,null,[3]] "#,
        json!([{ "a": 1 }, { "value": 2 }, { "value": null }, { "value": [3] }]),
    );
    check("parser: json", br#"{"a":{"b":true}}"#, json!([{ "a": { "b": true } }]));
    check("parser: json\nresults_path: a", br#"{"a":null}"#, json!([]));
    check("parser: json\nresults_path: a.b", br#"{"a":{"b":{"c":1}}}"#, json!([{ "c": 1 }]));
    check(
        "parser: json\nresults_path: 'pages[*].rows'",
        br#"{"pages":[{"rows":[1,2]},{"no":0},{"rows":[3]}]}"#,
        json!([{ "value": 1 }, { "value": 2 }, { "value": 3 }]),
    );
    check(
        "parser: json\nresults_path: 'a[1]'",
        br#"{"a":[[1],[2,3]]}"#,
        json!([{ "value": 2 }, { "value": 3 }]),
    );
    check("parser: json\nresults_path: $", b"[]", json!([]));
    check("parser: json", b" 42", json!([{ "value": 42 }]));
    let tree = format!("[{}1{}]", "[".repeat(150), "]".repeat(150));
    check_error(
        "parser: json",
        tree.as_bytes(),
        "FILE_LIMIT",
        "128 values inside each other at record 1",
    );
}

#[test]
fn f_099_json_values_of_another_type_are_null_and_said() {
    let endpoint = "parser: json\nfields:\n  - { field: num, path: num, type: integer }\n  - { field: day, path: d, type: date }\n";
    let found = check(
        endpoint,
        br#"[{"num":1.5,"d":{"x":1}},
        {"num":"7","d":"2020-02-03"}]"#,
        json!([{ "num": null, "day": null }, { "num": 7, "day": "2020-02-03" }]),
    );
    let said: Vec<_> =
        found.warnings.iter().map(|warning| (warning.record, warning.message.as_str())).collect();
    assert_eq!(
        said,
        [
            (Some(0), "record 1, line 1: `1.5` is not of type integer"),
            (Some(0), "record 1, line 1: an object is not of type date"),
        ]
    );
}

#[test]
fn f_099_json_that_is_wrong_says_where() {
    let error = |text: &str, code: &str, part: &str| {
        check_error("parser: json\nresults_path: a", text.as_bytes(), code, part);
    };
    error(
        "{\"a\":[1,\n{\"b\":tru}]}",
        "FILE_MALFORMED",
        "record 2, line 2: only `true`, `false` and `null`",
    );
    error("{\"a\":[1,\n2", "FILE_TRUNCATED", "line 2");
    error("{\"a\":[{\"b\":\"", "FILE_TRUNCATED", "line 1");
    error("{\"a\":[1 2]}", "FILE_MALFORMED", "a comma or the end");
    error("{\"a\":[1],}", "FILE_MALFORMED", "a key should start");
    error("{\"a\" [1]}", "FILE_MALFORMED", "a colon");
    error("{\"b\":nul,\"a\":[]}", "FILE_MALFORMED", "line 1");
    error("{\"a\":[1]} x", "FILE_MALFORMED", "after the end");
    error("{\"b\":1}", "FILE_WRONG_KIND", "nothing at `a`");
    error("<html>", "FILE_MALFORMED", "line 1");
    error("  \n", "FILE_EMPTY", "empty");
    check_error("parser: json", b"[\"abc\xFF\"]", "FILE_ENCODING", "byte 5");
}

#[test]
fn f_099_json_is_bounded() {
    let limits = Limits { max_record_bytes: 10_000, max_records: 10, ..Limits::for_megabytes(50) };
    let code = |file: Endless<'_>| {
        reader("parser: json").read(file, &limits, &Stop::default()).unwrap_err().to_string()
    };
    assert!(
        code(Endless::new(b"[\"", b"x", 2_000_000, b"\"]")).contains("10000 bytes in one record")
    );
    assert!(code(Endless::new(b"[", b"1,", 100, b"1]")).contains("10 records"));
    assert!(code(Endless::new(b"", b"[", 1_000_000, b"")).contains("inside each other"));
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    check_error(
        "parser: json\nresults_path: b",
        deep.as_bytes(),
        "FILE_LIMIT",
        "128 values inside each other",
    );
    // The same where the value is read by itself: its text is wanted.
    for more in ["", ", { field: near, path: a, type: number }"] {
        check_error(
            &format!("parser: json\nfields: [{{ field: exact, path: a, type: decimal }}{more}]"),
            deep.as_bytes(),
            "FILE_LIMIT",
            "128 values inside each other",
        );
    }
}

#[test]
fn f_099_json_of_50_mb_keeps_only_what_is_mapped() {
    let piece = br#"{"id":1,"filler":"0123456789012345678901234567890123456789","list":[1,2,3,{"a":"b"}]},"#;
    let file = Endless::new(
        br#"{"n":0,"rows":["#,
        piece,
        49 * 1024 * 1024 / piece.len(),
        br#"{"id":2}]}"#,
    );
    let limits = Limits { max_records: 1_000_000, ..Limits::for_megabytes(50) };
    let endpoint =
        "parser: json\nresults_path: rows\nfields: [{ field: id, path: id, type: integer }]";
    let found = reader(endpoint).read(file, &limits, &Stop::default()).unwrap();
    assert_eq!(found.records.get(found.records.len() - 1).unwrap()["id"], 2);
    assert!(found.records.len() > 500_000);
}

/// Every form of a path that the docs name, with keys that need quotes.
const PATHS: [&str; 24] = [
    "$",
    "a",
    "$.a",
    "['a']",
    "$['a']",
    "$[\"a\"]",
    "['odd.key']",
    "a['odd.key']",
    "['odd.key'].b",
    "a['it\"s']",
    "['x[0]']",
    "$[0]",
    "[0]",
    "$[1].a",
    "a[0]",
    "a[1]['odd.key']",
    "a[0][1]",
    "[*]",
    "$[*].a",
    "a[*]",
    "a[*].b",
    "a[*][*]",
    "a.b[*]['odd.key']",
    "['0']",
];

fn is_path(path: &&&str) -> bool {
    JsonPath::parse(path).is_ok()
}

/// What a file's reader makes of records.
fn read_at(
    results: Option<&str>,
    field: Option<&str>,
    document: &Value,
) -> Result<Vec<Value>, &'static str> {
    let mut endpoint = "parser: json\n".to_owned();
    if let Some(path) = results {
        endpoint += &format!("results_path: {}\n", json!(path));
    }
    if let Some(path) = field {
        endpoint += &format!("fields: [{{ field: f, path: {} }}]\n", json!(path));
    }
    let found = read(&endpoint, document.to_string().as_bytes());
    let found = found.map_err(|error| countersign_failure::Failure::code(&error))?;
    Ok(found.records.into_iter().map(Value::Object).collect())
}

/// What the reader should make of them, by the path's own reading of the whole document.
fn expected(results: &str, document: &Value) -> Result<Vec<Value>, &'static str> {
    let path = JsonPath::parse(results).unwrap();
    let found = path.find(document).ok_or("FILE_WRONG_KIND")?;
    let places = match found {
        Value::Array(all) if path.is_list() => all,
        one => vec![one],
    };
    let records = places.into_iter().flat_map(|place| match place {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        one => vec![one],
    });
    let whole = |record| match record {
        Value::Object(_) => record,
        other => json!({ "value": other }),
    };
    Ok(records.map(whole).collect())
}

fn documents() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z]{0,3}".prop_map(Value::from),
    ];
    let key = prop_oneof!["a", "b", "odd\\.key", "it\"s", "x\\[0\\]", "0"];
    leaf.prop_recursive(5, 60, 4, move |inner| {
        let entries = proptest::collection::vec((key.clone(), inner.clone()), 0..4);
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Value::from),
            entries.prop_map(|all| Value::Object(all.into_iter().collect::<Map<_, _>>())),
        ]
    })
    .boxed()
}

#[test]
fn f_099_paths_of_every_form_lead_to_records_and_fields() {
    let document = json!({ "items": [{ "x": 1 }], "odd.key": { "a": [{ "x": 2 }] } });
    assert_eq!(read_at(Some("['items']"), Some("$['x']"), &document), Ok(vec![json!({ "f": 1 })]));
    assert_eq!(read_at(Some("['odd.key'].a"), Some("x"), &document), Ok(vec![json!({ "f": 2 })]));
    let list = json!([[{ "x": 3 }], []]);
    assert_eq!(read_at(Some("$[0]"), Some("['x']"), &list), Ok(vec![json!({ "f": 3 })]));
    assert_eq!(read_at(Some("a[*]"), None, &json!({ "a": [] })), Ok(Vec::new()));
    assert_eq!(read_at(Some("a[*]"), None, &json!({ "a": {} })), Err("FILE_WRONG_KIND"));
    assert!(PATHS.iter().filter(is_path).count() > 22);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn f_099_a_file_is_read_as_its_paths_read_the_whole(document in documents()) {
        for path in PATHS.iter().filter(is_path) {
            prop_assert_eq!(read_at(Some(path), None, &document), expected(path, &document), "{}", path);
            let field = JsonPath::parse(path).unwrap().find(&document).unwrap_or_default();
            let found = read_at(None, Some(path), &json!([document, document]));
            prop_assert_eq!(found, Ok(vec![json!({ "f": field }), json!({ "f": field })]), "{}", path);
        }
    }

    /// Several fields share what they pass through.
    #[test]
    fn f_099_fields_do_not_disturb_each_other(document in documents(), picked in proptest::collection::vec(0..PATHS.len(), 1..5)) {
        let paths: Vec<&str> = picked.iter().map(|at| PATHS[*at]).filter(|path| JsonPath::parse(path).is_ok()).collect();
        let fields: Vec<String> = paths.iter().enumerate().map(|(n, path)| format!("{{ field: f{n}, path: {} }}", json!(path))).collect();
        let endpoint = format!("parser: jsonl\nfields: [{}]", fields.join(", "));
        if !paths.is_empty() {
            let found = read(&endpoint, document.to_string().as_bytes()).unwrap();
            for (n, path) in paths.iter().enumerate() {
                let expect = JsonPath::parse(path).unwrap().find(&document).unwrap_or_default();
                prop_assert_eq!(&found.records[0][&format!("f{n}")], &expect, "{}", path);
            }
        }
    }
}

#[test]
fn f_099_json_texts_keep_their_digits_and_numbers_their_type() {
    let endpoint = "parser: json
locale: de-DE
fields:
  - { field: text, path: a, type: string }
  - { field: number, path: b, type: number }
  - { field: numbers, path: c, type: 'number[]' }
";
    check(
        endpoint,
        br#"[{"a":1250.00,"b":1.5,"c":[1.5,"1,5",null]},{"a":"1250.00","b":"1.500","c":2.5},
            {"a":12345678901234567890.10,"b":null,"c":[]},{"a":true,"b":1e2,"c":"x"},{"a":null,"b":7,"c":[]},{"a":[1.50],"b":"","c":[]}]"#,
        json!([
            { "text": "1250.00", "number": 1.5, "numbers": [1.5, 1.5] },
            { "text": "1250.00", "number": 1500, "numbers": [2.5] },
            { "text": "12345678901234567890.10", "number": null, "numbers": [] },
            { "text": "true", "number": 100.0, "numbers": [] },
            { "text": null, "number": 7, "numbers": [] },
            { "text": "1.5", "number": null, "numbers": [] },
        ]),
    );
}

#[test]
fn f_091_json_decimals_are_exact_whatever_the_locale() {
    let endpoint = "parser: json
locale: de-DE
fields:
  - { field: sum, path: a, type: decimal }
  - { field: first, path: 'b[0]', type: decimal }
";
    let found = check(
        endpoint,
        br#"[{"a":1250.00,"b":[1.250]},{"a":"1.250,00"},{"a":12345678901234567890.10},{"a":1.5e3},{"a":7},
            {"a":12345678901234567890.123456789},{"a":true},{"a":null,"b":[0.12345678901234567]}]"#,
        json!([
            { "sum": "1250.00", "first": "1.25" },
            { "sum": "1250.00", "first": null },
            { "sum": "12345678901234567890.10", "first": null },
            { "sum": "1500", "first": null },
            { "sum": "7", "first": null },
            { "sum": null, "first": null },
            { "sum": null, "first": null },
            { "sum": null, "first": "0.12345678901234567" },
        ]),
    );
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let [long, truth] = said[..] else { panic!("{said:?}") };
    let number = "`12345678901234567890.123456789`";
    let expect =
        format!("record 6, line 2: {number} is not of type decimal; it has more than 28 digits");
    assert_eq!(long, expect);
    assert_eq!(truth, "record 7, line 2: `true` is not of type decimal");
}
