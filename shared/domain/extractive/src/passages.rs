//! What can be quoted: the sentences of long texts, and records as a line each.

use countersign_connector::PROVENANCE_FIELDS;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;

/// More are not looked at.
const MAX_PASSAGES: usize = 20_000;
/// A text of no more characters stands in the line of its record, such as a name.
const SHORT: usize = 60;
/// One sentence of no more characters does, too. Everything else is read sentence by sentence.
const LONG: usize = 120;
/// The longest quotation, characters.
const MAX_LENGTH: usize = 600;

/// A part of the data that can be quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Word for word. Of a record, the values behind their names.
    pub(crate) text: String,
    /// Where it stands, such as `results[3].mission`.
    pub(crate) place: String,
}

impl Passage {
    /// As it is quoted. Quotation marks inside are escaped: what was written by others cannot end the quotation and name a place.
    pub(crate) fn cited(&self) -> String {
        format!("{} ({})", Value::from(self.text.as_str()), self.place)
    }
}

/// Everything that can be quoted, in order.
pub(crate) fn passages(data: &Value) -> Vec<Passage> {
    let mut found = Vec::new();
    walk(data, "", &mut found);
    found.truncate(MAX_PASSAGES);
    found
}

fn walk(value: &Value, place: &str, found: &mut Vec<Passage>) {
    if found.len() >= MAX_PASSAGES {
        return;
    }
    match value {
        Value::String(text) => sentences(text, place, found),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                walk(item, &format!("{place}[{n}]"), found);
            }
        }
        Value::Object(fields) => {
            let said = || fields.iter().filter(|(name, _)| !is_provenance(name));
            let line: Vec<String> = said().filter_map(|(name, v)| short(name, v)).collect();
            push(&line.join("; "), place, found);
            for (name, value) in said().filter(|(name, value)| short(name, value).is_none()) {
                walk(value, &inside(place, name), found);
            }
        }
        Value::Number(number) => push(&number.to_string(), place, found),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Whether a field says where its record came from and what it is, which connectors add to each: nothing that the record says.
fn is_provenance(name: &str) -> bool {
    name == "_entity_rules" || PROVENANCE_FIELDS.iter().any(|(field, _)| *field == name)
}

/// A value that stands in the line of its record.
fn short(name: &str, value: &Value) -> Option<String> {
    match value {
        Value::String(text) if is_short(text) => Some(format!("{name}: {text}")),
        Value::Number(number) => Some(format!("{name}: {number}")),
        Value::Bool(flag) => Some(format!("{name}: {flag}")),
        Value::Array(items) => few(items).map(|few| format!("{name}: {few}")),
        _ => None,
    }
}

/// A few short texts that stand together in the line of their record, such as the other names of somebody.
fn few(items: &[Value]) -> Option<String> {
    let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let together = texts.filter(|texts| texts.iter().all(|text| is_short(text)))?.join(", ");
    (!together.is_empty() && together.chars().count() <= LONG).then_some(together)
}

/// The longest place that a quotation is from, characters.
const MAX_PLACE: usize = 300;

/// A line that is a quotation itself, as [`Passage::cited`] writes it: what is quoted, and from where. A place holds nothing that could
/// end it and begin another quotation.
fn quotation(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let (text, rest) = in_quotes(line)?;
    let place = rest.strip_prefix(" (")?.strip_suffix(')')?;
    (place.chars().count() <= MAX_PLACE && is_place(place)).then_some((text, place))
}

/// The text that a line begins with in quotes, as JSON writes it, and what follows.
fn in_quotes(line: &str) -> Option<(String, &str)> {
    if !line.starts_with('"') {
        return None;
    }
    let mut texts = serde_json::Deserializer::from_str(line).into_iter::<String>();
    let text = texts.next()?.ok()?;
    Some((text, line.get(texts.byte_offset()..)?))
}

/// Whether a text can be a place as [`inside`] writes it: names, some of them quoted in brackets.
fn is_place(text: &str) -> bool {
    let is_plain =
        |text: &str| !text.contains(|c: char| matches!(c, '(' | ')' | '"') || c.is_control());
    let mut rest = text;
    while let Some(at) = rest.find("[\"") {
        let (before, quoted) = (&rest[..at], &rest[at + 1..]);
        match in_quotes(quoted).and_then(|(name, behind)| Some((name, behind.strip_prefix(']')?))) {
            Some((name, behind)) if is_plain(&name) && is_plain(before) => rest = behind,
            _ => return false,
        }
    }
    is_plain(rest)
}

fn is_short(text: &str) -> bool {
    if text.lines().any(|line| quotation(line).is_some()) {
        return false;
    }
    let length = text.chars().count();
    length <= SHORT || (length <= LONG && text.unicode_sentences().count() == 1)
}

/// The place of a field. A name that is not a plain word is quoted: it cannot pass for another place.
fn inside(place: &str, name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match (place.is_empty(), name.chars().all(is_plain)) {
        (_, false) => format!("{place}[{}]", Value::from(name)),
        (true, true) => name.to_owned(),
        (false, true) => format!("{place}.{name}"),
    }
}

fn sentences(text: &str, place: &str, found: &mut Vec<Passage>) {
    for paragraph in text.split('\n') {
        // A quotation is not quoted again: it has two places.
        if let Some((quoted, from)) = quotation(paragraph) {
            push(&quoted, &format!("{place}, {from}"), found);
            continue;
        }
        paragraph.unicode_sentences().for_each(|sentence| push(sentence, place, found));
    }
}

fn push(text: &str, place: &str, found: &mut Vec<Passage>) {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return;
    }
    let mut text = words.join(" ");
    if text.chars().count() > MAX_LENGTH {
        text = text.chars().take(MAX_LENGTH - 1).chain(['…']).collect();
    }
    let place = if place.is_empty() { "data" } else { place };
    found.push(Passage { text, place: place.to_owned() });
}
