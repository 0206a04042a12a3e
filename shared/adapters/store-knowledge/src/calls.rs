//! Calls: planned, applied, done.

use countersign_identity::UserId;
use countersign_knowledge::Namespace;
use countersign_knowledge::graph::{CallState, Deferred, Planned, Scope};
use countersign_store_kit::{Expr, Key, StoreError, Stored, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::apply::PART;
use crate::{KnowledgeStore, Result, keys};

/// How often a call was begun since it last came to something; see [`KnowledgeStore::begin`].
pub(crate) const BEGUN: &str = "begun";

/// How long an answer is kept for a repetition: longer than a gate may wait.
const KEPT_DAYS: i64 = 400;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CallItem {
    done: bool,
    /// Present while the call waits to be resolved; then `body` is what is to be resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deferred: Option<bool>,
    body: Stored,
}

/// What whoever applies a plan later has to know.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Unfinished {
    pub(crate) owner: UserId,
    pub(crate) namespace: Namespace,
    pub(crate) call: String,
}

/// How much of a plan is written, in parts.
#[derive(Debug, Default, Deserialize)]
struct Progress {
    #[serde(default)]
    applied: usize,
    /// Of which plan, by its digest.
    #[serde(default)]
    applied_of: String,
    /// Of which size.
    #[serde(default)]
    part_size: usize,
}

#[derive(Debug, Serialize)]
struct NewCall {
    #[serde(flatten)]
    item: CallItem,
    #[serde(flatten)]
    unfinished: Unfinished,
}

/// The write of a call that is not done, listed among those of its kind by this time. Nothing of it is written, and nobody has
/// begun it.
fn new_call(scope: &Scope, call: &str, item: CallItem, list: &str, at: Timestamp) -> Result<Write> {
    let unfinished = Unfinished {
        owner: scope.owner.clone(),
        namespace: scope.namespace.clone(),
        call: call.to_owned(),
    };
    let key = keys::call(scope, call);
    let write = Write::put(&key, &NewCall { item, unfinished })?;
    let write = write.indexed(list, &keys::place(at, &key.sk));
    Ok(write.expires_at(at.as_second() + KEPT_DAYS * 86_400))
}

impl KnowledgeStore {
    pub(crate) async fn read_call(&self, key: &Key) -> Result<CallState> {
        let Some(item) = self.table.get::<CallItem>(key).await? else { return Ok(CallState::New) };
        let body = self.blobs.load(&item.body).await?;
        let table = self.table.name();
        let decode = |error: serde_json::Error| StoreError::unreadable(table, &error);
        if item.deferred.is_some() {
            let deferred = serde_json::from_value(body).map_err(decode)?;
            return Ok(CallState::Deferred(Box::new(deferred)));
        }
        let planned: Planned = serde_json::from_value(body).map_err(decode)?;
        Ok(if item.done {
            CallState::Done(planned.answer)
        } else {
            CallState::Planned(Box::new(planned))
        })
    }

    pub(crate) async fn write_plan(
        &self,
        scope: &Scope,
        call: &str,
        planned: &Planned,
    ) -> Result<CallState> {
        let body = self.call_body(scope, call, planned).await?;
        let item = CallItem { done: false, deferred: None, body };
        let free = Expr::new("attribute_not_exists(#PK) OR attribute_exists(#deferred)");
        let write = new_call(scope, call, item, keys::OPEN_PLANS, planned.at)?.when(free);
        let begun = || CallState::Planned(Box::new(planned.clone()));
        self.begin_call(&keys::call(scope, call), write, begun).await
    }

    pub(crate) async fn write_deferred(
        &self,
        scope: &Scope,
        call: &str,
        deferred: &Deferred,
        at: Timestamp,
    ) -> Result<CallState> {
        let write = self.deferring(scope, call, deferred, at).await?.if_absent();
        let begun = || CallState::Deferred(Box::new(deferred.clone()));
        self.begin_call(&keys::call(scope, call), write, begun).await
    }

    /// Puts what is to be resolved in the place of a plan that is not done.
    pub(crate) async fn write_discarded(
        &self,
        scope: &Scope,
        call: &str,
        from: &Deferred,
        at: Timestamp,
    ) -> Result<CallState> {
        let open = Expr::new("#done = :done AND attribute_not_exists(#deferred)");
        let write = self.deferring(scope, call, from, at).await?;
        let begun = || CallState::Deferred(Box::new(from.clone()));
        let write = write.when(open.bind("done", &false)?);
        self.begin_call(&keys::call(scope, call), write, begun).await
    }

    async fn deferring(
        &self,
        scope: &Scope,
        call: &str,
        deferred: &Deferred,
        at: Timestamp,
    ) -> Result<Write> {
        let body = self.call_body(scope, call, deferred).await?;
        let item = CallItem { done: false, deferred: Some(true), body };
        new_call(scope, call, item, keys::DEFERRED, at)
    }

    /// Writes a call down unless another attempt has; how it stands then.
    async fn begin_call(
        &self,
        key: &Key,
        write: Write,
        begun: impl FnOnce() -> CallState,
    ) -> Result<CallState> {
        if self.table.try_write(write).await? { Ok(begun()) } else { self.read_call(key).await }
    }

    async fn call_body(&self, scope: &Scope, call: &str, body: &impl Serialize) -> Result<Stored> {
        let value = serde_json::to_value(body).map_err(StoreError::encode)?;
        // Two attempts at once may plan differently; each has its own object, and the item says whose stands.
        let digest = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(value.to_string()));
        let key = keys::call(scope, call);
        let name = key.sk.trim_start_matches("CALL#");
        self.blobs.store(&format!("knowledge/{}/{name}/{digest}.json", scope.owner), &value).await
    }

    /// Marks a call done, unless its plan was discarded: then it is resolved again.
    pub(crate) async fn finish_call(&self, scope: &Scope, call: &str) -> Result<()> {
        let write = Write::update(&keys::call(scope, call)).set("done", &true)?;
        let write = write.remove("GSI1PK").remove("GSI1SK");
        let planned = Expr::new("attribute_exists(#PK) AND attribute_not_exists(#deferred)");
        self.table.try_write(write.when(planned)).await.map(drop)
    }

    /// How many parts of this plan are written. What was noted of another one of the same call says nothing of it.
    pub(crate) async fn parts_applied(
        &self,
        scope: &Scope,
        call: &str,
        plan: &str,
    ) -> Result<usize> {
        let known: Option<Progress> = self.table.get(&keys::call(scope, call)).await?;
        // Nor do parts of another size, of an earlier version.
        let known = known.filter(|known| known.applied_of == plan && known.part_size == PART);
        Ok(known.unwrap_or_default().applied)
    }

    /// Notes that so many parts of this plan are written: the next attempt goes on there, and whoever counts attempts that came to
    /// nothing begins anew.
    pub(crate) async fn note_applied(
        &self,
        scope: &Scope,
        call: &str,
        plan: &str,
        parts: usize,
    ) -> Result<()> {
        let write = Write::update(&keys::call(scope, call)).set("applied", &parts)?;
        let write = write.set("applied_of", &plan)?.set("part_size", &PART)?;
        let planned = Expr::new("attribute_exists(#PK) AND attribute_not_exists(#deferred)");
        self.table.try_write(write.remove(BEGUN).when(planned)).await.map(drop)
    }
}
