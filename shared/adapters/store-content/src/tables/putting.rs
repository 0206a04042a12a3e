//! How rows come into their table while others write to it.
//!
//! What stands is read, and rows are put on the condition that it still stands so. Whoever finds that somebody else was faster
//! reads those rows again and settles anew: of two that insert the same key one inserts it, and the other one skips or updates.

use std::collections::HashMap;

use countersign_identity::UserId;
use countersign_report::table::Row;
use countersign_store_kit::{Expr, Key, StoreError, Write, broken_condition, decode};
use jiff::Timestamp;

use super::settle::{Settled, settle};
use super::{OnConflict, StoredRow, TableInfo, Written};
use crate::keys::{self, sortable};
use crate::{ContentStore, Result};

/// How often rows are settled anew because others were faster.
const TRIES: u32 = 20;

/// The rows of one transaction, and the bytes of their values: the database allows 100 and 4 MB with everything.
const MAX_ROWS: usize = 100;
const MAX_BYTES: usize = 2_000_000;

/// The rows by id, as they stood when they were read or put.
type Standing = HashMap<String, StoredRow>;

/// Rows of one call on their way into a table.
pub(super) struct Putting<'a> {
    pub(super) owner: &'a UserId,
    pub(super) info: &'a TableInfo,
    pub(super) rows: &'a [Row],
    pub(super) on_conflict: OnConflict,
    pub(super) call: &'a str,
    pub(super) now: Timestamp,
}

impl Putting<'_> {
    fn key(&self, id: &str) -> Key {
        keys::row(self.owner, &self.info.workspace_id, &self.info.table_name, id)
    }

    /// The keys of rows, each once.
    fn keys<'r>(&self, ids: impl Iterator<Item = &'r String>) -> Vec<Key> {
        let mut keys: Vec<Key> = ids.map(|id| self.key(id)).collect();
        keys.sort_by(|a, b| a.sk.cmp(&b.sk));
        keys.dedup();
        keys
    }

    fn settled(&self, standing: &Standing) -> Settled {
        settle(self.rows, standing, self.on_conflict, self.call, &sortable(self.now))
    }

    fn put(&self, row: &StoredRow) -> Result<Write> {
        let index = keys::rows(self.owner, &self.info.workspace_id, &self.info.table_name);
        Ok(Write::put(&self.key(&row.id), row)?.indexed(&index, &row.place))
    }

    /// The put of a row if what stands is still what was seen.
    fn put_if_same(&self, row: &StoredRow, standing: &Standing) -> Result<Write> {
        let put = self.put(row)?;
        Ok(match standing.get(&row.id) {
            None => put.if_absent(),
            Some(old) => put.when(is_same(old)?),
        })
    }
}

/// That a row is as it was seen. Those of earlier releases have no version.
fn is_same(old: &StoredRow) -> Result<Expr> {
    Ok(match old.version {
        0 => Expr::exists().and(Expr::new("attribute_not_exists(#version)")),
        seen => Expr::version(seen)?,
    })
}

impl ContentStore {
    /// Puts the rows; says what they count as.
    pub(super) async fn put_rows(&self, of: &Putting<'_>) -> Result<Written> {
        let mut standing = self.standing(of.keys(of.rows.iter().map(|row| &row.id))).await?;
        // The ids of rows without a key are made of the call: nobody else writes them.
        if of.info.schema.key.is_empty() {
            let Settled { puts, written } = of.settled(&standing);
            let puts = puts.iter().map(|row| of.put(row)).collect::<Result<Vec<Write>>>()?;
            self.table.write_many(puts).await?;
            return Ok(written);
        }
        for _ in 0..TRIES {
            let Settled { puts, written } = of.settled(&standing);
            let mut is_done = true;
            for part in parts(&puts) {
                if self.put_part(of, part, &standing).await? {
                    standing.extend(part.iter().map(|row| (row.id.clone(), row.clone())));
                } else {
                    part.iter().for_each(|row| drop(standing.remove(&row.id)));
                    let keys = of.keys(part.iter().map(|row| &row.id));
                    standing.extend(self.standing(keys).await?);
                    is_done = false;
                }
            }
            if is_done {
                return Ok(written);
            }
        }
        let reason = "others wrote the same rows each time".to_owned();
        Err(StoreError::Unavailable { table: self.table.name().to_owned(), reason }.into())
    }

    /// Puts all of some rows or none; false when somebody else has written one of them.
    async fn put_part(
        &self,
        of: &Putting<'_>,
        part: &[StoredRow],
        standing: &Standing,
    ) -> Result<bool> {
        let puts = part.iter().map(|row| of.put_if_same(row, standing));
        let puts = puts.collect::<Result<Vec<Write>>>()?;
        Ok(broken_condition(self.table.transact_contended(puts).await)?.is_none())
    }

    /// The rows that stand under these keys.
    async fn standing(&self, wanted: Vec<Key>) -> Result<Standing> {
        let found = self.table.get_many(&wanted).await?.into_values();
        let row = |item| decode::<StoredRow>(self.table.name(), item);
        let rows = found.map(row).collect::<std::result::Result<Vec<StoredRow>, StoreError>>()?;
        Ok(rows.into_iter().map(|row| (row.id.clone(), row)).collect())
    }
}

/// The rows in parts that fit into a transaction each.
fn parts(rows: &[StoredRow]) -> Vec<&[StoredRow]> {
    let (mut parts, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (n, row) in rows.iter().enumerate() {
        let is_full = n - start == MAX_ROWS || bytes + row.cells.len() > MAX_BYTES;
        if is_full && n > start {
            parts.push(&rows[start..n]);
            (start, bytes) = (n, 0);
        }
        bytes += row.cells.len();
    }
    parts.extend((start < rows.len()).then(|| &rows[start..]));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[usize], expect: &[usize]) {
        let row = |bytes: &usize| {
            let cells = "x".repeat(*bytes);
            StoredRow { cells, ..StoredRow::new("r", "call", "p".to_owned()) }
        };
        let rows: Vec<StoredRow> = rows.iter().map(row).collect();
        let lengths: Vec<usize> = parts(&rows).into_iter().map(<[StoredRow]>::len).collect();
        assert_eq!(lengths, expect);
    }

    #[test]
    fn rows_go_in_parts_that_fit() {
        check(&[], &[]);
        check(&[2; 100], &[100]);
        check(&[2; 201], &[100, 100, 1]);
        check(&[900_000, 900_000, 900_000, 1], &[2, 2]);
        check(&[MAX_BYTES + 1, 1, MAX_BYTES + 1], &[1, 1, 1]);
    }

    #[test]
    fn a_row_of_an_earlier_release_is_the_same_while_it_has_no_version() {
        let new = StoredRow::new("r", "call", "p".to_owned());
        let old = serde_json::json!({ "id": "r", "cells": "{}", "written_by": "before", "inserted": true, "GSI1SK": "p" });
        let old: StoredRow = serde_json::from_value(old).unwrap();
        assert_eq!((old.version, old.inserted_by()), (0, Some("before")));
        assert_eq!(old.next("call").inserted_by(), Some("before"));
        assert_ne!(
            format!("{:?}", is_same(&old).unwrap()),
            format!("{:?}", is_same(&new).unwrap())
        );
    }
}
