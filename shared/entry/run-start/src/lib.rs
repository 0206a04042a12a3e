//! Starting a run, whoever asks: a person over HTTP, or a clock.
//!
//! Everything that is checked before a run begins is here: which playbook the question means, which inputs it says, whether
//! the agent's data sources fit, whether everybody it will ask can sign, whether the quota has room.

mod approval_policy;
mod ask;
mod behalf;
pub mod choosing;
mod direct;
mod quotas;
mod repeat;
pub mod repeating;
mod run_context;
pub mod run_mode;
mod signing;
mod skills;
mod start;
mod teams;
pub mod understanding;

pub use ask::{Occasion, Question, ask, could_answer};
pub use behalf::on_behalf;
pub use quotas::counted;
pub use repeat::{By, repeat};
pub use run_context::by_hand;
pub use signing::floor_unreadable;
pub use start::{
    Asking, Found, Started, Starting, active, begin, check_inputs, check_links, check_query,
    check_samples, could_start, profile, start,
};

use countersign_identity::{Presented, Scopes, UserId};
use countersign_recovery::Runner;
use countersign_registry::Registry;
use countersign_run::Quota;
use countersign_store_catalog::Catalog;
use countersign_store_directory::Directory;
use countersign_store_runs::RunStore;
use jiff::Timestamp;

/// What starting a run works with.
#[derive(Debug, Clone, Copy)]
pub struct Starter<'a> {
    /// Agents, playbooks, data sources.
    pub catalog: &'a Catalog,
    /// Runs.
    pub runs: &'a RunStore,
    /// People, and the deployment's floor.
    pub directory: &'a Directory,
    /// What starts executions.
    pub runner: &'a Runner,
    /// Every action there is.
    pub registry: &'a Registry,
    /// How many runs a person may start in a day.
    pub runs_per_day: Quota,
    /// The time.
    pub now: Timestamp,
}

/// For whom a run starts, and with which rights at most: a run never gets more than these, and the directory may take them back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invoker {
    /// Who.
    pub user: UserId,
    /// What they may do.
    pub scopes: Scopes,
    /// What their token claimed, when they came with one; the run ends when it is revoked.
    pub token: Option<Presented>,
}
