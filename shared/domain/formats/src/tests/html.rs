use serde_json::json;

use super::{check, check_error, read, reader};
use crate::{Limits, Stop};

pub(super) const PAGE: &str = "<!doctype html><html><head><meta charset='utf-8'><title>x</title></head><body>
<table class='nav'><tr><td>home</td></tr></table>
<div id='list'><table>
  <caption>Officers</caption>
  <thead><tr><th>Name</th><th>Pay &amp; more</th><th colspan=2>Terms</th></tr></thead>
  <tbody>
    <tr><td>Peggy <b>Thorn</b>quist<br>CEO</td><td>1,200</td><td rowspan=2>2021</td><td>a<script>x()</script></td></tr>
    <tr><td>Tobias<td>see note<td>b
    <tr><td><table><tr><td>inner</td></tr></table></td><td></td></tr>
    <tr><td></td></tr>
  </tbody>
</table></div></body></html>";

#[test]
fn f_099_html_tables_become_records() {
    check(
        "parser: html_table\ntable: 2",
        PAGE.as_bytes(),
        json!([
            { "Name": "Peggy Thornquist CEO", "Pay & more": "1,200", "Terms": "2021", "Terms_2": "a" },
            { "Name": "Tobias", "Pay & more": "see note", "Terms": "2021", "Terms_2": "b" },
            { "Name": "inner", "Pay & more": null, "Terms": null, "Terms_2": null },
        ]),
    );
}

#[test]
fn f_311_tables_beside_the_one_that_is_read_are_said() {
    let said = |endpoint: &str, more: &str| {
        let rows =
            |n: &str| format!("<tr><th>A</th></tr><tr><td>{n}</td></tr><tr><td>{n}</td></tr>");
        let page = format!("<table>{}</table>{}", rows("1"), more.replace("ROWS", &rows("2")));
        let found = read(endpoint, page.as_bytes()).unwrap();
        assert_eq!(found.records.len(), 2);
        found.warnings.into_iter().map(|one| one.message).collect::<Vec<_>>()
    };
    let one = "only the first table was read, and 1 other of the page has rows too; `table` in the connector chooses one";
    assert_eq!(said("parser: html_table", "<p><table>ROWS</table>"), [one]);
    assert!(
        said("parser: html_table", "<table>ROWS</table><table>ROWS</table>")[0]
            .contains("2 others")
    );
    for none in
        ["", "<table><tr><td>menu</td></tr></table>", "<div hidden><table>ROWS</table></div>"]
    {
        assert_eq!(said("parser: html_table", none), [] as [String; 0], "{none}");
    }
    assert_eq!(said("parser: html_table\ntable: 1", "<table>ROWS</table>"), [] as [String; 0]);
}

#[test]
fn f_311_a_footnotes_mark_is_not_part_of_an_amount() {
    let endpoint = "parser: html_table
fields:
  - { field: pay, column: Pay, type: decimal }
";
    for mark in ["<sup>2</sup>", "<sub>2</sub>", "<a href='#n2'>2</a>"] {
        let page = format!("<table><tr><th>Pay</th></tr><tr><td>7.00{mark}</td></tr></table>");
        let found = check(endpoint, page.as_bytes(), json!([{ "pay": null }]));
        let message = &found.warnings[0].message;
        assert!(
            message.starts_with("row 2 of the table: `7.00 2` is not of type decimal"),
            "{mark}: {message}"
        );
    }
}

#[test]
fn f_311_what_a_page_hides_is_not_part_of_an_amount() {
    let endpoint = "parser: html_table
fields:
  - { field: pay, column: Pay, type: decimal }
";
    let hidden =
        ["hidden", "style='display: none'", "style='color:red;visibility:hidden !important'"];
    for hidden in hidden {
        let page = format!(
            "<table><tr><th>Pay</th></tr><tr><td><span {hidden}>0007</span>8.00</td></tr></table>"
        );
        check(endpoint, page.as_bytes(), json!([{ "pay": "8.00" }]));
    }
}

#[test]
fn f_099_html_tables_are_chosen_and_mapped() {
    let endpoint = "parser: html_table
table: '#list'
fields:
  - { field: name, column: [Full name, Name] }
  - { field: pay, column: Pay & More, type: number }
  - { field: year, column: 3, type: integer }
";
    let found = check(
        endpoint,
        PAGE.as_bytes(),
        json!([
            { "name": "Peggy Thornquist CEO", "pay": 1200, "year": 2021 },
            { "name": "Tobias", "pay": null, "year": 2021 },
            { "name": "inner", "pay": null, "year": null },
        ]),
    );
    assert_eq!(found.warnings[0].message, "row 3 of the table: `see note` is not of type number");
    check("parser: html_table\nheader: false", PAGE.as_bytes(), json!([{ "column_1": "home" }]));
    check(
        "parser: html_table\ntable: table.nav\nheader: false",
        PAGE.as_bytes(),
        json!([{ "column_1": "home" }]),
    );
}

