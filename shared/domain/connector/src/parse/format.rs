//! Endpoints of a `file_parser` that read something else than XML (F-099).

use countersign_registry::{DataType, Field};

use super::bounds;
use super::field::{Named, named, unique};
use crate::diagnostic::{Diagnostics, Position};
use crate::json_path::JsonPath;
use crate::model::{
    ColumnRule, CsvRules, FormatRules, HtmlRules, JsonRules, OutputSchema, OutputShape, PathRule,
    PdfRecords, PdfRules, Pick, TableRules, ValueType, XlsxRules,
};
use crate::reading::Reading;
use crate::yaml::{Kind, Mapping, Node, as_text};

/// Columns a table may have.
pub(crate) const MAX_COLUMNS: u32 = 16_384;
/// Alternatives of one field.
pub(crate) const MAX_ALTERNATIVES: usize = 32;

/// The rules of the parser with this name, and what comes back; `None` for a parser of another kind.
pub(super) fn rules(
    parser: &str,
    map: &mut Mapping<'_>,
    out: &mut Diagnostics,
) -> Option<(FormatRules, OutputSchema)> {
    let rules = match parser {
        "csv" => FormatRules::Csv(CsvRules {
            delimiter: delimiter(map, out),
            encoding: encoding(map, out),
            table: table(map, out),
        }),
        "xlsx" => {
            FormatRules::Xlsx(XlsxRules { sheet: pick(map, "sheet", out), table: table(map, out) })
        }
        "json" => FormatRules::Json(JsonRules {
            results_path: results_path(map, out),
            fields: path_rules(map, out),
            reading: Reading::default(),
        }),
        "jsonl" => {
            let (fields, reading) = (path_rules(map, out), Reading::default());
            FormatRules::Jsonl(JsonRules { results_path: None, fields, reading })
        }
        "html_table" => FormatRules::HtmlTable(HtmlRules {
            pick: pick(map, "table", out),
            encoding: encoding(map, out),
            table: table(map, out),
        }),
        "pdf_text" => FormatRules::PdfText(PdfRules { records: pdf_records(map, out) }),
        _ => return None,
    };
    let fields = fields(&rules);
    Some((rules, OutputSchema { shape: OutputShape::RecordSet, fields, inferred: true }))
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

fn columns(table: &TableRules, otherwise: &DataType) -> Vec<Field> {
    let described = |rule: &ColumnRule| {
        let data_type = rule.value_type.map_or_else(|| otherwise.clone(), ValueType::data_type);
        Field { description: rule.description.clone(), ..Field::new(&rule.field, data_type) }
    };
    table.fields.iter().map(described).collect()
}

fn path_field(rule: &PathRule) -> Field {
    let otherwise = || {
        let list = rule.paths.iter().all(JsonPath::is_list);
        if list { DataType::array(DataType::Any) } else { DataType::Any }
    };
    let data_type = rule.value_type.map_or_else(otherwise, ValueType::data_type);
    Field { description: rule.description.clone(), ..Field::new(&rule.field, data_type) }
}

fn delimiter(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<char> {
    let (text, at) = map.text("delimiter", out)?;
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("auto", ..) => None,
        ("tab", ..) => Some('\t'),
        (_, Some(one), None)
            if one.is_ascii() && !one.is_alphanumeric() && !matches!(one, '"' | '\r' | '\n') =>
        {
            Some(one)
        }
        _ => {
            let hint =
                "use one character such as `,` or `;`, or `tab`; leave it out to have it found";
            out.hinted("delimiter", at, format!("`{text}` does not separate cells"), hint);
            None
        }
    }
}

fn encoding(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<String> {
    let (text, at) = map.text("encoding", out)?;
    match encoding_rs::Encoding::for_label_no_replacement(text.as_bytes()) {
        Some(encoding) => Some(encoding.name().to_owned()),
        None => {
            let hint = "use a name such as `utf-8`, `windows-1252`, `iso-8859-15` or `utf-16le`";
            out.hinted("encoding", at, format!("the encoding `{text}` is not known"), hint);
            None
        }
    }
}

/// A number from 1, or a name.
fn pick(map: &mut Mapping<'_>, key: &'static str, out: &mut Diagnostics) -> Option<Pick> {
    let node = map.get(key)?;
    as_pick(node, key, out)
}

fn as_pick(node: &Node, what: &str, out: &mut Diagnostics) -> Option<Pick> {
    match &node.kind {
        Kind::Int(number) => match u32::try_from(*number) {
            Ok(number @ 1..=MAX_COLUMNS) => Some(Pick::Number(number)),
            _ => {
                let message = format!("`{what}` must be a number from 1 to {MAX_COLUMNS}");
                out.error("type", node.at, message);
                None
            }
        },
        Kind::Text(text) if !text.trim().is_empty() && text.len() <= 512 => {
            Some(Pick::Name(text.trim().to_owned()))
        }
        _ => {
            let message = format!("`{what}` must be a name or a number, not {}", node.describe());
            out.error("type", node.at, message);
            None
        }
    }
}

fn table(map: &mut Mapping<'_>, out: &mut Diagnostics) -> TableRules {
    let has_header = match map.get("header") {
        None => true,
        Some(Node { kind: Kind::Bool(value), .. }) => *value,
        Some(node) => {
            let message = format!("`header` must be true or false, not {}", node.describe());
            out.error("type", node.at, message);
            true
        }
    };
    let at = map.at;
    let row = bounds::HEADER_ROW.given(map, out);
    if row.is_some() && !has_header {
        out.error("header", at, "`header_row` and `header: false` contradict each other");
    }
    let header_row = has_header.then(|| row.unwrap_or(1));
    TableRules {
        header_row,
        fields: column_rules(map, has_header, out),
        reading: Reading::default(),
    }
}

fn column_rules(map: &mut Mapping<'_>, has_header: bool, out: &mut Diagnostics) -> Vec<ColumnRule> {
    let mut all: Vec<ColumnRule> = Vec::new();
    for node in map.list("fields", out) {
        let Some((named, places)) = field(node, "column", out) else { continue };
        let columns: Vec<Pick> = places
            .into_iter()
            .filter_map(|place| {
                let pick = as_pick(place, "column", out)?;
                if !has_header && let Pick::Name(name) = &pick {
                    let message = format!(
                        "the column `{name}` cannot be found by name in a file without a header"
                    );
                    out.hinted("column", place.at, message, "give its number, counted from 1");
                }
                Some(pick)
            })
            .collect();
        unique(&named, all.iter().map(|rule| rule.field.as_str()), out);
        let Named { field, value_type, description, .. } = named;
        all.push(ColumnRule { field, columns, value_type, description });
    }
    all
}

fn path_rules(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Vec<PathRule> {
    let mut all: Vec<PathRule> = Vec::new();
    for node in map.list("fields", out) {
        let Some((named, places)) = field(node, "path", out) else { continue };
        let paths = places
            .into_iter()
            .filter_map(|place| json_path(as_text(place, "path", out)?, place.at, out))
            .collect();
        unique(&named, all.iter().map(|rule| rule.field.as_str()), out);
        let Named { field, value_type, description, .. } = named;
        all.push(PathRule { field, paths, value_type, description });
    }
    all
}

/// An entry of `fields`, and where its value stands.
fn field<'n>(
    node: &'n Node,
    key: &'static str,
    out: &mut Diagnostics,
) -> Option<(Named, Vec<&'n Node>)> {
    let mut entry = Mapping::of(node, "a field", out)?;
    let places: Vec<&Node> = match entry.required(key, out) {
        None => Vec::new(),
        Some(Node { kind: Kind::List(items), at }) => {
            if items.is_empty() || items.len() > MAX_ALTERNATIVES {
                let message = format!("`{key}` must have 1 to {MAX_ALTERNATIVES} alternatives");
                out.error(key, *at, message);
            }
            items.iter().collect()
        }
        Some(one) => vec![one],
    };
    Some((named(entry, out)?, places))
}

fn results_path(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Option<JsonPath> {
    let (text, at) = map.text("results_path", out)?;
    json_path(text, at, out)
}

/// A path without the alternatives that other parts of the language write into one text.
fn json_path(text: &str, at: Position, out: &mut Diagnostics) -> Option<JsonPath> {
    if text.contains('|') {
        let hint = "write alternatives as a list: `path: [a.b, c]`";
        out.hinted("path", at, format!("`{text}` is not one path"), hint);
        return None;
    }
    JsonPath::parse(text).map_err(|error| out.error("path", at, error.to_string())).ok()
}

fn pdf_records(map: &mut Mapping<'_>, out: &mut Diagnostics) -> PdfRecords {
    match map.text("records", out) {
        None | Some(("page", _)) => PdfRecords::Page,
        Some(("document", _)) => PdfRecords::Document,
        Some((other, at)) => {
            out.hinted(
                "records",
                at,
                format!("`{other}` is no record"),
                "use `page` or `document`",
            );
            PdfRecords::Page
        }
    }
}
