//! YAML with the place of every node.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{DuplicateKeyPolicy, Location, Spanned};

use crate::diagnostic::{Code, Diagnostic};
use crate::sink::{Lines, Spot};

/// The largest source, in bytes.
pub(crate) const LARGEST_SOURCE: usize = 256 * 1024;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) yaml: Yaml,
    pub(crate) spot: Spot,
}

/// A key and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) spot: Spot,
}

/// What YAML can hold.
#[derive(Debug, Clone)]
pub(crate) enum Yaml {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Text, Node)>),
}

impl Node {
    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.yaml {
            Yaml::Null => "nothing",
            Yaml::Bool(_) => "a boolean",
            Yaml::Number(_) => "a number",
            Yaml::Text(_) => "a text",
            Yaml::List(_) => "a list",
            Yaml::Map(_) => "a mapping",
        }
    }

    /// The value without its places. Of two equal keys the first counts.
    pub(crate) fn json(&self) -> Value {
        match &self.yaml {
            Yaml::Null => Value::Null,
            Yaml::Bool(flag) => Value::Bool(*flag),
            Yaml::Number(number) => Value::Number(number.clone()),
            Yaml::Text(text) => Value::String(text.clone()),
            Yaml::List(items) => Value::Array(items.iter().map(Node::json).collect()),
            Yaml::Map(entries) => {
                let mut fields = Map::new();
                for (key, node) in entries {
                    fields.entry(key.text.clone()).or_insert_with(|| node.json());
                }
                Value::Object(fields)
            }
        }
    }

    /// Calls `visit` with every text below this node.
    pub(crate) fn texts<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Spot)) {
        match &self.yaml {
            Yaml::Text(text) => visit(text, self.spot),
            Yaml::List(items) => items.iter().for_each(|item| item.texts(visit)),
            Yaml::Map(entries) => entries.iter().for_each(|(_, node)| node.texts(visit)),
            _ => {}
        }
    }

    /// Calls `visit` with every key that stands twice in its mapping, and where it stood first.
    pub(crate) fn duplicates(&self, visit: &mut dyn FnMut(&Text, Spot)) {
        match &self.yaml {
            Yaml::List(items) => items.iter().for_each(|item| item.duplicates(visit)),
            Yaml::Map(entries) => {
                let mut seen = std::collections::HashMap::new();
                for (key, node) in entries {
                    if let Some(first) = seen.get(key.text.as_str()) {
                        visit(key, *first);
                    } else {
                        seen.insert(key.text.as_str(), key.spot);
                    }
                    node.duplicates(visit);
                }
            }
            _ => {}
        }
    }
}

/// Reads the source into nodes.
pub(crate) fn parse(text: &str, lines: &Lines<'_>) -> Result<Node, Box<Diagnostic>> {
    if text.len() > LARGEST_SOURCE {
        let message = format!("the playbook has {} bytes, more than {LARGEST_SOURCE}", text.len());
        return Err(Box::new(Diagnostic::new(Code::Syntax, lines.place(Spot::default()), message)));
    }
    match serde_saphyr::from_str_with_options::<Spanned<Node>>(text, options()) {
        Ok(root) => Ok(located(root, Some(lines))),
        Err(error) => Err(Box::new(syntax(&error, lines))),
    }
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 32,
            max_nodes: 50_000,
            max_events: 150_000,
            max_aliases: 500,
            max_anchors: 100,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 20_000,
            max_replay_stack_depth: 8,
            max_alias_expansions_per_anchor: 200,
        },
        strict_booleans: true,
    }
}

fn syntax(error: &serde_saphyr::Error, lines: &Lines<'_>) -> Diagnostic {
    let message = error.without_snippet().to_string();
    let message = message.lines().next().unwrap_or("not readable as YAML");
    let message =
        message.split(" at line ").next().unwrap_or(message).trim_end_matches([',', ':', ' ']);
    if message.starts_with("multiple YAML documents") {
        let spot =
            error.location().map_or_else(Spot::default, |location| spot_of(&location, Some(lines)));
        return Diagnostic::new(
            Code::Syntax,
            lines.place(spot),
            "a second document begins here, and a file holds one playbook",
        )
        .hint("put it into a file of its own");
    }
    let spot =
        error.location().map_or_else(Spot::default, |location| spot_of(&location, Some(lines)));
    Diagnostic::new(
        Code::Syntax,
        lines.place(spot),
        format!("this is not readable as YAML: {message}"),
    )
    .hint("check the indentation, the quotes and the colons around here")
}

fn located(spanned: Spanned<Node>, lines: Option<&Lines<'_>>) -> Node {
    Node { spot: spot_of(&spanned.referenced, lines), yaml: spanned.value.yaml }
}

fn spot_of(location: &Location, lines: Option<&Lines<'_>>) -> Spot {
    let span = location.span();
    let bytes: Option<Range<usize>> =
        span.byte_offset().zip(span.byte_len()).and_then(|(start, length)| {
            let start = usize::try_from(start).ok()?;
            Some(start..start.checked_add(usize::try_from(length).ok()?)?)
        });
    let range =
        bytes.or_else(|| Some(lines?.at(location.line(), location.column()))).unwrap_or_default();
    Spot { start: range.start, end: range.end }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor).map(|yaml| Node { yaml, spot: Spot::default() })
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_none<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Yaml, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Yaml, E> {
        Ok(Yaml::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Yaml, E> {
        Ok(Yaml::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Yaml, E> {
        Ok(Yaml::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Yaml, E> {
        Ok(Number::from_f64(number).map_or(Yaml::Null, Yaml::Number))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Yaml, E> {
        Ok(Yaml::Text(number.to_string()))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Yaml, E> {
        Ok(Yaml::Text(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Yaml, E> {
        Ok(Yaml::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Yaml, E> {
        Ok(Yaml::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<Node>>()? {
            list.push(located(item, None));
        }
        Ok(Yaml::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Yaml, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<Spanned<String>>()? {
            let node = located(entries.next_value::<Spanned<Node>>()?, None);
            map.push((Text { spot: spot_of(&key.referenced, None), text: key.value }, node));
        }
        Ok(Yaml::Map(map))
    }
}
