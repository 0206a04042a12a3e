//! What one part of a document says about another.

use serde_json::Value;

use crate::inside::lone_key;
use crate::mend::Mend;
use crate::problem::{Problem, Severity};
use crate::span::Span;
use crate::tree::{Tree, escaped};
use crate::words::{self, Wording};

/// Where the rules of a document report what they find. Pointers are relative to the part that [`Rules::within`] is in.
pub struct Rules<'t> {
    tree: &'t Tree,
    mends: &'t [Mend],
    base: String,
    found: Vec<Problem>,
}

impl<'t> Rules<'t> {
    pub(crate) fn new(tree: &'t Tree, mends: &'t [Mend]) -> Self {
        Self { tree, mends, base: String::new(), found: Vec::new() }
    }

    pub(crate) fn into_found(self) -> Vec<Problem> {
        self.found
    }

    /// Reports about the part under a key, or an entry of a list.
    pub fn within(&mut self, key: impl std::fmt::Display, report: impl FnOnce(&mut Self)) {
        let length = self.base.len();
        self.base = format!("{}/{}", self.base, escaped(&key.to_string()));
        report(self);
        self.base.truncate(length);
    }

    /// Whether nothing replaces this part or one inside it, so that something can be said about its absence.
    #[must_use]
    pub fn is_sound(&self, pointer: &str) -> bool {
        let pointer = self.whole(pointer);
        !self.mends.iter().any(|mend| mend.touches(&pointer))
    }

    /// Where a value is written; of one that is left out, what should hold it.
    #[must_use]
    pub fn span(&self, pointer: &str) -> Option<Span> {
        self.tree.span(&self.whole(pointer))
    }

    /// Whether a key is there, with or without a value.
    #[must_use]
    pub fn has_key(&self, pointer: &str) -> bool {
        self.tree.has(&self.whole(pointer))
    }

    /// Whether the document itself has something there.
    #[must_use]
    pub fn is_written(&self, pointer: &str) -> bool {
        self.tree.value.pointer(&self.whole(pointer)).is_some_and(|value| !value.is_null())
    }

    /// An error at a value; of one that is left out, at what should hold it.
    pub fn error(&mut self, code: &str, pointer: &str, message: impl Into<String>) {
        self.hinted(code, pointer, message, None);
    }

    /// An error with a hint.
    pub fn hinted(
        &mut self,
        code: &str,
        pointer: &str,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        let pointer = self.whole(pointer);
        let span = self.tree.span(&pointer);
        self.push(Problem::error(code, pointer, message).at(span).hint(hint));
    }

    /// An error at a key.
    pub fn at_key(
        &mut self,
        code: &str,
        pointer: &str,
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        let pointer = self.whole(pointer);
        let span = self.tree.key_span(&pointer);
        self.push(Problem::error(code, pointer, message).at(span).hint(hint));
    }

    /// An error at a byte of a string.
    pub fn inside(
        &mut self,
        code: &str,
        (pointer, offset): (&str, usize),
        message: impl Into<String>,
        hint: impl Into<Option<String>>,
    ) {
        let pointer = self.whole(pointer);
        let span = self.tree.span_inside(&pointer, offset);
        self.push(Problem::error(code, pointer, message).at(span).hint(hint));
    }

    /// A warning at a value.
    pub fn warning(&mut self, code: &str, pointer: &str, message: impl Into<String>) {
        let pointer = self.whole(pointer);
        let span = self.tree.span(&pointer);
        let problem = Problem::error(code, pointer, message).at(span);
        self.push(Problem { severity: Severity::Warning, ..problem });
    }

    /// Whether a value is a reference without quotes, such as `{name}`: YAML reads it as a mapping with a key and no value.
    #[must_use]
    pub fn is_unquoted(&self, pointer: &str) -> bool {
        let pointer = self.whole(pointer);
        let value = self.tree.value.pointer(&pointer);
        value.is_some_and(|value| unquoted(self.tree, &pointer, value, &|_| false).is_some())
    }

    /// Reports every reference without quotes in a part. Where there is no text, what was written is not known: then it is one
    /// if the only key of a mapping without a value `is_known` as a reference.
    pub fn refuse_unquoted(&mut self, code: &str, pointer: &str, is_known: &dyn Fn(&str) -> bool) {
        let pointer = self.whole(pointer);
        let Some(value) = self.tree.value.pointer(&pointer) else { return };
        let mut found = Vec::new();
        each_unquoted(self.tree, pointer, value, is_known, &mut found);
        for (pointer, name) in found {
            let Wording { message, hint } = words::unquoted(name);
            let span = self.tree.span(&pointer);
            self.push(Problem::error(code, pointer, message).at(span).hint(hint));
        }
    }

    /// A problem of this part: its pointer is relative. One without a span gets that of the value.
    pub fn report(&mut self, problem: Problem) {
        let pointer = self.whole(&problem.pointer);
        let span = problem.span.or_else(|| self.tree.span(&pointer));
        self.push(Problem { pointer, span, ..problem });
    }

    /// A problem that was made elsewhere. Its pointer is that of the whole document.
    pub fn push(&mut self, problem: Problem) {
        // Nothing is said about what replaces something broken.
        if !self.mends.iter().any(|mend| mend.replaces(&problem.pointer)) {
            self.found.push(problem);
        }
    }

    fn whole(&self, pointer: &str) -> String {
        format!("{}{pointer}", self.base)
    }
}

fn each_unquoted<'t>(
    tree: &'t Tree,
    pointer: String,
    value: &'t Value,
    is_known: &dyn Fn(&str) -> bool,
    found: &mut Vec<(String, &'t str)>,
) {
    if let Some(name) = unquoted(tree, &pointer, value, is_known) {
        return found.push((pointer, name));
    }
    match value {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                each_unquoted(tree, format!("{pointer}/{n}"), item, is_known, found);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                let below = format!("{pointer}/{}", escaped(key));
                each_unquoted(tree, below, item, is_known, found);
            }
        }
        _ => {}
    }
}

/// What is between the braces of a reference without quotes.
fn unquoted<'t>(
    tree: &Tree,
    pointer: &str,
    value: &'t Value,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<&'t str> {
    let key = lone_key(value)?;
    let is_meant = match tree.text_from(pointer) {
        None => is_known(key),
        Some(text) => {
            let inside = text.strip_prefix('{').and_then(|rest| rest.split_once('}'));
            inside.is_some_and(|(inside, _)| inside.trim() == key)
        }
    };
    is_meant.then_some(key)
}
