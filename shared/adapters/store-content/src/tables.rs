//! Tables of workspaces.

mod settle;

use std::collections::HashMap;

use countersign_identity::UserId;
use countersign_report::table::{Row, Schema, keyed};
use countersign_store_kit::{Item, Key, Page, Query, Window, Write, decode};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::keys::{self, sortable};
use crate::{Answer, ContentError, ContentStore, Result, derived};
use settle::{Settled, settle};

/// The workspace of an owner who names none.
pub const DEFAULT_WORKSPACE: &str = "default";

/// How long the mark of a finished call is kept, in seconds: longer than any run waits.
pub(crate) const CALL_KEPT: i64 = 400 * 86_400;

/// A table as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableInfo {
    /// The workspace.
    pub workspace_id: String,
    /// The table.
    pub table_name: String,
    /// Columns and key.
    pub schema: Schema,
    /// How many rows it has.
    pub row_count: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When rows were written last.
    pub updated_at: Timestamp,
}

/// What happens to a row whose key is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// The row that stands stays (F-290).
    Skip,
    /// Its columns are replaced by those of the new row (F-052).
    Update,
}

/// Rows on their way into a table.
#[derive(Debug, Clone)]
pub struct RowWrite<'a> {
    /// Whose table.
    pub owner: &'a UserId,
    /// The workspace.
    pub workspace: &'a str,
    /// The table.
    pub table: &'a str,
    /// Whether a missing table is made.
    pub create_if_missing: bool,
    /// The columns and the key of the rows.
    pub schema: Schema,
    /// The rows.
    pub rows: Vec<Row>,
    /// What happens to rows that are there.
    pub on_conflict: OnConflict,
    /// The same for every attempt of one call.
    pub idempotency_key: &'a str,
    /// When.
    pub now: Timestamp,
}

/// What a call wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// New rows.
    pub inserted: u64,
    /// Changed rows, in the table or earlier in the same call.
    pub updated: u64,
    /// Rows whose key was there already, in the table or earlier in the same call.
    pub skipped: u64,
}

/// A row as it lies in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRow {
    /// The row's id.
    pub id: String,
    /// The values by column, as JSON text: numbers keep their form.
    cells: String,
    /// The call that wrote it last.
    written_by: String,
    /// Whether that call inserted it.
    inserted: bool,
    /// Its place in the order of insertion.
    #[serde(rename = "GSI1SK")]
    place: String,
}

impl StoredRow {
    /// The values by column.
    #[must_use]
    pub fn cells(&self) -> Map<String, Value> {
        serde_json::from_str(&self.cells).unwrap_or_default()
    }
}

impl ContentStore {
    /// Writes rows. A repeated call writes nothing and answers as the first; one that was interrupted goes on and
    /// counts what it had already written as its own.
    ///
    /// # Errors
    /// [`ContentError::NoTable`], [`ContentError::Shape`] when columns or key differ from the table's, and
    /// [`ContentError::Store`].
    pub fn write_rows(&self, write: RowWrite<'_>) -> Answer<'_, (TableInfo, Written)> {
        let RowWrite {
            owner,
            workspace,
            table,
            create_if_missing,
            schema,
            rows,
            on_conflict,
            idempotency_key,
            now,
        } = write;
        let call = hex::encode(derived(&["rows", workspace, table, idempotency_key]));
        let (owner, workspace, table) = (owner.clone(), workspace.to_owned(), table.to_owned());
        Box::pin(async move {
            let mark = keys::call(&owner, &workspace, &table, &call);
            let info = self
                .ensure_table(&owner, &workspace, &table, create_if_missing.then_some(&schema), now)
                .await?;
            info.schema.accepts(&table, &schema)?;
            if let Some(done) = self.table.get::<Written>(&mark).await? {
                return Ok((info, done));
            }
            let has_key = !schema.key.is_empty() || info.schema.key.is_empty();
            let rows = if has_key { rows } else { keyed(rows, &info.schema) };
            let settled = self.settled(&owner, &info, rows, on_conflict, &call, now).await?;
            self.put_rows(&owner, &info, &settled).await?;
            let written = self.close_call(&owner, &info, &mark, settled.written, now).await?;
            let row_count = info.row_count + written.inserted;
            Ok((TableInfo { row_count, updated_at: now, ..info }, written))
        })
    }

    /// A table of this owner.
    pub fn table(
        &self,
        owner: &UserId,
        workspace: &str,
        table: &str,
    ) -> Answer<'_, Option<TableInfo>> {
        self.table.read(keys::table(owner, workspace, table))
    }

