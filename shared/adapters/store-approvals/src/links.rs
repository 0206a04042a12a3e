//! Links: only a hash of what was mailed.

use countersign_approval::{ApprovalId, Digest, Link, LinkError, Mac, Request, SignedLink};
use countersign_failure::Failure;
use countersign_store_kit::{Expr, StoreError, Write};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Approvals, Result, keys};

#[derive(Serialize, Deserialize)]
struct LinkItem {
    version: u32,
    hash: Digest,
    link_expires_s: i64,
}

impl Approvals {
    /// The link of the approver in `slot`. The first call makes it; later ones give the same link again, so that a
    /// reminder does not kill the first mail. `reissue` makes a new one, and older links die.
    ///
    /// A link lives a day longer than its request, so that a late reader is told how it ended. A request with more time gets a
    /// new one, which lives as long as that.
    ///
    /// # Errors
    /// [`LinkError::Key`] when the key cannot be used, or the table does not answer.
    pub fn issue_link<'a>(
        &'a self,
        request: &'a Request,
        slot: u16,
        key: &'a dyn Mac,
        reissue: bool,
    ) -> BoxFuture<'a, std::result::Result<SignedLink, LinkError>> {
        Box::pin(async move {
            let known = self.link_item(&request.id, slot).await.map_err(|e| unavailable(&e))?;
            let (version, expires_at) = match &known {
                Some(item) if !reissue && item.expires_at() >= lifetime(request) => {
                    (item.version, item.expires_at())
                }
                Some(item) => (item.version + 1, lifetime(request)),
                None => (1, lifetime(request)),
            };
            let link = Link { approval: request.id.clone(), slot, version, expires_at };
            let signed = link.sign(&request.tenant, key).await?;
            let is_same = known.as_ref().is_some_and(|item| item.version == version);
            // A rotated key signs otherwise: the same version then gets the new hash.
            if !is_same || known.as_ref().is_some_and(|item| item.hash != signed.stored_hash()) {
                self.keep(&request.id, slot, version, expires_at, &signed, known.as_ref())
                    .await
                    .map_err(|e| unavailable(&e))?;
            }
            Ok(signed)
        })
    }

    /// Whether a genuine link is the newest of its slot.
    ///
    /// # Errors
    /// [`LinkError::Superseded`] when it is not, [`LinkError::Key`] when the table does not answer.
    pub fn check_link<'a>(
        &'a self,
        approval: &'a ApprovalId,
        slot: u16,
        link: &'a SignedLink,
    ) -> BoxFuture<'a, std::result::Result<(), LinkError>> {
        Box::pin(async move {
            let item = self.link_item(approval, slot).await.map_err(|e| unavailable(&e))?;
            let item = item.ok_or(LinkError::Superseded)?;
            link.check_current(item.version, &item.hash)
        })
    }

    async fn link_item(&self, id: &ApprovalId, slot: u16) -> Result<Option<LinkItem>> {
        self.table.get(&keys::link(id, slot)).await
    }

    async fn keep(
        &self,
        id: &ApprovalId,
        slot: u16,
        version: u32,
        expires_at: Timestamp,
        signed: &SignedLink,
        known: Option<&LinkItem>,
    ) -> Result<()> {
        let item = LinkItem {
            version,
            hash: signed.stored_hash(),
            link_expires_s: expires_at.as_second(),
        };
        let unchanged = match known {
            None => Expr::absent(),
            Some(item) => Expr::new("#version = :known").bind("known", &item.version)?,
        };
        self.table.write(Write::put(&keys::link(id, slot), &item)?.when(unchanged)).await
    }
}

impl LinkItem {
    fn expires_at(&self) -> Timestamp {
        Timestamp::from_second(self.link_expires_s).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

fn lifetime(request: &Request) -> Timestamp {
    let day = jiff::SignedDuration::from_hours(24);
    let end = request.timing.deadline.checked_add(day).unwrap_or(Timestamp::MAX);
    Timestamp::from_second(end.as_second()).unwrap_or(end)
}

fn unavailable(error: &StoreError) -> LinkError {
    LinkError::Key(countersign_approval::MacError {
        operation: "reading the link's record",
        message: error.to_string(),
        class: error.class(),
    })
}
