//! What the tables hold of schedules and of what was due, with the conditions under which the store writes.

use std::collections::{BTreeMap, BTreeSet};

use countersign_run::{Occurrence, OccurrenceId, OccurrenceState, RunId, RunStatus};
use countersign_schedule::ScheduleSpec;
use jiff::Timestamp;

/// When a schedule is due next, and the version of that record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DueNext {
    pub(super) at: Timestamp,
    pub(super) version: u64,
}

/// A schedule as it is stored.
#[derive(Debug)]
pub(super) struct StoredSchedule {
    /// Its id, `sched_…`.
    pub(super) id: String,
    pub(super) spec: ScheduleSpec,
    /// None once it is never due again.
    pub(super) next: Option<DueNext>,
}

/// A run that was started.
#[derive(Debug)]
pub(super) struct Run {
    /// When it ends, and how.
    pub(super) ends: (Timestamp, RunStatus),
    /// How many asked for it; it ran once.
    pub(super) asked: u32,
}

/// The tables.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) schedules: Vec<StoredSchedule>,
    /// The index of what is due, by time.
    due: BTreeSet<(Timestamp, usize)>,
    occurrences: BTreeMap<OccurrenceId, Occurrence>,
    /// The marks of what is not at its end.
    open: BTreeSet<OccurrenceId>,
    pub(super) runs: BTreeMap<RunId, Run>,
}

impl Ledger {
    pub(super) fn add(&mut self, id: String, spec: ScheduleSpec, next: Option<Timestamp>) {
        let next = next.map(|at| DueNext { at, version: 1 });
        self.due.extend(next.map(|next| (next.at, self.schedules.len())));
        self.schedules.push(StoredSchedule { id, spec, next });
    }

    /// Schedules that are due by this moment, the longest overdue first.
    pub(super) fn overdue(&self, now: Timestamp, most: usize) -> Vec<usize> {
        let due = self.due.range(..=(now, usize::MAX));
        due.take(most).map(|(_, schedule)| *schedule).collect()
    }

    /// Moves a schedule on, unless somebody else did.
    pub(super) fn move_on(&mut self, of: usize, from: DueNext, next: Option<Timestamp>) -> bool {
        let Some(kept) = self.schedules.get_mut(of) else { return false };
        if kept.next != Some(from) {
            return false;
        }
        self.due.remove(&(from.at, of));
        self.due.extend(next.map(|at| (at, of)));
        kept.next = next.map(|at| DueNext { at, version: from.version + 1 });
        true
    }

    /// Enters an occurrence, once, with its mark.
    pub(super) fn notice(&mut self, occurrence: &Occurrence) -> bool {
        if self.occurrences.contains_key(&occurrence.id) {
            return false;
        }
        if !occurrence.state.is_final() {
            self.open.insert(occurrence.id.clone());
        }
        self.occurrences.insert(occurrence.id.clone(), occurrence.clone());
        true
    }

    /// Replaces an occurrence by its next version, unless it has changed in between.
    pub(super) fn move_occurrence(&mut self, after: &Occurrence) -> bool {
        let Some(before) = self.occurrences.get_mut(&after.id) else { return false };
        if before.version + 1 != after.version {
            return false;
        }
        *before = after.clone();
        if after.state.is_final() {
            self.open.remove(&after.id);
        }
        true
    }

    pub(super) fn occurrence(&self, id: &OccurrenceId) -> Option<&Occurrence> {
        self.occurrences.get(id)
    }

    pub(super) fn occurrences(&self) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.values()
    }

    /// What is not at its end, of all or of one source, in the order of the ids.
    pub(super) fn open(&self, source: Option<&str>, most: usize) -> Vec<OccurrenceId> {
        let is_of = |id: &&OccurrenceId| source.is_none_or(|source| id.source() == source);
        match source.map(|source| OccurrenceId::new(source, Timestamp::UNIX_EPOCH)) {
            Some(from) => self.open.range(from..).take_while(is_of).take(most).cloned().collect(),
            None => self.open.iter().take(most).cloned().collect(),
        }
    }

    /// Starts a run; one that was started before goes on as it is.
    pub(super) fn start(&mut self, run: RunId, ends: (Timestamp, RunStatus)) {
        self.runs.entry(run).or_insert(Run { ends, asked: 0 }).asked += 1;
    }

    /// How a run ended, and when; none while it goes on.
    pub(super) fn ended(&self, run: &RunId, now: Timestamp) -> Option<(Timestamp, RunStatus)> {
        self.runs.get(run).map(|run| run.ends).filter(|(at, _)| *at <= now)
    }

    /// How many occurrences are in this state.
    pub(super) fn count(&self, state: OccurrenceState) -> usize {
        self.occurrences.values().filter(|one| one.state == state).count()
    }
}
