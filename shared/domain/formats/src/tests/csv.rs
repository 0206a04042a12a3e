use serde_json::{Value, json};

use super::{Endless, check, check_error, read, reader};
use crate::{Limits, Stop};

const MAPPED: &str = "parser: csv
fields:
  - { field: name, column: [Name, Full name] }
  - { field: amount, column: Amount, type: number }
  - { field: day, column: 3, type: date }
  - { field: big, column: Big, type: boolean }
";

#[test]
fn f_099_csv_columns_become_typed_fields() {
    let file = "name,Full Name,Day, AMOUNT ,Big\n\
        \"Thornquist, M \"\"Peggy\"\"\",x,2021-12-31,\"1,200.50\",X\n\
        ,Ostrom Vance,,,\n\
        \n\
        Line\u{20}one,,2021-02-30,many,false\n";
    let found = check(
        MAPPED,
        file.as_bytes(),
        json!([
            { "name": "Thornquist, M \"Peggy\"", "amount": 1200.5, "day": "2021-12-31", "big": true },
            { "name": "Ostrom Vance", "amount": null, "day": null, "big": null },
            { "name": "Line one", "amount": null, "day": null, "big": false },
        ]),
    );
    let said: Vec<_> =
        found.warnings.iter().map(|warning| (warning.record, warning.message.as_str())).collect();
    assert_eq!(
        said,
        [
            (Some(2), "line 5: `many` is not of type number"),
            (Some(2), "line 5: `2021-02-30` is not of type date"),
        ]
    );
}

#[test]
fn f_099_csv_without_fields_keeps_every_column() {
    let file = b"a,,a,_source\n1,2,3,4\n5\n6,7,8,9,10\n";
    let found = check(
        "parser: csv",
        file,
        json!([
            { "a": "1", "column_2": "2", "a_2": "3", "source": "4" },
            { "a": "5", "column_2": null, "a_2": null, "source": null },
            { "a": "6", "column_2": "7", "a_2": "8", "source": "9", "column_5": "10" },
        ]),
    );
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        said,
        ["line 3 has 1 cells, the first row 4", "line 4 has 5 cells, the first row 4"]
    );
}

#[test]
fn f_099_csv_delimiters_are_found_or_given() {
    let expect = json!([{ "a": "1,5", "b": "2" }]);
    check("parser: csv", b"a;b\n1,5;2\n", expect.clone());
    check("parser: csv", b"a\tb\n1,5\t2\n", expect.clone());
    check("parser: csv", b"a|b\r\n1,5|2\r\n", expect.clone());
    check("parser: csv", b"\"a\";b\n\"1,5\";2\n", expect.clone());
    check("parser: csv\ndelimiter: '~'", b"a~b\n1,5~2\n", expect.clone());
    check("parser: csv\ndelimiter: tab", b"a\tb\n1,5\t2\n", expect);
    check("parser: csv", b"only\none\n", json!([{ "only": "one" }]));
}

#[test]
fn f_099_csv_headers_stand_where_the_author_says() {
    let file = b"Report of the year\nas of today\nname,amount\nA,1\n";
    check("parser: csv\nheader_row: 3", file, json!([{ "name": "A", "amount": "1" }]));
    let numbered = "parser: csv\nheader: false\nfields: [{ field: num, column: 2, type: integer }]";
    check(numbered, b"a,1\nb,2\n", json!([{ "num": 1 }, { "num": 2 }]));
    check("parser: csv\nheader: false", b"a,1\n", json!([{ "column_1": "a", "column_2": "1" }]));
    check_error("parser: csv\nheader_row: 9", b"a\nb\n", "FILE_WRONG_KIND", "row 9");
    check("parser: csv", b"a,b\n", json!([]));
}

#[test]
fn f_099_csv_formulas_are_text() {
    let file = b"a,b\n\"=HYPERLINK(\"\"http://x\"\")\",+1\n@cmd,-2\n";
    check(
        "parser: csv",
        file,
        json!([{ "a": "=HYPERLINK(\"http://x\")", "b": "+1" }, { "a": "@cmd", "b": "-2" }]),
    );
}

