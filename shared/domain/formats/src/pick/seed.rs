//! Reading a record as far as its fields need it.

use std::fmt;

use countersign_connector::Cell;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{End, Kept, Node, Taken, problem};

/// Reads one value, as far as the fields below a node need it.
pub(super) struct Seed<'s> {
    pub(super) node: &'s Node,
    pub(super) found: &'s mut [Taken],
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        match (&self.node.ends[..], &self.node.keys[..]) {
            ([], _) => source.deserialize_any(self),
            ([End { slot, rest: None, kept }], []) => {
                self.found[*slot] = match kept {
                    Kept::Later => source.deserialize_any(Leaf)?.into(),
                    kept => written(source, *kept)?,
                };
                Ok(())
            }
            (ends, _) => {
                let raw = <&RawValue>::deserialize(source)?.get();
                self.node.take(&parsed(raw)?, self.found);
                for end in ends.iter().filter(|end| end.rest.is_none() && end.kept.keeps(raw)) {
                    self.found[end.slot] = Taken::number(raw);
                }
                Ok(())
            }
        }
    }
}

/// Reads one value, of which a number that is to be kept becomes the text that it is written as.
fn written<'de, D: Deserializer<'de>>(source: D, kept: Kept) -> Result<Taken, D::Error> {
    let raw = <&RawValue>::deserialize(source)?.get();
    if kept.keeps(raw) {
        return Ok(Taken::number(raw));
    }
    Ok(Cell::from(parsed(raw)?).into())
}

fn parsed<E: serde::de::Error>(raw: &str) -> Result<Value, E> {
    serde_json::from_str(raw).map_err(|error| E::custom(problem(&error)))
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
