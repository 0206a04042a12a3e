//! The floor policy of the deployment: what no other approval policy may undercut.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Query, Write};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Directory, DirectoryError, Result, keys};

/// The floor as it stands. Its content is the approval domain's; the directory keeps it as text, in key order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// The policy as JSON text.
    pub json: String,
    /// Counts the changes, from 1.
    pub version: u64,
    /// Who changed it last.
    pub updated_by: UserId,
    /// When.
    pub updated_at: Timestamp,
}

impl Directory {
    /// Reads the floor; none means the built-in one holds.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn floor(&self) -> BoxFuture<'_, Result<Option<Floor>>> {
        Box::pin(async move {
            self.table
                .get(&keys::floor())
                .await
                .map_err(DirectoryError::doing("read the floor policy"))
        })
    }

    /// Every floor there was, the newest first: who set what, and when.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn floors(&self, limit: i32) -> BoxFuture<'_, Result<Vec<Floor>>> {
        Box::pin(async move {
            let doing = DirectoryError::doing("list the floor policies");
            let query = Query::partition(keys::FLOORS).descending().limit(limit);
            let page = self.table.query(query).await.map_err(&doing)?;
            Ok(page.decode(self.table.name()).map_err(doing)?.items)
        })
    }

    /// Replaces the floor if it still has the version the writer saw (0: there was none).
    ///
    /// # Errors
    /// [`DirectoryError::Changed`] when somebody else replaced it in between.
    pub fn set_floor<'a>(
        &'a self,
        policy: &'a Value,
        seen: u64,
        by: &'a UserId,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Floor>> {
        Box::pin(async move {
            let doing = DirectoryError::doing("write the floor policy");
            let floor = Floor {
                json: policy.to_string(),
                version: seen + 1,
                updated_by: by.clone(),
                updated_at: now,
            };
            let unchanged = match seen {
                0 => Expr::absent(),
                _ => Expr::new("#version = :seen").bind("seen", &seen).map_err(&doing)?,
            };
            let write = Write::put(&keys::floor(), &floor).map_err(&doing)?.when(unchanged);
            let kept = Write::put(&keys::floor_version(floor.version), &floor).map_err(&doing)?;
            match self.table.transact(vec![write, kept.if_absent()]).await {
                Ok(()) => Ok(floor),
                Err(error) if error.is_condition() => Err(DirectoryError::Changed),
                Err(error) => Err(doing(error)),
            }
        })
    }
}
