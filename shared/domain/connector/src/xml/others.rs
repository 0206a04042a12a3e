//! Values that are not kept although their field has one: of a figure another one, of a list one too many.

use std::collections::HashMap;

use crate::reading::shown;

/// Warnings kept of one file.
pub(super) const MAX_WARNINGS: usize = 1_000;

/// Whose field it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    Document,
    Record(usize),
}

/// The first of them of each field, as long as there are not too many; the rest are counted.
#[derive(Default)]
pub(super) struct Others {
    first: HashMap<(Owner, usize), String>,
    /// How many more fields of records have some, by the field.
    more: HashMap<usize, u64>,
    /// The last record that was counted there for a field.
    counted: HashMap<usize, Owner>,
}

impl Others {
    pub(super) fn note(&mut self, owner: Owner, field: usize, text: &str) {
        let place = (owner, field);
        if self.first.len() < MAX_WARNINGS || self.first.contains_key(&place) {
            self.first.entry(place).or_insert_with(|| shown(text));
        } else if self.counted.get(&field) != Some(&owner) {
            self.counted.insert(field, owner);
            *self.more.entry(field).or_default() += 1;
        }
    }

    /// What was kept is replaced by something better, of which no other is known.
    pub(super) fn forget(&mut self, owner: Owner, field: usize) {
        self.first.remove(&(owner, field));
    }

    pub(super) fn of(&self, owner: Owner, field: usize) -> Option<&String> {
        self.first.get(&(owner, field))
    }

    /// How many are not kept, by the field.
    pub(super) fn more(&self) -> impl Iterator<Item = (usize, u64)> {
        self.more.iter().map(|(field, count)| (*field, *count))
    }
}
