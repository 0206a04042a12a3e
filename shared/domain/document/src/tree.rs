//! YAML as a JSON value, and the position of every key and value.

use std::ops::Range;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::part::Part;
use crate::problem::{Problem, Related};
use crate::span::{Lines, Span};
use crate::syntax::{self, Node, Written};

/// How large a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes.
    pub bytes: usize,
    /// Mappings and lists inside each other.
    pub depth: usize,
    /// Values in all.
    pub values: usize,
    /// Aliases in all.
    pub aliases: usize,
}

impl Limits {
    /// What most kinds of documents may be.
    pub const DEFAULT: Self = Self { bytes: 256 * 1024, depth: 32, values: 20_000, aliases: 64 };
}

/// Where a value is, and the key in front of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mark {
    pub(crate) key: Option<Range<usize>>,
    pub(crate) value: Range<usize>,
    pub(crate) below: Below,
}

#[derive(Debug, Clone, Default)]
pub(crate) enum Below {
    #[default]
    Nothing,
    List(Vec<Mark>),
    Map(IndexMap<String, Mark>),
}

impl Below {
    /// Where the value under a key is written.
    pub(crate) fn at_key(&self, key: &str) -> Option<&Mark> {
        match self {
            Self::Map(marks) => marks.get(key),
            _ => None,
        }
    }

    /// Where an entry of a list is written, from 0.
    pub(crate) fn at(&self, n: usize) -> Option<&Mark> {
        match self {
            Self::List(marks) => marks.get(n),
            _ => None,
        }
    }
}

/// A document as a JSON value, and where each of its parts is written.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The document.
    pub value: Value,
    root: Mark,
    lines: Option<Lines>,
    duplicates: Vec<Problem>,
}

impl Tree {
    /// Reads YAML, and so JSON. `kind` is what messages call the document.
    ///
    /// # Errors
    /// The one [`Problem`] because of which the text cannot be read at all.
    pub fn parse(text: &str, kind: &str, limits: Limits) -> Result<Self, Box<Problem>> {
        let lines = Lines::of(text);
        let node = syntax::parse(text, kind, limits, &lines)?;
        let mut tree = Self {
            value: Value::Null,
            root: Mark::default(),
            lines: Some(lines),
            duplicates: Vec::new(),
        };
        (tree.value, tree.root) = tree.take("", None, node);
        Ok(tree)
    }

    /// A value that was not read from a text.
    #[must_use]
    pub fn of_value(value: Value) -> Self {
        Self { value, root: Mark::default(), lines: None, duplicates: Vec::new() }
    }

    fn take(
        &mut self,
        pointer: &str,
        key: Option<Range<usize>>,
        node: Written<Node>,
    ) -> (Value, Mark) {
        let mark = |value, below| Mark { key, value, below };
        match node.value {
            Node::Leaf(value) => (value, mark(node.bytes, Below::Nothing)),
            Node::List(items) => {
                let items = items.into_iter().enumerate();
                let taken = items.map(|(n, item)| self.take(&format!("{pointer}/{n}"), None, item));
                let (values, marks): (Vec<Value>, Vec<Mark>) = taken.unzip();
                (values.into(), mark(node.bytes, Below::List(marks)))
            }
            Node::Map(entries) => {
                let (values, marks) = self.take_map(pointer, entries);
                (values.into(), mark(node.bytes, Below::Map(marks)))
            }
        }
    }

    fn take_map(
        &mut self,
        pointer: &str,
        entries: Vec<(Written<String>, Written<Node>)>,
    ) -> (Map<String, Value>, IndexMap<String, Mark>) {
        let (mut values, mut marks) = (Map::new(), IndexMap::<String, Mark>::new());
        for (key, node) in entries {
            let below = format!("{pointer}/{}", escaped(&key.value));
            if let Some(first) = marks.get(&key.value) {
                let first = first.key.clone().unwrap_or_default();
                self.twice(&below, &key, &first);
                continue;
            }
            let (value, mark) = self.take(&below, Some(key.bytes), node);
            values.insert(key.value.clone(), value);
            marks.insert(key.value, mark);
        }
        (values, marks)
    }

