//! Writes that are done together or not at all, also across tables.

use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use futures::future::BoxFuture;

use crate::error::StoreError;
use crate::table::Table;
use crate::write::{Kind, Write};
use crate::{Result, counters};

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

    /// Does all writes or none, across tables.
    ///
    /// A condition that does not hold is [`StoreError::ConditionFailed`] with the place of the first such write.
    pub fn transact_across(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            counters::wrote();
            let items = ops.iter().map(transact_item).collect::<Result<Vec<_>>>()?;
            let sent =
                self.client.transact_write_items().set_transact_items(Some(items)).send().await;
            sent.map(drop).map_err(|error| match error.as_service_error() {
                Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => {
                    self.canceled(&ops, canceled.cancellation_reasons())
                }
                _ => StoreError::sdk(self.name(), &error),
            })
        })
    }

    fn canceled(
        &self,
        ops: &[Op],
        reasons: &[aws_sdk_dynamodb::types::CancellationReason],
    ) -> StoreError {
        let of = |code: &str| reasons.iter().position(|reason| reason.code() == Some(code));
        if let Some(index) = of("ConditionalCheckFailed") {
            let table =
                ops.get(index).map_or_else(|| self.name().to_owned(), |op| op.table.clone());
            let item = reasons[index].item.clone().filter(|item| !item.is_empty()).map(Box::new);
            return StoreError::ConditionFailed { table, index, item };
        }
        let codes: Vec<&str> = reasons.iter().filter_map(|reason| reason.code()).collect();
        let reason = format!("the transaction was cancelled: {}", codes.join(", "));
        if of("ValidationError").is_some() {
            return StoreError::Refused { table: self.name().to_owned(), reason };
        }
        StoreError::Unavailable { table: self.name().to_owned(), reason }
    }
}

fn transact_item(op: &Op) -> Result<TransactWriteItem> {
    let encode = |error: aws_sdk_dynamodb::error::BuildError| StoreError::Encode(error.to_string());
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
            item.put(put.return_values_on_condition_check_failure(all_old).build().map_err(encode)?)
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
                change.return_values_on_condition_check_failure(all_old).build().map_err(encode)?,
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
                delete.return_values_on_condition_check_failure(all_old).build().map_err(encode)?,
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
                check.return_values_on_condition_check_failure(all_old).build().map_err(encode)?,
            )
            .build()
        }
    })
}
