//! The sealer against a chain in memory: killed after any write, it ends with one intact ledger.
#![expect(clippy::unwrap_used, reason = "constants of the tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use countersign_approval::chain::{Checkpoint, Export, File, Head, Sealed, verify};
use countersign_approval::{Receipt, ReceiptId, Tenant};
use countersign_store_approvals::SealOutcome;
use countersign_store_kit::StoreError;
use futures::FutureExt as _;
use futures::future::ready;
use jiff::Timestamp;
use on_receipt::{Answer, Archive, Chain, Context, SealError, Signer, handle};
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::EncodePublicKey as _;

/// Table, key and bucket in memory. After `writes_left` writes every further one fails, as if the process had died.
struct World {
    tenant: Tenant,
    key: SigningKey,
    written: BTreeSet<ReceiptId>,
    entries: Mutex<Vec<Sealed>>,
    checkpoint: Mutex<Option<Checkpoint>>,
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    writes_left: AtomicUsize,
}

impl World {
    fn new(writes_left: usize) -> Arc<Self> {
        Arc::new(Self {
            tenant: Tenant::parse("test").unwrap(),
            key: SigningKey::from_slice(&[7; 32]).unwrap(),
            written: receipts().into_iter().map(|receipt| receipt.id).collect(),
            entries: Mutex::default(),
            checkpoint: Mutex::default(),
            objects: Mutex::default(),
            writes_left: AtomicUsize::new(writes_left),
        })
    }

    fn context(self: &Arc<Self>) -> Context {
        Context {
            tenant: self.tenant.clone(),
            chain: self.clone(),
            signer: self.clone(),
            archive: self.clone(),
        }
    }

    fn write(&self) -> Result<(), SealError> {
        let left = self
            .writes_left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        let died = || StoreError::Unavailable {
            table: "test".to_owned(),
            reason: "the process died".to_owned(),
        };
        left.map(drop).map_err(|_| died().into())
    }

    fn exported(&self, folder: &str) -> Vec<File> {
        let objects = self.objects.lock().unwrap();
        let inside = objects.iter().filter_map(|(key, body)| {
            Some(File { name: key.strip_prefix(folder)?.to_owned(), bytes: body.clone() })
        });
        inside.collect()
    }
}

impl Chain for World {
    fn head(&self) -> Answer<'_, Option<Head>> {
        ready(Ok(self.entries.lock().unwrap().last().map(|sealed| Head::from(&sealed.entry))))
            .boxed()
    }

    fn sealable<'a>(&'a self, receipts: &'a [Receipt]) -> Answer<'a, Vec<Receipt>> {
        let entries = self.entries.lock().unwrap();
        let waits = |receipt: &&Receipt| {
            self.written.contains(&receipt.id)
                && entries.iter().all(|sealed| sealed.receipt.id != receipt.id)
        };
        ready(Ok(receipts.iter().filter(waits).cloned().collect())).boxed()
    }

    fn seal<'a>(&'a self, head: Option<&'a Head>, batch: &'a [Sealed]) -> Answer<'a, SealOutcome> {
        let sealed = self.write().map(|()| {
            let mut entries = self.entries.lock().unwrap();
            if entries.last().map(|last| Head::from(&last.entry)).as_ref() != head {
                return SealOutcome::Stale;
            }
            entries.extend_from_slice(batch);
            SealOutcome::Sealed
        });
        ready(sealed).boxed()
    }

    fn entries(&self, from: u64) -> Answer<'_, Vec<Sealed>> {
        // Two at a time, so that reading on is tested too.
        let entries = self.entries.lock().unwrap();
        let some = entries
            .iter()
            .filter(|sealed| sealed.entry.sequence >= from)
            .take(2)
            .cloned()
            .collect();
        ready(Ok(some)).boxed()
    }

    fn newest_checkpoint(&self) -> Answer<'_, Option<Checkpoint>> {
        ready(Ok(self.checkpoint.lock().unwrap().clone())).boxed()
    }

    fn keep<'a>(&'a self, checkpoint: &'a Checkpoint) -> Answer<'a, ()> {
        let kept =
            self.write().map(|()| *self.checkpoint.lock().unwrap() = Some(checkpoint.clone()));
        ready(kept).boxed()
    }
}

impl Signer for World {
    fn checkpoint<'a>(
        &'a self,
        tenant: &'a Tenant,
        head: &'a Head,
        at: Timestamp,
    ) -> Answer<'a, Checkpoint> {
        let signature: Signature = self.key.sign(&Checkpoint::message(tenant, head, at));
        ready(Ok(Checkpoint::signed(tenant.clone(), head, at, signature.to_der().as_bytes())))
            .boxed()
    }

    fn public_key(&self) -> Answer<'_, Vec<u8>> {
        ready(Ok(self.key.verifying_key().to_public_key_der().unwrap().into_vec())).boxed()
    }
}

