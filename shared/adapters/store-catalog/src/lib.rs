//! The table `Catalog`: what agents are made of.
//!
//! | PK | SK | what |
//! |---|---|---|
//! | `OWNER#{owner}` | `PROFILE#{id}` | a profile; in the index under `OWNER#{owner}#PROFILES#{active}` |
//! | `OWNER#{owner}` | `HANDLE#{handle}` | which profile holds the handle, so that it is held once (F-169) |
//! | `OWNER#{owner}` | `CONNECTOR#{id}` | a connector; in the index under `OWNER#{owner}#CONNECTORS#{type}` |
//! | `OWNER#{owner}` | `PLAYBOOK#{id}` | a playbook; in the index under `OWNER#{owner}#PLAYBOOKS#{category}` |
//! | `OWNER#{owner}` | `TRIGGERS#{id}` | what a playbook listens to, apart from its text (F-152) |
//! | `OWNER#{owner}` | `SCHEDULE#{id}` | a schedule; in the index under `OWNER#{owner}#SCHEDULES#{profile}` |
//! | `OWNER#{owner}` | `MONITOR#{id}` | a monitor; in the index under `OWNER#{owner}#MONITORS#{profile}` |
//! | `MONITOR#{id}` | `STATE` | its open batch and its last tick |
//! | `MONITOR#{id}` | `MARK#{step}` | the watermark of a detection step (K-65) |
//! | `MONITOR#{id}` | `BATCH#{number}` | what was new at a look |
//! | `MONITOR#{id}` | `CLOCK` | when somebody else is to tick it; in the index under `MONITORS#CLOCKS#{last digit}` |
//! | `OWNER#{owner}` | `DUE#{schedule}` | when an enabled schedule is due next; in the index under `DUE#{last digit}` by that time |
//! | `OWNER#{owner}` | `LAST#{source}`, `SUCCESS#{source}` | when a source was due last whose run is over, or has succeeded, and how it ended |
//! | `OWNER#{owner}` | `NATIVE#{id}` | the native schedule of a schedule or monitor is still to be set or removed; in the index under `NATIVE` |
//! | `OWNER#{owner}` | `TRIGGER#{id}` | a trigger; in the index under `OWNER#{owner}#TRIGGERS#{profile}` |
//! | `TRIGGER#{id}` | `HOOK` | whose it is, while it is active and fired by webhooks |
//! | `TRIGGER#{id}` | `KEYS` | which keys its senders may sign with; their secrets are in the vault |
//! | `TRIGGER#{id}` | `TURN` | which occurrence has the turn, where only one may go on |
//! | `TRIGGER#{id}` | `EVENT#{digest}` | the occurrence of an event that has fired it |
//! | `FILES#{owner}#{folder}` | `{trigger}` | an active trigger that waits for files in the folder |
//! | `AFTER#{owner}#{playbook}` | `{trigger}` | an active trigger that waits for the end of the playbook's runs |
//! | `OCCURRENCES#{owner}#{source}` | `{time}` | a due time and what became of it; in the index under `OCCURRENCES#{owner}` by time |
//! | `OPEN#OCCURRENCES` | `{source}-{time}` | which owner has that occurrence, while it is not at its end; until its run has begun in the index under `OPEN#WAITING` |
//! | `OPEN#TURNS` | `WAITING`, `BEGUN` | where the last look at open occurrences stopped |
//! | `TOLD#{source}` | `{kind}` | when its owner was told last that it does not work |
//! | `BOUND#{owner}#{profile}` | `CONNECTOR#{connector}` | the binding of a connector to a profile; one each |
//! | `SHARES#{profile}` | `TEAM#{team}` | that the profile is shared with the team; in the index under `TEAM#{team}#AGENTS` |
//! | `REPLAY#{owner}` | `{digest of route and key}` | a request under an `Idempotency-Key`, for a day |
//!
//! `{owner}` is a user's id, or `system` for what the deployment ships (F-006). Records are kept as JSON text, so that
//! key order and number forms survive.

mod about;
mod bindings;
mod collection;
mod connectors;
mod endpoints;
mod error;
mod hook_bodies;
mod hook_rate;
mod keys;
mod last_runs;
mod learned;
mod listeners;
mod monitor_clocks;
mod monitor_forget;
mod monitor_occurrence;
mod monitor_reopen;
mod monitor_settle;
mod monitor_store;
mod monitors;
mod native;
mod occurrence_list;
mod occurrences;
mod open_turns;
mod playbooks;
mod profiles;
mod record;
mod replays;
mod schedules;
mod shares;
mod stored;
mod sweeps;
mod told;
mod triggers;
mod turns;
mod unbegun;

pub use about::StoredAbout;
pub use bindings::{Forget, Lookups};
pub use collection::{Collection, Listing, StoredDocument};
pub use countersign_run::{OpenOccurrence, OpenPlace as Place};
pub use countersign_schedule::Sweeps;
pub use error::CatalogError;
pub use hook_bodies::HookBodies;
pub use last_runs::{Last, LastRun};
pub use listeners::{HookKeyInfo, HookKeys, Listener, Noticed};
pub use monitor_clocks::Clock;
pub use monitor_store::{Batched, MonitorProgress, MonitorStore, NewBatch};
pub use native::NativeMark;
pub use occurrence_list::OccurrencesOf;
pub use occurrences::UnsaidOccurrence;
pub use open_turns::Open;
pub use playbooks::StoredPlaybook;
pub use profiles::system_profile_id;
pub use replays::{Answered, Replay};
pub use schedules::DueNext;
pub use stored::{Spec, Stored};
pub use triggers::IndexedPlaybook;

use countersign_store_kit::Table;

/// What every method of this crate returns.
pub type Result<T> = std::result::Result<T, CatalogError>;

/// What a store is asked for, on its way.
pub type Answer<'a, T> = futures::future::BoxFuture<'a, Result<T>>;

/// The table `Catalog`.
#[derive(Debug, Clone)]
pub struct Catalog {
    table: Table,
}

impl Catalog {
    /// The catalog in this table.
    #[must_use]
    #[inline]
    pub fn new(table: Table) -> Self {
        Self { table }
    }
}
