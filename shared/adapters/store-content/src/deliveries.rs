//! Which mails have been handed over, so that a message delivered twice is mailed once.
//!
//! A sender claims a mail before it sends and marks it after. A claim holds for [`LEASE`]: when a sender dies between
//! the two, the next delivery after that time sends again, since a second mail does less harm than none.

use countersign_store_kit::{Expr, Key, StoreError, Table, Write};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How long a claim holds, in seconds: longer than a function may run, shorter than a message stays hidden.
pub const LEASE: i64 = 120;

/// How long a delivery is remembered, in seconds: longer than a message can stay in the queue and its dead letters, and than a
/// request for approval may be open, 300 days: some of its mails are handed over again and again, and sent once.
const MEMORY: i64 = 310 * 86_400;

/// What the list says about a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It is ours to send now.
    Ours,
    /// It has been sent.
    Sent,
    /// Somebody else is sending it at this moment.
    Busy,
}

#[derive(Debug, Serialize, Deserialize)]
struct Row {
    state: State,
    until: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Sending,
    Sent,
}

/// The list of deliveries: rows `MAIL#<id>` / `DELIVERY` in the table of content.
#[derive(Debug, Clone)]
pub struct Deliveries {
    table: Table,
}

impl Deliveries {
    /// The list in this table.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Claims a mail for this sender.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub fn claim<'a>(
        &'a self,
        mail: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Claim, StoreError>> {
        Box::pin(async move {
            let now = now.as_second();
            let free =
                Expr::new("attribute_not_exists(#PK) OR (#state = :sending AND #until < :now)")
                    .bind("sending", &State::Sending)?
                    .bind("now", &now)?;
            let row = Row { state: State::Sending, until: now + LEASE };
            let write = Write::put(&key(mail), &row)?.when(free).expires_at(now + MEMORY);
            let is_ours = self.table.try_write(write).await?;
            if is_ours { Ok(Claim::Ours) } else { self.existing(mail).await }
        })
    }

    async fn existing(&self, mail: &str) -> Result<Claim, StoreError> {
        let row: Option<Row> = self.table.get(&key(mail)).await?;
        Ok(if row.is_some_and(|row| row.state == State::Sent) { Claim::Sent } else { Claim::Busy })
    }

    /// Notes that a claimed mail was handed over.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer; the mail may then be sent once more.
    pub fn sent<'a>(
        &'a self,
        mail: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let now = now.as_second();
            let row = Row { state: State::Sent, until: now };
            self.table.write(Write::put(&key(mail), &row)?.expires_at(now + MEMORY)).await
        })
    }

    /// Gives a claim back after a send that certainly did not happen.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer; the claim then ends by itself.
    pub async fn release(&self, mail: &str) -> Result<(), StoreError> {
        let sending = Expr::new("#state = :sending").bind("sending", &State::Sending)?;
        self.table.try_write(Write::delete(&key(mail)).when(sending)).await.map(drop)
    }
}

fn key(mail: &str) -> Key {
    Key::new(format!("MAIL#{mail}"), "DELIVERY")
}
