//! One-time codes: only their salted hashes, how often they were tried, and how many may still be mailed.

use std::collections::BTreeMap;

use countersign_approval::{ApprovalId, CodeAllowance, CodeScope, StoredCode};
use countersign_store_kit::{Expr, Key, StoreError, Write};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::items::{from_text, to_text};
use crate::{Approvals, Result, keys};

/// How many lost races in a row are borne: each means that another code was mailed.
const RACES: usize = 8;

/// What became of the wish for a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeIssue {
    /// The new code is kept; mail it.
    Kept,
    /// There is one that is still good: mailed a moment ago, or the last one for now. The new one is void.
    Known(StoredCode),
    /// There is none, and the next one may be mailed at this time.
    NotBefore(Timestamp),
}

/// One approver's codes on one version: the newest of each scope. Each has attributes of its own, so that a code for one
/// decision does not take the place of the code for another.
#[derive(Default, Deserialize)]
struct CodeItem {
    allowance: Option<String>,
    #[serde(flatten)]
    codes: BTreeMap<String, Value>,
}

impl CodeItem {
    fn code(&self, scope: &CodeScope, table: &str) -> Result<Option<StoredCode>> {
        let (body, tries) = attributes(scope);
        let Some(body) = self.codes.get(&body).and_then(Value::as_str) else { return Ok(None) };
        let code: StoredCode = from_text(table, body)?;
        let tries = self.codes.get(&tries).and_then(Value::as_i64).unwrap_or_default();
        let tries_left = u8::try_from(tries.max(0)).unwrap_or(u8::MAX);
        Ok(Some(StoredCode { tries_left, ..code }))
    }
}

/// The attributes of a scope's code: its body and its tries.
fn attributes(scope: &CodeScope) -> (String, String) {
    let name = scope.name();
    (format!("{name}_body"), format!("{name}_tries"))
}

impl Approvals {
    /// Keeps a new code in place of the last one of the same scope, if one may be mailed now.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn put_code(
        &self,
        id: &ApprovalId,
        code: &StoredCode,
        now: Timestamp,
    ) -> Result<CodeIssue> {
        let key = keys::code(id, code.version, code.slot);
        for _ in 0..RACES {
            let known: CodeItem = self.table.get(&key).await?.unwrap_or_default();
            let own = known.code(&code.scope, self.table.name())?;
            if let Some(fresh) = own.clone().filter(|own| own.is_fresh(now)) {
                return Ok(CodeIssue::Known(fresh));
            }
            let allowance = match &known.allowance {
                Some(text) => from_text(self.table.name(), text)?,
                None => CodeAllowance::full(now),
            };
            let left = match allowance.take(now) {
                Ok(left) => left,
                Err(next) => {
                    let good = own.filter(|own| own.is_good(now));
                    return Ok(good.map_or(CodeIssue::NotBefore(next), CodeIssue::Known));
                }
            };
            let write = issue(&key, code, left, known.allowance.as_deref())?;
            if self.table.try_write(write).await? {
                return Ok(CodeIssue::Kept);
            }
        }
        Ok(CodeIssue::NotBefore(now))
    }

    /// Counts one try and gives the code to check it with; none when there is no code of this scope or no try left.
    /// Counted before anybody looks, so that parallel guesses cannot share a try.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn try_code(
        &self,
        id: &ApprovalId,
        version: u32,
        slot: u16,
        scope: &CodeScope,
    ) -> Result<Option<StoredCode>> {
        let key = keys::code(id, version, slot);
        let (_, tries) = attributes(scope);
        let some = Expr::new(&format!("#{tries} > :none")).bind("none", &0)?;
        let counted = Write::update(&key).add(&tries, &-1)?.when(some);
        if !self.table.try_write(counted).await? {
            return Ok(None);
        }
        let Some(item) = self.table.get::<CodeItem>(&key).await? else { return Ok(None) };
        let code = item.code(scope, self.table.name())?;
        // This try is already taken off; the check wants to know that there was one.
        let before = |code: StoredCode| StoredCode { tries_left: code.tries_left + 1, ..code };
        Ok(code.map(before))
    }

    /// Makes the code useless: it has done its work.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn spend_code(
        &self,
        id: &ApprovalId,
        version: u32,
        slot: u16,
        scope: &CodeScope,
    ) -> Result<()> {
        let (_, tries) = attributes(scope);
        let write = Write::update(&keys::code(id, version, slot)).set(&tries, &0)?;
        self.table.write(write).await
    }
}

/// Keeps a code and what may still be mailed, unless another one was mailed since `seen` was read.
fn issue(
    key: &Key,
    code: &StoredCode,
    left: CodeAllowance,
    seen: Option<&str>,
) -> std::result::Result<Write, StoreError> {
    let (body, tries) = attributes(&code.scope);
    let unchanged = match seen {
        Some(seen) => Expr::new("#allowance = :seen").bind("seen", &seen)?,
        None => Expr::new("attribute_not_exists(#allowance)"),
    };
    let write = Write::update(key)
        .set(&body, &to_text(code)?)?
        .set(&tries, &code.tries_left)?
        .set("allowance", &to_text(&left)?)?
        .set("expires_at", &(code.expires_at.as_second() + 86_400))?;
    Ok(write.when(unchanged))
}
