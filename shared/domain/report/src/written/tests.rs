use countersign_document::{Problem, read_value};
use serde_json::{Value, json};

use super::WrittenDestination;
use crate::destination::{Destination, DestinationConfig};
use crate::format::Format;
use crate::layout::{CellFormat, Layout, SectionFormat};

/// What is said of a destination, each with its place and its hint.
fn check(value: &Value, expect: &[&str]) {
    let reading = read_value::<WrittenDestination>(value.clone());
    let told: Vec<String> = reading.problems.iter().map(told).collect();
    assert_eq!(told, expect, "{value}");
    assert_eq!(reading.value.is_some(), expect.is_empty());
}

fn told(problem: &Problem) -> String {
    let hint = problem.hint.as_ref().map(|hint| format!(" | {hint}")).unwrap_or_default();
    format!("{}: {}{hint}", problem.path(), problem.message)
}

fn read(value: Value) -> Destination {
    read_value::<WrittenDestination>(value).value.unwrap().into()
}

#[test]
fn f_280_f_288_the_four_kinds_are_read() {
    check(&json!({"type": "chat"}), &[]);
    check(
        &json!({"type": "document", "format": "markdown", "config": {"folder_id": "f", "create_if_missing": true}}),
        &[],
    );
    check(&json!({"type": "file_export", "config": {"filename_template": "x_{date}"}}), &[]);
    check(
        &json!({"type": "data_workspace_table", "condition": "{count} > 0", "config": {"table_name": "filings",
            "schema_mapping": {"ein": "TEXT"}, "deduplication_key": ["ein"]}}),
        &[],
    );
}

#[test]
fn f_281_f_283_f_286_later_kinds_say_so() {
    let hint =
        "use one of `document`, `data_workspace_table`, `chat`, `file_export`, `knowledge_graph`";
    for (kind, reason) in [
        (
            "folder",
            "a folder alone is not in this release; a `document` may name one as `folder_id`",
        ),
        ("data_workspace_db", "whole databases are not in this release, only their tables"),
        ("append_to_existing", "adding to a document is not in this release"),
    ] {
        check(
            &json!({ "type": kind }),
            &[&format!("type: `type` cannot be `{kind}`: {reason} | {hint}")],
        );
    }
}

#[test]
fn f_284_a_part_of_the_graph_has_its_form() {
    check(&json!({"type": "knowledge_graph"}), &[]);
    check(&json!({"type": "knowledge_graph", "config": {"namespace": "a-b", "source": "x"}}), &[]);
    let wrong = json!({"type": "knowledge_graph", "config": {"namespace": "No Such"}});
    let reading = read_value::<WrittenDestination>(wrong);
    assert_eq!(reading.problems.len(), 1, "{:?}", reading.problems);
}

#[test]
fn f_280_only_kinds_that_are_accepted_are_offered() {
    let all = "`document`, `data_workspace_table`, `chat`, `file_export`, `knowledge_graph`";
    let said = |kind: &str| format!("type: `type` must be one of {all}, found `{kind}`");
    check(&json!({"type": "chart"}), &[&format!("{} | did you mean `chat`?", said("chart"))]);
    for kind in ["folders", "knowledge_graf", "append_to_exsting", "data_workspace_dbs"] {
        let reading = read_value::<WrittenDestination>(json!({ "type": kind }));
        assert_eq!(reading.problems[0].message, said(kind)[6..], "{kind}");
        let offered = reading.problems[0].hint.clone().unwrap_or_default();
        for refused in ["`folder`", "`data_workspace_db`", "`append_to_existing`"] {
            assert!(!offered.contains(refused), "{kind}: {offered}");
        }
    }
}

#[test]
fn every_problem_has_its_path() {
    check(&json!({}), &["type: the destination has no `type`"]);
    check(
        &json!({"type": "data_workspace_table", "format": "xlsx", "config": {"schema_mapping": {"a": "INT"},
            "database_id": "x", "deduplication_key": ["b"], "tabel_name": "t"}}),
        &[
            "format: `format` must be one of `markdown`, `json`, `csv`, `structured`, found `xlsx`",
            "config.schema_mapping.a: `a` must be one of `TEXT`, `REAL`, `DECIMAL`, `TIMESTAMP`, found `INT`",
            "config.database_id: `database_id` must be `default`, found `x` | a workspace has one database, `default`",
            "config.tabel_name: `config` has no key `tabel_name` | did you mean `table_name`?",
            "config.table_name: `config` has no `table_name` | is `tabel_name` meant to be `table_name`?",
        ],
    );
    check(
        &json!({"type": "data_workspace_table", "config": {"table_name": "t", "schema_mapping": {"a": "TEXT"},
            "deduplication_key": ["a", "b"]}}),
        &["config.deduplication_key[1]: `b` is not a column of `schema_mapping`"],
    );
    check(
        &json!({"type": "chat", "confirm": true, "transforms": [{"type": "limit", "count": -1}, {"type": "pick"}]}),
        &[
            "transforms[0].count: `count` must be a whole number from 0 to 1000000, found -1",
            "transforms[1].path: entry 2 of `transforms` has no `path`",
            "confirm: a gate of its own per destination is not in this release | put an approval step before the routing",
        ],
    );
}

