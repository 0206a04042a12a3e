//! How the author of a gate wants its rows laid out. Signed with the rows: a label decides how a value is read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The columns of a preview, and the labels and formats of the fields of an effect. The default has none: every field is
/// shown by its own name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApprovalLayout")]
pub struct Layout {
    /// The columns, in the order they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<Column>,
}

/// One column: which field, what to call it, how to write its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApprovalColumn")]
pub struct Column {
    /// The field, dotted: `payee.name`.
    pub field: String,
    /// What people read instead of the field's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How the value is written, beside the value itself.
    #[serde(default, skip_serializing_if = "Format::is_text")]
    pub format: Format,
    /// The currency of money: three capital letters of ISO 4217.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// How a value is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalFormat")]
pub enum Format {
    /// As it is.
    #[default]
    Text,
    /// With groups of three digits.
    Number,
    /// With groups, the decimals of the currency, and its name.
    Money,
    /// A day or a moment, with the month as a word.
    Date,
    /// A share of one, as a percentage.
    Percent,
}

impl Layout {
    /// The column that names a field.
    #[must_use]
    pub fn column(&self, field: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.field == field)
    }

    /// Whether the author chose nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }
}

impl Column {
    /// A column of text under the field's own name.
    #[must_use]
    pub fn of(field: &str) -> Self {
        Self { field: field.to_owned(), label: None, format: Format::Text, currency: None }
    }
}

impl Format {
    // serde asks for a reference.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
    fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Format, Layout};
    use serde_json::json;

    #[test]
    fn f_146_a_layout_survives_json_and_rejects_what_it_does_not_know() {
        let layout = Layout {
            columns: vec![
                Column {
                    label: Some("Amount".to_owned()),
                    format: Format::Money,
                    currency: Some("EUR".to_owned()),
                    ..Column::of("amount")
                },
                Column::of("payee.name"),
            ],
        };
        let written = json!({"columns": [
            {"field": "amount", "label": "Amount", "format": "money", "currency": "EUR"},
            {"field": "payee.name"},
        ]});
        assert_eq!(serde_json::to_value(&layout).unwrap(), written);
        assert_eq!(serde_json::from_value::<Layout>(written).unwrap(), layout);
        assert_eq!(serde_json::to_value(Layout::default()).unwrap(), json!({}));
        for unknown in [
            json!({"column": []}),
            json!({"columns": [{"field": "a", "colour": "red"}]}),
            json!({"columns": [{"field": "a", "format": "cash"}]}),
        ] {
            assert!(serde_json::from_value::<Layout>(unknown.clone()).is_err(), "{unknown}");
        }
    }

    #[test]
    fn a_column_is_found_by_its_whole_field() {
        let layout = Layout { columns: vec![Column::of("payee.name")] };
        assert!(layout.column("payee.name").is_some());
        assert!(layout.column("payee").is_none() && layout.column("name").is_none());
    }
}
