//! What the sweeper looks for: requests that are overdue, unannounced, or decided without having moved their run, and
//! receipts that are not sealed.

use countersign_approval::ports::{Answered, Signed};
use countersign_approval::{
    ApprovalId, Closed, Covered, Receipt, Request, RunId, Status, UnknownCall,
};
use countersign_store_kit::{Query, Write};
use futures::TryFutureExt as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::items::{Body, to_text};
use crate::{Answer, Approvals, Result, keys};

/// A request's place in its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The request.
    pub approval: ApprovalId,
    /// The run.
    pub run: RunId,
    /// The step.
    pub step: String,
    /// Where the request stands.
    pub status: Status,
    /// The steps its signature covers.
    pub covers: Vec<Covered>,
    /// The hashes of the warnings it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warned: Vec<String>,
    /// The calls whose outcome it asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcome: Vec<UnknownCall>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
}

impl Place {
    pub(crate) fn signature(self, step: &str) -> Option<Signed> {
        let closed = self.closed.filter(|_| self.status == Status::Approved)?;
        let covered = self.covers.into_iter().find(|call| call.step == step)?;
        Some(Signed {
            approval: self.approval,
            receipt: closed.receipt,
            at: closed.at,
            covered,
            warned: self.warned,
        })
    }
}

impl Place {
    /// What enough people said became of each call of `step`.
    pub(crate) fn answers(self, step: &str) -> Vec<Answered> {
        let answered = self.step == step && self.status == Status::Approved;
        let Some(closed) = self.closed.filter(|_| answered) else { return Vec::new() };
        let one = |call: UnknownCall| {
            let answer = closed.answers.iter().find(|answer| answer.n == call.n)?.clone();
            let (approval, receipt) = (self.approval.clone(), closed.receipt.clone());
            Some(Answered { approval, receipt, at: closed.at, call, answer })
        };
        self.outcome.into_iter().filter_map(one).collect()
    }
}

/// Writes the place; pending ones are found by their deadline, closed ones by when they ended, until the run has moved.
pub(crate) fn place(request: &Request) -> Result<Write> {
    let place = Place {
        approval: request.id.clone(),
        run: request.position.run.clone(),
        step: request.position.step.clone(),
        status: request.status,
        covers: request.covers.clone(),
        warned: request.warnings.iter().map(|of_step| of_step.hash.clone()).collect(),
        outcome: request.outcome.clone(),
        closed: request.closed.clone(),
    };
    let partition = if request.closed.is_none() { keys::PENDING } else { keys::UNMOVED };
    let put = Write::put(&keys::place(&place.run, &place.approval), &Body::of(&place)?)?;
    Ok(put.indexed(partition, &keys::place_of(request)))
}

#[derive(Serialize, Deserialize)]
struct Unasked {
    body: String,
    version: u32,
}

/// Notes that people have yet to be told of this version.
pub(crate) fn unasked(request: &Request, now: Timestamp) -> Result<Write> {
    let item = Unasked { body: to_text(&request.id)?, version: request.version };
    let put = Write::put(&keys::unasked(&request.id), &item)?;
    Ok(put.indexed(keys::UNASKED, &keys::at(now, &request.id)))
}

impl Approvals {
    /// Pending requests whose deadline is not after `now`, the longest overdue first.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn overdue(&self, now: Timestamp, most: i32) -> Answer<'_, Vec<Place>> {
        self.indexed(keys::PENDING, now, most)
    }

    /// Requests that ended before `before` and whose run has not moved since.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn unmoved(&self, before: Timestamp, most: i32) -> Answer<'_, Vec<Place>> {
        self.indexed(keys::UNMOVED, before, most)
    }

    /// Requests opened or changed before `before` of which nobody was told.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn unannounced(&self, before: Timestamp, most: i32) -> Answer<'_, Vec<ApprovalId>> {
        self.indexed(keys::UNASKED, before, most)
    }

    /// Receipts written before `before` that are not in the chain.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn unsealed(&self, before: Timestamp, most: i32) -> Answer<'_, Vec<Receipt>> {
        self.indexed(keys::UNSEALED, before, most)
    }

    fn indexed<T>(&self, partition: &'static str, until: Timestamp, most: i32) -> Answer<'_, Vec<T>>
    where
        T: serde::de::DeserializeOwned + Send + 'static,
    {
        let until = format!("{}~", keys::time(until));
        let query = Query::index(partition).between("0", &until).limit(most);
        Box::pin(self.page_of(query).map_ok(|page| page.items))
    }
}
