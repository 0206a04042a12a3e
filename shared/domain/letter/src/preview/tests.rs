//! Shapes of values and what becomes of them.

use countersign_approval::{Column, Format, Layout};
use serde_json::{Value, json};

use super::{Cell, Preview};
use crate::text::Shown;

fn text(shown: &Shown) -> String {
    shown.parts().iter().map(|part| part.text.as_str()).collect()
}

fn headings(preview: &Preview) -> Vec<String> {
    preview.table.headings.iter().map(|heading| text(&heading.label)).collect()
}

fn cells(cells: &[Cell]) -> Vec<String> {
    cells.iter().map(|cell| text(&cell.raw)).collect()
}

fn head(value: &Value, columns: &[Column]) -> Preview {
    Preview::head(value, &Layout { columns: columns.to_vec() }, 10, None)
}

#[track_caller]
fn check(value: &Value, columns: &[&str], total: u64) {
    let preview = head(value, &[]);
    assert_eq!(headings(&preview), columns, "{value}");
    assert_eq!(preview.total, total, "{value}");
    assert!(preview.table.rows.iter().all(|row| row.cells.len() == columns.len()));
}

#[test]
fn f_200_every_shape_becomes_a_table() {
    check(&json!([{"a": 1, "b": "x"}, {"b": null, "c": [1, 2]}]), &["a", "b", "c"], 2);
    check(&json!({"rows": [{"a": 1}, {"a": 2}]}), &["a"], 2);
    check(&json!(["x", "y"]), &["value"], 2);
    check(&json!([{"a": 1}, "loose"]), &["a"], 2);
    check(&json!({"a": 1, "b": 2}), &["a", "b"], 1);
    check(&json!([{"who": {"name": "Ann"}, "n": 1, "_id": 3}]), &["n", "who.name"], 1);
    check(&json!("text"), &["value"], 1);
    check(&json!(null), &["value"], 0);
}

#[test]
fn f_200_columns_are_what_was_asked_for_with_a_mark_for_the_rest() {
    let rows = json!([{"amount": 1250.5, "payee": {"name": "Acme", "id": 7}, "_from": "erp"}]);
    let columns = [
        Column { label: Some("Payee".to_owned()), ..Column::of("payee.name") },
        Column { format: Format::Money, currency: Some("EUR".to_owned()), ..Column::of("amount") },
        Column::of("nowhere"),
    ];
    let preview = head(&rows, &columns);
    assert_eq!(headings(&preview), ["Payee", "amount"]);
    assert_eq!(preview.table.headings[0].field.as_ref().map(text).as_deref(), Some("payee.name"));
    assert_eq!((preview.table.fields_left_out, preview.table.internal_left_out), (1, 1));
    assert!(preview.is_partial());
    let row = &preview.table.rows[0];
    assert_eq!(cells(&row.cells), ["Acme", "1250.5"]);
    assert_eq!(row.cells[1].formatted.as_deref(), Some("1,250.50 EUR"));
    // The page of all rows leaves nothing out.
    let all = Preview::page(&rows, &Layout { columns: columns.to_vec() }, 1, 100);
    assert_eq!(headings(&all), ["Payee", "amount", "payee.id", "_from"]);
    assert!(!all.is_partial());
}

#[test]
fn f_200_no_amount_is_shown_in_another_currency_than_the_rows_name() {
    let columns = [Column {
        format: Format::Money,
        currency: Some("EUR".to_owned()),
        ..Column::of("amount")
    }];
    let check = |payee: Value, expect: &str| {
        let rows = json!([{ "amount": 1250, "currency": "EUR" }, { "amount": 9, "payee": payee }]);
        let shown = head(&rows, &columns).table.rows[0].cells[0].formatted.clone();
        assert_eq!(shown.as_deref(), Some(expect), "{rows}");
    };
    check(json!({ "currency": "eur" }), "1,250.00 EUR");
    check(json!({ "Currency code": "USD" }), "1,250.00");
    for none in [json!(null), json!(" "), json!("-")] {
        check(json!({ "currency": none }), "1,250.00 EUR");
    }
}

#[test]
fn f_200_columns_for_something_else_are_no_columns() {
    assert_eq!(headings(&head(&json!([{"a": 1, "b": 2}]), &[Column::of("amount")])), ["a", "b"]);
}

#[test]
fn f_200_pairs_stand_side_by_side() {
    let rows = json!([{
        "entity_a": {"name": "ANN LEE", "ein": "1"}, "entity_b": {"name": "Ann Lee", "ein": "1", "year": 2024},
        "match_score": 0.95, "match_method": "fuzzy_name",
    }]);
    let preview = head(&rows, &[]);
    let table = &preview.table;
    let sides = table.sides.as_ref().map(|(left, right)| (text(left), text(right)));
    assert_eq!(sides, Some(("entity_a".to_owned(), "entity_b".to_owned())));
    assert_eq!(headings(&preview), ["match_score", "match_method"]);
    let lines: Vec<(String, String, String, bool)> = table.rows[0]
        .lines
        .iter()
        .map(|l| (text(&l.heading.label), text(&l.left.raw), text(&l.right.raw), l.is_same))
        .collect();
    let line = |field: &str, left: &str, right: &str, same| {
        (field.to_owned(), left.to_owned(), right.to_owned(), same)
    };
    assert_eq!(
        lines,
        [
            line("name", "ANN LEE", "Ann Lee", false),
            line("ein", "1", "1", true),
            line("year", "", "2024", false)
        ]
    );
}

