//! Values that are not kept although their field has one: of a figure another one, of a list one too many.

use std::collections::{HashMap, HashSet};

use crate::reading::shown;

/// Warnings kept of one file.
pub(super) const MAX_WARNINGS: usize = 1_000;

/// Whose field it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    Document,
    Record(usize),
}

/// The first of them of each field, as long as there are not too many; of the rest, which fields have some.
#[derive(Default)]
pub(super) struct Others {
    first: HashMap<(Owner, usize), String>,
    rest: HashSet<(Owner, usize)>,
}

impl Others {
    pub(super) fn note(&mut self, owner: Owner, field: usize, text: &str) {
        let place = (owner, field);
        // A value of the document is copied into every record, and there are no more of them than fields.
        let has_room = self.first.len() < MAX_WARNINGS || owner == Owner::Document;
        if has_room || self.first.contains_key(&place) {
            self.first.entry(place).or_insert_with(|| shown(text));
        } else {
            self.rest.insert(place);
        }
    }

    /// What was kept is replaced by something better, of which no other is known.
    pub(super) fn forget(&mut self, owner: Owner, field: usize) {
        self.first.remove(&(owner, field));
        self.rest.remove(&(owner, field));
    }

    pub(super) fn of(&self, owner: Owner, field: usize) -> Option<&String> {
        self.first.get(&(owner, field))
    }

    /// Whether a field of a record has some that are not kept.
    pub(super) fn has_more(&self, record: usize, field: usize) -> bool {
        self.rest.contains(&(Owner::Record(record), field))
    }
}
