//! The runs of a day's due times.

use std::collections::BTreeMap;

use countersign_run::{RunId, RunStatus};
use jiff::{SignedDuration, Timestamp};

/// A run that was told to end still has a call under way.
const CALL: SignedDuration = SignedDuration::from_secs(30);

/// A run that was started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) started_at: Timestamp,
    /// Until then it waits for people; when it was started, where it does not.
    pub(super) answered_at: Timestamp,
    /// When it ends, and how.
    pub(super) ends: (Timestamp, RunStatus),
    /// Whether the sweeper has ended it.
    pub(super) is_stopped: bool,
    /// How often it was asked for; it ran once.
    pub(super) asked: u32,
}

/// What is known of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) run: Run,
    /// How it ended, and when; none while it goes on.
    pub(super) finished: Option<(RunStatus, Timestamp)>,
}

/// The table of runs.
#[derive(Debug, Default)]
pub(super) struct Runs(BTreeMap<RunId, Run>);

impl Runs {
    /// Starts a run; one that was started before goes on as it is.
    pub(super) fn start(&mut self, id: &RunId, run: Run) {
        self.0.entry(id.clone()).or_insert(run).asked += 1;
    }

    pub(super) fn head(&self, id: &RunId, now: Timestamp) -> Option<Head> {
        let run = *self.0.get(id)?;
        let (at, status) = run.ends;
        Some(Head { run, finished: (at <= now).then_some((status, at)) })
    }

    /// Ends a run that has worked for too long.
    pub(super) fn stop(&mut self, id: &RunId, now: Timestamp) {
        let run = self.0.get_mut(id).filter(|run| run.ends.0 > now && !run.is_stopped);
        if let Some(run) = run {
            run.is_stopped = true;
            run.ends = ((now + CALL).min(run.ends.0), RunStatus::Timeout);
        }
    }

    pub(super) fn has(&self, id: &RunId) -> bool {
        self.0.contains_key(id)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Run> {
        self.0.values()
    }
}
