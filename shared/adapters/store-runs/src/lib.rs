//! The table Runs, and the only code that knows its keys.
//!
//! | item | PK | SK | index |
//! |---|---|---|---|
//! | head | `RUN#{run}` | `HEAD` | `OWNER#{owner}`, `{started_at}#{run}` |
//! | request: the inputs as they came, the samples of a test | `RUN#{run}` | `REQUEST` | |
//! | plan | `RUN#{run}` | `PLAN` | |
//! | outcome of a step | `RUN#{run}` | `OUT#{step}` | |
//! | response | `RUN#{run}` | `RESPONSE` | |
//! | event | `RUN#{run}` | `EV#{step}#{attempt}#{n}` | |
//! | intent of an irreversible step | `RUN#{run}` | `INTENT#{step}` | |
//! | call of a step over a list | `RUN#{run}` | `ITEM#{step}#{n}` | |
//! | turn of a step in which its model asked for tools | `RUN#{run}` | `TURN#{step}#{turn}` | |
//! | what the model of a step has written so far | `RUN#{run}` | `DRAFT#{step}` | |
//! | what came of a tool | `RUN#{run}` | `TOOL#{step}#{turn}#{call}` | |
//! | when a profile's last successful run finished | `OWNER#{owner}` | `LAST#{profile}` | |
//! | conversation | `OWNER#{owner}` | `CONVERSATION#{id}` | `CONVERSATIONS#{owner}`, `{created_at}#{id}` |
//! | question of a conversation: its run | `CONVERSATION#{id}` | `{started_at}#{run}` | |
//! | run that a member of a team has started | `MEMBER#{member}#{team}#{profile}` | `{started_at}#{run}` | |
//! | what a person wants changed | `RUN#{run}` | `REVISION#{gate}#{round}` | |
//! | the outcome of a step before it was done again | `RUN#{run}` | `REPLACED#{step}#{attempt}` | |
//! | mark of a run that is not finished | `ACTIVE#{shard}` | `{run}` | |
//! | where the sweeper goes on | `ACTIVE` | `CURSOR` | |
//! | what a person has used of a quota | `QUOTA#{person}` | `{day}#{kind}` | |
//! | how many runs a trigger or monitor has started | `QUOTA#{owner}` | `{day}#source#{id}` | |
//! | a request that was counted | `QUOTA#{person}` | `COUNTED#{kind}#{request}` | |
//!
//! Outputs above 100 KB lie in the data bucket under `runs/{run}/…` (claim check with digest).

mod active;
mod conversations;
mod drafts;
mod effects;
mod gates;
mod heads;
mod items;
mod journal;
mod keys;
mod lists;
mod members;
mod model_calls;
mod outcomes;
mod progress;
mod quotas;
mod records;
mod removal;
mod repeats;
mod responses;
mod revisions;
mod spend;
mod starts;
mod stops;
mod turns;
mod unsent;
mod view;
mod warnings;

pub use active::Active;
pub use effects::{MAX_EFFECTS_BYTES, effects_bytes};
pub use items::{Begun, ItemCall, ItemStatus, MAX_ITEMS};
pub use journal::JournalStore;
pub use lists::{EarlierCall, ListAnswers, ListEnd, ListSummary, item_name};
pub use model_calls::EndedCall;
pub use outcomes::{Consequence, Ended, Intended};
pub use progress::{Pace, Progress};
pub use quotas::{Counted, RunExceeded, RunLimits, Use};
pub use records::{Intent, Seen, StepOutcome};
pub use repeats::Unrecognised;
pub use revisions::AskedChange;
pub use spend::{Reserved, Spend, SpendLimit, SpendLimits, SpendOf, Spent};
pub use starts::{Asked, Created};
pub use turns::{ModelTurn, ToolOutcome, warnings_of_tools};
pub use view::{AskedRead, OthersRead, ReadAsked, ReadWith, StepView};
pub use warnings::{WarningSentences, warnings_of};

use countersign_store_kit::{Blobs, Table};

/// What every method returns.
pub type Result<T> = countersign_store_kit::Result<T>;

/// Runs as they are stored.
#[derive(Debug, Clone)]
pub struct RunStore {
    table: Table,
    blobs: Blobs,
}

impl RunStore {
    /// The store over this table and bucket.
    #[must_use]
    #[inline]
    pub fn new(table: Table, blobs: Blobs) -> Self {
        Self { table, blobs }
    }
}
