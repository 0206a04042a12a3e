//! How records are read from files that are no XML (F-099).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ValueType;
use crate::json_path::JsonPath;
use crate::reading::Reading;

/// The rules of one endpoint, by its `parser`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FormatRules {
    /// Rows of separated values.
    Csv(CsvRules),
    /// One sheet of a workbook.
    Xlsx(XlsxRules),
    /// A list somewhere in a JSON document.
    Json(JsonRules),
    /// One JSON document per line.
    Jsonl(JsonRules),
    /// One table of an HTML page.
    HtmlTable(HtmlRules),
    /// The text of a PDF.
    PdfText(PdfRules),
}

/// Parsers by their name in the YAML, each with the endings of its files, the usual one first.
pub const PARSERS: [(&str, &[&str]); 7] = [
    ("xml", &["xml"]),
    ("csv", &["csv", "tsv", "txt"]),
    ("xlsx", &["xlsx", "xlsm"]),
    ("json", &["json", "geojson"]),
    ("jsonl", &["jsonl", "ndjson"]),
    ("html_table", &["html", "htm"]),
    ("pdf_text", &["pdf"]),
];

/// The endings of the files a parser reads; none for a name that is not a parser.
#[must_use]
pub fn endings(parser: &str) -> &'static [&'static str] {
    PARSERS.iter().find(|(name, _)| *name == parser).map_or(&[], |(_, endings)| endings)
}

/// No connector reads a larger file, whatever its `max_file_size_mb`.
pub const MAX_FILE_SIZE_MB: u32 = crate::bounds::MAX_FILE_SIZE_MB.most as u32;

/// The media type of the files with an ending, when a parser reads them.
#[must_use]
pub fn media_type(ending: &str) -> Option<&'static str> {
    if !PARSERS.iter().flat_map(|(_, endings)| *endings).any(|known| *known == ending) {
        return None;
    }
    Some(match ending {
        "xml" => "application/xml",
        "csv" => "text/csv",
        "tsv" => "text/tab-separated-values",
        "txt" => "text/plain",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xlsm" => "application/vnd.ms-excel.sheet.macroenabled.12",
        "json" => "application/json",
        "geojson" => "application/geo+json",
        "jsonl" | "ndjson" => "application/x-ndjson",
        "html" | "htm" => "text/html",
        "pdf" => "application/pdf",
        // An ending without a name of its own is still one that a parser reads.
        _ => "application/octet-stream",
    })
}

impl FormatRules {
    /// The parser's name in the YAML.
    #[must_use]
    pub fn parser(&self) -> &'static str {
        self.into()
    }

    /// How texts are read as numbers and dates; a PDF's are not.
    pub(super) fn reading_mut(&mut self) -> Option<&mut Reading> {
        match self {
            Self::Csv(rules) => Some(&mut rules.table.reading),
            Self::Xlsx(rules) => Some(&mut rules.table.reading),
            Self::HtmlTable(rules) => Some(&mut rules.table.reading),
            Self::Json(rules) | Self::Jsonl(rules) => Some(&mut rules.reading),
            Self::PdfText(_) => None,
        }
    }
}

/// One of several things: by its number, counted from 1, or by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Pick {
    /// By number.
    Number(u32),
    /// By name; for a table of a page, by CSS selector.
    Name(String),
}

/// How rows become records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRules {
    /// The row with the columns' names, counted from 1; rows above it are not read. `None`: there are no names.
    pub header_row: Option<u32>,
    /// The record's fields; none means every column.
    pub fields: Vec<ColumnRule>,
    /// How texts are read as numbers and dates.
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
}

/// One field read from a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnRule {
    /// Its name in the record.
    pub field: String,
    /// The column, and others to look at when it has no value.
    pub columns: Vec<Pick>,
    /// What its value is read as; as it stands when not given.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
    /// One sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Rules for separated values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsvRules {
    /// What separates cells; found in the first lines when not given.
    pub delimiter: Option<char>,
    /// The encoding of files without a byte order mark; UTF-8 when not given.
    pub encoding: Option<String>,
    /// How rows become records.
    pub table: TableRules,
}

/// Rules for workbooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct XlsxRules {
    /// The sheet; the first when not given.
    pub sheet: Option<Pick>,
    /// How rows become records.
    pub table: TableRules,
}

/// Rules for JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonRules {
    /// Where the list of records stands; the document itself when not given.
    pub results_path: Option<JsonPath>,
    /// The record's fields; none means the record as it is.
    pub fields: Vec<PathRule>,
    /// How texts are read as numbers and dates.
    #[serde(default, skip_serializing_if = "Reading::is_plain")]
    pub reading: Reading,
}

/// One field read from JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRule {
    /// Its name in the record.
    pub field: String,
    /// Where its value stands, and other places to look at when there is none.
    pub paths: Vec<JsonPath>,
    /// What its value is read as; as it stands when not given.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
    /// One sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Rules for tables of HTML pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HtmlRules {
    /// Which table of the page; the first when not given.
    pub pick: Option<Pick>,
    /// The encoding of pages that do not say; UTF-8 when not given.
    pub encoding: Option<String>,
    /// How rows become records.
    pub table: TableRules,
}

/// Rules for PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PdfRules {
    /// What one record is.
    pub records: PdfRecords,
}

/// What one record of a PDF is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-code" = "records"))]
pub enum PdfRecords {
    /// A page: `page`, `text`.
    #[default]
    Page,
    /// The document: `pages`, `text`.
    Document,
}

#[cfg(test)]
mod tests {
    use super::{PARSERS, media_type};

    #[test]
    fn f_099_every_ending_a_parser_reads_has_a_media_type_of_its_own() {
        for ending in PARSERS.iter().flat_map(|(_, endings)| *endings) {
            let kind = media_type(ending).unwrap();
            assert_ne!(kind, "application/octet-stream", "{ending}");
        }
        assert_eq!((media_type("exe"), media_type("")), (None, None));
    }
}
