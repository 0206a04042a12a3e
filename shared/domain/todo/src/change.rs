//! Changing a to-do.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::todo::{Note, Priority, State, Todo};
use crate::words::{Day, Tag};
use crate::{MAX_NOTED, MAX_NOTES, MAX_TAGS};

/// What is to be different. What is none stays as it is; of what may be empty, `Some(None)` empties it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// The state.
    pub state: Option<State>,
    /// The priority.
    pub priority: Option<Option<Priority>>,
    /// The deadline.
    pub deadline: Option<Option<Day>>,
    /// The day on which to begin.
    pub scheduled: Option<Option<Day>>,
    /// Tags that it gets.
    pub add_tags: Vec<Tag>,
    /// Tags that it loses.
    pub remove_tags: Vec<Tag>,
    /// What is noted on it.
    pub add_note: Option<String>,
}

/// A to-do after a change, and which of its fields are not as they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// The to-do.
    pub todo: Todo,
    /// The fields, by their names.
    pub updated_fields: Vec<String>,
}

impl Todo {
    /// The to-do after a change. None when it would have more tags than one may have.
    #[must_use]
    pub fn changed(&self, change: &Change, now: Timestamp) -> Option<Changed> {
        let mut new = self.clone();
        let Change { state, priority, deadline, scheduled, .. } = change.clone();
        new.priority = priority.unwrap_or(new.priority);
        new.deadline = deadline.unwrap_or(new.deadline);
        new.scheduled = scheduled.unwrap_or(new.scheduled);
        new.tags = tags(&self.tags, &change.add_tags, &change.remove_tags)?;
        new.notes.extend(change.add_note.clone().map(|text| Note { at: now, text }));
        new.notes.drain(..oldest(&new.notes));
        if let Some(state) = state {
            new.move_to(state, now);
        }
        let updated_fields = self.differs(&new);
        if !updated_fields.is_empty() {
            new.updated_at = now;
            new.version += 1;
        }
        Some(Changed { todo: new, updated_fields })
    }

    /// What is done stays done since when it was; what is taken up again is not.
    fn move_to(&mut self, state: State, now: Timestamp) {
        self.state = state;
        self.completed_at = match state {
            State::Done => self.completed_at.or(Some(now)),
            _ => None,
        };
    }

    fn differs(&self, new: &Self) -> Vec<String> {
        let fields = [
            ("state", self.state != new.state),
            ("priority", self.priority != new.priority),
            ("deadline", self.deadline != new.deadline),
            ("scheduled", self.scheduled != new.scheduled),
            ("tags", self.tags != new.tags),
            ("notes", self.notes != new.notes),
        ];
        fields
            .into_iter()
            .filter(|(_, differs)| *differs)
            .map(|(name, _)| name.to_owned())
            .collect()
    }
}

/// How many notes go: the newest stay, as many as fit.
fn oldest(notes: &[Note]) -> usize {
    let mut noted = 0;
    let fits = |note: &&Note| {
        noted += note.text.len();
        noted <= MAX_NOTED
    };
    notes.len() - notes.iter().rev().take(MAX_NOTES).take_while(fits).count()
}

/// The tags that are left, sorted, each once. None when they are too many.
fn tags(old: &[Tag], add: &[Tag], remove: &[Tag]) -> Option<Vec<Tag>> {
    let mut all: Vec<Tag> = old.iter().chain(add).cloned().collect();
    all.retain(|tag| !remove.contains(tag));
    all.sort();
    all.dedup();
    (all.len() <= MAX_TAGS).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::org::tests::{at, todo};

    fn tags_of(words: &[&str]) -> Vec<Tag> {
        words.iter().map(|word| word.parse().unwrap()).collect()
    }

    fn check(change: &Change, fields: &[&str]) -> Todo {
        let changed = todo("Call Bo").changed(change, at(5)).unwrap();
        assert_eq!(changed.updated_fields, fields);
        changed.todo
    }

    #[test]
    fn f_077_what_changed_is_named_and_what_did_not_is_not() {
        let old = todo("Call Bo");
        let same = check(&Change::default(), &[]);
        assert_eq!(same, old);
        let add_tags = tags_of(&["work", "a", "work"]);
        let deadline = Some(Some("2026-12-01".parse().unwrap()));
        let change = Change { add_tags, deadline, priority: Some(None), ..Change::default() };
        let new = check(&change, &["deadline", "tags"]);
        assert_eq!((new.version, new.tags), (old.version + 1, tags_of(&["a", "work"])));
        let many: Vec<Tag> = (0..=MAX_TAGS).map(|n| format!("t{n}").parse().unwrap()).collect();
        let change = Change { add_tags: many, ..Change::default() };
        assert_eq!(old.changed(&change, at(5)), None);
    }

    #[test]
    fn f_078_what_is_done_keeps_its_time_and_what_is_taken_up_again_has_none() {
        let to = |state| Change { state: Some(state), ..Change::default() };
        let done = check(&to(State::Done), &["state"]);
        assert_eq!(done.completed_at, Some(at(5)));
        let again = done.changed(&to(State::Done), at(9)).unwrap();
        assert_eq!((again.todo.completed_at, again.updated_fields), (Some(at(5)), Vec::new()));
        let open = done.changed(&to(State::Next), at(9)).unwrap();
        assert_eq!(open.todo.completed_at, None);
    }

    #[test]
    fn f_077_the_newest_notes_are_kept() {
        let mut todo = todo("Call Bo");
        for n in 0..MAX_NOTES + 3 {
            let change = Change { add_note: Some(n.to_string()), ..Change::default() };
            todo = todo.changed(&change, at(5)).unwrap().todo;
        }
        let first = todo.notes.first().map(|note| note.text.clone());
        assert_eq!((todo.notes.len(), first.as_deref()), (MAX_NOTES, Some("3")));
        let long = Change { add_note: Some("x".repeat(MAX_NOTED - 1)), ..Change::default() };
        todo = todo.changed(&long, at(5)).unwrap().todo;
        assert_eq!(todo.notes.len(), 1, "the older ones have more bytes together than fit");
    }
}
