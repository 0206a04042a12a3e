//! The fields of a record, taken from its JSON while it is read; what no field asks for is not kept.

mod seed;

use countersign_connector::{
    Cell, JsonPath, JsonRules, JsonStep, PathRule, Reading, Records, ValueType, json_number,
    settled,
};
use countersign_decimal::json::{may_lose_digits, quoted};
use memchr::memchr_iter;
use serde::de::{Deserialize, DeserializeSeed};
use serde_json::Value;
use serde_json::de::StrRead;

use crate::Extraction;
use crate::coerce::{coerce, coerce_written};
use crate::table::{cell_size, size_of};
use crate::warnings::{note_or_count, warn};
use seed::Seed;

/// Maps the text of one record after the other.
pub(crate) struct Mapper<'r> {
    rules: &'r [PathRule],
    reading: &'r Reading,
    root: Node,
    found: Vec<Taken>,
}

/// What was found for a path.
#[derive(Debug, Clone, Default)]
struct Taken {
    cell: Cell,
    /// Whether it is the text of a JSON number, which no locale applies to.
    is_number: bool,
    /// The same value with a text for each long number, where there is one.
    written: Option<Box<Value>>,
}

impl Taken {
    /// A number, as it is written.
    fn number(raw: &str) -> Self {
        Self { cell: Cell::Text(raw.into()), is_number: true, written: None }
    }

    fn is_null(&self) -> bool {
        self.cell == Cell::Null
    }
}

impl From<Cell> for Taken {
    fn from(cell: Cell) -> Self {
        Self { cell, is_number: false, written: None }
    }
}

/// The keys that lead to fields.
#[derive(Default)]
struct Node {
    keys: Vec<(String, Node)>,
    ends: Vec<End>,
}

/// A field's value stands here, or further inside where only the whole value says.
struct End {
    slot: usize,
    rest: Option<JsonPath>,
    /// Which numbers are kept as they are written: `1250.00`, and not `1250.0`.
    kept: Kept,
}

/// The numbers of a field of which the text is kept.
#[derive(Clone, Copy)]
enum Kept {
    /// All of them.
    Every,
    /// Those that may lose digits.
    Long,
    /// None while the record is read: it is read again when it has long ones.
    Later,
}

impl Kept {
    fn of(value_type: Option<ValueType>) -> Self {
        match value_type {
            Some(ValueType::String | ValueType::Decimal) => Self::Every,
            Some(ValueType::Number | ValueType::Integer) => Self::Long,
            _ => Self::Later,
        }
    }

    /// Whether a value is a number of which the text is kept.
    fn keeps(self, raw: &str) -> bool {
        let is_number = raw.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        is_number
            && match self {
                Self::Every => true,
                Self::Long => may_lose_digits(raw),
                Self::Later => false,
            }
    }
}

impl<'r> Mapper<'r> {
    pub(crate) fn new(rules: &'r JsonRules) -> Self {
        let mut root = Node::default();
        let mut slots = 0;
        for rule in &rules.fields {
            for path in &rule.paths {
                root.add(path, slots, Kept::of(rule.value_type));
                slots += 1;
            }
        }
        Self {
            rules: &rules.fields,
            reading: &rules.reading,
            root,
            found: vec![Taken::default(); slots],
        }
    }

    /// No records yet.
    pub(crate) fn records(&self) -> Records {
        match self.rules {
            [] => Records::default(),
            rules => Records::rows(rules.iter().map(|rule| rule.field.clone()).collect()),
        }
    }

    /// Adds the record that starts a text to what was found. Gives its length, and about how much memory it takes.
    pub(crate) fn record(
        &mut self,
        text: &str,
        place: impl Fn() -> String,
        out: &mut Extraction,
    ) -> serde_json::Result<(usize, u64)> {
        let mut source = serde_json::Deserializer::from_str(text);
        if matches!(out.records, Records::Whole(_)) {
            let record = Deserialize::deserialize(&mut source)?;
            let length = end(source, text);
            return Ok((length, whole(record, &text[..length], place, out)?));
        }
        self.found.fill(Taken::default());
        Seed { node: &self.root, found: &mut self.found }.deserialize(&mut source)?;
        let length = end(source, text);
        self.read_again(&text[..length])?;
        let has_no_fields = !text.starts_with('{') && self.found.iter().all(Taken::is_null);
        if has_no_fields {
            let message = "the record is not an object, and has none of the fields";
            note_or_count(out, format!("{}: {message}", place()));
        }
        Ok((length, self.fields(place, out)))
    }

    /// Reads a record once more for the text of its long numbers, when there may be some that were not kept.
    fn read_again(&mut self, text: &str) -> serde_json::Result<()> {
        if !self.found.iter().any(|taken| has_double(&taken.cell)) {
            return Ok(());
        }
        let Some(quoted) = quoted(text.as_bytes()) else { return Ok(()) };
        let mut written = vec![Taken::default(); self.found.len()];
        let mut source = serde_json::Deserializer::from_slice(&quoted);
        Seed { node: &self.root, found: &mut written }.deserialize(&mut source)?;
        for (taken, written) in self.found.iter_mut().zip(written) {
            if !taken.is_number && taken.cell != written.cell {
                taken.written = Some(Box::new(written.cell.into()));
            }
        }
        Ok(())
    }

