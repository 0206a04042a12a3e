mod links;

use countersign_run::{WAS_A_TEST, WRITTEN_BY_A_MODEL};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Provenance, render};
use crate::error::ReportError;
use crate::format::Format;
use crate::layout::Layout;
use crate::written;

fn from() -> Provenance {
    Provenance {
        run: "run_1".into(),
        profile: "Nonprofit Investigator".into(),
        playbook: Some("officer-cross-reference".into()),
        query: "who sits on two boards?".into(),
        entity_name: "Río Verde".into(),
        at: "2026-11-21T10:00:00Z".parse::<Timestamp>().unwrap(),
        warnings: Vec::new(),
    }
}

fn layout(value: &Value) -> Layout {
    serde_json::from_value::<written::Layout>(value.clone()).unwrap().into()
}

fn check(format: Format, shape: &Value, data: &Value, expect: &str) {
    let rendered = render(format, &layout(shape), data, &from()).unwrap();
    let body = rendered.body.split("---\n\n**Provenance**").next().unwrap();
    assert_eq!(body.trim_end(), expect.trim_end());
}

fn people() -> Value {
    json!([
        {"name": "MARIA ALVAREZ", "org": "Lantern | Fund", "ein": "1", "pay": 1200},
        {"name": "Maria T Alvarez", "org": "River Trust", "ein": "2", "pay": null},
    ])
}

#[test]
fn f_136_markdown_has_title_sections_and_provenance() {
    let shape = json!({"title": "{entity_name} on {date}", "sections": [
        {"title": "People", "source": "people", "format": "table",
         "columns": ["name", {"field": "org", "title": "Organisation"}, {"field": "pay", "format": "money", "currency": "USD"}]},
        {"title": "Odd", "source": "odd", "empty": "No odd ones."},
        {"title": "Skipped", "source": "skipped.odd", "empty": "Nobody looked."},
        {"title": "Even", "source": "even"}]});
    let data = json!({"people": people(), "odd": []});
    check(
        Format::Markdown,
        &shape,
        &data,
        "# Río Verde on 2026-11-21\n\n## People\n\n| Name | Organisation | Pay |\n| --- | --- | ---: |\n\
         | MARIA ALVAREZ | Lantern \\| Fund | \\$1,200 |\n| Maria T Alvarez | River Trust | – |\n\n## Odd\n\nNo odd ones.\n\n\
         ## Skipped\n\nNobody looked.\n\n## Even\n\nNot known: the result has no “even”.\n",
    );
    let whole = render(Format::Markdown, &layout(&shape), &data, &from()).unwrap();
    assert!(whole.body.contains("- Run: `run_1`\n- Made: 2026-11-21 10:00 UTC"), "{}", whole.body);
    assert!(whole.body.ends_with("- Asked: who sits on two boards?\n"), "{}", whole.body);
    assert!(whole.body.contains("without a language model"), "{}", whole.body);
    let sentence = format!("`tell`: {WRITTEN_BY_A_MODEL} `x/y`; nobody has checked it");
    let by_a_model = Provenance { warnings: vec![sentence], ..from() };
    let whole = render(Format::Markdown, &layout(&shape), &data, &by_a_model).unwrap();
    assert!(!whole.body.contains("without a language model"), "{}", whole.body);
    assert!(whole.body.contains("written by a language model**, among"), "{}", whole.body);
}

#[test]
fn k_46_a_report_of_a_test_says_so_before_anything_else() {
    let shape = json!({"title": "Report", "sections": [{"title": "People", "source": "people"}]});
    let data = json!({"people": []});
    let of = |warnings: &[&str]| {
        let warnings = warnings.iter().map(|&one| one.to_owned()).collect();
        let from = Provenance { warnings, ..from() };
        render(Format::Markdown, &layout(&shape), &data, &from).unwrap().body
    };
    let told = format!("# Report\n\n**{WAS_A_TEST}**\n\n");
    assert!(of(&[WAS_A_TEST]).starts_with(&format!("{told}## People")), "{}", of(&[WAS_A_TEST]));
    let both = of(&[WAS_A_TEST, "1 warning in `read`"]);
    assert!(both.starts_with(&format!("{told}**Not everything could be read.**")), "{both}");
    assert_eq!(both.matches(WAS_A_TEST).count(), 1, "{both}");
}

