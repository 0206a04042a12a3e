//! Starts what is due, and follows it to its end.
//!
//! A tick says only which schedule; what was due is computed here. Each due time is entered in the ledger once, under an id that
//! follows from it, and the id of its run follows from that: a tick that comes twice, or a crash at any point, starts one run.
//! What fires a trigger is entered in the same ledger, once for each event ([`Clock::fire`]), and followed by the same code.
//! The native schedule ticks at the time; the sweeper ticks for whatever is overdue, repeats runs that failed, ends those that
//! take too long, and starts what was queued.

mod begin;
mod error;
mod event;
mod fire;
mod follow;
mod left_out;
mod native;
mod overlong;
mod queue;
mod quota;
mod run_now;
mod source;
mod sweep;
mod tick;
mod unbegun;

pub use error::ClockError;
pub use fire::EventOutcome;
pub use native::{native, native_of_monitor};
pub use sweep::Followed;
pub use tick::{Tick, Ticked};

use std::sync::{Arc, LazyLock};

use countersign_identity::UserId;
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_outbox::EventBus;
use countersign_recovery::Runner;
use countersign_registry::Registry;
use countersign_run::Quota;
use countersign_run_start::Starter;
use countersign_schedule::ScheduleSpec;
use countersign_store_catalog::{Catalog, HookBodies, Stored, StoredDocument};
use countersign_store_directory::Directory;
use countersign_store_runs::RunStore;
use countersign_trigger::TriggerSpec;
use jiff::Timestamp;

/// A schedule as it is stored.
pub type Schedule = Stored<ScheduleSpec>;

/// A trigger as it is stored.
pub type Trigger = Stored<TriggerSpec>;

/// What the clock works with.
#[derive(Debug, Clone)]
pub struct Clock {
    /// Schedules, agents, playbooks and the ledger of occurrences.
    pub catalog: Catalog,
    /// Runs.
    pub runs: RunStore,
    /// What webhooks have brought.
    pub hook_bodies: HookBodies,
    /// What owners may do now.
    pub directory: Directory,
    /// What starts executions.
    pub runner: Runner,
    /// Every action there is, when a run is started.
    pub registry: Arc<LazyLock<Registry>>,
    /// How many runs a person may start in a day.
    pub runs_per_day: Quota,
    /// Who hears what comes to no run.
    pub bus: EventBus,
}

impl Clock {
    /// Builds it from the settings.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let runs = RunStore::new(boot.table(Setting::TableRuns)?, boot.blobs()?);
        Ok(Self {
            catalog: Catalog::new(boot.table(Setting::TableCatalog)?),
            directory: Directory::new(boot.table(Setting::TableDirectory)?),
            hook_bodies: HookBodies::new(boot.blobs()?),
            runner: Runner::open(boot, runs.clone())?,
            registry: Arc::new(LazyLock::new(Registry::builtin)),
            runs_per_day: Quota::runs(boot.number(Setting::RunsPerDay)?),
            bus: EventBus::new(&boot.aws, boot.settings.need(Setting::EventBus)?),
            runs,
        })
    }

    /// What starts runs. When a run begins is read from the clock: the sweep that starts it may have begun long before, and then the
    /// run would seem to overlap with the one it waited for.
    #[must_use]
    pub fn starter(&self) -> Starter<'_> {
        Starter {
            catalog: &self.catalog,
            runs: &self.runs,
            directory: &self.directory,
            runner: &self.runner,
            registry: &self.registry,
            runs_per_day: self.runs_per_day,
            now: Timestamp::now(),
        }
    }

    /// The owner's schedule or trigger of this id.
    async fn own<T: StoredDocument>(
        &self,
        owner: &UserId,
        id: &T::Id,
    ) -> Result<Option<T>, ClockError> {
        Ok(self.catalog.collection::<T>().own(owner, id).await?)
    }
}
