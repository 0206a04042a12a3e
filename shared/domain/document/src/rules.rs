//! What one part of a document says about another.

use crate::mend::Mend;
use crate::problem::{Problem, Severity};
use crate::span::Span;
use crate::tree::{Tree, escaped};

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
