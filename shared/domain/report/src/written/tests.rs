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
fn f_280_f_288_what_a_destination_has_no_place_for_is_refused() {
    let section = json!({"title": "People"});
    check(
        &json!({"type": "document", "config": {"template": "All", "sections": [section]}}),
        &[
            "config.template: the template has no `{sections}`, so nobody would see the sections | write `{sections}` where they shall be, or leave them out",
        ],
    );
    check(
        &json!({"type": "file_export", "config": {"template": "All", "sections": [section, section]}}),
        &[
            "config.template: a template is Markdown, and `format` is another | use `sections`, or `format: markdown`",
            "config.sections: CSV is one table, and there are several sections | keep one section, or use `format: structured`",
        ],
    );
    check(
        &json!({"type": "chat", "format": "json", "config": {"sections": [section]}}),
        &[
            "config.sections: JSON is the data as it is, and has no sections | use `format: structured`, or leave them out",
        ],
    );
    check(
        &json!({"type": "knowledge_graph", "format": "csv"}),
        &["format: `format` is for documents, files and chat answers | leave it out"],
    );
    check(
        &json!({"type": "chat", "transforms": [{"type": "select", "fields": []}]}),
        &["transforms[0].fields: `fields` must have 1 to 1000 entries, found 0"],
    );
    check(
        &json!({"type": "chat", "transforms": [{"type": "select"}]}),
        &["transforms[0].fields: entry 1 of `transforms` has no `fields`"],
    );
}

#[test]
fn f_281_f_283_f_286_folders_databases_and_additions_are_read() {
    check(&json!({"type": "folder", "config": {"folder_id": "filings"}}), &[]);
    check(
        &json!({"type": "folder", "config": {"folder_id": "a/b"}}),
        &["config.folder_id: `folder_id` must be 1 to 128 letters, digits, `_` and `-`"],
    );
    let id = format!("doc_{}", "0a".repeat(16));
    check(&json!({"type": "append_to_existing", "config": {"document_id": id}}), &[]);
    check(
        &json!({"type": "append_to_existing", "format": "json", "config": {"document_id": "log.md"}}),
        &[
            "config.document_id: `document_id` is not the id of a document, `doc_…` | `GET /api/agent-factory/documents` lists them",
            "format: only Markdown can be added to a document | leave `format` out, or write a new `document`",
        ],
    );
    let tables = json!([
        {"table_name": "people", "deduplication_key": ["ein"], "schema_mapping": {"ein": "TEXT"}},
        {"table_name": "people", "source": "a.b", "deduplication_key": ["x"], "schema_mapping": {"ein": "TEXT"}},
    ]);
    check(
        &json!({"type": "data_workspace_db", "config": {"tables": tables}}),
        &[
            "config.tables[1].deduplication_key[0]: `x` is not a column of `schema_mapping`",
            "config.tables[1].table_name: `people` is there already",
        ],
    );
    check(
        &json!({"type": "data_workspace_db", "config": {"tables": []}}),
        &["config.tables: `tables` must have 1 to 50 entries, found 0"],
    );
}

#[test]
fn f_283_a_table_of_a_database_takes_the_records_of_its_name_and_is_made() {
    let tables =
        json!([{"table_name": "people"}, {"table_name": "grants", "source": "data.grants"}]);
    let config = json!({"workspace_id": "research", "tables": tables});
    let DestinationConfig::Database(tables) =
        read(json!({"type": "data_workspace_db", "config": config})).config
    else {
        panic!("another kind")
    };
    let found: Vec<_> = tables
        .iter()
        .map(|one| (one.table_name.as_str(), one.source.as_str(), one.create_if_missing))
        .collect();
    assert_eq!(found, [("people", "people", true), ("grants", "data.grants", true)]);
    assert!(tables.iter().all(|one| one.workspace_id.as_deref() == Some("research")));
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
    let all = "`document`, `folder`, `append_to_existing`, `data_workspace_table`, `data_workspace_db`, `chat`, `file_export`, `knowledge_graph`";
    let said = |kind: &str| format!("type: `type` must be one of {all}, found `{kind}`");
    check(&json!({"type": "chart"}), &[&format!("{} | did you mean `chat`?", said("chart"))]);
    for kind in ["folders", "knowledge_graf", "append_to_exsting", "data_workspace_dbs"] {
        let reading = read_value::<WrittenDestination>(json!({ "type": kind }));
        assert_eq!(reading.problems[0].message, said(kind)[6..], "{kind}");
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
        &json!({"type": "chat", "confirm": "yes", "transforms": [{"type": "limit", "count": -1}, {"type": "pick"}]}),
        &[
            "confirm: `confirm` must be true or false, found a string",
            "transforms[0].count: `count` must be a whole number from 0 to 1000000, found -1",
            "transforms[1].path: entry 2 of `transforms` has no `path`",
        ],
    );
}

