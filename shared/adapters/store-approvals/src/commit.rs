//! Changing a request: one transaction, on condition that nobody changed it since it was read.

use countersign_approval::{Receipt, Request, Status, Vote};
use countersign_store_kit::{Expr, Write};
use jiff::Timestamp;

use crate::items::{Body, RequestItem};
use crate::{Answer, Approvals, Result, keys, lists, sweep};

/// One change, as the protocol computed it.
#[derive(Debug, Clone, Copy)]
pub struct Commit<'a> {
    /// The request the change was computed from.
    pub before: &'a Request,
    /// The request afterwards.
    pub after: &'a Request,
    /// The vote that is cast. A person has one per version, and one more for each that does not count any more: another one is
    /// refused by the store itself.
    pub vote: Option<&'a Vote>,
    /// The receipt of the vote or of the end.
    pub receipt: Option<&'a Receipt>,
    /// The clock a vote is measured with.
    pub now: Timestamp,
}

/// Whether a change was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// All of it.
    Done,
    /// Nothing: the request changed in between. Read it again and weigh again.
    Stale,
}

impl Approvals {
    /// Writes a change, all of it or nothing.
    ///
    /// The condition is the protocol's: `pending AND version AND digest AND revision`, for votes also
    /// `deadline > now` and no such vote of this person on this version.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer; a lost race is [`Committed::Stale`].
    pub fn commit<'a>(&'a self, commit: &'a Commit<'a>) -> Answer<'a, Committed> {
        Box::pin(async move {
            let is_done = self.table.try_transact(writes(commit)?).await?;
            Ok(if is_done { Committed::Done } else { Committed::Stale })
        })
    }
}

fn writes(commit: &Commit<'_>) -> Result<Vec<Write>> {
    let Commit { before, after, vote, receipt, now } = *commit;
    let put = Write::put(&keys::request(&after.id), &RequestItem::of(after)?)?;
    let mut writes = vec![put.when(unchanged(before)?)];
    if let Some(vote) = vote {
        let open = Expr::new("#deadline_ms > :now").bind("now", &now.as_millisecond())?;
        writes = writes.into_iter().map(|write| write.when(open.clone())).collect();
        let key = keys::vote(&after.id, vote);
        writes.push(Write::put(&key, &Body::of(vote)?)?.if_absent());
    }
    if let Some(receipt) = receipt {
        let key = keys::receipt(&after.id, receipt.version, &receipt.id);
        let index = keys::at(receipt.at, &receipt.id);
        let put = Write::put(&key, &Body::of(receipt)?)?.if_absent();
        writes.push(put.indexed(keys::UNSEALED, &index));
    }
    if shows_elsewhere(before, after) {
        writes.push(sweep::place(after)?);
        writes.extend(lists::rows(after)?);
    }
    if after.version != before.version {
        writes.push(sweep::unasked(after, now)?);
    }
    Ok(writes)
}

/// The request is still the one the change was computed from.
fn unchanged(before: &Request) -> Result<Expr> {
    let text = "#status = :pending AND #version = :version AND #digest = :digest AND #revision = :revision";
    Expr::new(text)
        .bind("pending", &Status::Pending)?
        .bind("version", &before.version)?
        .bind("digest", &before.digest)?
        .bind("revision", &before.revision)
}

/// Whether lists and indexes show anything of the change. A vote that leaves the request open shows nowhere.
fn shows_elsewhere(before: &Request, after: &Request) -> bool {
    after.status.is_final()
        || after.version != before.version
        || after.timing != before.timing
        || after.policy.approvers != before.policy.approvers
}
