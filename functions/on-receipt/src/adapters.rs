//! The ports, over the real table, key and bucket.

use countersign_approval::chain::{Checkpoint, Head, Sealed};
use countersign_approval::{Receipt, Tenant};
use countersign_signer::LedgerKey;
use countersign_store_approvals::{Approvals, SealOutcome};
use countersign_store_kit::Blobs;
use jiff::Timestamp;

use crate::ports::{Answer, Archive, Chain, Signer};

impl Chain for Approvals {
    fn head(&self) -> Answer<'_, Option<Head>> {
        Box::pin(async move { Ok(Approvals::head(self).await?) })
    }

    fn sealable<'a>(&'a self, receipts: &'a [Receipt]) -> Answer<'a, Vec<Receipt>> {
        Box::pin(async move { Ok(Approvals::sealable(self, receipts).await?) })
    }

    fn seal<'a>(&'a self, head: Option<&'a Head>, batch: &'a [Sealed]) -> Answer<'a, SealOutcome> {
        Box::pin(async move { Ok(Approvals::seal(self, head, batch).await?) })
    }

    fn entries(&self, from: u64) -> Answer<'_, Vec<Sealed>> {
        Box::pin(async move { Ok(Approvals::entries(self, from).await?) })
    }

    fn newest_checkpoint(&self) -> Answer<'_, Option<Checkpoint>> {
        Box::pin(async move { Ok(Approvals::newest_checkpoint(self).await?) })
    }

    fn keep<'a>(&'a self, checkpoint: &'a Checkpoint) -> Answer<'a, ()> {
        Box::pin(async move { Ok(self.put_checkpoint(checkpoint).await?) })
    }
}

impl Signer for LedgerKey {
    fn checkpoint<'a>(
        &'a self,
        tenant: &'a Tenant,
        head: &'a Head,
        at: Timestamp,
    ) -> Answer<'a, Checkpoint> {
        Box::pin(async move { Ok(LedgerKey::checkpoint(self, tenant, head, at).await?) })
    }

    fn public_key(&self) -> Answer<'_, Vec<u8>> {
        Box::pin(async move { Ok(LedgerKey::public_key(self).await?) })
    }
}

impl Archive for Blobs {
    fn put<'a>(&'a self, key: &'a str, body: Vec<u8>, content_type: &'a str) -> Answer<'a, ()> {
        Box::pin(async move { Ok(Blobs::put(self, key, body, content_type).await?) })
    }
}
