//! Writes that are done together or not at all, also across tables.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    CancellationReason, ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem, Update,
};
use futures::future::BoxFuture;

use crate::error::StoreError;
use crate::table::Table;
use crate::write::{Kind, Write};
use crate::{Result, counters};

/// How often a transaction is tried while others are at its items.
const TRIES: u32 = 12;
/// No pause between two tries is longer, in milliseconds: together they are 3.4 seconds at most.
const LONGEST_PAUSE: u64 = 400;

/// A write together with the table it goes to, for transactions across tables.
#[derive(Debug, Clone)]
pub struct Op {
    table: String,
    write: Write,
}

impl Table {
    /// Names this table for a write of a transaction.
    #[must_use]
    pub fn op(&self, write: Write) -> Op {
        Op { table: self.name().to_owned(), write }
    }

    /// Does all writes or none; up to 100, all in this table.
    pub fn transact(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<()>> {
        let ops = writes.into_iter().map(|write| self.op(write)).collect();
        self.transact_across(ops)
    }

    /// As [`Table::transact`], of items that many change at once: as long as the table cancels it because others are at the
    /// same items, it is tried again, for about three seconds at most.
    ///
    /// Nothing but a transaction that was cancelled is tried again here. That one has certainly changed nothing; one whose
    /// answer was lost may have, and what it adds to a number would be added twice.
    ///
    /// # Errors
    /// [`StoreError`] as [`Table::transact_across`]; [`StoreError::Unavailable`] also when others were there each time.
    pub fn transact_contended(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<()>> {
        self.transact_across_contended(writes.into_iter().map(|write| self.op(write)).collect())
    }

    /// As [`Table::transact_contended`], across tables.
    ///
    /// # Errors
    /// As [`Table::transact_contended`].
    pub fn transact_across_contended(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let mut tries = 1;
            loop {
                match self.send(&ops).await {
                    Err(Undone::Busy(_)) if tries < TRIES => {
                        tokio::time::sleep(pause_after(tries)).await;
                    }
                    sent => return sent.map_err(Undone::error),
                }
                tries += 1;
            }
        })
    }

    /// Does all writes or none, across tables.
    ///
    /// A condition that does not hold is [`StoreError::ConditionFailed`] with the place of the first such write.
    pub fn transact_across(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.send(&ops).await.map_err(Undone::error) })
    }

    /// Sends a transaction. The SDK gives it a `ClientRequestToken` and keeps that when it sends it again because an answer was
    /// lost: what was done by then is not done twice.
    async fn send(&self, ops: &[Op]) -> std::result::Result<(), Undone> {
        counters::wrote();
        let items = ops.iter().map(transact_item).collect::<Result<Vec<_>>>();
        let items = items.map_err(Undone::Other)?;
        let sent = self.client.transact_write_items().set_transact_items(Some(items)).send().await;
        sent.map(drop).map_err(|error| match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                undone(self.name(), ops, cancelled.cancellation_reasons())
            }
            _ => Undone::Other(StoreError::sdk(self.name(), &error)),
        })
    }
}

/// Why a transaction was not done, or may not have been.
enum Undone {
    /// It was cancelled because others were at its items, or the table has too much to do. Later it may be done.
    Busy(StoreError),
    /// Anything else.
    Other(StoreError),
}

impl Undone {
    fn error(self) -> StoreError {
        match self {
            Self::Busy(error) | Self::Other(error) => error,
        }
    }
}

/// What the reasons of a cancelled transaction say, one for each write. A condition that failed decides, whatever else is said.
fn undone(table: &str, ops: &[Op], reasons: &[CancellationReason]) -> Undone {
    let of = |code: &str| reasons.iter().position(|reason| reason.code() == Some(code));
    if let Some(index) = of("ConditionalCheckFailed") {
        let table = ops.get(index).map_or_else(|| table.to_owned(), |op| op.table.clone());
        let item = reasons[index].item.clone().filter(|item| !item.is_empty()).map(Box::new);
        return Undone::Other(StoreError::ConditionFailed { table, index, item });
    }
    let codes: Vec<&str> = reasons.iter().filter_map(CancellationReason::code).collect();
    let reason = format!("the transaction was cancelled: {}", codes.join(", "));
    let table = table.to_owned();
    if of("ValidationError").is_some() {
        return Undone::Other(StoreError::Refused { table, reason });
    }
    Undone::Busy(StoreError::Unavailable { table, reason })
}

