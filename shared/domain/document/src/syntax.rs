//! The reader of YAML: values with their bytes, and plain words for what cannot be read.

use std::fmt;
use std::ops::Range;

use countersign_decimal::keeps_digits;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Error, Location, Spanned};

use crate::problem::Problem;
use crate::span::Lines;
use crate::tree::Limits;

/// A value, and the bytes it is written in.
#[derive(Debug)]
pub(crate) struct Written<T> {
    pub(crate) value: T,
    pub(crate) bytes: Range<usize>,
    /// Where it is defined, of an alias or a merged value.
    defined: Range<usize>,
}

/// What YAML can hold.
#[derive(Debug)]
pub(crate) enum Node {
    Leaf(Value),
    List(Vec<Written<Node>>),
    Map(Vec<(Written<String>, Written<Node>)>),
}

pub(crate) fn parse(
    text: &str,
    kind: &str,
    limits: Limits,
    lines: &Lines,
) -> Result<Written<Node>, Box<Problem>> {
    if text.len() > limits.bytes {
        let message = format!("the {kind} has {} bytes, more than {}", text.len(), limits.bytes);
        return Err(Box::new(Problem::error("yaml", "", message).at(lines.span(&(0..0)))));
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: limits.depth,
            max_nodes: limits.values,
            max_events: limits.values.saturating_mul(3),
            max_aliases: limits.aliases,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: limits.values,
            max_replay_stack_depth: 8,
            max_alias_expansions_per_anchor: 200,
        },
        // `no`, `on` and `n` are strings.
        strict_booleans: true,
        reject_unsupported_tags: true,
    };
    let node: Spanned<Node> = serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| Box::new(unreadable(&error, kind, limits, lines)))?;
    let node = written(node);
    match rounded(&node, lines) {
        None => Ok(node),
        Some(bytes) => Err(Box::new(too_long(bytes, lines))),
    }
}

/// Where the first number stands that a double does not keep.
fn rounded<'n>(node: &'n Written<Node>, lines: &Lines) -> Option<&'n Range<usize>> {
    match &node.value {
        Node::Leaf(value) => {
            let read = value.as_number().filter(|number| number.is_f64())?.as_f64()?;
            (!keeps_digits(lines.written(&node.defined), read)).then_some(&node.defined)
        }
        Node::List(items) => items.iter().find_map(|item| rounded(item, lines)),
        Node::Map(entries) => entries.iter().find_map(|(_, node)| rounded(node, lines)),
    }
}

fn too_long(bytes: &Range<usize>, lines: &Lines) -> Problem {
    Problem::error("yaml", "", "this number has more digits than a number keeps")
        .at(lines.span(bytes))
        .hint(Some("put it in quotes to keep all its digits".to_owned()))
}

fn unreadable(error: &Error, kind: &str, limits: Limits, lines: &Lines) -> Problem {
    let error = error.without_snippet();
    let start = error.location().map_or(0, |at| lines.byte(at.line(), at.column()));
    // The reader's place is that of the value behind the tag.
    let start = match error {
        Error::UnsupportedTag { tag, .. } => {
            lines.text_of(&(0..start)).rfind(tag.as_str()).unwrap_or(start)
        }
        _ => start,
    };
    let (message, hint) = plain(error, kind, limits);
    if let Some(tab) = blamed(&message, lines, start) {
        return Problem::error("yaml", "", TAB).at(lines.span(&(tab..tab + 1))).hint(hint);
    }
    let opened = message.starts_with(NOT_CLOSED).then(|| opened(lines, start)).flatten();
    let opened = opened.map(|line| {
        format!("the string begins in line {line}: close it there, or indent what follows")
    });
    let hint = opened.or(hint);
    Problem::error("yaml", "", message).at(lines.span(&(start..start + 1))).hint(hint)
}

/// The tab because of which something cannot be read. The scanner reports many in a line before them, and some as something else.
fn blamed(message: &str, lines: &Lines, start: usize) -> Option<usize> {
    match message {
        TAB => lines.indenting_tab(start, usize::MAX).or_else(|| lines.tab_behind(start)),
        COLON | OUTSIDE | UNREADABLE => lines.indenting_tab(start, 2),
        _ => None,
    }
}

/// What the reader found, in the words of whoever writes the file.
fn plain(error: &Error, kind: &str, limits: Limits) -> (String, Option<String>) {
    let quoted = || Some("put it in quotes when it is a name".to_owned());
    let said = match error {
        Error::AliasError { error, .. } => return plain(error, kind, limits),
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => {
            let Limits { depth, values, aliases, .. } = limits;
            return (
                format!(
                    "this is larger than a {kind} may be: {depth} levels, {values} values, {aliases} aliases"
                ),
                None,
            );
        }
        Error::UnsupportedTag { tag, .. } => {
            let tag: String = tag.chars().take(60).collect();
            return (
                format!("the tag `{tag}` has no meaning here"),
                Some("leave it out, or put the text that begins with `!` in quotes".to_owned()),
            );
        }
        Error::MultipleDocuments { .. } => {
            return (
                format!("a second document begins here, and a file holds one {kind}"),
                Some("put it into a file of its own".to_owned()),
            );
        }
        Error::Eof { .. } => "the text ends before the value does",
        Error::UnknownAnchor { .. } => {
            "this alias refers to an anchor that is not defined above it"
        }
        Error::RecursiveReferencesRequireWeakTypes { .. } => {
            "an alias cannot be used inside the value it refers to"
        }
        Error::MergeValueNotMapOrSeqOfMaps { .. } => {
            "`<<` must refer to a mapping or to a list of mappings"
        }
        Error::NullIntoString { .. }
        | Error::TaggedScalarCannotDeserializeIntoString { .. }
        | Error::SerdeInvalidType { .. }
        | Error::Unexpected { .. } => return ("a key must be a string".to_owned(), quoted()),
        Error::InvalidBinaryBase64 { .. } | Error::BinaryNotUtf8 { .. } => {
            "what is tagged `!!binary` must be text in base64"
        }
        Error::NonFiniteFloat { .. } => "a number must be finite",
        other => return scanned(&other.to_string()),
    };
    (said.to_owned(), None)
}