#[test]
fn linked_records_become_one_block_per_person() {
    let rows = people();
    let data = json!({"matches": [{"entity_a": rows[0], "entity_b": rows[1], "match_score": 0.91, "match_method": "fuzzy_name"}]});
    let shape = json!({"sections": [{"title": "Shared", "source": "matches", "format": "linked", "across": "ein",
        "columns": [{"field": "org", "title": "Organisation"}]}]});
    check(
        Format::Markdown,
        &shape,
        &data,
        "## Shared\n\n### Maria T Alvarez\n\nIn 2 different sources · the least alike of the names agree to 91 % \
         · written MARIA ALVAREZ / Maria T Alvarez\n\n| Organisation |\n| --- |\n| Lantern \\| Fund |\n| River Trust |\n",
    );
    check(
        Format::Csv,
        &shape,
        &data,
        "group_name,group_spellings,group_lowest_score,group_chained,Organisation\r\n\
         Maria T Alvarez,MARIA ALVAREZ; Maria T Alvarez,0.91,false,Lantern | Fund\r\n\
         Maria T Alvarez,MARIA ALVAREZ; Maria T Alvarez,0.91,false,River Trust\r\n",
    );
}

#[test]
fn f_136_people_of_one_name_have_a_block_each_in_words_people_use() {
    let row = |name: &str, org: &str, ein: &str, entity: &str, heading: &str| json!({"name": name, "org": org, "ein": ein, "_entity_id": entity, "_entity_name": heading});
    let rows = [
        row("MARIA ALVAREZ", "Lantern Fund", "1", "one", "Maria Alvarez (Sedgewick, OR)"),
        row("M ALVAREZ", "River Trust", "2", "one", "Maria Alvarez (Sedgewick, OR)"),
        row("MARIA ALVAREZ", "Mill Fund", "3", "two", "Maria Alvarez (Quay Harbor, NH)"),
        row("MARIA ALVAREZ", "Owl Fund", "4", "two", "Maria Alvarez (Quay Harbor, NH)"),
    ];
    let pair = |a: usize, b: usize| json!({"entity_a": rows[a], "entity_b": rows[b], "match_score": 0.95, "match_method": "fuzzy_name"});
    let data = json!({"matches": [pair(0, 1), pair(1, 2), pair(2, 3)]});
    let shape = json!({"sections": [{"title": "Shared", "source": "matches", "format": "linked", "across": "ein",
        "across_label": "organisations", "entity": "_entity_id", "heading": "_entity_name",
        "columns": [{"field": "org", "title": "Organisation"}]}]});
    check(
        Format::Markdown,
        &shape,
        &data,
        "## Shared\n\n### Maria Alvarez (Quay Harbor, NH)\n\nIn 2 organisations\n\n\
         | Organisation |\n| --- |\n| Mill Fund |\n| Owl Fund |\n\n\
         ### Maria Alvarez (Sedgewick, OR)\n\nIn 2 organisations · written M ALVAREZ / MARIA ALVAREZ\n\n\
         | Organisation |\n| --- |\n| Lantern Fund |\n| River Trust |\n",
    );
    let csv = render(Format::Csv, &layout(&shape), &data, &from()).unwrap().body;
    assert!(csv.starts_with("Resolved name,All spellings,Organisation\r\n"), "{csv}");
}

#[test]
fn f_136_lists_of_records_among_facts_are_tables_below_them() {
    let data = json!({"people": [{"name": "Ann"}, {"name": "Ben"}], "asked": "Ann", "none": [], "ids": [1, 2]});
    let shape = json!({"sections": [{"title": "Known", "format": "facts"}]});
    check(
        Format::Markdown,
        &shape,
        &data,
        "## Known\n\n- **Asked:** Ann\n- **None:** –\n- **Ids:** 1, 2\n\n\
         ### People\n\n| Name |\n| --- |\n| Ann |\n| Ben |\n",
    );
    // What its author has named stays in its line.
    let shape = json!({"sections": [{"title": "Known", "format": "facts", "columns": [{"field": "people", "format": "count"}]}]});
    check(Format::Markdown, &shape, &data, "## Known\n\n- **People:** 2\n");
}

