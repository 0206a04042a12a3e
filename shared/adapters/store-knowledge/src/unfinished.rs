//! Calls that somebody has to come back to: names that wait to be resolved, and plans that were not applied. Each list is in the
//! order of time; what is begun goes behind the others, whatever comes of it.

use countersign_identity::UserId;
use countersign_knowledge::graph::{Applied, CallState, Deferred, GoesOn, Planned, Scope};
use countersign_knowledge::{DiscoveryStatus, Namespace};
use countersign_store_kit::{Expr, Item, Key, Page, Query, StoreError, Write, decode};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::calls::BEGUN;
use crate::{KnowledgeStore, Result, keys};

/// So many of a list are looked at in one sweep; those behind them in the next one.
const WINDOW: i32 = 1_000;

/// Behind every time.
const END: &str = "~";

/// A call that waits for somebody to come back to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// Whose graph.
    pub scope: Scope,
    /// The key of the call.
    pub call: String,
    /// How often it was begun without anything coming of it: whoever had begun it was ended.
    pub begun: u32,
}

/// The part of a call that is read from its list.
#[derive(Debug, Deserialize)]
struct Listed {
    owner: UserId,
    namespace: Namespace,
    call: String,
    #[serde(default)]
    begun: u32,
}

/// How far a list that has more than one window was looked at.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Place {
    after: Option<String>,
}

