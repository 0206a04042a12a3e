//! Endpoints of a `file_parser`, by parser (F-099).

use countersign_document::{DefaultTag, OneOrMany, Rules, Tagless};
use countersign_registry::{DataType, Field};
use schemars::JsonSchema;
use serde::Deserialize;

use super::endpoint::{Ends, Shared, endpoint};
use super::fields::unique;
use super::mapping::{RecordMapping, RecordOutput};
use super::names;
use super::table::{Column, MAX_ALTERNATIVES, Pick, Table, check_table, columns};
use super::text::{Delimiter, Encoding, FieldName, PlainPath};
use super::xml::XmlEndpoint;
use crate::bounds::HeaderRow;
use crate::json_path::{JsonPath, JsonStep};
use crate::model::{
    self, Connection, CsvRules, FormatRules, HtmlRules, JsonRules, Operation, OutputSchema,
    PathRule, PdfRecords, PdfRules, ValueType, XlsxRules, endings,
};
use crate::reading::Reading;

/// How records are read from a file.
#[derive(Debug, Clone, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(tag = "parser", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(extend("x-code" = "parser"))]
pub(crate) enum FileEndpoint {
    /// XML.
    Xml(XmlEndpoint),
    /// Rows of separated values.
    Csv(CsvEndpoint),
    /// One sheet of a workbook.
    Xlsx(XlsxEndpoint),
    /// A list somewhere in a JSON document.
    Json(JsonEndpoint),
    /// One JSON document per line.
    Jsonl(JsonlEndpoint),
    /// One table of an HTML page.
    HtmlTable(HtmlEndpoint),
    /// The text of a PDF.
    PdfText(PdfEndpoint),
}

impl DefaultTag for FileEndpoint {
    const TAG: &'static str = "parser";
    const WORD: &'static str = "xml";
}

endpoint! {
    /// Rows of separated values.
    CsvEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// What separates cells: one character such as `,` or `;`, or `tab`; found in the file when left out.
        delimiter: Option<Delimiter>,
        /// The encoding of files that do not say, such as utf-8 or windows-1252.
        encoding: Option<Encoding>,
        /// Whether a row names the columns; `true` when left out.
        header: Option<bool>,
        /// The row with the columns' names, from 1; rows above it are not read.
        header_row: Option<HeaderRow>,
        /// The record's fields; every column when left out.
        #[serde(default)]
        fields: Vec<Column>,
    }
}

endpoint! {
    /// One sheet of a workbook.
    XlsxEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// The sheet, by name or by number from 1; the first when left out.
        sheet: Option<Pick>,
        /// Whether a row names the columns; `true` when left out.
        header: Option<bool>,
        /// The row with the columns' names, from 1; rows above it are not read.
        header_row: Option<HeaderRow>,
        /// The record's fields; every column when left out.
        #[serde(default)]
        fields: Vec<Column>,
    }
}

endpoint! {
    /// A list somewhere in a JSON document.
    JsonEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// Where the list of records is; the document itself when left out.
        results_path: Option<PlainPath>,
        /// The record's fields; the record as it is when left out.
        #[serde(default)]
        fields: Vec<JsonField>,
    }
}

endpoint! {
    /// One JSON document per line.
    JsonlEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// The record's fields; the record as it is when left out.
        #[serde(default)]
        fields: Vec<JsonField>,
    }
}

endpoint! {
    /// One table of an HTML page.
    HtmlEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// The table, by CSS selector or by number from 1; the first when left out.
        table: Option<Pick>,
        /// The encoding of files that do not say, such as utf-8 or windows-1252.
        encoding: Option<Encoding>,
        /// Whether a row names the columns; `true` when left out.
        header: Option<bool>,
        /// The row with the columns' names, from 1; rows above it are not read.
        header_row: Option<HeaderRow>,
        /// The record's fields; every column when left out.
        #[serde(default)]
        fields: Vec<Column>,
    }
}

