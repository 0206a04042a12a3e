//! The four formats of an output (F-136).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A document for people.
    #[default]
    Markdown,
    /// The data as it is, indented.
    Json,
    /// One table, for spreadsheets.
    Csv,
    /// Title, sections and provenance as one JSON object, for programs.
    Structured,
}

impl Format {
    /// The media type of what is rendered.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Json | Self::Structured => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    /// The extension of a file in this format, without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json | Self::Structured => "json",
            Self::Csv => "csv",
        }
    }
}

/// A finished output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text, ending in a line feed.
    pub body: String,
    /// Its format.
    pub format: Format,
    /// How many records it shows, when it shows records.
    pub records: usize,
}
