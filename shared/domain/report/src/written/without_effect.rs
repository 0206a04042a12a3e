//! Keys of a layout that would do nothing: warnings, since a text with them may have been kept before they were told.

use countersign_document::{MaybeBlank, Problem, Rules, Severity};

use super::layout::{SectionFormat, WrittenLayout};
use crate::format::Format;

/// What titles and file names are filled with.
const FILLED: [&str; 2] = ["date", "entity_name"];

/// Reports each.
pub(super) fn report(layout: WrittenLayout<'_>, rules: &mut Rules<'_>) {
    title(layout, rules);
    for (n, section) in layout.sections.iter().enumerate() {
        let keys: Vec<&str> = section.keys().collect();
        if keys.contains(&"across_label") && !keys.contains(&"across") {
            let message =
                "`across_label` names what `across` counts, which is not there".to_owned();
            let hint = "leave it out, or write `across`".to_owned();
            warn("sections", format!("/sections/{n}/across_label"), message, hint, rules);
        }
        for key in keys {
            if let Some((message, hint)) = without_use(layout.format, section.format, key) {
                warn("sections", format!("/sections/{n}/{key}"), message, hint.to_owned(), rules);
            }
        }
    }
}

fn title(layout: WrittenLayout<'_>, rules: &mut Rules<'_>) {
    let Some(title) = layout.title.filter(|title| !title.as_str().trim().is_empty()) else {
        return;
    };
    let is_shown = matches!(layout.format, Format::Markdown | Format::Structured);
    if !is_shown && !layout.names_document {
        let message = "JSON and CSV are data, and have no title".to_owned();
        let hint = "leave it out, or use `format: structured`".to_owned();
        return warn("title", "/title".to_owned(), message, hint, rules);
    }
    placeholders("title", Some(title), rules);
}

/// Reports what a title or a file name would not be filled with.
pub(super) fn placeholders(key: &str, text: Option<&MaybeBlank<200>>, rules: &mut Rules<'_>) {
    let text = text.map(MaybeBlank::as_str).unwrap_or_default();
    for name in named(text).filter(|name| !FILLED.contains(name)) {
        let message = format!("nothing is filled in for `{{{name}}}`");
        let hint = "known: `{date}`, `{entity_name}`".to_owned();
        warn(key, format!("/{key}"), message, hint, rules);
    }
}

/// The names in braces. A destination that is validated by itself may come from a playbook, where braces are doubled.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

pub(super) fn warn(
    key: &str,
    pointer: String,
    message: String,
    hint: String,
    rules: &mut Rules<'_>,
) {
    let found = Problem::error(key, pointer, message).hint(hint);
    rules.report(Problem { severity: Severity::Warning, ..found });
}

