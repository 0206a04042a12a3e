//! Places in the source, and where problems are collected.

use std::ops::Range;

use countersign_document::Tree;

use crate::diagnostic::{Code, Diagnostic, Place};

/// The most problems that are reported; whoever has more will compile again.
const MAX_DIAGNOSTICS: usize = 100;

/// A stretch of the source, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl From<Range<usize>> for Spot {
    fn from(Range { start, end }: Range<usize>) -> Self {
        Self { start, end }
    }
}

/// A text and where it is.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) spot: Spot,
}

/// Collects problems.
#[derive(Debug)]
pub(crate) struct Sink<'s> {
    tree: &'s Tree,
    diagnostics: Vec<Diagnostic>,
    step: Option<String>,
}

impl<'s> Sink<'s> {
    pub(crate) fn new(tree: &'s Tree) -> Self {
        Self { tree, diagnostics: Vec::new(), step: None }
    }

    /// The place of a stretch, cut at the end of its first line and at least one character long.
    pub(crate) fn place(&self, spot: Spot) -> Place {
        self.tree.span_of(&(spot.start..spot.end)).unwrap_or_default()
    }

    /// The stretch of `part` inside a value, if the value is written in one piece; otherwise the value.
    pub(crate) fn narrow(&self, spot: Spot, part: &str) -> Spot {
        let text = self.tree.text_of(&(spot.start..spot.end));
        let found = if part.is_empty() { None } else { text.find(part) };
        found.map_or(spot, |at| Spot { start: spot.start + at, end: spot.start + at + part.len() })
    }

    /// What follows concerns this step. Gives back the one before.
    pub(crate) fn enter(&mut self, step: Option<String>) -> Option<String> {
        std::mem::replace(&mut self.step, step)
    }

    /// A problem of the current step.
    pub(crate) fn problem(
        &self,
        code: Code,
        spot: Spot,
        field: &str,
        message: impl Into<String>,
    ) -> Diagnostic {
        // A place costs a walk along its line; what is not kept needs none.
        let place = if self.is_full() { Place::default() } else { self.place(spot) };
        let mut diagnostic = Diagnostic::new(code, place, message);
        diagnostic.step.clone_from(&self.step);
        field.clone_into(&mut diagnostic.field);
        diagnostic
    }

    /// Whether further problems are not kept, so that nobody needs to look for them.
    pub(crate) fn is_full(&self) -> bool {
        self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if !self.is_full() {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(crate) fn report(
        &mut self,
        code: Code,
        spot: Spot,
        field: &str,
        message: impl Into<String>,
    ) {
        let diagnostic = self.problem(code, spot, field, message);
        self.push(diagnostic);
    }

    /// Whether this was reported already.
    pub(crate) fn has(&self, code: Code, message: &str) -> bool {
        self.diagnostics.iter().any(|one| one.code == code && one.message == message)
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Every problem, in the order of the source.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|a| (a.place.start, a.code));
        self.diagnostics.dedup();
        self.diagnostics
    }
}
