//! What the sealer needs from the world.

use countersign_approval::chain::{Checkpoint, Head, Sealed};
use countersign_approval::{Receipt, Tenant};
use countersign_store_approvals::SealOutcome;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::error::SealError;

/// What a port answers.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, SealError>>;

/// The chain.
pub trait Chain: Send + Sync {
    /// The end of the chain; none when nothing was sealed yet.
    fn head(&self) -> Answer<'_, Option<Head>>;
    /// Which of these receipts are written and not in the chain, in the same order.
    fn sealable<'a>(&'a self, receipts: &'a [Receipt]) -> Answer<'a, Vec<Receipt>>;
    /// Appends entries to the chain that ended with `head`: all of them or none.
    fn seal<'a>(&'a self, head: Option<&'a Head>, batch: &'a [Sealed]) -> Answer<'a, SealOutcome>;
    /// Some entries from a sequence on, in order, at least one where there is one.
    fn entries(&self, from: u64) -> Answer<'_, Vec<Sealed>>;
    /// The newest checkpoint.
    fn newest_checkpoint(&self) -> Answer<'_, Option<Checkpoint>>;
    /// Keeps a checkpoint.
    fn keep<'a>(&'a self, checkpoint: &'a Checkpoint) -> Answer<'a, ()>;
}

/// The ledger's key.
pub trait Signer: Send + Sync {
    /// Signs that the chain of `tenant` ended with `head` at this time.
    fn checkpoint<'a>(
        &'a self,
        tenant: &'a Tenant,
        head: &'a Head,
        at: Timestamp,
    ) -> Answer<'a, Checkpoint>;
    /// The public half, DER (SubjectPublicKeyInfo).
    fn public_key(&self) -> Answer<'_, Vec<u8>>;
}

/// Where exports lie.
pub trait Archive: Send + Sync {
    /// Writes an object; writing it again replaces it by the same.
    fn put<'a>(&'a self, key: &'a str, body: Vec<u8>, content_type: &'a str) -> Answer<'a, ()>;
}