/// What is said of a string that does not end.
const NOT_CLOSED: &str = "a quotation mark is not closed";
const TAB: &str = "a tab is not allowed here: indent with spaces";
const COLON: &str = "a colon is not allowed here: put the string in quotes";
const OUTSIDE: &str = "this is not allowed outside a document";
/// What is said of a mistake that is not known.
const UNREADABLE: &str = "the YAML cannot be read here";

/// The last line before this byte with a string that does not end in it.
fn opened(lines: &Lines, before: usize) -> Option<usize> {
    let before = lines.text_of(&(0..before));
    let ends_open = |line: &str| {
        ['"', '\''].iter().any(|&mark| {
            let value = line.find(mark).filter(|&at| begins_value(&line[..at]));
            value.is_some_and(|at| line[at..].matches(mark).count() % 2 == 1)
        })
    };
    before.lines().enumerate().filter(|(_, line)| ends_open(line)).last().map(|(n, _)| n + 1)
}

/// Whether a value may follow this beginning of a line, so that a quotation mark here opens a string.
fn begins_value(before: &str) -> bool {
    before.trim_end().is_empty() || before.trim_end().ends_with([':', '-', ',', '[', '{'])
}

/// The scanner has only words of its own. The mistakes that people make are known by them.
fn scanned(message: &str) -> (String, Option<String>) {
    const KNOWN: [(&str, &str); 11] = [
        ("unclosed bracket", "a bracket or brace is not closed"),
        ("found a tab", TAB),
        ("tabs disallowed", TAB),
        ("tab cannot be used", TAB),
        ("start with a tab", TAB),
        (
            "multiline quoted",
            "a quotation mark is not closed, or the string's next line is not indented",
        ),
        ("quoted scalar", NOT_CLOSED),
        ("mapping values", COLON),
        ("mapping value", COLON),
        ("flow", "a comma or a closing bracket is missing here"),
        ("document", OUTSIDE),
    ];
    let known = KNOWN.iter().find(|(word, _)| message.contains(word));
    let said = known.map_or(UNREADABLE, |(_, said)| said);
    (
        said.to_owned(),
        Some("check the indentation, the quotes and the colons around here".to_owned()),
    )
}

fn written<T>(spanned: Spanned<T>) -> Written<T> {
    Written {
        bytes: bytes(&spanned.referenced),
        defined: bytes(&spanned.defined),
        value: spanned.value,
    }
}

fn bytes(location: &Location) -> Range<usize> {
    let span = location.span();
    let known = span.byte_offset().zip(span.byte_len()).and_then(|(start, length)| {
        let start = usize::try_from(start).ok()?;
        Some(start..start.checked_add(usize::try_from(length).ok()?)?)
    });
    known.unwrap_or_default()
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Leaf(flag.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Leaf(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Leaf(number.into()))
    }

    fn visit_i128<E>(self, number: i128) -> Result<Node, E> {
        Ok(Node::Leaf(number.to_string().into()))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Node, E> {
        Ok(Node::Leaf(number.to_string().into()))
    }

    /// What is not finite stays a string, so that nothing that is written is dropped.
    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        let finite = serde_json::Number::from_f64(number).map(Value::Number);
        Ok(Node::Leaf(finite.unwrap_or_else(|| number.to_string().into())))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Leaf(text.into()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Leaf(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element::<Spanned<Node>>()? {
            items.push(written(item));
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key::<Spanned<String>>()? {
            let value = access.next_value::<Spanned<Node>>()?;
            entries.push((written(key), written(value)));
        }
        Ok(Node::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { bytes: 10_000, depth: 8, values: 100, aliases: 10 };

    #[track_caller]
    fn check(text: &str, expect: Option<(u32, u32)>) {
        let lines = Lines::of(text);
        let found = parse(text, "document", LIMITS, &lines).err();
        let at = found.map(|problem| {
            assert_eq!(problem.message, "this number has more digits than a number keeps");
            let span = problem.span.unwrap();
            (span.line, span.column)
        });
        assert_eq!(at, expect, "{text}");
    }

    #[test]
    fn f_091_no_number_of_a_document_is_rounded() {
        check("a: 1234567890123456.78", Some((1, 4)));
        check("a: [1, {b: -0.12345678901234567890}]", Some((1, 12)));
        check("base: &b {t: 0.85}\nc:\n  <<: *b\nd:\n  <<: {t: 0.5}\ne: *b", None);
        check("base: &b {t: 1234567890123456.78}\ne: *b", Some((1, 14)));
        check("c:\n  <<: {t: 1234567890123456.78}", Some((2, 11)));
        check("a: '1234567890123456.78'\nb: 0.1\nc: 1e3\ne: .5\nf: 1.0", None);
    }
}