impl Archive for World {
    fn put<'a>(&'a self, key: &'a str, body: Vec<u8>, _: &'a str) -> Answer<'a, ()> {
        let put =
            self.write().map(|()| drop(self.objects.lock().unwrap().insert(key.to_owned(), body)));
        ready(put).boxed()
    }
}

fn now() -> Timestamp {
    "2026-11-21T12:00:00Z".parse().unwrap()
}

fn sample() -> SqsEvent {
    let path = format!("{}/../../events/on-receipt/batch.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn receipts() -> Vec<Receipt> {
    sample()
        .records
        .iter()
        .map(|message| serde_json::from_str(message.body.as_deref().unwrap()).unwrap())
        .collect()
}

async fn failed(event: SqsEvent, world: &Arc<World>) -> Vec<String> {
    let response = handle(event, &world.context(), now()).await;
    response.batch_item_failures.into_iter().map(|item| item.item_identifier).collect()
}

/// What stands in the bucket, verified as an outsider would, with nothing but the bucket: to the byte.
fn check_exports(world: &World, entries: u64) {
    let export = Export {
        entries: world.exported("ledger/entries/"),
        checkpoints: world.exported("ledger/checkpoints/"),
        keys: world.exported("ledger/keys/"),
    };
    let reading = export.read(&[]);
    assert_eq!(reading.findings, []);
    let report = verify(&reading.ledger.unwrap(), &[], &reading.keys[0]);
    assert_eq!(report.intact_through(), Some(entries), "{:?}", report.findings);
    assert_eq!((report.entries, report.unsealed), (entries, 0));
}

#[tokio::test]
async fn a_batch_is_chained_signed_and_exported() {
    let world = World::new(usize::MAX);
    assert!(failed(sample(), &world).await.is_empty());
    check_exports(&world, 3);
}

#[tokio::test]
async fn a_redelivered_batch_changes_nothing() {
    let world = World::new(usize::MAX);
    failed(sample(), &world).await;
    let before = world.objects.lock().unwrap().clone();
    assert!(failed(sample(), &world).await.is_empty());
    assert_eq!(*world.objects.lock().unwrap(), before);
}

#[tokio::test]
async fn killed_after_any_write_the_next_delivery_finishes() {
    // The chain, a key, three entries, a checkpoint and its row: seven writes.
    for writes in 0..8 {
        let world = World::new(writes);
        let again = failed(sample(), &world).await;
        assert_eq!(again.is_empty(), writes >= 7, "after {writes} writes: {again:?}");
        world.writes_left.store(usize::MAX, Ordering::SeqCst);
        assert!(failed(sample(), &world).await.is_empty(), "after {writes} writes");
        check_exports(&world, 3);
    }
}

#[tokio::test]
async fn from_the_first_bad_message_on_all_come_back() {
    let world = World::new(usize::MAX);
    let mut event = sample();
    event.records[1].body = Some("{\"id\":\"rcpt_\"}".to_owned());
    assert_eq!(failed(event, &world).await, ["r-2", "r-3"]);
    check_exports(&world, 1);
}

#[tokio::test]
async fn a_receipt_of_another_deployment_is_not_sealed() {
    let world = World::new(usize::MAX);
    let mut receipt = receipts().remove(0);
    receipt.tenant = Tenant::parse("elsewhere").unwrap();
    let mut message = SqsMessage::default();
    message.message_id = Some("r-9".to_owned());
    message.body = Some(serde_json::to_string(&receipt).unwrap());
    let mut event = SqsEvent::default();
    event.records = vec![message];
    assert_eq!(failed(event, &world).await, ["r-9"]);
    assert!(world.entries.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_receipt_with_a_member_that_would_not_be_hashed_is_not_sealed() {
    let world = World::new(usize::MAX);
    let mut event = sample();
    let body = event.records[0].body.take().unwrap();
    event.records[0].body = Some(body.replacen('{', "{\"note_text\":\"agreed\",", 1));
    assert_eq!(failed(event, &world).await, ["r-1", "r-2", "r-3"]);
    assert!(world.entries.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_message_whose_receipt_was_never_written_is_not_sealed() {
    let world = World::new(usize::MAX);
    let mut invented = receipts().remove(0);
    invented.id = ReceiptId::from_bytes([9; 16]);
    let mut event = sample();
    event.records[0].body = Some(serde_json::to_string(&invented).unwrap());
    assert!(failed(event, &world).await.is_empty());
    check_exports(&world, 2);
}