endpoint! {
    /// The text of a PDF.
    PdfEndpoint, parameters: "parameters", mapping: RecordMapping, output: RecordOutput,
    {
        /// What one record is: a page (`page`, `text`) or the document (`pages`, `text`).
        #[serde(default)]
        records: PdfRecords,
    }
}

/// A field read from JSON.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct JsonField {
    /// Its name in the record.
    field: FieldName,
    /// Where its value is in the record; or several paths, of which the first that leads to a value counts.
    path: OneOrMany<PlainPath, MAX_ALTERNATIVES>,
    /// What its value is read as.
    #[serde(rename = "type")]
    value_type: Option<ValueType>,
    /// One sentence.
    #[serde(default)]
    description: String,
}

fn plain(path: &PlainPath) -> Option<JsonPath> {
    JsonPath::parse(path.as_str()).ok()
}

impl JsonField {
    fn model(&self) -> PathRule {
        PathRule {
            field: self.field.as_str().to_owned(),
            paths: self.path.as_slice().iter().filter_map(plain).collect(),
            value_type: self.value_type,
            description: self.description.trim().to_owned(),
        }
    }
}

fn json_rules(results_path: Option<&PlainPath>, fields: &[JsonField]) -> JsonRules {
    JsonRules {
        results_path: results_path.and_then(plain),
        fields: fields.iter().map(JsonField::model).collect(),
        reading: Reading::default(),
    }
}

fn encoding(name: Option<&Encoding>) -> Option<String> {
    let label = name?.as_str().as_bytes();
    Some(encoding_rs::Encoding::for_label_no_replacement(label)?.name().to_owned())
}

impl Ends for Tagless<FileEndpoint> {
    fn shared(&self) -> Shared<'_> {
        match &self.0 {
            FileEndpoint::Xml(one) => one.shared_keys(),
            FileEndpoint::Csv(one) => one.shared_keys(),
            FileEndpoint::Xlsx(one) => one.shared_keys(),
            FileEndpoint::Json(one) => one.shared_keys(),
            FileEndpoint::Jsonl(one) => one.shared_keys(),
            FileEndpoint::HtmlTable(one) => one.shared_keys(),
            FileEndpoint::PdfText(one) => one.shared_keys(),
        }
    }

    fn takes_defaults(&self) -> bool {
        false
    }

    fn operation(&self, _: &[model::Parameter]) -> Option<(Operation, OutputSchema)> {
        if let FileEndpoint::Xml(xml) = &self.0 {
            return Some(xml.operation());
        }
        let rules = self.0.format()?;
        let output = OutputSchema::inferred_records(fields(&rules));
        Some((Operation::Parse(Box::new(rules)), output))
    }

    fn rules(
        &self,
        parameters: &[model::Parameter],
        connection: Option<&Connection>,
        rules: &mut Rules<'_>,
    ) {
        if parameters.iter().any(|parameter| parameter.name != "source") {
            let message = "an endpoint of a file parser takes no parameter but `source`";
            rules.error("parameters", "", message);
        }
        for (n, parameter) in parameters.iter().enumerate() {
            let at = format!("/parameters/{n}/default");
            if parameter.default.is_some() {
                let message = "`default` has no effect: every call names its files in `source`";
                rules.warning("parameters", &at, message);
            }
        }
        if rules.is_sound("/parser") {
            check_accepted(self.0.parser(), connection, rules);
        }
        if let Some(table) = self.0.table() {
            check_table(&table, rules);
        }
        match &self.0 {
            FileEndpoint::Xml(xml) => xml.rules(rules),
            FileEndpoint::Json(JsonEndpoint { fields, results_path, .. }) => {
                check_results(results_path.as_ref().and_then(plain), rules);
                unique("fields", fields.iter().map(|field| field.field.as_str()), &[], rules);
            }
            FileEndpoint::Jsonl(JsonlEndpoint { fields, .. }) => {
                unique("fields", fields.iter().map(|field| field.field.as_str()), &[], rules);
            }
            _ => {}
        }
    }
}

