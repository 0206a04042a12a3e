//! What the tables hold of schedules and of what was due, with the conditions under which the store writes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};
use std::rc::Rc;

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OpenOccurrence, OpenPlace};
use countersign_schedule::{ScheduleId, ScheduleSpec, Sweeps};
use jiff::Timestamp;

use super::runs::Runs;

/// When a schedule is due next, and the version of that record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DueNext {
    pub(super) of: usize,
    pub(super) at: Timestamp,
    pub(super) version: u64,
}

/// Hours in which no run of a schedule begins.
#[derive(Debug)]
pub(super) struct Trouble {
    /// Whether runs are refused; else nothing answers.
    pub(super) refuses: bool,
    pub(super) hours: Range<Timestamp>,
}

/// A schedule as it is stored.
#[derive(Debug)]
pub(super) struct StoredSchedule {
    pub(super) id: ScheduleId,
    pub(super) owner: UserId,
    pub(super) spec: ScheduleSpec,
    pub(super) trouble: Option<Trouble>,
}

/// Which open occurrences: those that are due or wait, or those whose run has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Open {
    Waiting,
    Begun,
}

/// A page of a list; what follows is behind `next`.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) items: Vec<OpenOccurrence>,
    pub(super) next: Option<String>,
}

/// Who has the turn of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) occurrence: OccurrenceId,
    pub(super) version: u64,
}

/// The tables.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    schedules: Vec<Rc<StoredSchedule>>,
    next: BTreeMap<usize, DueNext>,
    /// The index of what is due, by time.
    due: BTreeSet<(Timestamp, usize)>,
    occurrences: BTreeMap<OccurrenceId, Occurrence>,
    /// The marks of what is not at its end, by id.
    open: BTreeMap<String, OpenOccurrence>,
    /// Those of them whose run has not begun, owner by owner.
    waiting: BTreeMap<String, OpenOccurrence>,
    /// The marks of what is to be said.
    unsaid: BTreeSet<OccurrenceId>,
    turns: BTreeMap<String, Turn>,
    unbegun: BTreeMap<OccurrenceId, Timestamp>,
    places: BTreeMap<Open, OpenPlace>,
    pub(super) sweeps: Option<Sweeps>,
    pub(super) runs: Runs,
}

impl Ledger {
    pub(super) fn add(&mut self, schedule: StoredSchedule, next: Option<Timestamp>) {
        let of = self.schedules.len();
        self.schedules.push(Rc::new(schedule));
        self.set_next(of, next.map(|at| DueNext { of, at, version: 1 }));
    }

    pub(super) fn count(&self) -> usize {
        self.schedules.len()
    }

    pub(super) fn schedule(&self, of: usize) -> Rc<StoredSchedule> {
        Rc::clone(&self.schedules[of])
    }

    /// The schedule of this id: its number in hexadecimal digits.
    pub(super) fn source(&self, id: &str) -> Option<Rc<StoredSchedule>> {
        let (_, digits) = id.split_once('_')?;
        self.schedules.get(usize::from_str_radix(digits, 16).ok()?).cloned()
    }

    pub(super) fn due_next(&self, of: usize) -> Option<DueNext> {
        self.next.get(&of).copied()
    }

    /// Schedules that are due by this moment, the longest overdue first.
    pub(super) fn overdue(&self, now: Timestamp, most: usize) -> Vec<usize> {
        let due = self.due.range(..=(now, usize::MAX));
        due.take(most).map(|(_, schedule)| *schedule).collect()
    }

    /// Moves a schedule on, unless somebody else did.
    pub(super) fn move_on(&mut self, from: DueNext, next: Option<Timestamp>) -> bool {
        let is_kept = self.due_next(from.of) == Some(from);
        if is_kept {
            let version = from.version + 1;
            self.set_next(from.of, next.map(|at| DueNext { at, version, ..from }));
        }
        is_kept
    }

    fn set_next(&mut self, of: usize, next: Option<DueNext>) {
        if let Some(before) = self.next.remove(&of) {
            self.due.remove(&(before.at, of));
        }
        self.due.extend(next.map(|next| (next.at, of)));
        self.next.extend(next.map(|next| (of, next)));
    }

    /// Enters an occurrence, once, with its marks.
    pub(super) fn notice(&mut self, of: &Occurrence) -> bool {
        let is_new = !self.occurrences.contains_key(&of.id);
        if is_new {
            self.write(of);
        }
        is_new
    }

