//! One-time codes: only their salted hashes, and how often they were tried.

use countersign_approval::{ApprovalId, StoredCode};
use countersign_store_kit::{Expr, Write};
use futures::future::BoxFuture;
use serde::Deserialize;

use crate::items::{from_text, to_text};
use crate::{Approvals, Result, keys};

/// How many codes one approver can ask for on one version: with five tries each, guessing stays hopeless, and nobody's
/// mailbox is flooded.
pub const CODES_PER_VERSION: u32 = 10;

#[derive(Deserialize)]
struct CodeItem {
    body: String,
    tries_left: i64,
}

impl Approvals {
    /// Keeps a new code in place of the last one. `false` when too many were asked for already.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn put_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        code: &'a StoredCode,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let few = Expr::new("attribute_not_exists(#issued) OR #issued < :most");
            let write = Write::update(&keys::code(id, code.version, code.slot))
                .set("body", &to_text(code)?)?
                .set("tries_left", &code.tries_left)?
                .set("expires_at", &(code.expires_at.as_second() + 86_400))?
                .add("issued", &1)?
                .when(few.bind("most", &CODES_PER_VERSION)?);
            match self.table.write(write).await {
                Ok(()) => Ok(true),
                Err(error) if error.is_condition() => Ok(false),
                Err(error) => Err(error),
            }
        })
    }

    /// Counts one try and gives the code to check it with; none when there is no code or no try left. Counted before
    /// anybody looks, so that parallel guesses cannot share a try.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn try_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        version: u32,
        slot: u16,
    ) -> BoxFuture<'a, Result<Option<StoredCode>>> {
        Box::pin(async move {
            let key = keys::code(id, version, slot);
            let some = Expr::new("#tries_left > :none").bind("none", &0)?;
            let counted = Write::update(&key).add("tries_left", &-1)?.when(some);
            match self.table.write(counted).await {
                Ok(()) => {}
                Err(error) if error.is_condition() => return Ok(None),
                Err(error) => return Err(error),
            }
            let Some(item) = self.table.get::<CodeItem>(&key).await? else { return Ok(None) };
            let code: StoredCode = from_text(self.table.name(), &item.body)?;
            // This try is already taken off; the check wants to know that there was one.
            let tries_left = u8::try_from(item.tries_left.max(0) + 1).unwrap_or(u8::MAX);
            Ok(Some(StoredCode { tries_left, ..code }))
        })
    }

    /// Makes the code useless: it has done its work.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn spend_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        version: u32,
        slot: u16,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let write = Write::update(&keys::code(id, version, slot)).set("tries_left", &0)?;
            self.table.write(write).await
        })
    }
}
