//! The table `Approvals`, and the only code that knows its keys.
//!
//! | item | PK | SK | index |
//! |---|---|---|---|
//! | request | `APPR#{id}` | `REQUEST` | |
//! | vote | `APPR#{id}` | `REQUEST#VOTE#{version}#{person}` | |
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
//! Bodies are JSON texts; what conditions look at stands beside them as attributes. The table is a trust boundary: no other
//! table can approve anything. The tokens of waiting tasks lie in another one ([`TaskTokens`]).

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
pub use lists::{RequestList, Summary};
pub use requests::{Created, Loaded};
pub use sweep::Place;
pub use token::{TaskToken, TaskTokens};

use std::sync::Arc;

use countersign_store_kit::{StoreError, Table};

/// What every method returns.
pub type Result<T> = countersign_store_kit::Result<T>;

/// What a store is asked for, on its way.
pub type Answer<'a, T> = futures::future::BoxFuture<'a, Result<T>>;

/// Approvals as they are stored.
#[derive(Debug, Clone)]
pub struct Approvals {
    table: Table,
    tokens: Option<Arc<dyn TaskTokens>>,
}

impl Approvals {
    /// The approvals in this table, for functions that wake nobody.
    #[must_use]
    #[inline]
    pub fn new(table: Table) -> Self {
        Self { table, tokens: None }
    }

    /// The same, for a function that opens gates or completes waits.
    #[must_use]
    #[inline]
    pub fn with_tokens(self, tokens: Arc<dyn TaskTokens>) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    fn tokens(&self) -> Result<&dyn TaskTokens> {
        self.tokens.as_deref().ok_or_else(|| StoreError::Refused {
            table: self.table.name().to_owned(),
            reason: "this function keeps no task tokens".to_owned(),
        })
    }
}
