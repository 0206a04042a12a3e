//! `save_to_workspace` (F-052).

use std::sync::Arc;

use countersign_registry::action::{Action, ActionError, Call};
use countersign_report::ReportError;
use countersign_report::table::{Mapping, RowOrigin, rows, schema, table_name};
use countersign_store_content::{DEFAULT_WORKSPACE, OnConflict, RowWrite};
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::shelf::Shelf;

/// Writes records into a table of a workspace; with `upsert_key`, records whose key stands update their row.
pub(crate) struct SaveToWorkspace {
    pub(crate) shelf: Arc<dyn Shelf>,
}

impl Action for SaveToWorkspace {
    fn name(&self) -> &'static str {
        "save_to_workspace"
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move {
            let data = call.inputs.get("data").unwrap_or(&Value::Null);
            let table = name(call, "table_name", &plain(&call.step))?;
            let workspace = name(call, "workspace_id", DEFAULT_WORKSPACE)?;
            let answer = |inserted: u64, updated: u64| json!({"rows_inserted": inserted, "rows_updated": updated, "table_name": table, "workspace_id": workspace});
            let records = records(data, "data")?;
            if records.is_empty() {
                return Ok(answer(0, 0));
            }
            let mapping = Mapping::inferred(&records);
            let key = key(call, &mapping)?;
            let made = rows(&records, &mapping, &key, &origin(call), &call.idempotency_key);
            let write = RowWrite {
                owner: &call.owner,
                workspace: &workspace,
                table: &table,
                create_if_missing: call
                    .params
                    .get("create_if_missing")
                    .and_then(Value::as_bool)
                    .unwrap_or(true),
                schema: schema(&mapping, &key),
                rows: made.map_err(|error| ActionError::from_failure(&error))?,
                on_conflict: OnConflict::Update,
                idempotency_key: &call.idempotency_key,
                now: call.now,
            };
            let (_, written) = self.shelf.rows(write).await?;
            Ok(answer(written.inserted, written.updated))
        })
    }
}

/// The records of a value.
pub(crate) fn records<'a>(data: &'a Value, path: &str) -> Result<Vec<&'a Value>, ActionError> {
    let refused = || {
        let error = ReportError::NotRecords { path: path.to_owned(), wanted: "a table" };
        ActionError::from_failure(&error)
    };
    let items = data.as_array().ok_or_else(refused)?;
    if items.iter().all(Value::is_object) { Ok(items.iter().collect()) } else { Err(refused()) }
}

/// What the added columns of F-289 say.
pub(crate) fn origin(call: &Call) -> RowOrigin {
    RowOrigin {
        source: format!("{}/{}", call.run, call.step),
        query: call.info.query.clone(),
        at: call.now,
    }
}

fn name(call: &Call, param: &str, usual: &str) -> Result<String, ActionError> {
    let text = call
        .params
        .get(param)
        .and_then(Value::as_str)
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let text = text.unwrap_or(usual);
    let refused = |problem: String| {
        ActionError::terminal(
            "OUTPUT_INVALID",
            format!("the output is not valid: {param}: {problem}"),
        )
    };
    table_name(text).map_err(refused)?;
    Ok(text.to_owned())
}

/// A step's name as the name of a table.
fn plain(step: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    step.chars().take(100).map(kept).collect()
}

/// `upsert_key`: one column or several, each of which the records must have.
fn key(call: &Call, mapping: &Mapping) -> Result<Vec<String>, ActionError> {
    let key: Vec<String> = match call.params.get("upsert_key") {
        Some(Value::String(column)) => vec![column.clone()],
        Some(Value::Array(columns)) => {
            columns.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    match key.iter().find(|column| !mapping.has(column)) {
        None => Ok(key),
        Some(column) => {
            let message = format!(
                "the output is not valid: upsert_key: the records have no field `{column}`"
            );
            Err(ActionError::terminal("OUTPUT_INVALID", message))
        }
    }
}
