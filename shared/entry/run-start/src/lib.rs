//! Starting a run, whoever asks: a person over HTTP, or a clock.
//!
//! Everything that is checked before a run begins is here: which playbook the question means, which inputs it says, whether
//! the agent's data sources fit, whether everybody it will ask can sign, whether the quota has room.

mod approval_policy;
mod ask;
mod asking;
mod behalf;
pub mod choosing;
mod conversation;
mod direct;
mod learning;
mod members;
mod proposals;
mod quotas;
mod repeat;
pub mod repeating;
mod replay;
mod research;
mod run_context;
pub mod run_mode;
mod signing;
pub mod skills;
mod specialists;
mod start;
mod teams;
pub mod understanding;
mod yaml;

pub use ask::{Occasion, Question, ask, could_answer};
pub use asking::{Asking, Made};
pub use behalf::on_behalf;
pub use conversation::{Earlier, Within};
pub use members::as_member;
pub use quotas::counted;
pub use repeat::{By, repeat};
pub use replay::replay;
pub use research::unanswerable;
pub use run_context::by_hand;
pub use signing::floor_unreadable;
pub use start::{
    Found, Started, Starting, active, begin, check_inputs, check_links, check_query, check_samples,
    could_start, profile, start,
};

use countersign_identity::{Presented, Scopes, UserId};
use countersign_recovery::Runner;
use countersign_registry::Registry;
use countersign_run::{Quota, TeamContext};
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
    /// Whose agent they ask and as whose member, when the agent is not theirs.
    pub shared: Option<Shared>,
    /// Whether they asked by writing the agent's handle in a message.
    pub by_mention: bool,
}

impl Invoker {
    /// Whose agent runs: everything a run reads and writes is this person's.
    #[must_use]
    pub fn owner(&self) -> &UserId {
        self.shared.as_ref().map_or(&self.user, |shared| &shared.owner)
    }
}

/// An agent that its owner shares with a team, for a member who starts it (F-231).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The owner of the agent.
    pub owner: UserId,
    /// What the owner may do: nothing happens for a member that they may not do themselves.
    pub scopes: Scopes,
    /// The team, and what it grants the agent.
    pub team: TeamContext,
    /// The inputs that the member gives, by name.
    pub given: Vec<String>,
}
