//! The fields of a record, taken from its JSON while it is read; what no field asks for is not kept.

use std::fmt;

use countersign_connector::{
    Cell, JsonPath, JsonRules, JsonStep, PathRule, Reading, Records, ValueType,
};
use countersign_decimal::Decimal;
use memchr::memchr_iter;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess,
    Visitor,
};
use serde_json::Value;
use serde_json::de::StrRead;
use serde_json::value::RawValue;

use crate::coerce::coerce;
use crate::table::{cell_size, size_of, warn};
use crate::{Extraction, Warning};

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
}

impl From<Cell> for Taken {
    fn from(cell: Cell) -> Self {
        Self { cell, is_number: false }
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
    /// A number is kept as it is written: `1250.00`, and not `1250.0`.
    as_written: bool,
}

impl<'r> Mapper<'r> {
    pub(crate) fn new(rules: &'r JsonRules) -> Self {
        let mut root = Node::default();
        let mut slots = 0;
        for rule in &rules.fields {
            for path in &rule.paths {
                let as_written =
                    matches!(rule.value_type, Some(ValueType::String | ValueType::Decimal));
                root.add(path, slots, as_written);
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
        if let Records::Whole(all) = &mut out.records {
            let record = match Deserialize::deserialize(&mut source)? {
                Value::Object(fields) => fields,
                other => [("value".to_owned(), other)].into_iter().collect(),
            };
            let size = size_of(&record);
            all.push(record);
            return Ok((end(source, text), size));
        }
        self.found.fill(Taken::default());
        Seed { node: &self.root, found: &mut self.found }.deserialize(&mut source)?;
        Ok((end(source, text), self.fields(place, out)))
    }

    fn fields(&mut self, place: impl Fn() -> String, out: &mut Extraction) -> u64 {
        let record = out.records.len();
        let Extraction { records: Records::Rows { cells, .. }, warnings } = out else { return 0 };
        let mut slots = self.found.iter_mut();
        let mut size = 0;
        for rule in self.rules {
            let mut taken = Taken::default();
            for slot in slots.by_ref().take(rule.paths.len()) {
                if taken.cell == Cell::Null {
                    taken = std::mem::take(slot);
                }
            }
            let (cell, complaint) = typed(taken, rule.value_type, self.reading);
            if let Some(message) = complaint {
                warn(warnings, record, &rule.field, format!("{}: {message}", place()));
            }
            size += cell_size(&cell);
            cells.push(cell);
        }
        size
    }
}

/// The value of a field.
fn typed(taken: Taken, value_type: Option<ValueType>, reading: &Reading) -> (Cell, Option<String>) {
    match (&taken.cell, value_type) {
        (Cell::Text(number), Some(ValueType::Decimal)) if taken.is_number => {
            match Decimal::of_json(number) {
                Ok(decimal) => (Cell::Text(decimal.to_string().into()), None),
                Err(_) => coerce(taken.cell, value_type, &Reading::default()),
            }
        }
        _ => coerce(taken.cell, value_type, reading),
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
    fn add(&mut self, path: &JsonPath, slot: usize, as_written: bool) {
        let mut alternatives = path.alternatives();
        let steps = match (alternatives.next(), alternatives.next()) {
            (Some(steps), None) => steps,
            _ => &[],
        };
        let keys = steps.iter().map_while(|step| match step {
            JsonStep::Key(key) => Some(key),
            JsonStep::Index(_) | JsonStep::Every => None,
        });
        let (mut node, mut taken) = (self, 0);
        for key in keys {
            node = node.child(key);
            taken += 1;
        }
        let is_whole = taken == steps.len() && path.alternatives().len() == 1;
        let rest = (!is_whole).then(|| path.after(taken));
        node.ends.push(End { slot, rest, as_written });
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

/// Reads one value, as far as the fields below a node need it.
struct Seed<'s> {
    node: &'s Node,
    found: &'s mut [Taken],
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        match (&self.node.ends[..], &self.node.keys[..]) {
            ([], _) => source.deserialize_any(self),
            ([End { slot, rest: None, as_written }], []) => {
                self.found[*slot] = if *as_written {
                    written(source)?
                } else {
                    source.deserialize_any(Leaf)?.into()
                };
                Ok(())
            }
            _ => {
                let value = Deserialize::deserialize(source)?;
                self.node.take(&value, self.found);
                Ok(())
            }
        }
    }
}

/// Reads one value, of which a number becomes the text that it is written as.
fn written<'de, D: Deserializer<'de>>(source: D) -> Result<Taken, D::Error> {
    let raw = <&RawValue>::deserialize(source)?.get();
    if raw.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return Ok(Taken { cell: Cell::Text(raw.into()), is_number: true });
    }
    let value: Value =
        serde_json::from_str(raw).map_err(|error| D::Error::custom(problem(&error)))?;
    Ok(Cell::from(value).into())
}

/// Reads one value that a single field asks for.
struct Leaf;

impl<'de> Visitor<'de> for Leaf {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Cell, E> {
        Ok(Cell::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Cell, E> {
        Ok(Cell::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Cell, E> {
        Ok(Cell::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Cell, E> {
        Ok(Cell::from(Value::from(number)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Cell, E> {
        Ok(Cell::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cell, E> {
        Ok(Cell::Text(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Cell, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(items)).map(Cell::from)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Cell, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(entries)).map(Cell::from)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(child) = entries.next_key_seed(Key(self.node))? {
            match child {
                Some(node) => entries.next_value_seed(Seed { node, found: self.found })?,
                None => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Finds the node a key leads to, without keeping the key.
struct Key<'n>(&'n Node);

impl<'de, 'n> DeserializeSeed<'de> for Key<'n> {
    type Value = Option<&'n Node>;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Self::Value, D::Error> {
        source.deserialize_str(self)
    }
}

impl<'n> Visitor<'_> for Key<'n> {
    type Value = Option<&'n Node>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.keys.iter().find(|(known, _)| known == key).map(|(_, node)| node))
    }
}

/// What is wrong with a text, without the reader's own idea of the place.
pub(crate) fn problem(error: &serde_json::Error) -> String {
    countersign_failure::json_problem(&error.to_string())
}

/// A note that is not about a record; false when there are too many for it.
pub(crate) fn note(out: &mut Extraction, message: String) -> bool {
    let has_room = out.warnings.len() < crate::table::MAX_WARNINGS;
    if has_room {
        out.warnings.push(Warning { record: None, field: String::new(), message });
    }
    has_room
}