#[test]
fn f_099_a_page_without_the_table_says_so() {
    check_error(
        "parser: html_table\ntable: 9",
        PAGE.as_bytes(),
        "FILE_WRONG_KIND",
        "no table 9; it has 3 tables",
    );
    check_error(
        "parser: html_table\ntable: '#none'",
        PAGE.as_bytes(),
        "FILE_WRONG_KIND",
        "no table at `#none`",
    );
    check_error(
        "parser: html_table\ntable: 'a[['",
        PAGE.as_bytes(),
        "FILE_WRONG_KIND",
        "not a CSS selector",
    );
    check_error("parser: html_table", b"just words", "FILE_WRONG_KIND", "0 tables");
    check_error("parser: html_table", b" \n", "FILE_EMPTY", "empty");
    check_error("parser: html_table", b"<table></table>", "FILE_EMPTY", "empty");
    // Browsers close what a page leaves open, and so does this reader.
    check(
        "parser: html_table\nheader: false",
        b"<table><tr><td>cut",
        json!([{ "column_1": "cut" }]),
    );
}

#[test]
fn f_099_html_in_the_encoding_it_names() {
    let expect = json!([{ "column_1": "Dufresne-Ächterberg" }]);
    let page = |charset: &str| {
        format!("<html><head>{charset}</head><table><tr><td>Dufresne-Ächterberg</td></tr></table>")
    };
    let old = |text: &str| encoding_rs::WINDOWS_1252.encode(text).0.into_owned();
    check("parser: html_table\nheader: false", page("").as_bytes(), expect.clone());
    check(
        "parser: html_table\nheader: false",
        &old(&page("<meta charset=iso-8859-1>")),
        expect.clone(),
    );
    check(
        "parser: html_table\nheader: false",
        &old(&page("<meta http-equiv='Content-Type' content='text/html; charset=windows-1252'>")),
        expect.clone(),
    );
    check("parser: html_table\nheader: false\nencoding: windows-1252", &old(&page("")), expect);
    check_error("parser: html_table", &old(&page("")), "FILE_ENCODING", "UTF-8");
}

#[test]
fn f_099_html_that_grows_in_the_parser_is_refused() {
    // Every block repeats the elements that are still open: 2 MB of text would be 60 million elements.
    let open: String = (0..200).map(|n| format!("<b a={n}>")).collect();
    let blocks = format!("<p>{open}{}<table>", "x</p><p>".repeat(300_000));
    check_error(
        "parser: html_table",
        blocks.as_bytes(),
        "FILE_LIMIT",
        "3000000 elements and texts",
    );
    let attributes: String = (0..900).map(|n| format!(" a{n}")).collect();
    let copied = format!("<p><b{attributes}>{}<table>", "x</p><p>".repeat(100_000));
    check_error("parser: html_table", copied.as_bytes(), "FILE_LIMIT", "6000000 attributes");
}

#[test]
fn f_099_a_text_that_spans_columns_is_not_copied_beyond_the_bounds() {
    let text = "x".repeat(1_000_000);
    let spanned = format!("<table><tr><td colspan=1000>{text}</table>");
    let read = "parser: html_table\nheader: false";
    check_error(read, spanned.as_bytes(), "FILE_LIMIT", "bytes of values");
    check_error("parser: html_table", spanned.as_bytes(), "FILE_LIMIT", "bytes in the header");
    let long = format!("<table><tr><td>{text}{text}</table>");
    check_error(read, long.as_bytes(), "FILE_LIMIT", "1048576 bytes in one value");
}

#[test]
fn f_099_html_is_bounded() {
    check_error(
        "parser: html_table",
        "<div>".repeat(3_000).as_bytes(),
        "FILE_LIMIT",
        "512 elements inside each other at line 1",
    );
    check_error(
        "parser: html_table",
        "\n<div>".repeat(3_000).as_bytes(),
        "FILE_LIMIT",
        "512 elements inside each other at line 5",
    );
    let nested: String = (0..600).map(|n| format!("<b a={n}><p>")).collect();
    check_error("parser: html_table", nested.as_bytes(), "FILE_LIMIT", "inside each other");
    let unclosed = format!("<table>{}</table>", "<tr><td>x<p>y".repeat(10_000));
    assert_eq!(read("parser: html_table", unclosed.as_bytes()).unwrap().records.len(), 9_999);
    let spans =
        format!("<table><tr>{}</tr></table>", "<td colspan=1000 rowspan=1000>x</td>".repeat(100));
    check_error("parser: html_table", spans.as_bytes(), "FILE_LIMIT", "16384 columns");
    let limits = Limits { max_page_bytes: 1_000, ..Limits::for_megabytes(1) };
    let error = reader("parser: html_table")
        .read(&vec![b'x'; 2_000][..], &limits, &Stop::default())
        .unwrap_err();
    assert!(error.to_string().contains("1000 bytes of one page"), "{error}");
}