#[test]
fn f_136_f_285_a_key_of_a_section_that_does_nothing_is_a_warning() {
    let check = |format: &str, section: Value, expect: &[&str]| {
        let mut section = section;
        section["title"] = json!("A");
        let config = json!({ "sections": [section] });
        let written = json!({"type": "document", "format": format, "config": config});
        let reading = read_value::<WrittenDestination>(written);
        let said: Vec<String> = reading.problems.iter().map(told).collect();
        assert_eq!(said, expect, "{format}");
        // What was saved before goes on.
        assert!(reading.value.is_some());
    };
    let all = json!({"format": "linked", "columns": ["a"], "text": "t", "empty": "e", "limit": 1, "name": "n", "across": "o"});
    check("markdown", all.clone(), &[]);
    check(
        "csv",
        all.clone(),
        &[
            "config.sections[0].text: CSV is one table, and has no `text` | leave it out, or use `format: markdown`",
            "config.sections[0].empty: CSV is one table, and has no `empty` | leave it out, or use `format: markdown`",
            "config.sections[0].limit: CSV is all records of its section, and takes no `limit` | pick the list and limit it under `transforms`",
        ],
    );
    let structured = "`structured` is the data of each section, and has no";
    let wanted = ["columns", "text", "empty", "limit"].map(|key| {
        format!("config.sections[0].{key}: {structured} `{key}` | leave it out, or use `format: markdown`")
    });
    check("structured", all, &wanted.each_ref().map(String::as_str));
    check(
        "markdown",
        json!({"format": "json", "columns": ["a"], "across": "o", "entity": null, "heading": " "}),
        &[
            "config.sections[0].columns: a text or a block of JSON has no `columns` | leave it out, or write `format: table`",
            "config.sections[0].across: `across` is for sections with `format: linked` | leave it out, or write `format: linked`",
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
fn k_62_a_destination_says_whether_it_is_confirmed() {
    for confirm in [true, false] {
        let value = json!({"type": "chat", "confirm": confirm});
        check(&value, &[]);
        assert_eq!(read_value::<WrittenDestination>(value).value.unwrap().confirms(), confirm);
    }
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
    let prepared = destination.prepared(&data).unwrap();
    assert_eq!((prepared.data, prepared.notes), (json!([{"name": 1, "o": 2}]), Vec::new()));
    // Of a field that no record has, the column is there, without a value.
    let unknown = read(json!({"type": "file_export", "transforms": [
        {"type": "pick", "path": "people"}, {"type": "select", "fields": ["n", "pay"]},
        {"type": "rename", "from": "role", "to": "office"}]}));
    let found = unknown.prepared(&data).unwrap();
    assert_eq!(
        found.data,
        json!([{"n": 1, "pay": null, "office": null}, {"n": 4, "pay": null, "office": null}])
    );
    let no_record = |field| format!("no record has `{field}`, which its `transforms` name");
    assert_eq!(found.notes, ["pay", "role"].map(no_record));
    let none = unknown.prepared(&json!({"people": []})).unwrap();
    assert_eq!((none.data, none.notes), (json!([]), Vec::new()));
    // What changes nothing is said.
    let odd = unknown.prepared(&json!({"folk": []})).unwrap();
    assert_eq!(odd.notes, ["the data has no `people`, which its `transforms` pick"]);
    let limit = read(json!({"type": "chat", "transforms": [{"type": "limit", "count": 1}]}));
    let whole = limit.prepared(&data).unwrap();
    let keeps_all = "the data is not a list, so that `limit` of its `transforms` keeps all";
    assert_eq!((whole.data, whole.notes), (data.clone(), vec![keeps_all.to_owned()]));
    let taken = json!({"people": [{"n": 1, "name": 2}]});
    let both = read(json!({"type": "file_export", "transforms": [
        {"type": "pick", "path": "people"}, {"type": "rename", "from": "n", "to": "name"}]}));
    let refused = both.prepared(&taken).unwrap_err();
    assert_eq!(refused.to_string(), "the field `n` cannot be renamed to `name`: records have both");
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