#[test]
fn f_136_csv_needs_records() {
    check(Format::Csv, &json!({}), &json!([{"a": "=1", "b": 2}]), "a,b\r\n'=1,2\r\n");
    let refused = render(Format::Csv, &Layout::default(), &json!({"a": 1}), &from());
    assert_eq!(refused, Err(ReportError::NotRecords { path: "data".into(), wanted: "csv" }));
}

#[test]
fn a_csv_has_every_field_and_a_table_names_those_it_leaves_out() {
    let mut record: serde_json::Map<String, Value> =
        (1..=14).map(|n| (format!("f{n:02}"), json!(n))).collect();
    record.insert("nested".into(), json!({"city": "Quay"}));
    record.insert("_source_ref".into(), json!({"url": "u"}));
    record.insert("_entity_rules".into(), json!("r"));
    let data = json!([record]);
    let names: Vec<String> = (1..=14).map(|n| format!("f{n:02}")).collect();
    let numbers: Vec<String> = (1..=14).map(|n| n.to_string()).collect();
    let csv = format!(
        "{},nested\r\n{},\"{{\"\"city\"\":\"\"Quay\"\"}}\"\r\n",
        names.join(","),
        numbers.join(",")
    );
    check(Format::Csv, &json!({}), &data, &csv);
    let rendered = render(Format::Markdown, &layout(&json!({})), &data, &from()).unwrap().body;
    assert!(rendered.contains("| 12 |\n\n3 more columns: f13, f14, nested\n"), "{rendered}");
    assert!(!rendered.contains("ource"), "{rendered}");
}

#[test]
fn internal_fields_are_shown_where_the_author_names_them_or_there_are_no_others() {
    let data = json!([{"name": "A", "_source_ref": "u"}]);
    let named = json!({"sections": [{"title": "S", "columns": ["_source_ref"]}]});
    check(Format::Csv, &named, &data, "_source_ref\r\nu\r\n");
    check(Format::Csv, &json!({}), &data, "name\r\nA\r\n");
    check(Format::Csv, &json!({}), &json!([{"_only": 1}]), "_only\r\n1\r\n");
}

#[test]
fn f_136_structured_names_its_sections() {
    let shape = json!({"title": "T", "sections": [{"title": "People", "source": "people"}]});
    let rendered =
        render(Format::Structured, &layout(&shape), &json!({"people": [1]}), &from()).unwrap();
    let value: Value = serde_json::from_str(&rendered.body).unwrap();
    assert_eq!(value["sections"], json!([{"title": "People", "data": [1]}]));
    assert_eq!(value["provenance"]["run"], "run_1");
}

#[test]
fn templates_keep_their_markup_and_escape_the_data() {
    let shape = json!({"template": "**{count}** by {who.name}, {{literal} {missing}\n\n{sections}",
        "sections": [{"title": "S", "source": "list", "format": "list"}]});
    let data = json!({"count": 2, "who": {"name": "*A*"}, "list": ["x", "# y"]});
    check(
        Format::Markdown,
        &shape,
        &data,
        "**2** by \\*A\\*, {literal} {missing}\n\n## S\n\n- x\n- \\# y\n",
    );
}

#[test]
fn long_tables_say_what_they_leave_out() {
    let rows: Vec<Value> = (0..5).map(|n| json!({"n": n})).collect();
    let shape =
        json!({"sections": [{"title": "N", "source": "rows", "format": "table", "limit": 2}]});
    check(
        Format::Markdown,
        &shape,
        &json!({"rows": rows}),
        "## N\n\n| N |\n| --- |\n| 0 |\n| 1 |\n\nShowing 2 of 5.\n",
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn the_same_data_gives_the_same_bytes_and_only_our_headings(names in prop::collection::vec(".{0,40}", 0..6)) {
        let rows: Vec<Value> = names.iter().map(|name| json!({"name": name, "note": format!("\n# {name}")})).collect();
        let shape = layout(&json!({"sections": [
            {"title": "One", "source": "rows", "format": "table"}, {"title": "Two", "source": "rows", "format": "list"}]}));
        let data = json!({"rows": rows});
        let once = render(Format::Markdown, &shape, &data, &from()).unwrap();
        prop_assert_eq!(&once, &render(Format::Markdown, &shape, &data, &from()).unwrap());
        prop_assert_eq!(once.body.lines().filter(|line| line.trim_start().starts_with('#')).count(), 2);
    }
}