#[test]
fn f_099_csv_in_any_encoding_that_is_shown_or_named() {
    let expect = json!([{ "né": "Dufresne-Ächterberg €" }]);
    let text = "né\nDufresne-Ächterberg €\n";
    check("parser: csv", text.as_bytes(), expect.clone());
    check("parser: csv", &[b"\xEF\xBB\xBF", text.as_bytes()].concat(), expect.clone());
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check("parser: csv", &[&[0xFF, 0xFE], &wide[..]].concat(), expect.clone());
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    check("parser: csv", &[&[0xFE, 0xFF], &big[..]].concat(), expect.clone());
    let (old, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let named = "parser: csv\nencoding: windows-1252";
    check(named, &old, expect.clone());
    // What is UTF-8 is read as that: `Ã¤` for `ä` would be one more thing that nobody sees.
    check(named, text.as_bytes(), expect);
    // The second `ä` is cut by the end of the piece that begins with the first.
    let row = format!("ä{}ä", "x".repeat(64 * 1024 - 3));
    check(named, format!("n\n{row}\n").as_bytes(), json!([{ "n": row }]));
    let late = [format!("n\n{row}\n").into_bytes(), b"\xE4\n".to_vec()].concat();
    check_error(named, &late, "FILE_ENCODING", "UTF-8, but byte 65540 does not fit");
    // Of characters of several bytes, the ones of another encoding may be UTF-8 by chance.
    check("parser: csv\nencoding: gbk", b"n\n\xD0\xA1\xD1\xA7\n", json!([{ "n": "小学" }]));
    check(named, b"n\nx\xE4", json!([{ "n": "xä" }]));
    check(named, b"n\nabc\n", json!([{ "n": "abc" }]));
    check_error("parser: csv", &old, "FILE_ENCODING", "byte 1 does not fit");
    check_error("parser: csv", b"name\nabc\xE9def\n", "FILE_ENCODING", "UTF-8, but byte 8");
}

#[test]
fn f_099_csv_that_is_cut_off_says_where() {
    check_error(
        "parser: csv",
        b"a,b\n1,2\n3,\"open\nand on",
        "FILE_TRUNCATED",
        "line 3: a quoted cell is not closed",
    );
    // A quote inside a cell that does not start with one is a character like any other.
    check("parser: csv", b"a\n5\" pipe\n", json!([{ "a": "5\" pipe" }]));
}

#[test]
fn f_099_csv_of_another_kind_is_named_and_a_missing_column_is_said() {
    check_error(
        MAPPED,
        b"x,y\n1,2\n",
        "FILE_WRONG_KIND",
        "line 1, where the header should be; there stand `x`, `y`",
    );
    let found = read(MAPPED, b"Name,Amount\nA,1\n").unwrap();
    let fields: Vec<_> = found.warnings.iter().map(|warning| warning.field.as_str()).collect();
    assert_eq!((fields, &found.records[0]["amount"]), (vec!["day", "big"], &Value::from(1)));
}

#[test]
fn f_099_csv_is_bounded() {
    let limits = Limits { max_records: 100, ..Limits::for_megabytes(50) };
    let many = Endless::new(b"a\n", b"1\n", 1_000, b"");
    let error = reader("parser: csv").read(many, &limits, &Stop::default()).unwrap_err();
    assert_eq!(error.to_string(), "the file has more than 100 records at line 102");
    let cell = Endless::new(b"a\n\"", b"xxxxxxxx", 400_000, b"\"\n");
    let error =
        reader("parser: csv").read(cell, &Limits::for_megabytes(50), &Stop::default()).unwrap_err();
    assert!(error.to_string().contains("1048576 bytes in one cell at line 2"), "{error}");
    for piece in [&b",,,,,,,,"[..], b"x,x,x,x,", b"\"a\nb\",x,"] {
        let row = Endless::new(b"a\n", piece, 5_000_000, b"\n");
        let limits = Limits::for_megabytes(50);
        let error = reader("parser: csv").read(row, &limits, &Stop::default()).unwrap_err();
        assert!(error.to_string().contains("4194304 bytes in one row at line "), "{error}");
    }
    let rows = Endless::new(b"a\n", b"xxxxxxxxx\r\nxxxxxxxxx\r", 300_000, b"");
    let limits = Limits { max_records: 1_000_000, ..Limits::for_megabytes(50) };
    let found = reader("parser: csv").read(rows, &limits, &Stop::default()).unwrap();
    assert_eq!(found.records.len(), 600_000);
    let wide = ",".repeat(20_000);
    check_error("parser: csv", wide.as_bytes(), "FILE_LIMIT", "16384 columns");
    let same = format!("{}\n", "a,".repeat(16_000));
    assert_eq!(read("parser: csv", same.as_bytes()).unwrap().records.len(), 0);
}

#[test]
fn f_099_csv_of_millions_of_rows_is_read_in_little_memory() {
    // What is not mapped is not kept: forty megabytes with one record at the end.
    let endpoint = "parser: csv\nheader: false\nfields: [{ field: a, column: 1 }]";
    let file = Endless::new(b"", b",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n", 1_000_000, b"last\n");
    let found = reader(endpoint).read(file, &Limits::for_megabytes(50), &Stop::default()).unwrap();
    assert_eq!(found.records.len(), 1);
}

#[test]
fn f_099_csv_numbers_are_read_by_the_declared_locale() {
    let endpoint = "parser: csv
locale: de-DE
fields:
  - { field: sum, column: 1, type: number }
  - { field: day, column: 2, type: date }
  - { field: text, column: 1 }
";
    let file = "sum;day\n12.500,00;29.02.2024\n\"(45,00)\";2024-02-29\n$4;29.02.24\n";
    let found = check(
        endpoint,
        file.as_bytes(),
        json!([
            { "sum": 12500, "day": "2024-02-29", "text": "12.500,00" },
            { "sum": -45, "day": "2024-02-29", "text": "(45,00)" },
            { "sum": null, "day": null, "text": "$4" },
        ]),
    );
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let short = "line 4: `29.02.24` is not of type date; its year must have four digits";
    assert_eq!(said, ["line 4: `$4` is not of type number", short]);
}

#[test]
fn f_099_a_sum_of_another_country_hints_at_the_locale() {
    let endpoint = "parser: csv\nfields:\n  - { field: sum, column: 1, type: number }\n";
    let found =
        check(endpoint, b"sum\n(45.00)\n1250.00\n", json!([{ "sum": null }, { "sum": 1250 }]));
    let said = "line 2: `(45.00)` is not of type number; declare the endpoint's `locale` if it is written as in one";
    assert_eq!(found.warnings[0].message, said);
}

#[test]
fn f_091_csv_decimals_keep_their_digits() {
    let endpoint =
        "parser: csv\nlocale: en-US\nfields:\n  - { field: sum, column: 1, type: decimal }\n";
    let file = "sum\n\"$4,200.00\"\n(45.00)\n0.10\n1e3\n";
    let found = check(
        endpoint,
        file.as_bytes(),
        json!([{ "sum": "4200.00" }, { "sum": "-45.00" }, { "sum": "0.10" }, { "sum": null }]),
    );
    assert_eq!(found.warnings[0].message, "line 5: `1e3` is not of type decimal");
}

#[test]
fn f_099_a_row_that_is_shifted_is_not_read() {
    let file = b"Name,Amount,Day\nA,1,250.00,2021-12-31\nB,2,2021-12-31,,\nC,3\n";
    let found = check(
        MAPPED,
        file,
        json!([
            { "name": "B", "amount": 2, "day": "2021-12-31", "big": null },
            { "name": "C", "amount": 3, "day": null, "big": null },
        ]),
    );
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(
        said,
        [
            "the header at line 1 has no column for this field",
            "line 2 has 4 cells, the header names 3, and is not read: a value may be in the wrong column",
            "line 3 has 5 cells, the first row 3",
            "line 4 has 2 cells, the first row 3",
        ]
    );
}

#[test]
fn f_099_two_columns_of_one_name_are_reported() {
    let file = b"Name,Amount,Day,amount,Big\nA,1,2021-12-31,2,\n";
    let expect = json!([{ "name": "A", "amount": 1, "day": "2021-12-31", "big": null }]);
    let found = check(MAPPED, file, expect);
    let said: Vec<_> = found.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(said, ["the header at line 1 has 2 columns `Amount`; the first is read"]);
}

#[test]
fn f_099_a_value_in_a_column_without_a_name_is_a_shifted_row() {
    let file = b"Name,Amount,Day,,\nA,1,250.00,2021-12-31,\nB,2,2021-12-31,,\n";
    let expect = json!([{ "name": "B", "amount": 2, "day": "2021-12-31", "big": null }]);
    let found = check(MAPPED, file, expect);
    let message = &found.warnings[1].message;
    assert!(
        message.starts_with("line 2 has 5 cells, the header names 3, and is not read"),
        "{message}"
    );
}

#[test]
fn f_099_rows_that_are_not_read_are_counted_however_many_warnings_there_are() {
    let mut file = String::from("Name,Amount,Day\n");
    (0..1_000).for_each(|_| file.push_str("A,none,2021-12-31\n"));
    file.push_str("B,1,250.00,2021-12-31\nC,1,250.00,2021-12-31\n");
    let found = read(MAPPED, file.as_bytes()).unwrap();
    let last = found.warnings.last().unwrap();
    assert_eq!(
        (last.record, &*last.message),
        (None, "2 rows in all are of another width; 2 of them are not read")
    );
}

#[test]
fn f_311_a_file_of_another_kind_is_no_csv() {
    for (file, kind) in [
        ("%PDF-1.7\n%..\n1 0 obj", "a PDF"),
        ("PK\u{3}\u{4}\u{14}", "a workbook"),
        ("\n <!DOCTYPE html>\n<p>", "a page of HTML"),
        ("<HTML>\n<p>", "a page of HTML"),
        ("<head><title>x</title>", "a page of HTML"),
        ("<!-- saved from x -->\n<p>", "a page of HTML"),
        ("<?xml version='1.0'?>\n<a/>", "XML"),
        ("{\"a\": 1}\n{\"a\": 2}\n", "JSON"),
        ("[\n  {\"a\": 1},\n", "JSON"),
        ("[[1, 2], [3, 4]]", "JSON"),
        ("{}", "JSON"),
        ("{\\rtf1\\ansi", "a word processor"),
    ] {
        check_error("parser: csv", file.as_bytes(), "FILE_MALFORMED", kind);
    }
    check("parser: csv", b"[Id],{x}\n1,2\n", json!([{"[Id]": "1", "{x}": "2"}]));
    check("parser: csv", b"<5,%PDF\n1,2\n", json!([{"<5": "1", "%PDF": "2"}]));
}
