//! Positions in a text.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of one line of the text.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "TextSpan")]
pub struct Span {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// In characters; at least 1, and not beyond the end of the line.
    #[serde(default)]
    pub length: u32,
    /// The start in bytes.
    #[serde(skip)]
    pub start: usize,
    /// The end in bytes.
    #[serde(skip)]
    pub end: usize,
}

impl Span {
    /// The bytes of the span, within a text of this length.
    pub(crate) fn range(&self, length: usize) -> Range<usize> {
        let start = self.start.min(length);
        start..self.end.clamp(start, length)
    }
}

/// Finds lines and columns of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    text: String,
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let below = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text: text.to_owned(), starts: std::iter::once(0).chain(below).collect() }
    }

    /// The span of some bytes, cut at the end of their first line.
    pub(crate) fn span(&self, bytes: &Range<usize>) -> Span {
        let start = self.boundary(bytes.start);
        let row = self.starts.partition_point(|line| *line <= start).saturating_sub(1);
        let line = self.starts.get(row).copied().unwrap_or_default();
        let rest = &self.text[start..];
        let line_end = start + rest.find('\n').unwrap_or(rest.len());
        let end = self.boundary(bytes.end).clamp(start, line_end);
        let part = self.text[start..end].trim_end();
        Span {
            line: count(row + 1),
            column: count(self.text[line..start].chars().count() + 1),
            length: count(part.chars().count().max(1)),
            start,
            end: start + part.len(),
        }
    }

    /// The byte of a line and a column, both from 1.
    pub(crate) fn byte(&self, line: u64, column: u64) -> usize {
        let row = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        let start = self.starts.get(row).or(self.starts.last()).copied().unwrap_or_default();
        let before = usize::try_from(column).unwrap_or(usize::MAX).saturating_sub(1);
        let mut characters = self.text[start..].char_indices();
        characters.nth(before).map_or(self.text.len(), |(at, _)| start + at)
    }

    /// The first tab among the white space that a line begins with, of so many lines that are not blank: that of a byte, and those below.
    pub(crate) fn indenting_tab(&self, near: usize, most: usize) -> Option<usize> {
        let row = self.starts.partition_point(|line| *line <= near).saturating_sub(1);
        let is_first = |at: &usize| *at == row;
        let rows =
            (row..self.starts.len()).filter(|at| is_first(at) || !self.line(*at).trim().is_empty());
        rows.take(most).find_map(|row| {
            let line = self.line(row);
            let space = line.len() - line.trim_start_matches([' ', '\t']).len();
            Some(self.starts.get(row)? + line[..space].find('\t')?)
        })
    }

    /// The first tab at or behind a byte in its line.
    pub(crate) fn tab_behind(&self, at: usize) -> Option<usize> {
        let at = self.boundary(at);
        let rest = self.text[at..].lines().next()?;
        rest.find('\t').map(|tab| at + tab)
    }

    /// A line, from 0, with what ends it.
    fn line(&self, row: usize) -> &str {
        let from = self.starts.get(row).copied().unwrap_or(self.text.len());
        let to = self.starts.get(row + 1).copied().unwrap_or(self.text.len());
        &self.text[from..to]
    }

    /// What is written there, without the space around it.
    pub(crate) fn written(&self, bytes: &Range<usize>) -> &str {
        self.text_of(bytes).trim()
    }

    pub(crate) fn text_of(&self, bytes: &Range<usize>) -> &str {
        let (start, end) = (self.boundary(bytes.start), self.boundary(bytes.end));
        self.text.get(start..end).unwrap_or_default()
    }

    /// The bytes of one byte of a value that is written at `at` over several lines. It is the start of the value when
    /// its lines are not in the text as they are, which is so for a folded string.
    pub(crate) fn inside(&self, at: &Range<usize>, value: &str, offset: usize) -> Range<usize> {
        let before = value.get(..offset).unwrap_or(value);
        let lines: Vec<&str> = value.trim_end().lines().collect();
        let wanted = before.matches('\n').count().min(lines.len().saturating_sub(1));
        let column = before.rsplit('\n').next().unwrap_or_default().len();
        let first = self.starts.partition_point(|line| *line <= at.start).saturating_sub(1);
        // On the line of the key, or on the line below `|`.
        for row in [first, first + 1] {
            if let Some(start) = self.start_of(row, &lines, wanted) {
                let shown = lines.get(wanted).map_or(0, |line| line.len());
                let byte = self.boundary(start + column.min(shown));
                return byte..byte;
            }
        }
        at.clone()
    }

    /// The byte at which one of several lines starts, when the text has all of them from this row.
    fn start_of(&self, row: usize, lines: &[&str], wanted: usize) -> Option<usize> {
        let mut found = None;
        for (number, line) in lines.iter().enumerate() {
            let from = *self.starts.get(row + number)?;
            let to = self.starts.get(row + number + 1).copied().unwrap_or(self.text.len());
            let at = from + self.text.get(from..to)?.find(line)?;
            found = if number == wanted { Some(at) } else { found };
        }
        found
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
