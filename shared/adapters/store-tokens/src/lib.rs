//! The table `Tokens`, and the only code that knows its keys.
//!
//! | item | PK | SK |
//! |---|---|---|
//! | task token | `APPR#{id}` | `TOKEN` |
//!
//! Whoever holds a task token can move a run, signed or not. So the tokens lie in a table of their own: functions that
//! read approvals, or write them, do not reach it unless they wake what waits.

use countersign_approval::ApprovalId;
use countersign_store_approvals::{Result, TaskToken, TaskTokens};
use countersign_store_kit::{Expr, Key, Op, Table, Write};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How long a token is kept, in seconds: a day longer than the machine waits at a gate (`TimeoutSeconds`).
const KEPT: i64 = 25_920_000 + 86_400;

/// Task tokens as they are stored.
#[derive(Debug, Clone)]
pub struct Tokens {
    table: Table,
}

#[derive(Serialize, Deserialize)]
struct TokenItem {
    token: String,
    /// Missing in items of an earlier version, which every turn replaces.
    #[serde(default)]
    turn: u64,
}

impl Tokens {
    /// The tokens in this table.
    #[must_use]
    #[inline]
    pub fn new(table: Table) -> Self {
        Self { table }
    }
}

impl TaskTokens for Tokens {
    fn keep(&self, id: &ApprovalId, token: &TaskToken, now: Timestamp) -> Result<Op> {
        let item = TokenItem { token: token.expose().to_owned(), turn: token.turn() };
        // The invocation of an earlier turn may be the later one to write: its token wakes nothing any more.
        let not_older = "attribute_not_exists(turn) OR turn <= :turn";
        let put = Write::put(&key(id), &item)?
            .expires_at(now.as_second() + KEPT)
            .when(Expr::new(not_older).bind("turn", &item.turn)?);
        Ok(self.table.op(put))
    }

    fn forget(&self, id: &ApprovalId) -> Op {
        self.table.op(Write::delete(&key(id)))
    }

    fn find<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, Result<Option<TaskToken>>> {
        Box::pin(async move {
            let item: Option<TokenItem> = self.table.get(&key(id)).await?;
            Ok(item.map(|item| TaskToken::new(item.token).of_turn(item.turn)))
        })
    }
}

fn key(id: &ApprovalId) -> Key {
    Key::new(format!("APPR#{id}"), "TOKEN")
}
