//! Cells that span rows or columns.

use rust_xlsxwriter::{Format, Workbook};
use serde_json::json;

use super::{Found, check, read};

const COPIED: &str =
    "the figure is that of a cell that spans several rows or columns; it counts in each of them";
const MERGED: &str =
    "the cell is merged with others, whose figure counts in the first of them only";

/// A sheet whose names, sums and years are merged over rows 2 to 4, the title over columns.
fn book() -> Vec<u8> {
    let mut book = Workbook::new();
    let plain = Format::new();
    let sheet = book.add_worksheet();
    sheet.write_row(0, 0, ["Name", "Sum", "Note", "Text"]).unwrap();
    sheet.merge_range(1, 0, 3, 0, "Acme", &plain).unwrap();
    sheet.merge_range(1, 1, 2, 1, "", &plain).unwrap();
    sheet.write(1, 1, 300).unwrap();
    sheet.merge_range(1, 3, 2, 3, "1,200", &plain).unwrap();
    sheet.write_column(1, 2, ["a", "b", "c", "d"]).unwrap();
    sheet.write(3, 1, 5).unwrap();
    // A row that is only merged is not one of its own.
    sheet.merge_range(5, 0, 6, 0, "Beta", &plain).unwrap();
    sheet.write(7, 0, "Gamma").unwrap();
    book.save_to_buffer().unwrap()
}

#[test]
fn f_099_merged_cells_of_a_workbook_are_filled_except_by_figures() {
    let endpoint = "parser: xlsx
fields:
  - { field: name, column: Name }
  - { field: sum, column: Sum, type: number }
  - { field: note, column: Note }
  - { field: text, column: Text, type: integer }";
    let expect = json!([
        { "name": "Acme", "sum": 300, "note": "a", "text": 1200 },
        { "name": "Acme", "sum": null, "note": "b", "text": 1200 },
        { "name": "Acme", "sum": 5, "note": "c", "text": null },
        { "name": null, "sum": null, "note": "d", "text": null },
        { "name": "Beta", "sum": null, "note": null, "text": null },
        { "name": "Gamma", "sum": null, "note": null, "text": null },
    ]);
    let place = "sheet `Sheet1`, row 3";
    assert_eq!(
        said(&check(endpoint, &book(), expect)),
        [("sum", format!("{place}: {MERGED}")), ("text", format!("{place}: {COPIED}")),]
    );
    let found = read("parser: xlsx", &book()).unwrap();
    assert_eq!(found.records[1]["Name"], "Acme");
    assert_eq!(said(&found), [("Sum", format!("{place}: {MERGED}"))]);
}

#[test]
fn f_099_a_figure_that_is_merged_over_columns_counts_in_the_first() {
    let mut book = Workbook::new();
    let plain = Format::new();
    let sheet = book.add_worksheet();
    sheet.write_row(0, 0, ["Name", "One", "Two", "Three"]).unwrap();
    sheet.merge_range(1, 1, 2, 2, "", &plain).unwrap();
    sheet.write(1, 1, 7).unwrap();
    sheet.write_column(1, 3, [1, 2]).unwrap();
    sheet.merge_range(3, 0, 3, 1, "all", &plain).unwrap();
    let book = book.save_to_buffer().unwrap();
    let expect = json!([
        { "Name": null, "One": 7, "Two": null, "Three": 1 },
        { "Name": null, "One": null, "Two": null, "Three": 2 },
        { "Name": "all", "One": null, "Two": null, "Three": null },
    ]);
    let said: Vec<(String, String)> = said(&check("parser: xlsx", &book, expect))
        .into_iter()
        .map(|(field, message)| (field.to_owned(), message))
        .collect();
    let of =
        |field: &str, row: u32| (field.to_owned(), format!("sheet `Sheet1`, row {row}: {MERGED}"));
    assert_eq!(said, [of("Two", 2), of("One", 3), of("Two", 3)]);
}

#[test]
fn f_099_a_cell_that_is_merged_with_the_header_is_no_value() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.merge_range(0, 0, 1, 0, "Name", &Format::new()).unwrap();
    sheet.write_column(0, 1, ["Amounts", "paid", "1"]).unwrap();
    sheet.write(2, 0, "Acme").unwrap();
    let book = book.save_to_buffer().unwrap();
    check("parser: xlsx\nheader_row: 2", &book, json!([{ "Name": "Acme", "paid": "1" }]));
    let expect = json!([
        { "Name": null, "Amounts": "paid" },
        { "Name": "Acme", "Amounts": "1" },
    ]);
    check("parser: xlsx", &book, expect);
}

#[test]
fn f_099_a_figure_of_a_cell_that_spans_others_is_said() {
    let endpoint = "parser: html_table
fields:
  - { field: name, column: 1 }
  - { field: sum, column: Sum, type: decimal }
  - { field: rest, column: Rest, type: decimal }";
    let page = "<table><tr><th>Name<th>Sum<th>Rest<tr><td rowspan=2>Acme<td rowspan=2>300<td>1\
        <tr><td>2<tr><td>Beta<td colspan=2>7</table>";
    let expect = json!([
        { "name": "Acme", "sum": "300", "rest": "1" },
        { "name": "Acme", "sum": "300", "rest": "2" },
        { "name": "Beta", "sum": "7", "rest": "7" },
    ]);
    assert_eq!(
        said(&check(endpoint, page.as_bytes(), expect)),
        [
            ("sum", format!("row 3 of the table: {COPIED}")),
            ("rest", format!("row 4 of the table: {COPIED}")),
        ]
    );
}

fn said(found: &Found) -> Vec<(&str, String)> {
    let warnings = found.warnings.iter();
    warnings.map(|warning| (warning.field.as_str(), warning.message.clone())).collect()
}

#[test]
fn f_099_a_number_of_a_column_without_a_type_that_spans_others_is_said_once() {
    let page = "<table><tr><th>Name<th>Sum<tr><td rowspan=3>Acme<td rowspan=3>300<tr></table>";
    let page = page.replace("<tr></table>", "<tr><th><tr><th></table>");
    for (endpoint, expect) in [
        ("parser: html_table", 1),
        ("parser: html_table\nfields: [{ field: sum, column: Sum }]", 1),
        ("parser: html_table\nfields: [{ field: sum, column: Sum, type: string }]", 0),
    ] {
        let found = read(endpoint, page.as_bytes()).unwrap();
        let said: Vec<String> = found.warnings.iter().map(|one| one.message.clone()).collect();
        let copied = said.iter().filter(|one| one.contains("counts in each of them if")).count();
        assert_eq!(copied, expect, "{endpoint}: {said:#?}");
    }
}
