//! Places in the source, and where problems are collected.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic, Place};

/// The most problems that are reported; whoever has more will compile again.
const MAX_DIAGNOSTICS: usize = 100;

/// A stretch of the source, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Finds lines and columns.
#[derive(Debug)]
pub(crate) struct Lines<'s> {
    text: &'s str,
    starts: Vec<usize>,
}

impl<'s> Lines<'s> {
    pub(crate) fn of(text: &'s str) -> Self {
        let starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// The place of a stretch, cut at the end of its first line and at least one character long.
    pub(crate) fn place(&self, spot: Spot) -> Place {
        let start = self.boundary(spot.start);
        let row = self.starts.partition_point(|&line| line <= start).saturating_sub(1);
        let line = self.starts[row];
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        let end = self.boundary(spot.end).clamp(start, line_end.max(start));
        let stretch = self.text[start..end].trim_end();
        let end = start + stretch.len();
        Place {
            line: count(row + 1),
            column: count(self.text[line..start].chars().count() + 1),
            length: count(stretch.chars().count().max(1)),
            start,
            end,
        }
    }

    /// The bytes of one character at a line and column, both from 1.
    pub(crate) fn at(&self, line: u64, column: u64) -> Range<usize> {
        let row = usize::try_from(line)
            .unwrap_or(usize::MAX)
            .saturating_sub(1)
            .min(self.starts.len() - 1);
        let start = self.starts[row];
        let before = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
        let mut chars = self.text[start..].char_indices();
        let at = chars.nth(before).map_or(self.text.len(), |(at, _)| start + at);
        at..at + 1
    }

    /// The stretch of `part` inside a node, if the node is written in one piece; otherwise the node.
    pub(crate) fn narrow(&self, spot: Spot, part: &str) -> Spot {
        let (start, end) = (self.boundary(spot.start), self.boundary(spot.end));
        let found =
            self.text.get(start..end).filter(|_| !part.is_empty()).and_then(|text| text.find(part));
        found.map_or(spot, |at| Spot { start: start + at, end: start + at + part.len() })
    }

    /// What is written there.
    pub(crate) fn written(&self, spot: Spot) -> &'s str {
        self.text.get(self.boundary(spot.start)..self.boundary(spot.end)).unwrap_or_default().trim()
    }

    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Collects problems.
#[derive(Debug)]
pub(crate) struct Sink<'s> {
    pub(crate) lines: &'s Lines<'s>,
    diagnostics: Vec<Diagnostic>,
    step: Option<String>,
}

impl<'s> Sink<'s> {
    pub(crate) fn new(lines: &'s Lines<'s>) -> Self {
        Self { lines, diagnostics: Vec::new(), step: None }
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
        let place = if self.is_full() { Place::default() } else { self.lines.place(spot) };
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
