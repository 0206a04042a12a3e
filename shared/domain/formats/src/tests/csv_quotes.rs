//! Quotes that are missing, or one too many.

use serde_json::json;

use super::{check, check_error, read};

const STRAY: &str = "is not read: text follows the closing quote of a cell";

#[test]
fn f_099_a_quote_that_swallows_rows_is_an_error() {
    for (file, place) in [
        ("name,amount\n\"Acme,100\n\"Beta\",200\n", "lines 2 to 3"),
        ("name,amount\n\"Acme,100\nBeta,\"200\"\n", "lines 2 to 3"),
        ("name,amount\n\"Acme,100\n\" Beta,200", "lines 2 to 3"),
        ("name,amount\nA,1\n\"B\" x,\"2\nC,3\n", "line 3"),
        ("name,amount\r\"Acme,100\r\"Beta\",200\r", "line 1"),
        // The cell of line 2 ends in line 3, or in line 4.
        ("name,amount\n\"say \"hi\" to\nall\",5\n", "lines 2 to 3"),
        ("name,amount\n\"say \"hi\", to\nyou\nall\",5\n", "lines 2 to 4"),
    ] {
        check_error("parser: csv", file.as_bytes(), "FILE_MALFORMED", "a quote is missing");
        check_error("parser: csv", file.as_bytes(), "FILE_MALFORMED", place);
    }
}

#[test]
fn f_099_a_row_with_text_after_a_closing_quote_is_left_out() {
    let file = b"name,amount\n\"Acme\" Inc,100\nBeta,200\n\"5\" pipe\",7\r\n\"C\",3\n\"D\"x,4";
    let expect = json!([{ "name": "Beta", "amount": "200" }, { "name": "C", "amount": "3" }]);
    let found = check("parser: csv", file, expect);
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(said, [2, 4, 6].map(|line| format!("line {line} {STRAY}")));
    check_error(
        "parser: csv",
        b"\"name\"x,amount\nA,1\n",
        "FILE_MALFORMED",
        "line 1: text follows",
    );
    // Above the header nothing is read.
    check("parser: csv\nheader_row: 2", b"\"A\" report\nn\nx\n", json!([{ "n": "x" }]));
    let found = check("parser: csv\nheader: false", b"\"a\"b,1\n", json!([]));
    assert_eq!(found.warnings.len(), 1);
}

#[test]
fn f_099_rows_left_out_for_their_quotes_are_counted() {
    let file = format!("n\n{}", "\"a\"b\n".repeat(30));
    let found = read("parser: csv", file.as_bytes()).unwrap();
    assert_eq!(found.warnings.len(), 21);
    let last = &found.warnings[20].message;
    assert_eq!(last, "30 rows in all are not read: text follows the closing quote of a cell");
}

#[test]
fn f_099_quotes_that_are_meant_stay() {
    let expect = json!([{ "a": "x \"y\"", "b": "1" }, { "a": "two\nlines", "b": "2" }]);
    check("parser: csv", b"a,b\n\"x \"\"y\"\"\",\"1\"\n\"two\nlines\",2\n", expect);
    // White space after a closing quote is no text.
    let expect = json!([{ "a": "x", "b": "1" }]);
    check("parser: csv", b"\"a\" ,\"b\"\t\r\n\"x\" ,\"1\" \r\n", expect);
    check("parser: csv", b"a\n5\" pipe\n", json!([{ "a": "5\" pipe" }]));
}
