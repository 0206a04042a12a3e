//! Calls: planned, applied, done.

use countersign_knowledge::graph::{CallState, Planned, Scope};
use countersign_store_kit::{Key, StoreError, Stored, Write};
use serde::{Deserialize, Serialize};

use crate::{KnowledgeStore, Result, keys};

/// How long an answer is kept for a repetition: longer than a gate may wait.
const KEPT_DAYS: i64 = 400;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CallItem {
    done: bool,
    body: Stored,
}

impl KnowledgeStore {
    pub(crate) async fn read_call(&self, key: &Key) -> Result<CallState> {
        let Some(item) = self.table.get::<CallItem>(key).await? else { return Ok(CallState::New) };
        let body = self.blobs.load(&item.body).await?;
        let decode = |error: serde_json::Error| StoreError::Decode {
            table: self.table.name().to_owned(),
            reason: error.to_string(),
        };
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
        let key = keys::call(scope, call);
        let value =
            serde_json::to_value(planned).map_err(|error| StoreError::Encode(error.to_string()))?;
        // Two attempts at once may plan differently; each has its own object, and the item says whose stands.
        let digest = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(value.to_string()));
        let object = format!(
            "knowledge/{}/{}/{digest}.json",
            scope.owner,
            key.sk.trim_start_matches("CALL#")
        );
        let body = self.blobs.store(&object, &value).await?;
        let at = planned.changes.entities.first().map_or(0, |entity| entity.updated_at.as_second());
        let write = Write::put(&key, &CallItem { done: false, body })?.if_absent();
        let write = if at > 0 { write.expires_at(at + KEPT_DAYS * 86_400) } else { write };
        match self.table.write(write).await {
            Ok(()) => Ok(CallState::Planned(Box::new(planned.clone()))),
            Err(error) if error.is_condition() => self.read_call(&key).await,
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn finish_call(&self, scope: &Scope, call: &str) -> Result<()> {
        let write = Write::update(&keys::call(scope, call)).set("done", &true)?;
        self.table.write(write.when(countersign_store_kit::Expr::exists())).await
    }
}
