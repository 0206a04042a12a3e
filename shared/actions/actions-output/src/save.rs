//! `save_to_workspace` (F-052).

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::save_to_workspace as declared;
use countersign_registry::shape::filled;
use countersign_report::table::{Mapping, Row, RowOrigin, rows, schema, table_name};
use countersign_report::{ReportError, at};
use countersign_store_content::{DEFAULT_WORKSPACE, OnConflict, RowWrite};
use serde_json::Value;

use crate::collapsed::by_key_of;
use crate::content_port::ContentPort;

/// Writes records into a table of a workspace; with `upsert_key`, records whose key stands update their row.
pub(crate) struct SaveToWorkspace {
    pub(crate) content: Arc<dyn ContentPort>,
}

impl Perform for SaveToWorkspace {
    type Action = declared::SaveToWorkspace;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        self.save(call, &inputs.data, params).await
    }
}

impl SaveToWorkspace {
    async fn save(
        &self,
        call: &Call,
        data: &Value,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let table = name(params.table_name, "table_name", &plain(&call.step))?;
        let workspace = name(params.workspace_id, "workspace_id", DEFAULT_WORKSPACE)?;
        let records = records(data, "data")?;
        let mut output = declared::Output {
            rows_inserted: 0,
            rows_updated: 0,
            table_name: table.clone(),
            workspace_id: workspace.clone(),
            warnings: Vec::new(),
            warning_count: 0,
        };
        if records.is_empty() {
            return Ok(output);
        }
        let mapping =
            Mapping::inferred(&records).map_err(|error| ActionError::from_failure(&error))?;
        let key = params.upsert_key.unwrap_or_default();
        known_key(&key, &mapping, "upsert_key")?;
        let made = rows(&records, &mapping, &key, &origin(call), &call.idempotency_key);
        let made = made.map_err(|error| ActionError::from_failure(&error))?;
        let told = made.clone();
        let write = RowWrite {
            owner: &call.owner,
            workspace: &workspace,
            table: &table,
            create_if_missing: params.create_if_missing,
            schema: schema(&mapping, &key),
            rows: made,
            on_conflict: OnConflict::Update,
            idempotency_key: &call.idempotency_key,
            now: call.now,
        };
        let (info, written) = self.content.rows(write).await?;
        let (told, key) = by_key_of(told, key, info.schema);
        output.warnings = replaced(&told, &key).into_iter().collect();
        output.warning_count = output.warnings.len() as u64;
        output.rows_inserted = written.inserted;
        output.rows_updated = written.updated;
        Ok(output)
    }
}

/// What is said of records with the key of an earlier one.
fn replaced(rows: &[Row], key: &[String]) -> Option<String> {
    let different: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let count = (rows.len() - different.len()) as u64;
    let noun = if count == 1 { "record has" } else { "records have" };
    let warning = || {
        format!(
            "{count} {noun} the same `{}` as an earlier one of this call, and took its place",
            key.join("`, `")
        )
    };
    (count > 0).then(warning)
}

/// The records of a value.
fn records<'a>(data: &'a Value, path: &str) -> Result<Vec<&'a Value>, ActionError> {
    let refused = || {
        let error = ReportError::NotRecords { path: path.to_owned(), wanted: "a table" };
        ActionError::from_failure(&error)
    };
    let items = data.as_array().ok_or_else(refused)?;
    if items.iter().all(Value::is_object) { Ok(items.iter().collect()) } else { Err(refused()) }
}

/// The records at a path of the data; an empty one is the data itself.
pub(crate) fn records_at<'a>(data: &'a Value, path: &str) -> Result<Vec<&'a Value>, ActionError> {
    let named = if path.is_empty() { "data" } else { path };
    records(at(data, path).unwrap_or(&Value::Null), named)
}

/// What the added columns of F-289 say.
pub(crate) fn origin(call: &Call) -> RowOrigin {
    RowOrigin {
        source: format!("{}/{}", call.run, call.step),
        query: call.info.query.clone(),
        at: call.now,
    }
}

fn name(written: Option<String>, param: &str, usual: &str) -> Result<String, ActionError> {
    let text = filled(written).unwrap_or_else(|| usual.to_owned());
    let refused = |problem: String| {
        let message = format!("the output is not valid: {param}: {problem}");
        ActionError::terminal("OUTPUT_INVALID", message)
    };
    table_name(&text).map_err(refused)?;
    Ok(text)
}

/// A step's name as the name of a table.
fn plain(step: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    step.chars().take(100).map(kept).collect()
}

/// Refuses a key with columns that the records do not have.
pub(crate) fn known_key(key: &[String], mapping: &Mapping, param: &str) -> Result<(), ActionError> {
    match key.iter().find(|column| !mapping.has(column)) {
        None => Ok(()),
        Some(column) => {
            let message =
                format!("the output is not valid: {param}: the records have no field `{column}`");
            Err(ActionError::terminal("OUTPUT_INVALID", message))
        }
    }
}