impl KnowledgeStore {
    /// Calls that wait to be resolved, a window of them: each sweep looks at the next one, until it begins anew. One that cannot be
    /// read is logged, and goes behind the others.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn deferred_calls(&self, now: Timestamp) -> Result<Vec<Waiting>> {
        self.waiting(keys::DEFERRED, END, now).await
    }

    /// Plans that were stored, or begun in vain, before this time: a window of them, as of the calls that wait to be resolved.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn open_plans(&self, before: Timestamp, now: Timestamp) -> Result<Vec<Waiting>> {
        self.waiting(keys::OPEN_PLANS, &keys::place(before, ""), now).await
    }

    async fn waiting(&self, list: &str, end: &str, now: Timestamp) -> Result<Vec<Waiting>> {
        let mut found = Vec::new();
        for item in self.window(list, end).await?.items {
            let Some(key) = Key::of(&item) else { continue };
            match decode::<Listed>(self.table.name(), item) {
                Ok(Listed { owner, namespace, call, begun }) => {
                    found.push(Waiting { scope: Scope { owner, namespace }, call, begun });
                }
                Err(error) => self.unreadable(&key, &error, now).await?,
            }
        }
        Ok(found)
    }

    /// The beginning of a list; of one that is longer, the part behind the one that was read last.
    async fn window(&self, list: &str, end: &str) -> Result<Page<Item>> {
        let first = self.part(list, "0", end).await?;
        if first.next.is_none() {
            return Ok(first);
        }
        let key = Key::new("SWEEP", list);
        let Place { after } = self.table.get(&key).await?.unwrap_or_default();
        let page = match &after {
            // Nothing stands between a place and the same text with a character behind it.
            Some(after) => self.part(list, &format!("{after}0"), end).await?,
            None => first,
        };
        let last = page.items.last().filter(|_| page.next.is_some());
        let after = last.and_then(|item| item.get("GSI1SK")?.as_s().ok().cloned());
        self.table.write(Write::put(&key, &Place { after })?).await?;
        Ok(page)
    }

    async fn part(&self, list: &str, from: &str, end: &str) -> Result<Page<Item>> {
        self.table.query(Query::index(list).between(from, end).limit(WINDOW)).await
    }

    /// Counts that a call is begun, and puts it behind the others: if whoever does it is ended, it is not the first again. False
    /// when it is finished by now.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn begin(&self, of: &Waiting, now: Timestamp) -> Result<bool> {
        let key = keys::call(&of.scope, &of.call);
        let write = Write::update(&key).set("GSI1SK", &keys::place(now, &key.sk))?;
        self.table.try_write(write.add(BEGUN, &1)?.when(is_listed())).await
    }

    /// Puts a call that came to nothing at this time of its list, which is behind the others when it is now. Whoever has begun it was
    /// not ended.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn put_off(&self, of: &Waiting, at: Timestamp) -> Result<()> {
        self.put_back(&keys::call(&of.scope, &of.call), at).await
    }

    async fn put_back(&self, key: &Key, at: Timestamp) -> Result<()> {
        let write = Write::update(key).set("GSI1SK", &keys::place(at, &key.sk))?;
        self.table.try_write(write.remove(BEGUN).when(is_listed())).await.map(drop)
    }

    /// What is to be resolved; none when that was done meanwhile. What cannot be read is logged, and none.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn deferred(&self, of: &Waiting, now: Timestamp) -> Result<Option<Deferred>> {
        match self.state_of(of, now).await? {
            Some(CallState::Deferred(deferred)) => Ok(Some(*deferred)),
            _ => Ok(None),
        }
    }

    /// What is to be applied; none when that was done meanwhile. What cannot be read is logged, and none.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn planned(&self, of: &Waiting, now: Timestamp) -> Result<Option<Planned>> {
        match self.state_of(of, now).await? {
            Some(CallState::Planned(planned)) => Ok(Some(*planned)),
            _ => Ok(None),
        }
    }

    async fn state_of(&self, of: &Waiting, now: Timestamp) -> Result<Option<CallState>> {
        let key = keys::call(&of.scope, &of.call);
        match self.read_call(&key).await {
            Ok(state) => Ok(Some(state)),
            // One that does not read must not keep the others.
            Err(error) => self.unreadable(&key, &error, now).await.map(|()| None),
        }
    }

    async fn unreadable(&self, key: &Key, error: &StoreError, now: Timestamp) -> Result<()> {
        tracing::error!(call = key.sk, %error, "a call that is not finished cannot be read");
        self.put_back(key, now).await
    }

    /// Applies a plan, or goes on with it, and marks its call done. One that contradicts the graph is discarded, and its names are
    /// resolved again; it stays open where it does not say what it was planned from, as those of earlier versions. When it fails,
    /// what it has found is pending.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer; the plan stays open.
    pub async fn resume(
        &self,
        of: &Waiting,
        planned: &Planned,
        goes_on: GoesOn<'_>,
        now: Timestamp,
    ) -> Result<Applied> {
        let (scope, call, changes) = (&of.scope, of.call.as_str(), &planned.changes);
        match self.apply_plan(scope, call, changes, goes_on).await {
            Ok(Applied::Whole) => self.finish_call(scope, call).await.map(|()| Applied::Whole),
            Ok(Applied::Contradicted) => self.plan_anew(of, planned, now).await,
            Ok(Applied::Partly) => Ok(Applied::Partly),
            Err(error) => {
                self.write_unstored(scope, changes, DiscoveryStatus::Pending, None).await?;
                Err(error)
            }
        }
    }

    async fn plan_anew(&self, of: &Waiting, planned: &Planned, now: Timestamp) -> Result<Applied> {
        if let Some(from) = &planned.from {
            self.forget_pending(&of.scope, &planned.changes).await?;
            self.write_discarded(&of.scope, &of.call, from, now).await?;
        }
        Ok(Applied::Contradicted)
    }

    /// Gives a plan up: nobody applies it any more, and what it has found says so and why.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn give_up(&self, of: &Waiting, planned: &Planned, why: &str) -> Result<()> {
        let status = DiscoveryStatus::GivenUp;
        self.write_unstored(&of.scope, &planned.changes, status, Some(why)).await?;
        let write = Write::update(&keys::call(&of.scope, &of.call));
        self.table.write(write.remove("GSI1PK").remove("GSI1SK")).await
    }
}

/// Otherwise somebody has finished it.
fn is_listed() -> Expr {
    Expr::new("attribute_exists(#GSI1PK)")
}
