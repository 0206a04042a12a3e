//! The stores and services behind the protocol, narrowed to what it uses.

use countersign_approval::ports::{PortError, PortResult, ReceiptOutbox};
use countersign_approval::{ApprovalId, Receipt, Request, RunId};
use countersign_outbox::ReceiptQueue;
use countersign_states::{Once, ResumeOutcome, Schedules, StatesError, Tasks};
use countersign_store_approvals::{
    Approvals, Commit, Committed, Created, Loaded, Place, TaskToken,
};
use countersign_store_kit::Result as StoreResult;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;

/// The records of requests. [`Approvals`] is the one in use; its methods say what each promises.
#[expect(missing_docs, reason = "every method is described at `Approvals`")]
pub trait Records: Send + Sync {
    fn create<'a>(
        &'a self,
        request: &'a Request,
        token: &'a TaskToken,
    ) -> BoxFuture<'a, StoreResult<Created>>;
    fn reattach<'a>(
        &'a self,
        id: &'a ApprovalId,
        token: &'a TaskToken,
        now: Timestamp,
    ) -> BoxFuture<'a, StoreResult<bool>>;
    fn token<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<Option<TaskToken>>>;
    fn load<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<Option<Loaded>>>;
    fn commit<'a>(&'a self, commit: &'a Commit<'a>) -> BoxFuture<'a, StoreResult<Committed>>;
    fn moved<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, StoreResult<()>>;
    fn asked<'a>(&'a self, id: &'a ApprovalId, version: u32) -> BoxFuture<'a, StoreResult<()>>;
    fn is_unasked<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<bool>>;
    fn places<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, StoreResult<Vec<Place>>>;
    fn overdue(&self, now: Timestamp, most: i32) -> BoxFuture<'_, StoreResult<Vec<Place>>>;
    fn unmoved(&self, before: Timestamp, most: i32) -> BoxFuture<'_, StoreResult<Vec<Place>>>;
    fn unannounced(
        &self,
        before: Timestamp,
        most: i32,
    ) -> BoxFuture<'_, StoreResult<Vec<ApprovalId>>>;
    fn unsealed(&self, before: Timestamp, most: i32) -> BoxFuture<'_, StoreResult<Vec<Receipt>>>;
}

impl Records for Approvals {
    fn create<'a>(
        &'a self,
        request: &'a Request,
        token: &'a TaskToken,
    ) -> BoxFuture<'a, StoreResult<Created>> {
        self.create(request, token)
    }

    fn reattach<'a>(
        &'a self,
        id: &'a ApprovalId,
        token: &'a TaskToken,
        now: Timestamp,
    ) -> BoxFuture<'a, StoreResult<bool>> {
        Box::pin(self.reattach(id, token, now))
    }

    fn token<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<Option<TaskToken>>> {
        self.token(id)
    }

    fn load<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<Option<Loaded>>> {
        self.load(id)
    }

    fn commit<'a>(&'a self, commit: &'a Commit<'a>) -> BoxFuture<'a, StoreResult<Committed>> {
        self.commit(commit)
    }

    fn moved<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, StoreResult<()>> {
        self.moved(request)
    }

    fn asked<'a>(&'a self, id: &'a ApprovalId, version: u32) -> BoxFuture<'a, StoreResult<()>> {
        self.asked(id, version)
    }

    fn is_unasked<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, StoreResult<bool>> {
        self.is_unasked(id)
    }

    fn places<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, StoreResult<Vec<Place>>> {
        self.places(run)
    }

    fn overdue(&self, now: Timestamp, most: i32) -> BoxFuture<'_, StoreResult<Vec<Place>>> {
        self.overdue(now, most)
    }

    fn unmoved(&self, before: Timestamp, most: i32) -> BoxFuture<'_, StoreResult<Vec<Place>>> {
        self.unmoved(before, most)
    }

    fn unannounced(
        &self,
        before: Timestamp,
        most: i32,
    ) -> BoxFuture<'_, StoreResult<Vec<ApprovalId>>> {
        self.unannounced(before, most)
    }

    fn unsealed(&self, before: Timestamp, most: i32) -> BoxFuture<'_, StoreResult<Vec<Receipt>>> {
        self.unsealed(before, most)
    }
}

/// Wakes the task that waits for a decision.
pub trait ResumeTask: Send + Sync {
    /// Gives the waiting task its output.
    fn wake<'a>(
        &'a self,
        token: &'a TaskToken,
        output: &'a Value,
    ) -> BoxFuture<'a, Result<ResumeOutcome, StatesError>>;
}

impl ResumeTask for Tasks {
    fn wake<'a>(
        &'a self,
        token: &'a TaskToken,
        output: &'a Value,
    ) -> BoxFuture<'a, Result<ResumeOutcome, StatesError>> {
        self.succeed(token.expose(), output)
    }
}

/// Calls `gate-deadline` at times to come.
pub trait Alarms: Send + Sync {
    /// Sets a call, or moves the one of the same name.
    fn set<'a>(&'a self, once: &'a Once) -> BoxFuture<'a, Result<(), StatesError>>;

    /// Takes a call back.
    fn clear<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), StatesError>>;
}

impl Alarms for Schedules {
    fn set<'a>(&'a self, once: &'a Once) -> BoxFuture<'a, Result<(), StatesError>> {
        self.set(once)
    }

    fn clear<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), StatesError>> {
        self.clear(name)
    }
}

/// The queue to the ledger's sealer.
#[derive(Debug, Clone)]
pub struct Ledger(pub ReceiptQueue);

impl ReceiptOutbox for Ledger {
    fn hand_over<'a>(&'a self, receipt: &'a Receipt) -> PortResult<'a, ()> {
        Box::pin(async move {
            let sent = self.0.send(receipt.id.as_str(), receipt).await;
            sent.map_err(|error| PortError::of("handing a receipt to the ledger", &error))
        })
    }
}
