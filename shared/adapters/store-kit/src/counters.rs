//! How many requests this process has sent to DynamoDB; the entry crate logs the difference per invocation.

use std::sync::atomic::{AtomicU64, Ordering};

static READS: AtomicU64 = AtomicU64::new(0);
static WRITES: AtomicU64 = AtomicU64::new(0);

/// Requests since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// GetItem, BatchGetItem, Query.
    pub reads: u64,
    /// PutItem, UpdateItem, DeleteItem, TransactWriteItems, BatchWriteItem.
    pub writes: u64,
}

/// The requests so far.
#[must_use]
pub fn counts() -> Counts {
    Counts { reads: READS.load(Ordering::Relaxed), writes: WRITES.load(Ordering::Relaxed) }
}

pub(crate) fn read() {
    READS.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn wrote() {
    WRITES.fetch_add(1, Ordering::Relaxed);
}