    /// The tables of this owner, by workspace and name; of one workspace when it is given.
    pub fn tables(
        &self,
        owner: &UserId,
        workspace: Option<&str>,
        window: Window,
    ) -> Answer<'_, Page<TableInfo>> {
        let prefix = workspace
            .map_or_else(|| keys::TABLE.to_owned(), |name| format!("{}{name}#", keys::TABLE));
        let query = Query::partition(&keys::partition(owner)).prefix(&prefix);
        self.table.page(query.within(window))
    }

    /// The rows of a table in the order they were inserted.
    pub fn rows(
        &self,
        owner: &UserId,
        workspace: &str,
        table: &str,
        window: Window,
    ) -> Answer<'_, Page<Map<String, Value>>> {
        let query = Query::index(&keys::rows(owner, workspace, table)).within(window);
        self.table.page_as(query, |row: StoredRow| row.cells())
    }

    async fn ensure_table(
        &self,
        owner: &UserId,
        workspace: &str,
        table: &str,
        schema: Option<&Schema>,
        now: Timestamp,
    ) -> Result<TableInfo> {
        let key = keys::table(owner, workspace, table);
        if let Some(info) = self.table.get(&key).await? {
            return Ok(info);
        }
        let missing =
            || ContentError::NoTable { workspace: workspace.to_owned(), table: table.to_owned() };
        let schema = schema.ok_or_else(missing)?.clone();
        let (workspace_id, table_name) = (workspace.to_owned(), table.to_owned());
        let info = TableInfo {
            workspace_id,
            table_name,
            schema,
            row_count: 0,
            created_at: now,
            updated_at: now,
        };
        if self.table.try_write(Write::put(&key, &info)?.if_absent()).await? {
            return Ok(info);
        }
        self.table.get(&key).await?.ok_or_else(missing)
    }

    async fn settled(
        &self,
        owner: &UserId,
        info: &TableInfo,
        rows: Vec<Row>,
        on_conflict: OnConflict,
        call: &str,
        now: Timestamp,
    ) -> Result<Settled> {
        let (workspace, table) = (&info.workspace_id, &info.table_name);
        let mut wanted: Vec<Key> =
            rows.iter().map(|row| keys::row(owner, workspace, table, &row.id)).collect();
        wanted.sort_by(|a, b| a.sk.cmp(&b.sk));
        wanted.dedup();
        let found: HashMap<Key, Item> = self.table.get_many(&wanted).await?;
        let mut existing = HashMap::with_capacity(found.len());
        for item in found.into_values() {
            let row: StoredRow = decode(self.table.name(), item)?;
            existing.insert(row.id.clone(), row);
        }
        Ok(settle(rows, &existing, on_conflict, call, &sortable(now)))
    }

    async fn put_rows(&self, owner: &UserId, info: &TableInfo, settled: &Settled) -> Result<()> {
        let (workspace, table) = (&info.workspace_id, &info.table_name);
        let index = keys::rows(owner, workspace, table);
        let put = |row: &StoredRow| {
            let write = Write::put(&keys::row(owner, workspace, table, &row.id), row)?;
            Ok(write.indexed(&index, &row.place))
        };
        let writes = settled.puts.iter().map(put).collect::<Result<Vec<Write>>>()?;
        Ok(self.table.write_many(writes).await?)
    }

    /// Counts the new rows and marks the call as done, in one transaction; answers with what stands.
    async fn close_call(
        &self,
        owner: &UserId,
        info: &TableInfo,
        mark: &Key,
        written: Written,
        now: Timestamp,
    ) -> Result<Written> {
        let done = Write::put(mark, &written)?.expires_at(now.as_second() + CALL_KEPT).if_absent();
        let counted = Write::update(&keys::table(owner, &info.workspace_id, &info.table_name))
            .add("row_count", &written.inserted)?
            .set("updated_at", &now)?;
        if self.table.try_transact(vec![done, counted]).await? {
            return Ok(written);
        }
        Ok(self.table.get(mark).await?.unwrap_or(written))
    }
}