/// A file is read from its beginning to its end: what stands in an item is not known before it is read.
fn check_results(path: Option<JsonPath>, rules: &mut Rules<'_>) {
    let is_condition = |step: &JsonStep| matches!(step, JsonStep::Where(..));
    if path.is_some_and(|path| path.alternatives().flatten().any(is_condition)) {
        let message = "the records of a file are not found by the text of a key";
        rules.error("path", "/results_path", message);
    }
}

/// One of the endings of a parser's files must be accepted.
fn check_accepted(parser: &str, connection: Option<&Connection>, rules: &mut Rules<'_>) {
    let Some(Connection::FileParser(files)) = connection else { return };
    let accepted = &files.accepted_formats;
    let endings = endings(parser);
    if !accepted.is_empty() && !endings.iter().any(|one| accepted.iter().any(|known| known == one))
    {
        let message =
            format!("the parser `{parser}` reads no file of the connection's `accepted_formats`");
        let at = if rules.is_written("/parser") { "/parser" } else { "" };
        rules.hinted("parser", at, message, format!("accept {}", endings.join(" or ")));
    }
}

impl FileEndpoint {
    fn parser(&self) -> &'static str {
        self.into()
    }

    fn table(&self) -> Option<Table<'_>> {
        Some(match self {
            Self::Csv(CsvEndpoint { header, header_row, fields, .. })
            | Self::Xlsx(XlsxEndpoint { header, header_row, fields, .. })
            | Self::HtmlTable(HtmlEndpoint { header, header_row, fields, .. }) => {
                Table { header: *header, header_row: *header_row, fields }
            }
            _ => return None,
        })
    }

    fn format(&self) -> Option<FormatRules> {
        let rows = || self.table().map(|table| table.model());
        Some(match self {
            Self::Xml(_) => return None,
            Self::Csv(csv) => FormatRules::Csv(CsvRules {
                delimiter: csv.delimiter.as_ref().and_then(|one| names::delimiter(one.as_str())),
                encoding: encoding(csv.encoding.as_ref()),
                table: rows()?,
            }),
            Self::Xlsx(xlsx) => FormatRules::Xlsx(XlsxRules {
                sheet: xlsx.sheet.as_ref().map(Pick::model),
                table: rows()?,
            }),
            Self::Json(json) => {
                FormatRules::Json(json_rules(json.results_path.as_ref(), &json.fields))
            }
            Self::Jsonl(jsonl) => FormatRules::Jsonl(json_rules(None, &jsonl.fields)),
            Self::HtmlTable(html) => FormatRules::HtmlTable(HtmlRules {
                pick: html.table.as_ref().map(Pick::model),
                encoding: encoding(html.encoding.as_ref()),
                table: rows()?,
            }),
            Self::PdfText(pdf) => FormatRules::PdfText(PdfRules { records: pdf.records }),
        })
    }
}

/// What a record holds, as far as the rules say.
fn fields(rules: &FormatRules) -> Vec<Field> {
    match rules {
        // What is read from text is text unless the author says otherwise.
        FormatRules::Csv(rules) => columns(&rules.table, &DataType::String),
        FormatRules::HtmlTable(rules) => columns(&rules.table, &DataType::String),
        FormatRules::Xlsx(rules) => columns(&rules.table, &DataType::Any),
        FormatRules::Json(rules) | FormatRules::Jsonl(rules) => {
            rules.fields.iter().map(path_field).collect()
        }
        FormatRules::PdfText(PdfRules { records: PdfRecords::Page }) => {
            vec![Field::new("page", DataType::Integer), Field::new("text", DataType::String)]
        }
        FormatRules::PdfText(PdfRules { records: PdfRecords::Document }) => {
            vec![Field::new("pages", DataType::Integer), Field::new("text", DataType::String)]
        }
    }
}

fn path_field(rule: &PathRule) -> Field {
    let otherwise = || {
        let list = rule.paths.iter().all(JsonPath::is_list);
        if list { DataType::array(DataType::Any) } else { DataType::Any }
    };
    let data_type = rule.value_type.map_or_else(otherwise, ValueType::data_type);
    Field::described(&rule.field, data_type, &rule.description)
}
