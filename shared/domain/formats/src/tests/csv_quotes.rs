//! Quotes that are missing, or one too many.

use proptest::prelude::{
    BoxedStrategy, ProptestConfig, Strategy, prop_assert_eq, prop_oneof, proptest,
};
use serde_json::{Value, json};

use super::{Found, Pieces, check, check_error, read, reader};
use crate::{Limits, Stop};

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

#[test]
fn f_099_a_quote_behind_blanks_opens_a_cell() {
    let expect = json!([{ "a": "x", "b": "b, c" }, { "a": null, "b": "say \"hi\"" }]);
    for file in [
        "a, b\n\"x\", \"b, c\"\n\"\", \"say \"\"hi\"\"\"\n",
        "\"a\",  \"b\"\r\n \"x\" , \t\"b, c\" \r\n , \"say \"\"hi\"\"\"",
        "a; b\n x; \"b, c\"\n  ; \"say \"\"hi\"\"\"",
    ] {
        let found = check("parser: csv", file.as_bytes(), expect.clone());
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    }
    let numbered =
        "parser: csv\nheader: false\nfields: [{ field: third, column: 3, type: number }]";
    check(numbered, b"\"Doe, J\", \"b, c\", 7\n", json!([{ "third": 7 }]));
    // Of a tab between cells none is left out.
    check(
        "parser: csv",
        b"a\tb\tc\n\t\t\"x\ty\"\n",
        json!([{ "a": null, "b": null, "c": "x\ty" }]),
    );
    // Blanks before anything else are part of the cell, and a line of blanks is a row without values.
    check(
        "parser: csv\nheader_row: 2",
        b"  \n a,b\n 5\" pipe, 1\n",
        json!([{ "a": "5\" pipe", "b": "1" }]),
    );
}

#[test]
fn f_099_a_quote_behind_blanks_that_is_none_is_said() {
    let file = b"a,b\n1, \"Big\" Al\n2, \"x\"\n";
    let found = check("parser: csv", file, json!([{ "a": "2", "b": "x" }]));
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(said, [format!("line 2 {STRAY}")]);
    let file = b"a,b\n1, \"\n2, \"\n3, x\n";
    let found =
        check("parser: csv", file, json!([{ "a": "1", "b": "2," }, { "a": "3", "b": "x" }]));
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let doubtful = "a quote behind a blank opens a cell of several lines; if it is not meant as the beginning of a cell, the rows in it are missing";
    assert_eq!(said, [format!("line 2: {doubtful}")]);
    check_error("parser: csv", b"a,b\n1, \"\n2,x\n", "FILE_TRUNCATED", "line 2");
    let many = format!("a,b\n{}", "1, \"x\ny\"\n".repeat(30));
    let found = read("parser: csv", many.as_bytes()).unwrap();
    assert_eq!(found.records.len(), 30);
    assert_eq!(found.warnings.len(), 21);
    assert_eq!(found.warnings[20].message, format!("30 rows in all: {doubtful}"));
}

/// A cell as it is written, and what it says.
fn cells() -> BoxedStrategy<(String, String)> {
    let quoted =
        ("[ \t]{0,3}", "[a-z,\"\n ;\t]{0,8}", "[ \t]{0,2}").prop_map(|(before, text, after)| {
            (format!("{before}\"{}\"{after}", text.replace('"', "\"\"")), text)
        });
    let plain = "[ \t]{0,3}([a-z][a-z\" ;\t]{0,6})?".prop_map(|text| (text.clone(), text));
    prop_oneof![quoted, plain].boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn f_099_cells_come_back_with_whatever_blanks_before_their_quotes(
        rows in proptest::collection::vec((cells(), cells(), cells()), 1..6),
        size in 1_usize..50,
    ) {
        let mut file = String::new();
        let mut expect = Vec::new();
        for (one, two, three) in &rows {
            // The first cell says that there is a row.
            file += &format!("r,{},{},{}\n", one.0, two.0, three.0);
            let value = |text: &str| match text.trim() {
                "" => Value::Null,
                text => Value::from(text),
            };
            expect.push(json!({ "column_1": "r", "column_2": value(&one.1), "column_3": value(&two.1), "column_4": value(&three.1) }));
        }
        let reader = reader("parser: csv\nheader: false\ndelimiter: ','");
        let found = reader.read(Pieces(file.as_bytes(), size), &Limits::for_megabytes(1), &Stop::default()).unwrap();
        prop_assert_eq!(Found::from(found).records.into_iter().map(Value::Object).collect::<Vec<_>>(), expect, "{}", file);
    }
}
