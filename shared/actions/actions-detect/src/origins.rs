//! What led to the runs that found something: a monitor that takes what it has led to itself for new goes round in circles.

use std::collections::BTreeMap;

use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_run::Ancestry;
use futures::future::try_join_all;

/// So many runs are asked for at once.
const AT_ONCE: usize = 16;

/// What led to runs.
pub trait Origins: Send + Sync {
    /// What led to what this run of the caller has found; nothing when a person or a schedule started it.
    fn led_to<'a>(&'a self, call: &'a Call, run: &'a str) -> ActionFuture<'a, Ancestry>;
}

/// What led to the runs of a look.
#[derive(Debug, Default)]
pub(crate) struct Led {
    by_run: BTreeMap<String, Ancestry>,
    /// How many new things were left out, because the monitor that looks has led to them.
    pub(crate) own: usize,
}

impl Led {
    /// Reads what led to these runs, each once.
    pub(crate) async fn read<'a>(
        &mut self,
        origins: &dyn Origins,
        call: &Call,
        runs: impl Iterator<Item = &'a String>,
    ) -> Result<(), ActionError> {
        let mut unread: Vec<&String> = runs.filter(|run| !self.by_run.contains_key(*run)).collect();
        unread.sort();
        unread.dedup();
        for some in unread.chunks(AT_ONCE) {
            let led = try_join_all(some.iter().map(|run| origins.led_to(call, run))).await?;
            self.by_run.extend(some.iter().map(|run| (*run).clone()).zip(led));
        }
        Ok(())
    }

    /// Whether this monitor led to the run.
    pub(crate) fn is_led_by(&self, run: Option<&String>, monitor: &str) -> bool {
        run.and_then(|run| self.by_run.get(run)).is_some_and(|led| led.has(monitor))
    }

    /// What led to these runs.
    pub(crate) fn to<'a>(&self, runs: impl Iterator<Item = &'a String>) -> Ancestry {
        let mut runs: Vec<&String> = runs.collect();
        runs.sort();
        runs.dedup();
        Ancestry::merged(runs.into_iter().filter_map(|run| self.by_run.get(run).cloned()))
    }
}