#[test]
fn f_200_doubtful_rows_come_first_and_keep_their_numbers() {
    let rows = json!([{"n": "a"}, {"n": "b", "needs_review": true}, {"n": "c", "confidence": 0.4}, {"n": "d"}]);
    let preview = head(&rows, &[]);
    let order: Vec<(u64, bool)> =
        preview.table.rows.iter().map(|row| (row.number, row.doubtful)).collect();
    assert_eq!(order, [(2, true), (3, true), (1, false), (4, false)]);
    assert!(preview.table.reordered);
    assert_eq!(preview.doubtful(), 2);
    let many = preview.clone().with_doubtful(51).caption();
    assert!(many.contains("doubtful first: 2 of 51."), "{many}");
    let none = head(&json!([{"n": "a"}]), &[]).with_doubtful(3).caption();
    assert!(none.ends_with("; 3 doubtful among the others"), "{none}");
    assert!(!head(&json!([{"needs_review": true}, {"n": 1}]), &[]).table.reordered);
    let all = Preview::page(&rows, &Layout::default(), 1, 100);
    assert!(all.table.rows.is_sorted_by_key(|row| row.number));
}

#[test]
fn f_200_nothing_missing_looks_like_something_empty() {
    let preview = head(&json!([{"a": null, "b": "", "c": "x"}, {"c": "y"}]), &[]);
    assert_eq!(cells(&preview.table.rows[0].cells), ["null", "\"\"", "x"]);
    assert!(preview.table.rows[1].cells[0].missing && !preview.table.rows[0].cells[0].missing);
}

#[test]
fn f_200_a_preview_is_cut_and_knows_it() {
    let rows: Vec<Value> = (0..512).map(|n| json!({ "n": n })).collect();
    let preview = head(&json!(rows), &[]);
    assert_eq!((preview.shown(), preview.total, preview.is_partial()), (10, 512, true));
    let long = head(&json!([{"a": "x".repeat(13_345)}]), &[]);
    assert_eq!(long.table.rows[0].cells[0].raw.left_out(), "12,345");
    assert!(long.is_partial());
}

#[test]
fn f_200_a_list_in_a_row_is_linked_where_it_is_cut_and_whole_on_the_page_of_all_rows() {
    let lines = json!([{"sku": "a", "_at": 1}, {"sku": "b", "note": null}, 3, {"sku": "d"}]);
    let rows = json!([{ "lines": lines }]);
    let short = head(&rows, &[]);
    let cell = &short.table.rows[0].cells[0];
    assert_eq!(text(&cell.raw), "4: sku: a, sku: b · note: null, 3, …");
    assert_eq!(cell.rest().as_deref(), Some("2 more values inside"));
    assert!(short.is_partial());
    let all = Preview::page(&rows, &Layout::default(), 1, 100);
    assert_eq!(cells(&all.table.rows[0].cells), [lines.to_string()]);
    assert!(!all.is_partial());
    // A list that is longer than a page is cut as any text is, and the page knows it.
    let long = json!([{ "lines": vec!["x\u{200B}"; 60_000] }]);
    assert!(Preview::page(&long, &Layout::default(), 1, 100).is_cut());
}

#[test]
fn f_200_sides_that_differ_only_in_what_is_not_shown_are_not_the_same() {
    let side =
        |last: u8, id: u8| json!({ "name": "A", "lines": [1, 2, 3, last], "ids": [{ "_id": id }] });
    let rows = json!([{ "entity_a": side(4, 1), "entity_b": side(5, 2) }]);
    let preview = head(&rows, &[]);
    let line = |name: &str| {
        let mut lines = preview.table.rows[0].lines.iter();
        lines.find(|line| text(&line.heading.label) == name).unwrap()
    };
    assert_eq!(line("lines").left, line("lines").right);
    assert!(line("name").is_same && !line("lines").is_same && !line("ids").is_same);
}

#[test]
fn pages_cover_every_row_once_and_clamp() {
    let rows: Vec<Value> = (0..105).map(|n| json!({ "n": n })).collect();
    let rows = json!(rows);
    let page = |page| Preview::page(&rows, &Layout::default(), page, 50);
    let spans: Vec<(u64, u64)> = (1..=3).map(page).map(|p| (p.first, p.last())).collect();
    assert_eq!(spans, [(1, 50), (51, 100), (101, 105)]);
    assert_eq!(page(99).first, 101);
    assert_eq!(page(0).first, 1);
}
