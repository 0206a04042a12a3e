//! Requests, their votes, their tokens and their receipts.

use countersign_approval::ports::Signed;
use countersign_approval::{ApprovalId, Receipt, Request, RunId, Status, Vote};
use countersign_store_kit::{Expr, Op, Query, Write, decode};
use jiff::Timestamp;
use serde::Deserialize;

use crate::items::{Body, RequestItem, from_text};
use crate::token::TaskToken;
use crate::{Answer, Approvals, Result, keys, lists, sweep};

/// The most votes and receipts one request is read with; far beyond what its approvers can cast.
const MAX: usize = 2000;

/// A request with every vote cast on it, also on earlier versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The request.
    pub request: Request,
    /// The votes.
    pub votes: Vec<Vote>,
}

impl Loaded {
    /// The votes on the present version, also those that do not count any more.
    pub fn cast(&self) -> impl Iterator<Item = &Vote> {
        self.votes.iter().filter(|vote| vote.version == self.request.version)
    }

    /// The votes that count: those on the present version that are not marked in the request.
    pub fn counted(&self) -> impl Iterator<Item = &Vote> {
        self.votes.iter().filter(|vote| self.request.counts(vote))
    }
}

/// Whether a request is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// It was written now.
    New,
    /// There is one at this position already.
    Exists,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    Request(RequestItem),
    Vote(Body),
}

impl Approvals {
    /// Writes a new request with the token of the task that waits for it. Nothing happens when there is one already.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn create<'a>(&'a self, request: &'a Request, token: &'a TaskToken) -> Answer<'a, Created> {
        Box::pin(async move {
            let put = Write::put(&keys::request(&request.id), &RequestItem::of(request)?)?;
            let keep = self.tokens()?.keep(&request.id, token, request.opened_at)?;
            let mut writes = vec![
                put.if_absent(),
                sweep::place(request)?,
                sweep::unasked(request, request.opened_at)?,
            ];
            writes.extend(lists::rows(request)?);
            let is_new = self.table.try_transact_across(self.and(writes, keep)).await?;
            Ok(if is_new { Created::New } else { Created::Exists })
        })
    }

    /// Replaces the token of a pending request: its task waits anew. `false` when the request is closed by now, so that
    /// whoever waits must be told at once, or when a task of a later turn waits for it; between the two there is no moment at
    /// which a decision could be lost.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn reattach(
        &self,
        id: &ApprovalId,
        token: &TaskToken,
        now: Timestamp,
    ) -> Result<bool> {
        let pending = Expr::new("#status = :pending").bind("pending", &Status::Pending)?;
        let check = Write::check(&keys::request(id), pending);
        let keep = self.tokens()?.keep(id, token, now)?;
        self.table.try_transact_across(self.and(vec![check], keep)).await
    }

    /// The token of the task that waits for this request.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn token<'a>(&'a self, id: &'a ApprovalId) -> Answer<'a, Option<TaskToken>> {
        Box::pin(async move { self.tokens()?.find(id).await })
    }

    /// A request and its votes, as written a moment ago.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn load(&self, id: &ApprovalId) -> Answer<'_, Option<Loaded>> {
        let query = Query::partition(&keys::partition(id)).prefix(keys::REQUEST).consistent();
        Box::pin(async move {
            let rows: Vec<Row> = self.table.query_all(query, MAX).await?;
            let (mut request, mut votes) = (None, Vec::new());
            for row in rows {
                match row {
                    Row::Request(item) => request = Some(from_text(self.table.name(), &item.body)?),
                    Row::Vote(item) => votes.push(item.read(self.table.name())?),
                }
            }
            Ok(request.map(|request| Loaded { request, votes }))
        })
    }

    /// Every receipt of a request.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn receipts(&self, id: &ApprovalId) -> Answer<'_, Vec<Receipt>> {
        let query = Query::partition(&keys::partition(id)).prefix("RECEIPT#").consistent();
        self.all_of(query, MAX)
    }

    /// The approved requests of a run that cover something of `step`, with what they cover, the newest first. A step with an
    /// irreversible effect acts only when one covers exactly that.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn signatures(&self, run: &RunId, step: &str) -> Result<Vec<Signed>> {
        let places = self.places(run).await?;
        let mut found: Vec<Signed> =
            places.into_iter().filter_map(|place| place.signature(step)).collect();
        found.sort_by_key(|signature| std::cmp::Reverse(signature.at));
        Ok(found)
    }

    /// The requests of a run.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn places(&self, run: &RunId) -> Answer<'_, Vec<sweep::Place>> {
        let query = Query::partition(&keys::run_partition(run)).prefix("APPR#").consistent();
        self.all_of(query, MAX)
    }

    /// Notes that the run has heard of the decision: it is not woken again, and its token is gone. A function that wakes nobody
    /// leaves the token, good for nothing by then, to expire.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn moved<'a>(&'a self, request: &'a Request) -> Answer<'a, ()> {
        Box::pin(async move {
            let place = Write::update(&keys::place(&request.position.run, &request.id));
            let unlist = place.remove("GSI1PK").remove("GSI1SK").when(Expr::exists());
            match &self.tokens {
                None => self.table.write(unlist).await,
                Some(tokens) => {
                    let ops = self.and(vec![unlist], tokens.forget(&request.id));
                    self.table.transact_across(ops).await
                }
            }
        })
    }

    /// Notes that everybody was told of this version.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn asked(&self, id: &ApprovalId, version: u32) -> Answer<'_, ()> {
        let told = Write::delete(&keys::unasked(id));
        Box::pin(async move {
            let same = Expr::new("#version = :version").bind("version", &version)?;
            // When it does not hold, it is gone already, or a newer version waits to be told.
            self.table.try_write(told.when(same)).await.map(drop)
        })
    }

    /// Whether nobody was told of the present version yet.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn is_unasked<'a>(&'a self, id: &'a ApprovalId) -> Answer<'a, bool> {
        Box::pin(async move { Ok(self.table.get_item(&keys::unasked(id)).await?.is_some()) })
    }

    /// One request without its votes.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn request<'a>(&'a self, id: &'a ApprovalId) -> Answer<'a, Option<Request>> {
        Box::pin(async move {
            let Some(item) = self.table.get_item(&keys::request(id)).await? else {
                return Ok(None);
            };
            let item: RequestItem = decode(self.table.name(), item)?;
            from_text(self.table.name(), &item.body).map(Some)
        })
    }

    /// Writes of this table and one of the tokens'.
    fn and(&self, writes: Vec<Write>, token: Op) -> Vec<Op> {
        let mut ops: Vec<Op> = writes.into_iter().map(|write| self.table.op(write)).collect();
        ops.push(token);
        ops
    }
}