/// How long to wait after so many tries: any time up to a limit that doubles, so that those who met do not meet again.
fn pause_after(tries: u32) -> Duration {
    // A hasher of the standard library begins with random numbers; no more than that is asked of it.
    let any = RandomState::new().hash_one(tries);
    Duration::from_millis(any % (longest_pause(tries) + 1))
}

/// The longest pause after so many tries, in milliseconds.
fn longest_pause(tries: u32) -> u64 {
    LONGEST_PAUSE.min(20 << tries)
}

fn transact_item(op: &Op) -> Result<TransactWriteItem> {
    let (update, _) = op.write.update_text();
    let (text, names, values) = op.write.parts(&update);
    let key = op.write.key.item();
    let all_old = ReturnValuesOnConditionCheckFailure::AllOld;
    let item = TransactWriteItem::builder();
    Ok(match &op.write.kind {
        Kind::Put(body) => {
            let put = Put::builder()
                .table_name(&op.table)
                .set_item(Some(body.clone()))
                .set_condition_expression(text);
            let put =
                put.set_expression_attribute_names(names).set_expression_attribute_values(values);
            item.put(
                put.return_values_on_condition_check_failure(all_old)
                    .build()
                    .map_err(StoreError::encode)?,
            )
            .build()
        }
        Kind::Update { .. } => {
            let change = Update::builder()
                .table_name(&op.table)
                .set_key(Some(key))
                .update_expression(update);
            let change = change
                .set_condition_expression(text)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values);
            item.update(
                change
                    .return_values_on_condition_check_failure(all_old)
                    .build()
                    .map_err(StoreError::encode)?,
            )
            .build()
        }
        Kind::Delete => {
            let delete = Delete::builder()
                .table_name(&op.table)
                .set_key(Some(key))
                .set_condition_expression(text);
            let delete = delete
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values);
            item.delete(
                delete
                    .return_values_on_condition_check_failure(all_old)
                    .build()
                    .map_err(StoreError::encode)?,
            )
            .build()
        }
        Kind::Check => {
            let check = ConditionCheck::builder()
                .table_name(&op.table)
                .set_key(Some(key))
                .set_condition_expression(text);
            let check =
                check.set_expression_attribute_names(names).set_expression_attribute_values(values);
            item.condition_check(
                check
                    .return_values_on_condition_check_failure(all_old)
                    .build()
                    .map_err(StoreError::encode)?,
            )
            .build()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a transaction that is cancelled for these reasons.
    fn cancelled(codes: &[&str]) -> Undone {
        let reason = |code: &&str| CancellationReason::builder().code(*code).build();
        let reasons: Vec<CancellationReason> = codes.iter().map(reason).collect();
        undone("runs", &[], &reasons)
    }

    #[test]
    fn what_others_were_at_is_tried_again_unless_a_condition_failed() {
        for code in ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"] {
            let busy = cancelled(&["None", code]);
            assert!(matches!(busy, Undone::Busy(StoreError::Unavailable { .. })), "{code}");
        }
        let failed = cancelled(&["TransactionConflict", "ConditionalCheckFailed", "None"]);
        assert!(matches!(failed, Undone::Other(StoreError::ConditionFailed { index: 1, .. })));
        let failed = cancelled(&["ConditionalCheckFailed", "ConditionalCheckFailed"]);
        assert!(matches!(failed, Undone::Other(StoreError::ConditionFailed { index: 0, .. })));
        let invalid = cancelled(&["ValidationError", "TransactionConflict"]);
        assert!(matches!(invalid, Undone::Other(StoreError::Refused { .. })));
    }

    #[test]
    fn pauses_grow_and_are_three_seconds_and_a_half_together_at_most() {
        let longest: Vec<u64> = (1..TRIES).map(longest_pause).collect();
        assert!(longest.is_sorted(), "{longest:?}");
        assert!(longest.iter().sum::<u64>() <= 3_500, "{longest:?}");
        for tries in 1..TRIES {
            assert!(pause_after(tries) <= Duration::from_millis(longest_pause(tries)));
        }
    }
}
