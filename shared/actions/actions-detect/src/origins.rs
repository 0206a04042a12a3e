//! What led to the runs that found something: a monitor that takes what it has led to itself for new goes round in circles.

use std::collections::BTreeMap;

use countersign_registry::action::{ActionError, ActionFuture, Call};

/// Sources of runs that are kept of what led to one: of a chain of more, one of them is left out.
const MAX_CHAIN: usize = 9;

/// What led to runs.
pub trait Origins: Send + Sync {
    /// The ids of the triggers and monitors that led to this run of the caller, the first one in front; none when a person or a
    /// schedule started it.
    fn led_to<'a>(&'a self, call: &'a Call, run: &'a str) -> ActionFuture<'a, Vec<String>>;
}

/// What led to the runs of a look.
#[derive(Debug, Default)]
pub(crate) struct Led {
    by_run: BTreeMap<String, Vec<String>>,
    /// Whether the monitor that looks led to one of them.
    pub(crate) has_own: bool,
}

impl Led {
    /// Reads what led to these runs, each once.
    pub(crate) async fn read<'a>(
        &mut self,
        origins: &dyn Origins,
        call: &Call,
        runs: impl Iterator<Item = &'a String>,
    ) -> Result<(), ActionError> {
        for run in runs {
            if !self.by_run.contains_key(run) {
                self.by_run.insert(run.clone(), origins.led_to(call, run).await?);
            }
        }
        Ok(())
    }

    /// Whether this monitor led to the run.
    pub(crate) fn is_led_by(&self, run: Option<&String>, monitor: &str) -> bool {
        let led = run.and_then(|run| self.by_run.get(run));
        led.is_some_and(|led| led.iter().any(|one| one == monitor))
    }

    /// All that led to any of them but to the monitor's own, the longest way first.
    pub(crate) fn chain(&self, monitor: Option<&str>) -> Vec<String> {
        let is_own = |way: &&Vec<String>| way.iter().any(|one| Some(one.as_str()) == monitor);
        let mut ways: Vec<&Vec<String>> = self.by_run.values().filter(|way| !is_own(way)).collect();
        ways.sort_by_key(|way| std::cmp::Reverse(way.len()));
        let mut all: Vec<String> = Vec::new();
        for one in ways.into_iter().flatten() {
            if all.len() < MAX_CHAIN && !all.contains(one) {
                all.push(one.clone());
            }
        }
        all
    }
}