/// Why a key of a section would do nothing in a document of this format, and what to write instead.
fn without_use(
    format: Format,
    shown: Option<SectionFormat>,
    key: &str,
) -> Option<(String, &'static str)> {
    let is_linked = shown == Some(SectionFormat::Linked);
    let is_plain = matches!(
        shown,
        Some(
            SectionFormat::Text
                | SectionFormat::Markdown
                | SectionFormat::Json
                | SectionFormat::Structured
        )
    );
    let told = |what: &str| format!("{what} no `{key}`");
    match (format, key) {
        (_, "name" | "across" | "across_label" | "entity" | "heading") if !is_linked => {
            let message = format!("`{key}` is for sections with `format: linked`");
            Some((message, "leave it out, or write `format: linked`"))
        }
        (Format::Csv, "format") if !is_linked && shown != Some(SectionFormat::Table) => {
            Some((told("CSV is one table, and has"), "leave it out, or write `format: table`"))
        }
        (Format::Structured, "format") if !is_linked => Some((
            told("`structured` is the data of each section, and needs"),
            "leave it out, or use `format: markdown`",
        )),
        (Format::Csv, "limit") => Some((
            told("CSV is all records of its section, and takes"),
            "pick the list and limit it under `transforms`",
        )),
        (Format::Csv, "text" | "empty" | "across_label") => {
            Some((told("CSV is one table, and has"), "leave it out, or use `format: markdown`"))
        }
        (Format::Structured, "text" | "empty" | "limit" | "columns" | "across_label") => Some((
            told("`structured` is the data of each section, and has"),
            "leave it out, or use `format: markdown`",
        )),
        (Format::Markdown, "columns" | "limit") if is_plain => {
            Some((told("a text or a block of JSON has"), "leave it out, or write `format: table`"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use countersign_document::{Problem, read_value};
    use serde_json::{Value, json};

    use super::super::WrittenDestination;
    use crate::destination::Destination;

    fn said(problem: &Problem) -> String {
        let hint = problem.hint.as_deref().unwrap_or_default();
        format!("{}: {} | {hint}", problem.path(), problem.message)
    }

    fn read(value: Value) -> Destination {
        read_value::<WrittenDestination>(value).value.unwrap().into()
    }

    /// What is said of a destination that can be read, each with its place and its hint.
    #[track_caller]
    fn warned(value: &Value, expect: &[&str]) {
        let reading = read_value::<WrittenDestination>(value.clone());
        let told: Vec<String> = reading.problems.iter().map(said).collect();
        assert_eq!(told, expect, "{value}");
        assert!(reading.value.is_some(), "{value}");
    }

    #[test]
    fn f_280_what_has_no_effect_is_told() {
        let named = |kind: &str, format: &str, key: &str, text: &str| json!({"type": kind, "format": format, "config": {key: text}});
        warned(
            &named("document", "markdown", "filename_template", "{title}_{date}.md"),
            &[
                "config.filename_template: nothing is filled in for `{title}` | known: `{date}`, `{entity_name}`",
            ],
        );
        // As it is written in a playbook.
        warned(
            &named("document", "markdown", "filename_template", "{{entity_name}}_{{date}}.md"),
            &[],
        );
        warned(
            &named("chat", "markdown", "title", "About {{name}}"),
            &["config.title: nothing is filled in for `{name}` | known: `{date}`, `{entity_name}`"],
        );
        let has_none = "config.title: JSON and CSV are data, and have no title | leave it out, or use `format: structured`";
        warned(&named("file_export", "csv", "title", "People"), &[has_none]);
        warned(&named("file_export", "structured", "title", "People"), &[]);
        // In lists the title is the document's name, whatever its form.
        warned(&named("document", "csv", "title", "People"), &[]);
    }

    #[test]
    fn f_280_a_section_of_data_has_no_format() {
        let section = |format: &str, shown: &str| json!({"type": "file_export", "format": format, "config": {"sections": [{"title": "A", "format": shown}]}});
        for (format, shown) in
            [("csv", "table"), ("csv", "linked"), ("structured", "linked"), ("markdown", "list")]
        {
            warned(&section(format, shown), &[]);
        }
        warned(
            &section("csv", "list"),
            &[
                "config.sections[0].format: CSV is one table, and has no `format` | leave it out, or write `format: table`",
            ],
        );
        warned(
            &section("structured", "facts"),
            &[
                "config.sections[0].format: `structured` is the data of each section, and needs no `format` | leave it out, or use `format: markdown`",
            ],
        );
    }

    #[test]
    fn f_280_a_table_of_a_list_says_that_it_is_all_of_it() {
        let config = json!({"sections": [{"title": "A", "source": "people"}]});
        let destination = read(json!({"type": "file_export", "format": "csv", "config": config}));
        let notes = |data: &Value| destination.prepared(data).unwrap().notes;
        assert_eq!(
            notes(&json!([{"a": 1}])),
            ["the data is a list and has no `people`; the table has all of the list"]
        );
        assert!(notes(&json!({"people": [{"a": 1}]})).is_empty());
    }
    #[test]
    fn f_280_a_folder_that_is_not_named_cannot_be_missing() {
        let made = |more: Value| {
            let mut config = json!({"create_if_missing": true});
            config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"type": "document", "config": config})
        };
        let told = "config.create_if_missing: no folder is named that could be missing | name one in `folder_id`, or leave it out";
        warned(&made(json!({})), &[told]);
        warned(&made(json!({"folder_id": "reports"})), &[]);
    }

    #[test]
    fn f_280_a_document_without_a_name_is_named_by_its_format() {
        let named = |format: &str| {
            let destination = read(json!({"type": "document", "format": format, "config": {}}));
            let crate::DestinationConfig::Document(config) = destination.config else { panic!() };
            let day = jiff::Timestamp::UNIX_EPOCH;
            crate::file_name(&config.filename_template, "", day, destination.format.extension())
        };
        assert_eq!(named("markdown"), "agent_output_1970-01-01.md");
        assert_eq!(named("csv"), "agent_output_1970-01-01.csv");
    }
}
