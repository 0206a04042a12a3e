//! The table `Approvals`, and the only code that knows its keys.
//!
//! | item | PK | SK | index |
//! |---|---|---|---|
//! | request | `APPR#{id}` | `REQUEST` | |
//! | vote | `APPR#{id}` | `REQUEST#VOTE#{version}#{person}` | |
//! | task token | `APPR#{id}` | `TOKEN` | |
//! | receipt | `APPR#{id}` | `RECEIPT#{version}#{receipt}` | `UNSEALED`, time; until it is in the chain |
//! | row of an approver | `APPR#{id}` | `FOR#{person}` | `FOR#{person}#{pending or closed}`, time |
//! | row of the owner | `APPR#{id}` | `OWNER` | `OWNER#{person}#{pending or closed}`, time |
//! | nobody was told yet | `APPR#{id}` | `UNASKED` | `UNASKED`, time; until they were |
//! | hash of a link | `APPR#{id}` | `LINK#{slot}` | |
//! | hash of a code | `APPR#{id}` | `CODE#{version}#{slot}` | |
//! | place in a run | `RUN#{run}` | `APPR#{id}` | `PENDING`, deadline; then `UNMOVED`, time of the decision; then none |
//! | end of the chain | `CHAIN` | `HEAD` | |
//! | entry of the chain | `CHAIN#{thousand}` | `{sequence}` | |
//! | checkpoint | `CHECKPOINT` | `{sequence}#{time}` | |
//!
//! Bodies are JSON texts; what conditions look at stands beside them as attributes. The table is a trust boundary: task
//! tokens lie nowhere else, and no other table can approve anything.

mod codes;
mod commit;
mod items;
mod keys;
mod ledger;
mod links;
mod lists;
mod requests;
mod signed;
mod sweep;
mod token;

pub use codes::CodeIssue;
pub use commit::{Commit, Committed};
pub use ledger::SealOutcome;
pub use lists::{Shelf, Summary};
pub use requests::{Created, Loaded};
pub use sweep::Place;
pub use token::TaskToken;

use countersign_store_kit::Table;

/// What every method returns.
pub type Result<T> = countersign_store_kit::Result<T>;

/// Approvals as they are stored.
#[derive(Debug, Clone)]
pub struct Approvals {
    table: Table,
}

impl Approvals {
    /// The approvals in this table.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table }
    }
}