    fn fields(&mut self, place: impl Fn() -> String, out: &mut Extraction) -> u64 {
        let record = out.records.len();
        let Extraction { records: Records::Rows { cells, .. }, warnings, more_warnings } = out
        else {
            return 0;
        };
        let mut slots = self.found.iter_mut();
        let mut size = 0;
        for rule in self.rules {
            let mut taken = Taken::default();
            for slot in slots.by_ref().take(rule.paths.len()) {
                if taken.is_null() {
                    taken = std::mem::take(slot);
                }
            }
            let (cell, complaint) = typed(taken, rule.value_type, self.reading);
            if let Some(message) = complaint {
                let message = format!("{}: {message}", place());
                warn(warnings, more_warnings, record, &rule.field, message);
            }
            size += cell_size(&cell);
            cells.push(cell);
        }
        size
    }
}

/// Adds a record without mapped fields, and gives about how much memory it takes.
fn whole(
    record: Value,
    text: &str,
    place: impl Fn() -> String,
    out: &mut Extraction,
) -> serde_json::Result<u64> {
    let written = if is_or_has_double(&record) { quoted(text.as_bytes()) } else { None };
    let (record, said) = match written {
        Some(written) => settled(record, serde_json::from_slice(&written)?),
        None => (record, None),
    };
    let record = match record {
        Value::Object(fields) => fields,
        other => [("value".to_owned(), other)].into_iter().collect(),
    };
    if let Some(message) = said {
        note_or_count(out, format!("{}: {message}", place()));
    }
    let size = size_of(&record);
    out.records.push(record);
    Ok(size)
}

fn has_double(cell: &Cell) -> bool {
    match cell {
        Cell::Float(_) => true,
        Cell::Other(value) => is_or_has_double(value),
        _ => false,
    }
}

fn is_or_has_double(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(is_or_has_double),
        Value::Object(fields) => fields.values().any(is_or_has_double),
        _ => false,
    }
}

/// The value of a field.
fn typed(taken: Taken, value_type: Option<ValueType>, reading: &Reading) -> (Cell, Option<String>) {
    match (taken, value_type) {
        (Taken { cell: Cell::Text(number), is_number: true, .. }, Some(value_type)) => {
            let (value, complaint) = json_number(&number, value_type);
            (value.into(), complaint)
        }
        (Taken { cell, written: Some(written), .. }, value_type) => {
            coerce_written(cell, *written, value_type, reading)
        }
        (Taken { cell, .. }, value_type) => coerce(cell, value_type, reading),
    }
}

/// Where the value ended that was read from the beginning of a text. The library says so only in its complaint about
/// what follows: the line and the character of it.
fn end<'t>(mut source: serde_json::Deserializer<StrRead<'t>>, text: &'t str) -> usize {
    let Err(follows) = source.end() else { return text.len() };
    let line = match follows.line() {
        0 | 1 => 0,
        line => memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(0, |at| at + 1),
    };
    (line + follows.column().saturating_sub(1)).min(text.len())
}

impl Node {
    /// Keys become nodes; from the first step that is none on, the path is looked up in the whole value. So is one with
    /// alternatives, of which only the whole value says which counts.
    fn add(&mut self, path: &JsonPath, slot: usize, kept: Kept) {
        let mut alternatives = path.alternatives();
        let steps = match (alternatives.next(), alternatives.next()) {
            (Some(steps), None) => steps,
            _ => &[],
        };
        let keys = steps.iter().map_while(|step| match step {
            JsonStep::Key(key) => Some(key),
            JsonStep::Index(_) | JsonStep::Every | JsonStep::Where(..) => None,
        });
        let (mut node, mut taken) = (self, 0);
        for key in keys {
            node = node.child(key);
            taken += 1;
        }
        let is_whole = taken == steps.len() && path.alternatives().len() == 1;
        let rest = (!is_whole).then(|| path.after(taken));
        node.ends.push(End { slot, rest, kept });
    }

    fn child(&mut self, key: &str) -> &mut Self {
        let at = self.keys.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
            self.keys.push((key.to_owned(), Self::default()));
            self.keys.len() - 1
        });
        &mut self.keys[at].1
    }

    /// Takes the fields at this node and below from a value that is held whole.
    fn take(&self, value: &Value, found: &mut [Taken]) {
        for (key, child) in &self.keys {
            if let Some(inner) = value.get(key) {
                child.take(inner, found);
            }
        }
        for end in &self.ends {
            found[end.slot] = end.of(value).into();
        }
    }
}

impl End {
    fn of(&self, value: &Value) -> Cell {
        match &self.rest {
            None => Cell::from(value.clone()),
            Some(rest) => rest.find(value).map_or(Cell::Null, Cell::from),
        }
    }
}

/// What is wrong with a text, without the reader's own idea of the place.
pub(crate) fn problem(error: &serde_json::Error) -> String {
    countersign_failure::json_problem(&error.to_string())
}
