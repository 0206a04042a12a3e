//! Calls: planned, applied, done.

use countersign_identity::UserId;
use countersign_knowledge::Namespace;
use countersign_knowledge::graph::{CallState, Deferred, Planned, Scope};
use countersign_store_kit::{Expr, Key, Query, StoreError, Stored, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{KnowledgeStore, Result, keys};

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
struct Unfinished {
    owner: UserId,
    namespace: Namespace,
    call: String,
}

#[derive(Debug, Serialize)]
struct NewCall {
    #[serde(flatten)]
    item: CallItem,
    #[serde(flatten)]
    unfinished: Unfinished,
}

/// A plan that was stored and not applied: its function was killed, or the table did not answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenPlan {
    /// Whose graph.
    pub scope: Scope,
    /// The key of the call.
    pub call: String,
    /// What is left to do.
    pub planned: Planned,
}

/// A call that waits to be resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct DeferredCall {
    /// Whose graph.
    pub scope: Scope,
    /// The key of the call.
    pub call: String,
    /// What is to be resolved.
    pub deferred: Deferred,
}

fn new_call(scope: &Scope, call: &str, item: CallItem) -> Result<Write> {
    let unfinished = Unfinished {
        owner: scope.owner.clone(),
        namespace: scope.namespace.clone(),
        call: call.to_owned(),
    };
    Write::put(&keys::call(scope, call), &NewCall { item, unfinished })
}

impl KnowledgeStore {
    pub(crate) async fn read_call(&self, key: &Key) -> Result<CallState> {
        let Some(item) = self.table.get::<CallItem>(key).await? else { return Ok(CallState::New) };
        let body = self.blobs.load(&item.body).await?;
        let decode = |error: serde_json::Error| StoreError::Decode {
            table: self.table.name().to_owned(),
            reason: error.to_string(),
        };
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
        let key = keys::call(scope, call);
        let write = new_call(scope, call, item)?
            .when(Expr::new("attribute_not_exists(#PK) OR attribute_exists(#deferred)"))
            .indexed(keys::OPEN_PLANS, &keys::place(planned.at, &key.sk));
        let write = write.expires_at(planned.at.as_second() + KEPT_DAYS * 86_400);
        match self.table.write(write).await {
            Ok(()) => Ok(CallState::Planned(Box::new(planned.clone()))),
            Err(error) if error.is_condition() => self.read_call(&key).await,
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn write_deferred(
        &self,
        scope: &Scope,
        call: &str,
        deferred: &Deferred,
    ) -> Result<CallState> {
        let body = self.call_body(scope, call, deferred).await?;
        let item = CallItem { done: false, deferred: Some(true), body };
        let key = keys::call(scope, call);
        let write = new_call(scope, call, item)?.if_absent();
        let write = write.indexed(keys::DEFERRED, &keys::place(deferred.at, &key.sk));
        let write = write.expires_at(deferred.at.as_second() + KEPT_DAYS * 86_400);
        match self.table.write(write).await {
            Ok(()) => Ok(CallState::Deferred(Box::new(deferred.clone()))),
            Err(error) if error.is_condition() => self.read_call(&key).await,
            Err(error) => Err(error),
        }
    }

    async fn call_body(&self, scope: &Scope, call: &str, body: &impl Serialize) -> Result<Stored> {
        let value =
            serde_json::to_value(body).map_err(|error| StoreError::Encode(error.to_string()))?;
        // Two attempts at once may plan differently; each has its own object, and the item says whose stands.
        let digest = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(value.to_string()));
        let key = keys::call(scope, call);
        let name = key.sk.trim_start_matches("CALL#");
        self.blobs.store(&format!("knowledge/{}/{name}/{digest}.json", scope.owner), &value).await
    }

    pub(crate) async fn finish_call(&self, scope: &Scope, call: &str) -> Result<()> {
        let write = Write::update(&keys::call(scope, call)).set("done", &true)?;
        let write = write.remove("GSI1PK").remove("GSI1SK");
        self.table.write(write.when(Expr::exists())).await
    }

    /// The oldest calls that wait to be resolved.
    ///
    /// # Errors
    /// [`StoreError`] when table or bucket do not answer.
    pub async fn deferred(&self, limit: i32) -> Result<Vec<DeferredCall>> {
        let query = Query::index(keys::DEFERRED).limit(limit);
        let page = self.table.query(query).await?.decode::<Unfinished>(self.table.name())?;
        let mut waiting = Vec::with_capacity(page.items.len());
        for item in page.items {
            let scope = Scope { owner: item.owner, namespace: item.namespace };
            // The index may be a moment behind.
            if let CallState::Deferred(deferred) =
                self.read_call(&keys::call(&scope, &item.call)).await?
            {
                waiting.push(DeferredCall { scope, call: item.call, deferred: *deferred });
            }
        }
        Ok(waiting)
    }

    /// The oldest plans that were stored before this time and are not applied.
    ///
    /// # Errors
    /// [`StoreError`] when table or bucket do not answer.
    pub async fn open_plans(&self, before: Timestamp, limit: i32) -> Result<Vec<OpenPlan>> {
        let query = Query::index(keys::OPEN_PLANS).between("0", &keys::place(before, ""));
        let page =
            self.table.query(query.limit(limit)).await?.decode::<Unfinished>(self.table.name())?;
        let mut open = Vec::with_capacity(page.items.len());
        for item in page.items {
            let scope = Scope { owner: item.owner, namespace: item.namespace };
            // The index may be a moment behind.
            if let CallState::Planned(planned) =
                self.read_call(&keys::call(&scope, &item.call)).await?
            {
                open.push(OpenPlan { scope, call: item.call, planned: *planned });
            }
        }
        Ok(open)
    }

    /// Applies a plan and marks its call done. When that fails, what it has found is pending.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer; the plan stays open.
    pub async fn resume(&self, open: &OpenPlan) -> Result<()> {
        if let Err(error) = self.apply_all(&open.scope, &open.planned.changes).await {
            self.write_pending(&open.scope, &open.planned.changes).await?;
            return Err(error);
        }
        self.finish_call(&open.scope, &open.call).await
    }

    /// Gives a plan up: nobody applies it any more, and what it has found stays pending.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn give_up(&self, open: &OpenPlan) -> Result<()> {
        let write = Write::update(&keys::call(&open.scope, &open.call));
        self.table.write(write.remove("GSI1PK").remove("GSI1SK")).await
    }
}
