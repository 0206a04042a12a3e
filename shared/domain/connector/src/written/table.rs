//! Rows and columns of files.

use countersign_document::{OneOrMany, Rules, Whole};
use countersign_registry::{DataType, Field};
use schemars::JsonSchema;
use serde::Deserialize;

use super::fields::unique;
use super::text::{FieldName, PickName};
use crate::bounds::HeaderRow;
use crate::model::{self, ColumnRule, TableRules, ValueType};
use crate::reading::Reading;

/// Alternatives of one field.
pub(super) const MAX_ALTERNATIVES: usize = 32;

/// By name, or by number from 1.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub(super) enum Pick {
    /// By name.
    Name(PickName),
    /// By number, from 1.
    Number(Whole<1, 16_384>),
}

impl Pick {
    pub(super) fn model(&self) -> model::Pick {
        match self {
            Self::Name(name) => model::Pick::Name(name.as_str().trim().to_owned()),
            Self::Number(number) => model::Pick::Number(number.to()),
        }
    }
}

/// A field read from a column.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    /// Its name in the record.
    field: FieldName,
    /// The column, by its name in the header or by number from 1; or several, of which the first with a value counts.
    column: OneOrMany<Pick, MAX_ALTERNATIVES>,
    /// What its value is read as.
    #[serde(rename = "type")]
    value_type: Option<ValueType>,
    /// One sentence.
    #[serde(default)]
    description: String,
}

impl Column {
    fn model(&self) -> ColumnRule {
        ColumnRule {
            field: self.field.as_str().to_owned(),
            columns: self.column.as_slice().iter().map(Pick::model).collect(),
            value_type: self.value_type,
            description: self.description.trim().to_owned(),
        }
    }
}

/// The keys of an endpoint that reads rows.
pub(super) struct Table<'e> {
    pub(super) header: Option<bool>,
    pub(super) header_row: Option<HeaderRow>,
    pub(super) fields: &'e [Column],
}

impl Table<'_> {
    fn has_header(&self) -> bool {
        self.header.unwrap_or(true)
    }

    pub(super) fn model(&self) -> TableRules {
        TableRules {
            header_row: self.has_header().then(|| self.header_row.map_or(1, Whole::to)),
            fields: self.fields.iter().map(Column::model).collect(),
            reading: Reading::default(),
        }
    }
}

pub(super) fn check_table(table: &Table<'_>, rules: &mut Rules<'_>) {
    unique("fields", table.fields.iter().map(|field| field.field.as_str()), &[], rules);
    if table.has_header() {
        return;
    }
    if table.header_row.is_some() {
        rules.error("header", "", "`header_row` and `header: false` contradict each other");
    }
    for (n, field) in table.fields.iter().enumerate() {
        for (k, pick) in field.column.as_slice().iter().enumerate() {
            let Pick::Name(name) = pick else { continue };
            let list = format!("/fields/{n}/column/{k}");
            let pointer =
                if rules.is_written(&list) { list } else { format!("/fields/{n}/column") };
            let message =
                format!("the column `{name}` cannot be found by name in a file without a header");
            rules.hinted("column", &pointer, message, "give its number, counted from 1".to_owned());
        }
    }
}

pub(super) fn columns(table: &TableRules, otherwise: &DataType) -> Vec<Field> {
    let described = |rule: &ColumnRule| {
        let data_type = rule.value_type.map_or_else(|| otherwise.clone(), ValueType::data_type);
        Field::described(&rule.field, data_type, &rule.description)
    };
    table.fields.iter().map(described).collect()
}
