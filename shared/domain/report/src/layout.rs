//! What a document shows: title, template, sections, columns.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::path::at;

/// The shape of a document (the `output` of a playbook, F-136, or the `config` of a destination).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// The heading; may hold `{entity_name}` and `{date}`.
    pub title: Option<String>,
    /// Markdown of the author's own with `{path}` placeholders and, where the sections shall stand, `{sections}`.
    pub template: Option<String>,
    /// The parts, in order.
    pub sections: Vec<Section>,
}

impl Layout {
    /// Sources that `data` does not have, of sections that do not say what stands there then (`empty`).
    pub(crate) fn absent(&self, data: &Value) -> Vec<String> {
        self.sections
            .iter()
            .filter(|section| section.empty.is_none() && at(data, &section.source).is_none())
            .map(|section| section.source.clone())
            .collect()
    }
}

/// One part of a document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// The path of its data in the result; empty for the whole.
    pub source: String,
    /// How it is shown.
    pub format: SectionFormat,
    /// The columns of a table, the lines of a list of facts; none means: all simple fields.
    pub columns: Vec<Column>,
    /// A sentence of the author's own above the data.
    pub text: Option<String>,
    /// What stands there when there is no data.
    pub empty: Option<String>,
    /// How many records are shown at most; the rest is counted.
    pub limit: Option<usize>,
    /// For linked records: the field with the name; `name` unless said otherwise.
    pub name: Option<String>,
    /// For linked records: the field that must differ within a group.
    pub across: Option<String>,
    /// What the different values of that field are, such as `organisations`.
    pub across_label: Option<String>,
    /// For linked records: the field with the resolved entity, which alone says who belongs together.
    pub entity: Option<String>,
    /// For linked records: the field with the heading of a group; its most frequent name unless said otherwise.
    pub heading: Option<String>,
}

/// How a section is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SectionFormat {
    /// A table for records, a list for a list, facts for an object, a paragraph for a text.
    #[default]
    Auto,
    /// A paragraph per line.
    Text,
    /// One bullet per item.
    List,
    /// One row per record.
    Table,
    /// One labelled line per column.
    Facts,
    /// One block per group of records that matched each other.
    Linked,
    /// A block of JSON.
    Json,
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The path of its value in the record.
    pub field: String,
    /// Its heading.
    pub title: String,
    /// How its values are written.
    pub format: CellFormat,
    /// What is written before an amount of money; nothing unless its author says it.
    pub currency: Option<Currency>,
    /// Whether its author gave the heading: a table of data keeps the names of its fields otherwise.
    pub is_titled: bool,
}

/// How a value is written in Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellFormat {
    /// As it is.
    #[default]
    Text,
    /// With thousands separators.
    Number,
    /// An amount with its currency, if one is given: whole, or with two decimals.
    Money,
    /// A time to the minute, in UTC.
    Time,
    /// A share of one, in percent.
    Percent,
    /// How many items a list has.
    Count,
}

impl Column {
    /// A column shown as it is.
    #[must_use]
    pub fn plain(field: &str) -> Self {
        Self {
            field: field.to_owned(),
            title: heading(field),
            format: CellFormat::Text,
            currency: None,
            is_titled: false,
        }
    }
}

/// A currency by its ISO 4217 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Currency([u8; 3]);

impl Currency {
    /// Reads three capitals.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        bytes.iter().all(u8::is_ascii_uppercase).then_some(Self(bytes))
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// What stands before an amount: its sign, or its code and a space.
    #[must_use]
    pub fn sign(self) -> String {
        match &self.0 {
            b"USD" => "$".to_owned(),
            b"EUR" => "€".to_owned(),
            b"GBP" => "£".to_owned(),
            b"JPY" => "¥".to_owned(),
            code => format!("{} ", String::from_utf8_lossy(code)),
        }
    }
}

/// `average_hours_per_week` as `Average hours per week`.
pub(crate) fn heading(field: &str) -> String {
    let last = field.rsplit('.').next().unwrap_or(field);
    let text = last.trim_start_matches('_').replace(['_', '-'], " ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + letters.as_str()
    })
}
