//! Tables of workspaces.

mod putting;
mod settle;

use countersign_identity::UserId;
use countersign_report::table::{Row, Schema, keyed};
use countersign_store_kit::{Key, Page, Query, Window, Write};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::keys;
use crate::{Answer, ContentError, ContentStore, Result, derived};
use putting::Putting;

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
    /// The call that inserted it; rows of earlier releases do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inserted_by: Option<String>,
    /// Raised by every write; 0 in rows of earlier releases, which have none.
    #[serde(default)]
    version: u64,
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

    /// A row that a call inserts, without values.
    fn new(id: &str, call: &str, place: String) -> Self {
        Self {
            id: id.to_owned(),
            cells: "{}".to_owned(),
            written_by: call.to_owned(),
            inserted: true,
            inserted_by: Some(call.to_owned()),
            version: 1,
            place,
        }
    }

    /// The row as a call writes it next, with the values that it has.
    fn next(&self, call: &str) -> Self {
        Self {
            written_by: call.to_owned(),
            inserted: self.inserted_by() == Some(call),
            inserted_by: self.inserted_by().map(str::to_owned),
            version: self.version + 1,
            ..self.clone()
        }
    }

    /// The call that inserted it, as far as that is known.
    fn inserted_by(&self) -> Option<&str> {
        let last = self.inserted.then_some(self.written_by.as_str());
        self.inserted_by.as_deref().or(last)
    }

    /// Whether it says anything else than this one.
    fn changes(&self, old: &Self) -> bool {
        self.cells != old.cells || self.written_by != old.written_by
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
            let putting =
                Putting { owner: &owner, info: &info, rows: &rows, on_conflict, call: &call, now };
            let written = self.put_rows(&putting).await?;
            let written = self.close_call(&owner, &info, &mark, written, now).await?;
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
        match self.table.transact_contended(vec![done, counted]).await {
            Ok(()) => return Ok(written),
            Err(error) if error.is_condition() => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.table.get(mark).await?.unwrap_or(written))
    }
}
