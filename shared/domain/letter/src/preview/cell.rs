//! A value in a table or beside its name.

use countersign_approval::Column;
use serde_json::Value;

use super::flat;
use crate::format::formatted;
use crate::text::{Room, Shown};

/// A value: as it is, and as its column asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// The value as it is.
    pub raw: Shown,
    /// The value written for people, where that differs.
    pub formatted: Option<String>,
    /// Whether the row has no such field.
    pub missing: bool,
    /// Items and fields inside the value that are not shown.
    pub left_out: usize,
}

impl Cell {
    /// The value written for people; empty when it is written as it is.
    #[must_use]
    pub fn written(&self) -> &str {
        self.formatted.as_deref().unwrap_or_default()
    }

    /// `3 more values inside`, where some are not shown.
    #[must_use]
    pub fn rest(&self) -> Option<String> {
        let s = if self.left_out == 1 { "" } else { "s" };
        (self.left_out > 0).then(|| format!("{} more value{s} inside", self.left_out))
    }

    /// Whether characters of the value, or something inside it, are not shown.
    pub(crate) fn is_cut(&self) -> bool {
        self.raw.cut() + self.left_out > 0
    }

    /// The cell of a value; of a list its count and first items.
    pub(crate) fn head(value: Option<&Value>, column: &Column, room: Room) -> Self {
        Self::of(value.map(flat::head), column, room)
    }

    /// The cell of all of a value.
    pub(crate) fn whole(value: Option<&Value>, column: &Column, room: Room) -> Self {
        Self::of(value.map(|value| (flat::whole(value), 0)), column, room)
    }

    fn of(written: Option<(String, usize)>, column: &Column, room: Room) -> Self {
        let Some((written, left_out)) = written else {
            return Self { missing: true, ..Self::default() };
        };
        let written = if written.is_empty() { "\"\"".to_owned() } else { written };
        Self {
            formatted: formatted(&written, column),
            raw: Shown::new(&written, room.of(&written)),
            missing: false,
            left_out,
        }
    }
}
