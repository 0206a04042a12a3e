//! The Markdown document.

use countersign_effect::is_hidden;
use countersign_run::{WAS_A_REPLAY, WAS_A_TEST, WRITTEN_BY_A_MODEL};
use serde_json::Value;

use super::cells::TableColumns;
use super::frame::{NOT_READ, OF_A_MODEL, PROVENANCE};
use super::{Provenance, cells, linked_by, titled};
use crate::layout::{CellFormat, Column, Layout, Section, SectionFormat};
use crate::linked::{Group, groups};
use crate::markdown;
use crate::path::at;

/// A document shows at most so many records per section unless its layout says otherwise; the rest is counted.
const SHOWN: usize = 200;

/// The document and how many records it shows.
pub(super) fn write(layout: &Layout, data: &Value, from: &Provenance) -> (String, usize) {
    let mut body = Body::default();
    if let Some(title) = &layout.title {
        body.block(&format!("# {}", markdown::inline(&titled(title, from))));
    }
    body.block(&notice(from));
    body.block(&unread(from));
    let sections = sections(layout, data);
    match &layout.template {
        Some(template) => body.block(&filled(template, data, &sections.text, from)),
        None => body.block(&sections.text),
    }
    body.block(&provenance(from));
    (body.text, sections.records.max(body.records))
}

fn sections(layout: &Layout, data: &Value) -> Body {
    let mut body = Body::default();
    for section in &layout.sections {
        body.block(&format!("## {}", markdown::inline(&section.title)));
        if let Some(text) = &section.text {
            body.block(&markdown::paragraphs(text));
        }
        match at(data, &section.source) {
            Some(value) => body.section(section, value),
            // A step may have no result: its author says what that means.
            None if section.empty.is_some() => body.section(section, &Value::Null),
            None => {
                let source = markdown::inline(&section.source);
                body.block(&format!("Not known: the result has no “{source}”."));
            }
        }
    }
    if layout.sections.is_empty() && layout.template.is_none() {
        body.section(&Section::default(), data);
    }
    body
}

/// Blocks with a blank line between them.
#[derive(Default)]
struct Body {
    text: String,
    records: usize,
}

impl Body {
    fn block(&mut self, block: &str) {
        let block = block.trim_end();
        if !block.is_empty() {
            if !self.text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(block);
            self.text.push('\n');
        }
    }

    fn section(&mut self, section: &Section, value: &Value) {
        if is_empty(value) {
            let nothing = section.empty.as_deref().unwrap_or("Nothing found.");
            return self.block(&markdown::paragraphs(nothing));
        }
        match section.format {
            SectionFormat::Linked => self.linked(section, value),
            SectionFormat::Table => self.table(section, value),
            SectionFormat::List => self.list(section, value),
            SectionFormat::Facts if value.is_array() => self.table(section, value),
            SectionFormat::Facts => self.facts(section, value),
            SectionFormat::Json => self.json(value),
            SectionFormat::Text => self.block(&markdown::paragraphs(&plain(value))),
            SectionFormat::Auto => match value {
                Value::Array(items) if items.iter().all(Value::is_object) => {
                    self.table(section, value);
                }
                Value::Array(_) => self.list(section, value),
                Value::Object(_) => self.facts(section, value),
                other => self.block(&markdown::paragraphs(&plain(other))),
            },
        }
    }

    fn table(&mut self, section: &Section, value: &Value) {
        let Some(records) = cells::records(value) else { return self.json(value) };
        let limit = section.limit.unwrap_or(SHOWN);
        self.rows(section, &records, limit);
        self.records += records.len();
        self.rest(records.len(), limit);
    }

    fn rows(&mut self, section: &Section, records: &[&Value], limit: usize) {
        let TableColumns { columns, left_out } = cells::columns_of_table(&section.columns, records);
        let header: Vec<String> =
            columns.iter().map(|column| markdown::inline(&column.title)).collect();
        let shown = records.iter().take(limit);
        let right: Vec<bool> = columns.iter().map(cells::is_numeric).collect();
        let rows: Vec<Vec<String>> = shown
            .map(|record| columns.iter().map(|column| cells::shown(record, column)).collect())
            .collect();
        self.block(&markdown::table(&header, &right, &rows));
        self.more_columns(&left_out);
    }

    fn more_columns(&mut self, left_out: &[String]) {
        let names: Vec<String> = left_out.iter().map(|name| markdown::inline(name)).collect();
        let noun = if names.len() == 1 { "column" } else { "columns" };
        if !names.is_empty() {
            self.block(&format!("{} more {noun}: {}", names.len(), names.join(", ")));
        }
    }

    fn rest(&mut self, all: usize, limit: usize) {
        if all > limit {
            self.block(&format!("Showing {limit} of {all}."));
        }
    }

    fn list(&mut self, section: &Section, value: &Value) {
        let Some(items) = value.as_array() else {
            return self.block(&markdown::paragraphs(&plain(value)));
        };
        let limit = section.limit.unwrap_or(SHOWN);
        let lines: Vec<String> = items
            .iter()
            .take(limit)
            .map(|item| format!("- {}", item_line(item, &section.columns)))
            .collect();
        self.block(&lines.join("\n"));
        self.records += items.len();
        self.rest(items.len(), limit);
    }

