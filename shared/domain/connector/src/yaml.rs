//! YAML as a tree that remembers its places, so that every problem can be shown where it stands.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use crate::diagnostic::{Diagnostic, Diagnostics, Position};

/// A value with its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) at: Position,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Int(i64),
    /// A whole number beyond the largest signed one: it keeps its digits and stays a number.
    Large(u64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Position, Node)>),
}

impl Node {
    /// Reads a document of at most 256 KiB.
    pub(crate) fn read(text: &str) -> Result<Self, Diagnostic> {
        if text.len() > 256 * 1024 {
            return Err(Diagnostic::error(
                "yaml",
                Position { line: 1, column: 1 },
                "the file is larger than 256 KiB",
            ));
        }
        let options = serde_saphyr::options! {
            budget: serde_saphyr::budget! { max_nodes: 20_000, max_depth: 32, max_aliases: 64 },
            // As in playbooks: `no`, `on` and `n` are texts.
            strict_booleans: true,
        };
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let at = error.location().map_or(Position { line: 1, column: 1 }, position);
            let plain = error.without_snippet().to_string();
            Diagnostic::error("yaml", at, said(plain.lines().next().unwrap_or_default()))
        })
    }

    pub(crate) fn describe(&self) -> &'static str {
        match self.kind {
            Kind::Null => "nothing",
            Kind::Bool(_) => "a boolean",
            Kind::Int(_) | Kind::Large(_) | Kind::Float(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::from(*value),
            Kind::Int(value) => Value::from(*value),
            Kind::Large(value) => Value::from(*value),
            Kind::Float(value) => Value::from(*value),
            Kind::Text(value) => Value::from(value.as_str()),
            Kind::List(items) => items.iter().map(Self::to_json).collect(),
            Kind::Map(entries) => entries
                .iter()
                .map(|(key, _, node)| (key.clone(), node.to_json()))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}

/// What the reader found, in the words of whoever writes the file.
fn said(message: &str) -> String {
    const PLAIN: [(&str, &str); 4] = [
        ("duplicate", "this key stands here twice"),
        (
            "multiple YAML documents",
            "a second document begins here, and a file holds one connector",
        ),
        ("recursive", "an alias stands inside what it names"),
        ("budget", "this is larger than a connector may be: 32 levels, 20,000 values, 64 aliases"),
    ];
    let plain = PLAIN.iter().find(|(word, _)| message.contains(word));
    plain.map_or_else(
        || {
            let found = message.split(" at line ").next().unwrap_or(message);
            format!("this is not readable as YAML: {}", found.trim_end_matches([',', ':', ' ']))
        },
        |(_, plain)| (*plain).to_owned(),
    )
}

fn position(location: serde_saphyr::Location) -> Position {
    Position { line: location.line(), column: location.column() }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Kind>::deserialize(deserializer)?;
        Ok(Self { kind: spanned.value, at: position(spanned.referenced) })
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_none<E>(self) -> Result<Kind, E> {
        Ok(Kind::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Kind, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Kind, E> {
        Ok(Kind::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Kind, E> {
        Ok(Kind::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Kind, E> {
        Ok(i64::try_from(value).map_or(Kind::Large(value), Kind::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Kind, E> {
        Ok(Kind::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Kind, E> {
        Ok(Kind::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Kind, E> {
        Ok(Kind::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Kind, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Kind::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Kind, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key::<Spanned<String>>()? {
            let node: Node = access.next_value()?;
            entries.push((key.value, position(key.referenced), node));
        }
        Ok(Kind::Map(entries))
    }
}

/// A mapping being read: each key is taken once, and what is left over is reported.
pub(crate) struct Mapping<'n> {
    entries: &'n [(String, Position, Node)],
    taken: Vec<&'static str>,
    /// Where the mapping stands.
    pub(crate) at: Position,
    /// What it is, for messages.
    what: String,
}

impl<'n> Mapping<'n> {
    /// The node as a mapping, or a problem.
    pub(crate) fn of(
        node: &'n Node,
        what: impl Into<String>,
        out: &mut Diagnostics,
    ) -> Option<Self> {
        let what = what.into();
        match &node.kind {
            Kind::Map(entries) => Some(Self { entries, taken: Vec::new(), at: node.at, what }),
            _ => {
                out.error(
                    "shape",
                    node.at,
                    format!("{what} must be a mapping, not {}", node.describe()),
                );
                None
            }
        }
    }

    pub(crate) fn entries(&self) -> &'n [(String, Position, Node)] {
        self.entries
    }

    /// The value of a key, when it is there and not null.
    pub(crate) fn get(&mut self, key: &'static str) -> Option<&'n Node> {
        self.taken.push(key);
        let entry = self.entries.iter().find(|(name, _, _)| name == key);
        entry.map(|(_, _, node)| node).filter(|node| !matches!(node.kind, Kind::Null))
    }

    pub(crate) fn required(
        &mut self,
        key: &'static str,
        out: &mut Diagnostics,
    ) -> Option<&'n Node> {
        let found = self.get(key);
        if found.is_none() {
            out.error("missing", self.at, format!("{} has no `{key}`", self.what));
        }
        found
    }

    pub(crate) fn text(
        &mut self,
        key: &'static str,
        out: &mut Diagnostics,
    ) -> Option<(&'n str, Position)> {
        let node = self.get(key)?;
        as_text(node, key, out).map(|text| (text, node.at))
    }

    pub(crate) fn required_text(
        &mut self,
        key: &'static str,
        out: &mut Diagnostics,
    ) -> Option<(&'n str, Position)> {
        let node = self.required(key, out)?;
        as_text(node, key, out).map(|text| (text, node.at))
    }

    pub(crate) fn boolean(&mut self, key: &'static str, out: &mut Diagnostics) -> bool {
        match self.get(key) {
            None => false,
            Some(Node { kind: Kind::Bool(value), .. }) => *value,
            Some(node) => {
                out.error(
                    "type",
                    node.at,
                    format!("`{key}` must be true or false, not {}", node.describe()),
                );
                false
            }
        }
    }

    /// A whole number within bounds.
    pub(crate) fn number(
        &mut self,
        key: &'static str,
        range: std::ops::RangeInclusive<u32>,
        out: &mut Diagnostics,
    ) -> Option<u32> {
        let node = self.get(key)?;
        let value = match node.kind {
            Kind::Int(value) => u32::try_from(value).ok().filter(|value| range.contains(value)),
            _ => None,
        };
        if value.is_none() {
            let message =
                format!("`{key}` must be a whole number from {} to {}", range.start(), range.end());
            out.error("type", node.at, message);
        }
        value
    }

    pub(crate) fn list(&mut self, key: &'static str, out: &mut Diagnostics) -> &'n [Node] {
        match self.get(key) {
            None => &[],
            Some(Node { kind: Kind::List(items), .. }) => items,
            Some(node) => {
                out.error(
                    "type",
                    node.at,
                    format!("`{key}` must be a list, not {}", node.describe()),
                );
                &[]
            }
        }
    }

    pub(crate) fn mapping(
        &mut self,
        key: &'static str,
        out: &mut Diagnostics,
    ) -> Option<Mapping<'n>> {
        let node = self.get(key)?;
        Mapping::of(node, format!("`{key}`"), out)
    }

    /// Reports keys nobody asked for.
    pub(crate) fn finish(self, out: &mut Diagnostics) {
        for (key, at, _) in self.entries {
            if !self.taken.iter().any(|taken| taken == key) {
                let near = nearest(key, self.taken.iter().copied());
                let hint = near.map(|name| format!("did you mean `{name}`?"));
                out.push(
                    Diagnostic::error(
                        "unknown_key",
                        *at,
                        format!("{} has no key `{key}`", self.what),
                    )
                    .with(hint),
                );
            }
        }
    }
}

pub(crate) fn as_text<'n>(node: &'n Node, what: &str, out: &mut Diagnostics) -> Option<&'n str> {
    if let Kind::Text(text) = &node.kind {
        return Some(text);
    }
    out.error("type", node.at, format!("`{what}` must be a text, not {}", node.describe()));
    None
}

/// The most similar of the known words, when it is similar at all.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.map(|name| (strsim::jaro_winkler(word, name), name));
    scored
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::Node;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = Node::read(text).unwrap_err();
        assert_eq!(found.message, expect, "{text}");
    }

    #[test]
    fn what_is_not_readable_is_told_without_the_readers_own_words() {
        check("a: 1\na: 2\n", "this key stands here twice");
        check("a: 1\n---\nb: 2\n", "a second document begins here, and a file holds one connector");
        check("a: [x\n", "this is not readable as YAML: unclosed bracket '['");
        let deep = format!("a: {}{}", "[".repeat(40), "]".repeat(40));
        check(
            &deep,
            "this is larger than a connector may be: 32 levels, 20,000 values, 64 aliases",
        );
    }

    #[test]
    fn whole_numbers_of_64_bits_stay_numbers() {
        let text = r#"{"a":18446744073709551615,"b":-9223372036854775808,"c":9007199254740993}"#;
        assert_eq!(Node::read(text).unwrap().to_json().to_string(), text);
    }

    #[test]
    fn words_that_were_booleans_once_are_texts() {
        let read = Node::read("n: no\ny: y\non: on\nt: true\n").unwrap();
        assert_eq!(read.to_json().to_string(), r#"{"n":"no","y":"y","on":"on","t":true}"#);
    }
}
