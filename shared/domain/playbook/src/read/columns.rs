//! The columns of a gate's preview.

use countersign_registry::nearest;

use super::fields::Fields;
use crate::diagnostic::Code;
use crate::model::{ColumnFormat, PreviewColumn};
use crate::node::Text;
use crate::sink::{Sink, Spot};

/// More columns than a phone shows in one card are no help.
const MAX_COLUMNS: usize = 12;
/// The longest field, in characters.
const MAX_FIELD: usize = 200;
/// The longest label, in characters.
const MAX_LABEL: usize = 60;

const KEY: &str = "preview_columns";
const FORMATS: [(&str, ColumnFormat); 5] = [
    ("text", ColumnFormat::Text),
    ("number", ColumnFormat::Number),
    ("money", ColumnFormat::Money),
    ("date", ColumnFormat::Date),
    ("percent", ColumnFormat::Percent),
];

/// Reads `preview_columns`, each with the place of its field.
pub(super) fn all(gate: &mut Fields<'_>, sink: &mut Sink<'_>) -> Vec<(PreviewColumn, Spot)> {
    let nodes = gate.list(KEY, usize::MAX, sink);
    if let Some(extra) = nodes.get(MAX_COLUMNS) {
        let message = format!("`{KEY}` has {} columns, more than {MAX_COLUMNS}", nodes.len());
        let problem = sink.problem(Code::OutOfRange, extra.spot, KEY, message);
        sink.push(
            problem.hint("keep the columns that decide; a page shows the rest of a row below them"),
        );
    }
    let mut seen: Vec<Text> = Vec::new();
    let mut columns = Vec::new();
    for (n, node) in nodes.iter().take(MAX_COLUMNS).enumerate() {
        let Some(mut fields) = Fields::of(node, &format!("{KEY}[{n}]"), sink) else { continue };
        columns.extend(column(&mut fields, &mut seen, sink));
        fields.finish(sink);
    }
    columns
}

fn column(
    fields: &mut Fields<'_>,
    seen: &mut Vec<Text>,
    sink: &mut Sink<'_>,
) -> Option<(PreviewColumn, Spot)> {
    let field = field(fields, seen, sink);
    let label = label(fields, sink);
    let format = format(fields, sink);
    let currency = currency(fields, format, sink);
    let field = field?;
    Some((PreviewColumn { field: field.text, label, format, currency }, field.spot))
}

fn field(fields: &mut Fields<'_>, seen: &mut Vec<Text>, sink: &mut Sink<'_>) -> Option<Text> {
    if fields.node("field").is_none() {
        fields.missing("field", sink);
    }
    let text = fields.text("field", sink)?;
    if let Some(wrong) = malformed(&text.text) {
        let problem = sink.problem(Code::BadReference, text.spot, &fields.path("field"), wrong);
        sink.push(
            problem.hint("write names of fields with dots between them, such as `payee.name`"),
        );
        return None;
    }
    if let Some(first) = seen.iter().find(|first| first.text == text.text) {
        let message = format!("the field `{}` is a column already", text.text);
        let problem = sink.problem(Code::Duplicate, text.spot, &fields.path("field"), message);
        let place = sink.lines.place(first.spot);
        sink.push(problem.see(place, "first here").hint("name each field once"));
        return None;
    }
    seen.push(text.clone());
    Some(text)
}

fn malformed(field: &str) -> Option<String> {
    if field.trim().is_empty() {
        return Some("`field` is empty".to_owned());
    }
    if field.chars().count() > MAX_FIELD {
        return Some(format!("`field` is longer than {MAX_FIELD} characters"));
    }
    if field.contains(['{', '}']) || field.chars().any(char::is_control) {
        return Some(format!("`{}` is not the name of a field", field.escape_debug()));
    }
    let gap = field.split('.').any(|part| part.trim() != part || part.is_empty());
    gap.then(|| format!("`{field}` has an empty part or spaces at an edge"))
}

fn label(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> Option<String> {
    let label = fields.text("label", sink)?;
    let length = label.text.chars().count();
    if label.text.trim().is_empty() || length > MAX_LABEL {
        let message = format!("`label` has 1 to {MAX_LABEL} characters, found {length}");
        let problem = sink.problem(Code::OutOfRange, label.spot, &fields.path("label"), message);
        sink.push(problem.hint("one or two words; leave it out to show the name of the field"));
        return None;
    }
    Some(label.text)
}

fn format(fields: &mut Fields<'_>, sink: &mut Sink<'_>) -> ColumnFormat {
    let Some(text) = fields.text("format", sink) else { return ColumnFormat::Text };
    if let Some((_, format)) = FORMATS.iter().find(|(word, _)| *word == text.text) {
        return *format;
    }
    let words = FORMATS.map(|(word, _)| word);
    let shown: String = text.text.chars().take(60).collect();
    let all = words.map(|word| format!("`{word}`")).join(", ");
    let message = format!("`format` is one of {all}, found `{shown}`");
    let hint = match nearest(&text.text, words) {
        Some(likely) => format!("did you mean `{likely}`?"),
        None => "leave it out to show the value as it is".to_owned(),
    };
    let problem = sink.problem(Code::NotAChoice, text.spot, &fields.path("format"), message);
    sink.push(problem.hint(hint));
    ColumnFormat::Text
}

fn currency(fields: &mut Fields<'_>, format: ColumnFormat, sink: &mut Sink<'_>) -> Option<String> {
    let currency = fields.text("currency", sink)?;
    let path = fields.path("currency");
    if format != ColumnFormat::Money {
        let message = "`currency` belongs to the format `money`";
        let problem = sink.problem(Code::Misplaced, currency.spot, &path, message);
        sink.push(problem.hint("write `format: money`, or leave the currency out"));
        return None;
    }
    let fits = currency.text.len() == 3 && currency.text.bytes().all(|b| b.is_ascii_uppercase());
    if !fits {
        let shown: String = currency.text.chars().take(20).collect();
        let message = format!("`currency` is three capital letters, found `{shown}`");
        let problem = sink.problem(Code::NotAChoice, currency.spot, &path, message);
        sink.push(problem.hint("use the code of ISO 4217, such as `EUR`"));
        return None;
    }
    Some(currency.text)
}