    /// A line for each field. Unless the columns are declared, lists of records become tables below the lines: on one line they would
    /// be JSON.
    fn facts(&mut self, section: &Section, value: &Value) {
        let columns = cells::columns_of_facts(&section.columns, value);
        let (tables, lines): (Vec<Column>, Vec<Column>) = columns
            .into_iter()
            .partition(|column| section.columns.is_empty() && is_table(value, column));
        let lines = lines.iter().map(|column| {
            format!("- **{}:** {}", markdown::inline(&column.title), cells::shown(value, column))
        });
        self.block(&lines.collect::<Vec<_>>().join("\n"));
        for column in &tables {
            self.block(&format!("### {}", markdown::inline(&column.title)));
            self.table(section, at(value, &column.field).unwrap_or(&Value::Null));
        }
    }

    fn linked(&mut self, section: &Section, value: &Value) {
        let Some(matches) = value.as_array() else { return self.json(value) };
        let groups = groups(matches, &linked_by(section));
        if groups.is_empty() {
            let nothing = section.empty.as_deref().unwrap_or("Nothing found.");
            return self.block(&markdown::paragraphs(nothing));
        }
        let limit = section.limit.unwrap_or(SHOWN);
        for group in groups.iter().take(limit) {
            self.block(&format!("### {}", markdown::inline(&group.name)));
            self.block(&group_line(group, section));
            let records: Vec<&Value> = group.records.iter().collect();
            self.rows(section, &records, records.len());
        }
        self.records += groups.len();
        self.rest(groups.len(), limit);
    }

    fn json(&mut self, value: &Value) {
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        // An indented block cannot be closed from inside; a fence can.
        let lines: Vec<String> =
            text.lines().map(|line| format!("    {}", visible(line))).collect();
        self.block(&lines.join("\n"));
    }
}

/// Whether a field has records.
fn is_table(value: &Value, column: &Column) -> bool {
    let records = at(value, &column.field).and_then(cells::records);
    records.is_some_and(|records| !records.is_empty())
}

fn group_line(group: &Group, section: &Section) -> String {
    let mut facts = Vec::new();
    if group.across > 1 {
        let what = section.across_label.as_deref().unwrap_or("different sources");
        facts.push(format!("In {} {}", group.across, markdown::inline(what)));
    }
    if section.entity.is_none() {
        let lowest = cells::written(&group.lowest_score.into(), CellFormat::Percent);
        facts.push(format!("the least alike of the names agree to {lowest}"));
    }
    if group.spellings.len() > 1 {
        let spellings: Vec<String> =
            group.spellings.iter().map(|name| markdown::inline(name)).collect();
        facts.push(format!("written {}", spellings.join(" / ")));
    }
    let mut line = facts.join(" · ");
    if group.chained {
        line.push_str("\n\n**Check:** some of these entries resemble each other only through a third; they may be different people.");
    }
    line
}

fn item_line(item: &Value, columns: &[Column]) -> String {
    if columns.is_empty() {
        return markdown::line(&plain(item));
    }
    columns.iter().map(|column| cells::shown(item, column)).collect::<Vec<_>>().join(" · ")
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn visible(line: &str) -> String {
    line.chars().map(|c| if is_hidden(c) { markdown::named(c) } else { c.to_string() }).collect()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// The author's own Markdown with `{path}` filled by escaped values; `{{` is a brace, unknown paths are left visible.
fn filled(template: &str, data: &Value, sections: &str, from: &Provenance) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            out.push('{');
            rest = after;
            continue;
        }
        let Some(end) = rest.find('}') else {
            out.push('{');
            break;
        };
        out.push_str(&placeholder(&rest[..end], data, sections, from));
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

fn placeholder(path: &str, data: &Value, sections: &str, from: &Provenance) -> String {
    match path {
        "sections" => sections.trim_end().to_owned(),
        "date" | "entity_name" => markdown::inline(&titled(&format!("{{{path}}}"), from)),
        _ => at(data, path).map_or_else(
            || markdown::inline(&format!("{{{path}}}")),
            |value| cells::written(value, CellFormat::Text),
        ),
    }
}

/// That it was a test, or a replay.
fn notice(from: &Provenance) -> String {
    let notice = from.warnings.iter().find(|one| is_notice(one));
    notice.map(|notice| format!("**{notice}**")).unwrap_or_default()
}

fn is_notice(warning: &str) -> bool {
    [WAS_A_TEST, WAS_A_REPLAY].contains(&warning)
}

/// What the figures below leave out.
fn unread(from: &Provenance) -> String {
    let missing: Vec<&String> = from.warnings.iter().filter(|one| !is_notice(one)).collect();
    if missing.is_empty() {
        return String::new();
    }
    let items = missing.into_iter().map(|one| format!("- {}", markdown::inline(one)));
    let head = if is_of_a_model(from) { OF_A_MODEL } else { NOT_READ };
    [head.to_owned(), String::new()].into_iter().chain(items).collect::<Vec<_>>().join("\n")
}

/// Whether a model has written any of it: each step with one says so.
fn is_of_a_model(from: &Provenance) -> bool {
    from.warnings.iter().any(|sentence| sentence.contains(WRITTEN_BY_A_MODEL))
}

fn provenance(from: &Provenance) -> String {
    let time = from.at.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let mut lines = vec![format!("- Run: `{}`", from.run.replace('`', ""))];
    let how = match is_of_a_model(from) {
        true => "; a language model has written parts of it",
        false => ", deterministically and without a language model",
    };
    lines.push(format!("- Made: {time}, by Countersign{how}"));
    lines.push(format!("- Agent: {}", markdown::inline(&from.profile)));
    if let Some(playbook) = &from.playbook {
        lines.push(format!("- Playbook: {}", markdown::inline(playbook)));
    }
    if !from.query.trim().is_empty() {
        lines.push(format!("- Asked: {}", markdown::inline(&from.query)));
    }
    format!("{PROVENANCE}{}", lines.join("\n"))
}