    /// Of two equal keys the first counts.
    fn twice(&mut self, pointer: &str, key: &Written<String>, first: &Range<usize>) {
        let Some(lines) = &self.lines else { return };
        let shown: String = key.value.chars().take(60).collect();
        let message = format!("the key `{shown}` appears twice in this mapping");
        let related = Related { span: lines.span(first), label: "first here".to_owned() };
        let problem = Problem::error("duplicate", pointer, message).at(lines.span(&key.bytes));
        self.duplicates.push(Problem { related: vec![related], ..problem });
    }

    /// Keys that appear twice in their mapping.
    #[must_use]
    pub fn duplicates(&self) -> &[Problem] {
        &self.duplicates
    }

    /// Leaves only what is under `key`, when that is the only key of the document.
    pub fn unwrap(&mut self, key: &str) {
        if let (Value::Object(map), Below::Map(marks)) = (&mut self.value, &mut self.root.below)
            && map.len() == 1
            && let (Some(value), Some(mark)) = (map.shift_remove(key), marks.shift_remove(key))
        {
            self.value = value;
            self.root = mark;
            let prefix = format!("/{}", escaped(key));
            for problem in &mut self.duplicates {
                if let Some(pointer) = problem.pointer.strip_prefix(&prefix) {
                    problem.pointer = pointer.to_owned();
                }
            }
        }
    }

    /// The whole document.
    #[must_use]
    pub fn root(&self) -> Part<'_> {
        Part::new(&self.value, &self.root)
    }

    /// The part at a pointer.
    #[must_use]
    pub fn part(&self, pointer: &str) -> Option<Part<'_>> {
        let keys = pointer.split('/').skip(1);
        keys.into_iter().try_fold(self.root(), |part, key| part.below(&unescaped(key)))
    }

    /// The span of some bytes of the text, cut at the end of their first line.
    #[must_use]
    pub fn span_of(&self, bytes: &Range<usize>) -> Option<Span> {
        self.lines.as_ref().map(|lines| lines.span(bytes))
    }

    /// What is written there; empty when there is no text.
    #[must_use]
    pub fn text_of(&self, bytes: &Range<usize>) -> &str {
        self.lines.as_ref().map_or("", |lines| lines.text_of(bytes))
    }

    /// The span of a value; of something that is not there, the span of what should hold it.
    #[must_use]
    pub fn span(&self, pointer: &str) -> Option<Span> {
        self.lines.as_ref().map(|lines| lines.span(&self.mark(pointer).0.value))
    }

    /// The span of a key; of something without a key, such as an item of a list, the span of its value.
    #[must_use]
    pub fn key_span(&self, pointer: &str) -> Option<Span> {
        let (mark, is_whole) = self.mark(pointer);
        let bytes = mark.key.as_ref().filter(|_| is_whole).unwrap_or(&mark.value);
        self.lines.as_ref().map(|lines| lines.span(bytes))
    }

    /// The position of one byte of a string that may be written over several lines.
    #[must_use]
    pub fn span_inside(&self, pointer: &str, offset: usize) -> Option<Span> {
        let lines = self.lines.as_ref()?;
        let written = &self.mark(pointer).0.value;
        let text = self.value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        Some(lines.span(&lines.inside(written, text, offset)))
    }

    /// What is written for a value.
    #[must_use]
    pub fn written(&self, pointer: &str) -> &str {
        self.lines.as_ref().map_or("", |lines| lines.written(&self.mark(pointer).0.value))
    }

    /// The text from where a value begins: of a mapping or a list only its beginning is known. None when there is no text.
    pub(crate) fn text_from(&self, pointer: &str) -> Option<&str> {
        let start = self.mark(pointer).0.value.start;
        self.lines.as_ref().map(|lines| lines.text_of(&(start..usize::MAX)))
    }

    /// Whether the document has something at this pointer.
    #[must_use]
    pub fn has(&self, pointer: &str) -> bool {
        self.value.pointer(pointer).is_some()
    }

    /// The mark of a pointer, or of the nearest part above it, and which of the two it is.
    fn mark(&self, pointer: &str) -> (&Mark, bool) {
        let mut mark = &self.root;
        for key in pointer.split('/').skip(1) {
            let next = match &mark.below {
                Below::Nothing => None,
                Below::List(items) => key.parse::<usize>().ok().and_then(|n| items.get(n)),
                Below::Map(entries) => entries.get(&unescaped(key)),
            };
            match next {
                Some(next) => mark = next,
                None => return (mark, false),
            }
        }
        (mark, true)
    }
}

/// A key as it is written in a JSON pointer.
#[must_use]
pub fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

pub(crate) fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}
