//! What the runs of one person leave behind: documents, files, rows, notes, what is known.

use serde_json::{Value, json};

use crate::case::{Person, until};
use crate::filings::{GOOD, upload};

const LEAVES: &str = "
name: Leaves things behind
description: Resolves people, and writes what it found wherever it can be written.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: people, type: list, required: true}
steps:
  - name: resolved
    step_type: tool
    action: resolve_entities
    inputs: {entities: '{people}'}
  - name: publish
    step_type: tool
    action: route_output
    inputs: {data: '{people}'}
    params:
      destinations:
        - {type: document, config: {filename_template: left}}
        - {type: file_export}
        - {type: data_workspace_table, config: {workspace_id: left, table_name: left, create_if_missing: true}}
  - {name: note, step_type: tool, action: create_todo, inputs: {title: Look at this}}
";

/// Two people of whom nobody knows whether they are one.
fn people() -> Value {
    let one = |(index, name): (usize, &&str)| {
        json!({"name": name, "type": "PERSON", "source_field": "name", "source_record_index": index,
            "source_connector": "filings", "document": {"reference": "file_board", "title": "board.xml", "doc_type": "xml"}})
    };
    ["J DOE", "JANE DOE"].iter().enumerate().map(one).collect()
}

/// The things, each under the word before its id in a path; `(word, list, field)` of those that a list has.
const LISTED: [(&str, &str, &str); 8] = [
    ("documents", "/documents", "id"),
    ("exports", "/exports", "id"),
    ("journal", "/journal", "id"),
    ("todos", "/todos", "id"),
    ("notifications", "/notifications", "id"),
    ("entities", "/knowledge/entities", "entity_id"),
    ("entity-reviews", "/entity-reviews", "id"),
    ("reverse", "/entity-resolution/log", "id"),
];

/// Runs it, and gives the ids of what there is then.
pub(super) async fn of(ana: &Person, profile: &str, id: &str) -> Vec<(&'static str, String)> {
    let id = format!("{id}-leaves");
    ana.playbook(&format!("id: {id}{LEAVES}")).await;
    let run = ana.start(profile, &id, json!({ "people": people() })).await;
    ana.reaches(&run, "complete").await;
    let mut found = Vec::new();
    for (word, list, field) in LISTED {
        found.push((word, first(ana, list, field).await));
    }
    let upload = upload(ana, vec![("left.xml".to_owned(), GOOD.into())]).await.remove(0);
    found.extend([
        ("uploads", upload),
        ("workspaces", "left".to_owned()),
        ("tables", "left".to_owned()),
    ]);
    found
}

/// The id of the first thing of a list, once there is one.
pub(super) async fn first(ana: &Person, list: &str, field: &str) -> String {
    until(list, || async {
        let page = ana.get(list).await;
        page["items"][0][field].as_str().map(str::to_owned)
    })
    .await
}