    /// Replaces an occurrence by its next version, unless it has changed in between.
    pub(super) fn move_occurrence(&mut self, after: &Occurrence) -> bool {
        let before = self.occurrences.get(&after.id);
        let is_next = before.is_some_and(|before| before.version + 1 == after.version);
        if is_next {
            self.write(after);
        }
        is_next
    }

    fn write(&mut self, of: &Occurrence) {
        if let Some(before) = self.open.remove(of.id.as_str()) {
            self.waiting.remove(&before.place());
        }
        if let Some(open) = OpenOccurrence::of(of) {
            if open.is_waiting {
                self.waiting.insert(open.place(), open.clone());
            }
            self.open.insert(of.id.to_string(), open);
        }
        self.unsaid.extend(of.is_to_be_said().then(|| of.id.clone()));
        self.occurrences.insert(of.id.clone(), of.clone());
    }

    pub(super) fn occurrence(&self, id: &OccurrenceId) -> Option<Occurrence> {
        self.occurrences.get(id).cloned()
    }

    pub(super) fn occurrences(&self) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.values()
    }

    /// What is not at its end of one source, those that were due first in front.
    pub(super) fn open_of(&self, source: &str, limit: usize, after: Option<&str>) -> Page {
        let prefix = format!("{source}-");
        let from = after.map_or(Bound::Included(prefix.as_str()), Bound::Excluded);
        let open = self.open.range::<str, _>((from, Bound::Unbounded));
        page(open.take_while(|(id, _)| id.starts_with(&prefix)), limit)
    }

    /// What is not at its end behind a place. The list of those that have begun is the list of all.
    pub(super) fn open_behind(&self, which: Open, after: Option<&str>, limit: usize) -> Page {
        let list = match which {
            Open::Waiting => &self.waiting,
            Open::Begun => &self.open,
        };
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut read = page(list.range::<str, _>((from, Bound::Unbounded)), limit);
        read.items.retain(|open| open.is_waiting == (which == Open::Waiting));
        read
    }

    /// How many of an owner are due or wait, counted up to a number.
    pub(super) fn waiting_of(&self, owner: &UserId, many: usize) -> usize {
        let prefix = OpenOccurrence::waiting_of(owner);
        let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        let waiting = self.waiting.range::<str, _>(from);
        waiting.take_while(|(place, _)| place.starts_with(&prefix)).take(many).count()
    }

    pub(super) fn place_of_open(&self, which: Open) -> OpenPlace {
        self.places.get(&which).cloned().unwrap_or_default()
    }

    pub(super) fn set_place_of_open(&mut self, which: Open, place: &OpenPlace) {
        self.places.insert(which, place.clone());
    }

    pub(super) fn turn(&self, source: &str) -> Option<Turn> {
        self.turns.get(source).cloned()
    }

    /// Gives an occurrence the turn of its source, unless that has changed since this version was seen; 0 is that of none.
    pub(super) fn put_turn(&mut self, of: &Occurrence, seen: u64) -> bool {
        let version = self.turns.get(&of.source_id).map_or(0, |turn| turn.version);
        if version == seen {
            let turn = Turn { occurrence: of.id.clone(), version: seen + 1 };
            self.turns.insert(of.source_id.clone(), turn);
        }
        version == seen
    }

    /// When an occurrence could not be begun for the first time; that is now, unless it was noted before.
    pub(super) fn unbegun_since(&mut self, id: &OccurrenceId, now: Timestamp) -> Timestamp {
        *self.unbegun.entry(id.clone()).or_insert(now)
    }

    pub(super) fn unsaid(&self, most: usize) -> Vec<OccurrenceId> {
        self.unsaid.iter().take(most).cloned().collect()
    }

    pub(super) fn said(&mut self, id: &OccurrenceId) {
        self.unsaid.remove(id);
    }

    /// Whether everything that was due by this moment is at its end, and was said.
    pub(super) fn is_done(&self, by: Timestamp) -> bool {
        self.open.is_empty() && self.unsaid.is_empty() && self.overdue(by, 1).is_empty()
    }
}

fn page<'l>(list: impl Iterator<Item = (&'l String, &'l OpenOccurrence)>, limit: usize) -> Page {
    let (mut items, mut last) = (Vec::new(), None);
    for (place, open) in list.take(limit) {
        items.push(open.clone());
        last = Some(place.clone());
    }
    let next = last.filter(|_| items.len() == limit);
    Page { items, next }
}
