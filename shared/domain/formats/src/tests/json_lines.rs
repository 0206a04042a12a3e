//! JSON Lines.

use serde_json::json;

use super::{Endless, Found, check, check_error, read, reader};
use crate::{Limits, Stop};

#[test]
fn f_099_json_lines_keep_what_can_be_read() {
    let endpoint = "parser: jsonl\nfields: [{ field: num, path: a.n, type: integer }]";
    let found = check(
        endpoint,
        b"\xEF\xBB\xBF{\"a\":{\"n\":1}}\n\n{\"a\":\n{\"a\":{\"n\":\"x\"}}\r\n{\"a\":{\"n\":3}}",
        json!([{ "num": 1 }, { "num": null }, { "num": 3 }]),
    );
    let said: Vec<_> = found
        .warnings
        .iter()
        .map(|warning| (warning.record, warning.field.as_str(), warning.message.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (None, "", "line 3 is left out: it ends where a value should begin"),
            (Some(1), "num", "line 4: `x` is not of type integer"),
        ]
    );
    check(
        "parser: jsonl",
        b"{\"a\":1}\n[2]\n3\ntrue",
        json!([{ "a": 1 }, { "value": [2] }, { "value": 3 }, { "value": true }]),
    );
}

#[test]
fn f_091_a_record_that_is_no_object_is_said() {
    for (format, file) in
        [("jsonl", &b"{\"a\":1}\n[2]\n 3\nnull"[..]), ("json", b"[{\"a\":1}, [2], 3, null]")]
    {
        let endpoint = format!("parser: {format}\nfields: [{{ field: a, path: a }}]");
        let found = check(
            &endpoint,
            file,
            json!([{ "a": 1 }, { "a": null }, { "a": null }, { "a": null }]),
        );
        let said: Vec<&str> = found.warnings.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said.iter().all(|one| one.contains("is not an object")), "{said:?}");
    }
    let rows = "parser: jsonl\nfields: [{ field: a, path: '[0]' }]";
    assert_eq!(check(rows, b"[2]\n[3]", json!([{ "a": 2 }, { "a": 3 }])).warnings.len(), 0);
}

#[test]
fn f_099_json_lines_that_cannot_be_read_at_all_are_refused() {
    check_error("parser: jsonl", b"nope\n{", "FILE_MALFORMED", "line 1");
    check_error("parser: jsonl", b"\n \n", "FILE_EMPTY", "empty");
    check_error("parser: jsonl", b"{\"a\":\"\xE9\"}\n", "FILE_ENCODING", "byte 6");
}

#[test]
fn f_099_a_line_that_is_too_long_is_left_out_and_the_next_is_kept() {
    let limits = Limits { max_record_bytes: 10_000, ..Limits::for_megabytes(50) };
    let file = Endless::new(b"{\"a\":1}\n\"", b"x", 1_000_000, b"\"\n{\"a\":2}\n");
    let found = reader("parser: jsonl").read(file, &limits, &Stop::default()).unwrap();
    assert_eq!(
        Found::from(found.clone())
            .records
            .iter()
            .map(|record| record["a"].clone())
            .collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(found.warnings[0].message, "line 2 is left out: it is longer than 10000 bytes");
}

#[test]
fn f_099_lines_that_are_left_out_are_counted_however_many_warnings_there_are() {
    let file = format!("{{\"a\":1}}\n{}", "{\n".repeat(1_005));
    let found = read("parser: jsonl", file.as_bytes()).unwrap();
    assert_eq!((found.records.len(), found.warnings.len()), (1, 1_001));
    assert_eq!(found.warnings[0].message, "1005 lines in all are left out");
}
