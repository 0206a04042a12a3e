//! What a run gave back, as text for a terminal.

use countersign_report::markdown::unescaped_line;
use serde_json::Value;

use super::{field_items, items, text, visible};

/// Lines of an answer that are shown; `--json` prints all of it.
const MAX_LINES: usize = 200;

/// What was written where, what is not known, and the answer; nothing for a run that gave none.
pub(super) fn lines(run: &Value) -> Vec<String> {
    let Some(response) = run.get("response").filter(|response| response.is_object()) else {
        return Vec::new();
    };
    let run = text(run, "id").unwrap_or_default();
    let mut lines = written(response, &run);
    let problems = field_items(response, "problems").iter();
    lines.extend(problems.filter_map(Value::as_str).map(|one| visible(&format!("Note: {one}"))));
    if let Some(content) = text(response, "content") {
        let is_markdown = response["format"] == "markdown";
        let content = if is_markdown { unescaped(&content) } else { content };
        lines.extend(answer(&content, &run));
    }
    lines
}

/// Whether something was left out because the run skips its gates.
pub(super) fn skipped_gates(run: &Value) -> bool {
    let blocked = run.pointer("/response/blocked").map_or(&[][..], items);
    blocked.iter().any(|one| one["error"] == "hitl_skipped_non_streaming")
}

/// Markdown as people read it in a terminal: marks stay, and `\_` is `_`. Nothing is escaped within code.
fn unescaped(markdown: &str) -> String {
    let mut is_fenced = false;
    let lines = markdown.split('\n').map(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced = is_fenced != is_fence;
        if is_fence || is_fenced { line.to_owned() } else { unescaped_line(line) }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn answer(content: &str, run: &str) -> Vec<String> {
    let all: Vec<&str> = content.trim_end().split('\n').collect();
    let shown = all.iter().take(MAX_LINES).map(|line| visible(line.trim_end_matches('\r')));
    let more = all.len().saturating_sub(MAX_LINES);
    let more =
        (more > 0).then(|| format!("… and {more} more lines: `countersign show {run} --json`"));
    std::iter::once(String::new()).chain(shown).chain(more).collect()
}

/// A line for each destination.
fn written(response: &Value, run: &str) -> Vec<String> {
    let outputs = field_items(response, "outputs").iter();
    let line = |row: &Value| {
        visible(&format!("{}: {}", text(row, "destination").unwrap_or_default(), place(row, run)))
    };
    outputs.map(line).collect()
}

/// Where to find it, or why it is not there.
fn place(row: &Value, run: &str) -> String {
    let details = &row["details"];
    let part = |name: &str| text(details, name);
    if part("table_name").is_some() {
        return table(details);
    }
    if let Some(tables) = details.get("tables") {
        return items(tables).iter().map(table).collect::<Vec<_>>().join("; ");
    }
    if let Some(content) = part("content") {
        return answer(&content, run).join("\n");
    }
    if let Some(document) = part("document_id").or_else(|| part("export_id")) {
        let name = part("filename").unwrap_or_default();
        let added = if details.get("bytes_added").is_some() { "added to " } else { "" };
        return format!("{added}{name} ({document})");
    }
    match text(row, "status").as_deref() {
        Some("success") => "in the answer".to_owned(),
        Some("skipped") => "left out: its condition is false".to_owned(),
        _ => {
            let why = |name: &str| row.pointer(&format!("/error/{name}")).and_then(Value::as_str);
            match (why("code"), why("message")) {
                (Some(code), Some(message)) => format!("not written: {code} {message}"),
                _ => "not written".to_owned(),
            }
        }
    }
}

fn table(row: &Value) -> String {
    let name = text(row, "table_name").unwrap_or_default();
    let why = |part: &str| row.pointer(&format!("/error/{part}")).and_then(Value::as_str);
    if let (Some(code), Some(message)) = (why("code"), why("message")) {
        return format!("{name}, not written: {code} {message}");
    }
    let count = |name: &str| row[name].as_u64().filter(|count| *count > 0);
    let more = [("rows_updated", "changed"), ("rows_skipped", "there already")];
    let more = more.map(|(name, what)| count(name).map(|n| format!(", {n} {what}")));
    let more: String = more.into_iter().flatten().collect();
    format!("{name}, {} new rows{more}", count("rows_inserted").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{lines, unescaped};
    use serde_json::json;

    #[test]
    fn a_terminal_shows_no_escapes_of_markdown() {
        let markdown = "| \\$1,200 | a\\_b \\`c\\` | `d\\_e` |\n\\\\ \\x `open\n\\*";
        assert_eq!(unescaped(markdown), "| $1,200 | a_b `c` | `d\\_e` |\n\\ \\x `open\n*");
        let fenced = "```json\n\"a\\\"\"\n```\n\\_";
        assert_eq!(unescaped(fenced), "```json\n\"a\\\"\"\n```\n_");
    }

    #[test]
    fn f_035_a_terminal_shows_what_was_written_and_the_answer() {
        let run = json!({"response": {
            "format": "markdown", "content": "# A\u{1b}\n\ntext\n", "problems": ["the section `X` is not known"],
            "outputs": [
                {"destination": "document", "status": "success", "details": {"document_id": "doc_1", "filename": "a.md"}},
                {"destination": "data_workspace_table", "status": "success", "details": {"table_name": "t", "rows_inserted": 2}},
                {"destination": "append_to_existing", "status": "success", "details": {"document_id": "doc_2", "filename": "b.md", "bytes_added": 9}},
                {"destination": "data_workspace_db", "status": "error", "error": {"code": "X", "message": "1 of 2"}, "details": {"tables": [
                    {"table_name": "u", "rows_inserted": 1, "rows_skipped": 0}, {"table_name": "v", "error": {"code": "X", "message": "no"}},
                ]}},
                {"destination": "chat", "status": "skipped", "details": "the condition is false"},
                {"destination": "file_export", "status": "error", "error": {"code": "X", "message": "no"}},
            ],
        }});
        let expect = "document: a.md (doc_1)
data_workspace_table: t, 2 new rows
append_to_existing: added to b.md (doc_2)
data_workspace_db: u, 1 new rows; v, not written: X no
chat: left out: its condition is false
file_export: not written: X no
Note: the section `X` is not known

# A\\u{1b}

text";
        assert_eq!(lines(&run).join("\n"), expect);
        assert!(lines(&json!({"response": null})).is_empty());
    }
}
