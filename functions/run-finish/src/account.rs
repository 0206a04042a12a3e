//! The entry of the run in its agent's journal (F-221).

use countersign_journal::{JournalWrite as _, Mention, Output, RunAccount, account};
use countersign_run::RoutedOutput;
use countersign_store_runs::Outcome;
use serde_json::Value;

use crate::{Context, Done, FinishError};

/// An entry names at most so many warnings; the others are counted.
const MAX_WARNINGS: usize = 10;

/// An entry names at most so many entities.
const MAX_ENTITIES: usize = 200;

/// Writes the entry, unless the profile wants none or is gone: then there is no journal it would belong to (F-178).
pub(crate) async fn write(context: &Context, done: &Done<'_>) -> Result<(), FinishError> {
    let head = done.head;
    let Some(profile) = done.profile else { return Ok(()) };
    let (entities, outputs) = (entities(done.outcomes), outputs(done.written));
    let unreached = unreached(done.written);
    let warnings = context.runs.warnings(head, MAX_WARNINGS).await?;
    let run = RunAccount {
        run: head.run.as_str(),
        owner: &head.owner,
        profile_id: &head.profile_id,
        name: head.playbook_name.as_deref().unwrap_or(&head.profile_name),
        query: &head.query,
        context: head.context,
        invoked_by: &head.invoked_by,
        started_at: head.started_at,
        finished_at: done.at,
        status: done.status,
        steps: &done.state.steps,
        approvals: done.approvals,
        entities: &entities,
        outputs: &outputs,
        unreached: &unreached,
        warnings: &warnings,
    };
    if let Some(entry) = account(&run, &profile.spec.journal_config) {
        context.journal.put_if_new(&entry).await?;
    }
    Ok(())
}

/// The entities that resolving reported.
fn entities(outcomes: &[Outcome]) -> Vec<Mention> {
    let resolved = outcomes.iter().filter_map(|outcome| outcome.output.get("resolved")?.as_array());
    resolved.flatten().filter_map(Mention::read).take(MAX_ENTITIES).collect()
}

/// What was produced.
fn outputs(rows: &[RoutedOutput]) -> Vec<Output> {
    let done = rows.iter().filter(|row| row.status == "success");
    done.map(|row| {
        let text = |name: &str| row.details.get(name).and_then(Value::as_str).map(str::to_owned);
        Output {
            output_type: row.destination.clone(),
            path: text("path").or_else(|| text("filename")),
            table: text("table_name"),
            rows: row.details.get("rows_inserted").and_then(Value::as_u64),
        }
    })
    .collect()
}

/// What could not be written.
fn unreached(rows: &[RoutedOutput]) -> Vec<String> {
    let failed = rows.iter().filter(|row| row.is_failed());
    failed.map(RoutedOutput::sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn f_404_an_entry_names_what_was_written_and_what_was_not() {
        let row = |destination: &str, status: &str, details: Value, error: Option<Value>| {
            let step = Some("publish".to_owned());
            let (destination, status) = (destination.to_owned(), status.to_owned());
            RoutedOutput { step, destination, status, details, error }
        };
        let error = json!({"code": "X", "message": "no"});
        let rows = [
            row("document", "success", json!({"filename": "a.md"}), None),
            row(
                "data_workspace_table",
                "success",
                json!({"table_name": "t", "rows_inserted": 3}),
                None,
            ),
            row("file_export", "error", Value::Null, Some(error)),
        ];
        let found = outputs(&rows);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].path.as_deref(), found[1].rows), (Some("a.md"), Some(3)));
        assert_eq!(unreached(&rows), ["publish to file_export: X no"]);
    }
}
