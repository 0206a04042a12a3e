//! The settings of a gate: what it shows, who may answer, what a denial means.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A column of what a gate shows; also the label and format of that field in an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewColumn {
    /// The field, dotted.
    pub field: String,
    /// What people read instead of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// How its value is written.
    #[serde(default, skip_serializing_if = "ColumnFormat::is_text")]
    pub format: ColumnFormat,
    /// The currency of money: three capital letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// How the value of a column is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnFormat {
    /// As it is.
    #[default]
    Text,
    /// With groups of three digits.
    Number,
    /// With groups, decimals and the currency.
    Money,
    /// A day or a moment, with the month as a word.
    Date,
    /// A share of one, as a percentage.
    Percent,
}

impl ColumnFormat {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
    fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

/// What a denied gate means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnReject {
    /// The run ends.
    #[default]
    Stop,
    /// Every later step up to the next gate is left out, and so is what depends on it (K-13).
    Skip,
}

/// How sure we must be who answers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Assurance {
    /// The signed link of the mail.
    Link,
    /// The link and a code.
    LinkCode,
    /// A signed-in session.
    SignedIn,
}
