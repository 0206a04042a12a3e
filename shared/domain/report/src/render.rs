//! A result as Markdown, JSON, CSV or a structured object.

mod cells;
mod frame;
mod markdown_body;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::csv_text;
use crate::error::ReportError;
use crate::format::{Format, Rendered};
use crate::layout::{Column, Layout, Section, SectionFormat};
use crate::linked::{LinkedBy, groups};
use crate::path::at;

pub use frame::content;

/// Where a document comes from; it stands at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The run, `run_…`.
    pub run: String,
    /// The profile's name.
    pub profile: String,
    /// The playbook, when there is one.
    pub playbook: Option<String>,
    /// What was asked.
    pub query: String,
    /// What the result is about, for titles and file names.
    pub entity_name: String,
    /// When.
    pub at: Timestamp,
    /// What the run could not read, one sentence per step; a document says so before anything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Renders `data`.
///
/// # Errors
/// [`ReportError::NotRecords`] when CSV is asked and neither the data nor a section of it is a list of records.
pub fn render(
    format: Format,
    layout: &Layout,
    data: &Value,
    from: &Provenance,
) -> Result<Rendered, ReportError> {
    let (body, records) = match format {
        Format::Markdown => markdown_body::write(layout, data, from),
        Format::Json => (pretty(data), records_in(data)),
        Format::Structured => (pretty(&structured(layout, data, from)), records_in(data)),
        Format::Csv => csv(layout, data)?,
    };
    Ok(Rendered { body, format, records })
}

fn pretty(value: &Value) -> String {
    // A `Value` always serialises: its keys are strings.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

fn records_in(data: &Value) -> usize {
    data.as_array().map_or(0, Vec::len)
}

fn structured(layout: &Layout, data: &Value, from: &Provenance) -> Value {
    let sections: Vec<Value> = layout
        .sections
        .iter()
        .map(|section| json!({"title": section.title, "data": section_data(section, data)}))
        .collect();
    let body = if sections.is_empty() { data.clone() } else { Value::Array(sections) };
    let key = if layout.sections.is_empty() { "data" } else { "sections" };
    json!({
        "title": layout.title.as_ref().map(|title| titled(title, from)),
        key: body,
        "provenance": from,
    })
}

/// The data of a section: linked sections give their groups.
fn section_data(section: &Section, data: &Value) -> Value {
    let value = at(data, &section.source).cloned().unwrap_or(Value::Null);
    match (section.format, value.as_array()) {
        (SectionFormat::Linked, Some(matches)) => groups(matches, &linked_by(section))
            .iter()
            .map(crate::linked::Group::to_value)
            .collect(),
        _ => value,
    }
}

fn linked_by(section: &Section) -> LinkedBy {
    LinkedBy {
        name: section.name.clone().unwrap_or_else(|| "name".to_owned()),
        across: section.across.clone(),
        entity: section.entity.clone(),
        heading: section.heading.clone(),
    }
}

/// A heading with `{date}` (yyyy-mm-dd, UTC) and `{entity_name}` filled in.
#[must_use]
pub fn titled(title: &str, from: &Provenance) -> String {
    let date = from.at.to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    title.replace("{date}", &date).replace("{entity_name}", &from.entity_name)
}

/// The data itself when it is a list of records, else the first section that is one. A linked section gives a row per
/// record with the group's name and spellings before it, where names alone were compared its score too, and whether some of its
/// records hang together only through others.
fn csv(layout: &Layout, data: &Value) -> Result<(String, usize), ReportError> {
    if let Some(records) = cells::records(data) {
        let columns =
            layout.sections.first().map(|section| section.columns.as_slice()).unwrap_or_default();
        return Ok(csv_of(&records, columns));
    }
    let mut path = "data".to_owned();
    for section in &layout.sections {
        let value = at(data, &section.source).unwrap_or(&Value::Null);
        match (section.format, value.as_array(), cells::records(value)) {
            (SectionFormat::Linked, Some(matches), _) => {
                return Ok(csv_of_linked(matches, section));
            }
            (_, _, Some(records)) => return Ok(csv_of(&records, &section.columns)),
            // It may have been the list that is meant: another is another figure.
            (SectionFormat::Auto | SectionFormat::Table, ..) if value.is_null() => {
                let path = Some(&section.title).filter(|title| !title.is_empty());
                let path = path.unwrap_or(&section.source).clone();
                return Err(ReportError::NotRecords { path, wanted: "csv" });
            }
            _ => section.source.clone_into(&mut path),
        }
    }
    Err(ReportError::NotRecords { path, wanted: "csv" })
}

fn csv_of(records: &[&Value], columns: &[Column]) -> (String, usize) {
    let columns = cells::columns_of_csv(columns, records);
    let rows: Vec<Vec<Value>> = records.iter().map(|record| row(record, &columns)).collect();
    let header: Vec<String> = columns.iter().map(header_of).collect();
    (csv_text::write(&header, &rows), rows.len())
}

/// The heading its author gave a column; the field's name otherwise, since what is not laid out is data.
fn header_of(column: &Column) -> String {
    if column.is_titled { column.title.clone() } else { column.field.clone() }
}

fn row(record: &Value, columns: &[Column]) -> Vec<Value> {
    columns.iter().map(|column| at(record, &column.field).cloned().unwrap_or(Value::Null)).collect()
}

fn csv_of_linked(matches: &[Value], section: &Section) -> (String, usize) {
    let groups = groups(matches, &linked_by(section));
    let all: Vec<&Value> = groups.iter().flat_map(|group| &group.records).collect();
    let columns = cells::columns_of_csv(&section.columns, &all);
    // A score says nothing about an entity that was resolved.
    let by_entity = section.entity.is_some();
    let of_group: &[&str] = if by_entity {
        &["Resolved name", "All spellings"]
    } else {
        &["group_name", "group_spellings", "group_lowest_score", "group_chained"]
    };
    let mut header: Vec<String> = of_group.iter().map(|&name| name.to_owned()).collect();
    header.extend(columns.iter().map(header_of));
    let rows: Vec<Vec<Value>> = groups
        .iter()
        .flat_map(|group| group.records.iter().map(move |record| (group, record)))
        .map(|(group, record)| {
            let mut cells = vec![json!(group.name), json!(group.spellings)];
            cells.extend([json!(group.lowest_score), json!(group.chained)]);
            cells.truncate(of_group.len());
            cells.extend(row(record, &columns));
            cells
        })
        .collect();
    (csv_text::write(&header, &rows), rows.len())
}

#[cfg(test)]
mod tests;