#[test]
fn f_282_f_290_names_of_tables_and_columns_have_a_form() {
    check(
        &json!({"type": "data_workspace_table", "config": {"table_name": "a b", "workspace_id": "ä",
            "schema_mapping": {"1st": "TEXT", "b": {"type": "INT", "form": "c"}}}}),
        &[
            "config.table_name: `table_name` must be 1 to 100 letters, digits, `_` and `-`",
            "config.workspace_id: `workspace_id` must be 1 to 100 letters, digits, `_` and `-`",
            "config.schema_mapping.b.type: `type` must be one of `TEXT`, `REAL`, `DECIMAL`, `TIMESTAMP`, found `INT`",
            "config.schema_mapping.b.form: `b` has no key `form` | did you mean `from`?",
            "config.schema_mapping.1st: `1st` is not a column name | use up to 64 letters, digits and underscores, beginning with a letter",
        ],
    );
    check(&json!({"type": "data_workspace_table"}), &["config: the destination has no `config`"]);
    check(
        &json!({"type": "data_workspace_table", "config": {"table_name": "t", "schema_mapping": {}}}),
        &["config.schema_mapping: `schema_mapping` is empty"],
    );
}

#[test]
fn column_names_are_checked() {
    let mapping = json!({"_source": "TEXT", "a b": "TEXT", "ok": "TEXT"});
    let config = json!({"table_name": "t", "schema_mapping": mapping});
    let value = json!({"type": "data_workspace_table", "config": config});
    let problems = read_value::<WrittenDestination>(value).problems;
    let paths: Vec<String> = problems.iter().map(Problem::path).collect();
    assert_eq!(paths, ["config.schema_mapping._source", "config.schema_mapping.a b"]);
}

#[test]
fn k_62_a_destination_may_say_that_it_needs_no_confirmation() {
    check(&json!({"type": "chat", "confirm": false}), &[]);
}

#[test]
fn null_counts_as_left_out() {
    check(
        &json!({"type": "chat", "format": null, "condition": null, "transforms": null, "confirm": null, "config": null}),
        &[],
    );
    let columns = json!([{"field": "pay", "title": null, "format": null, "currency": null}]);
    check(
        &json!({"type": "document", "config": {"title": null, "sections": [{"title": "A", "columns": columns, "limit": null}]}}),
        &[],
    );
}

#[test]
fn f_288_transforms_change_the_data_for_one_destination() {
    let destination = read(json!({"type": "file_export", "transforms": [
        {"type": "pick", "path": "people"}, {"type": "limit", "count": 1},
        {"type": "select", "fields": ["n", "o"]}, {"type": "rename", "from": "n", "to": "name"}]}));
    let data = json!({"people": [{"n": 1, "o": 2, "p": 3}, {"n": 4}]});
    assert_eq!(destination.prepared(&data), json!([{"name": 1, "o": 2}]));
    assert_eq!(destination.format, Format::Csv);
    assert!(matches!(destination.config, DestinationConfig::Export(_)));
}

#[test]
fn a_destination_survives_storage() {
    let written =
        json!({"format": "json", "type": "chat", "condition": null, "config": {"title": "T"}});
    let read: WrittenDestination = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), written.to_string());
    assert!(serde_json::from_value::<WrittenDestination>(json!({"type": "fax"})).is_err());
}

/// A layout, and what is said of it.
fn layout(config: &Value) -> (Option<Layout>, Vec<String>) {
    let reading = read_value::<WrittenDestination>(json!({"type": "chat", "config": config}));
    let layout = reading.value.map(|written| match Destination::from(written).config {
        DestinationConfig::Chat(layout) => layout,
        other => panic!("{other:?} is not a layout"),
    });
    (layout, reading.problems.iter().map(told).collect())
}

#[test]
fn f_136_sections_are_read() {
    let (layout, problems) = layout(&json!({"title": "People", "sections": [
        {"title": "Officers", "source": "{officers.data}", "format": "table",
         "columns": ["person_name", {"field": "pay", "format": "money"}]}]}));
    assert_eq!(problems, Vec::<String>::new());
    let section = &layout.unwrap().sections[0];
    assert_eq!((section.source.as_str(), section.format), ("officers.data", SectionFormat::Table));
    assert_eq!(section.columns[0].title, "Person name");
    assert_eq!(section.columns[1].format, CellFormat::Money);
}

#[test]
fn f_136_every_problem_of_a_layout_has_its_path() {
    let (_, problems) = layout(&json!({"sections": [
        {"source": "a", "format": "tabel"}, {"title": "B", "columns": [{"titel": "x"}]},
        {"title": "C", "columns": [{"field": "pay", "currency": "EUR"}, {"field": "pay", "format": "money", "currency": "eur"}]}]}));
    assert_eq!(
        problems,
        [
            "config.sections[0].format: `format` must be one of `auto`, `text`, `markdown`, `list`, `table`, `facts`, \
             `linked`, `json`, `structured`, found `tabel` | did you mean `table`?",
            "config.sections[0].title: entry 1 of `sections` has no `title`",
            "config.sections[1].columns[0].titel: entry 1 of `columns` has no key `titel` | did you mean `title`?",
            "config.sections[1].columns[0].field: entry 1 of `columns` has no `field`",
            "config.sections[2].columns[1].currency: `currency` must be a currency of three capitals such as EUR",
            "config.sections[2].columns[0].currency: `currency` is for columns with `format: money` | write \
             `format: money`, or leave the currency out",
        ]
    );
}
