//! The entry of the run in its agent's journal (F-221).

use countersign_journal::{EntryId, JournalWrite as _, Output, RunAccount, account};
use countersign_run::{AskedBy, RoutedOutput};

use crate::over::MAX_WARNINGS;
use crate::{Context, Done, FinishError};

/// An entry names at most so many destinations that were not reached.
const MAX_UNREACHED: usize = 20;

/// Writes the entry, unless the profile wants none or is gone: then there is no journal it would belong to (F-178).
pub(crate) async fn write(context: &Context, done: &Done<'_>) -> Result<(), FinishError> {
    let head = done.head;
    // An agent that is gone has no journal any more.
    let Some(profile) = done.profile else { return Ok(()) };
    let entities = done.outcomes.entities(done.written);
    let found = done.outcomes.found(done.written);
    let outputs = outputs(done.written);
    let unreached = unreached(done.written);
    let warnings = context.runs.warnings(head, MAX_WARNINGS).await?;
    let occurrence = context.catalog.occurrence_of(head).await?;
    let asked_by = occurrence.as_ref().map(|of| AskedBy::of(of).for_run(head));
    let run = RunAccount {
        run: head.run.as_str(),
        owner: &head.owner,
        profile_id: &head.profile_id,
        name: head.playbook_name.as_deref().unwrap_or(&head.profile_name),
        query: &head.query,
        context: head.context,
        occurrence: head.occurrence.as_ref(),
        asked_by: asked_by.as_ref(),
        invoked_by: &head.invoked_by,
        team: head.team_context.as_ref().map(|team| &team.team_id),
        started_at: head.started_at,
        finished_at: done.at,
        status: done.status,
        steps: &done.state.steps,
        stop: head.stop.as_ref(),
        approvals: done.approvals,
        entities: &entities,
        found: &found,
        outputs: &outputs,
        unreached: &unreached,
        warnings: &warnings,
    };
    if let Some(entry) = account(&run, &profile.spec.journal_config) {
        context.journal.put_if_new(&entry).await?;
    }
    Ok(())
}

/// Nothing of a run that is over waits for people, whether or not its entry can be written. Closing a request takes its entry away;
/// this is for one that could not be taken away then.
pub(crate) async fn withdraw(context: &Context, done: &Done<'_>) -> Result<(), FinishError> {
    for record in done.approvals {
        let waiting = EntryId::of_request(record.approval.as_str());
        context.journal.withdraw(&done.head.owner, &waiting).await?;
    }
    Ok(())
}

/// What was produced; of several tables each that was written.
fn outputs(rows: &[RoutedOutput]) -> Vec<Output> {
    let of_row = |row: &RoutedOutput| Output::of_row(&row.destination, &row.status, &row.details);
    rows.iter().flat_map(of_row).collect()
}

/// What could not be written; of more than are named, how many.
fn unreached(rows: &[RoutedOutput]) -> Vec<String> {
    let mut failed = rows.iter().filter(|row| row.is_failed());
    let mut named: Vec<String> =
        failed.by_ref().take(MAX_UNREACHED).map(RoutedOutput::sentence).collect();
    let more = failed.count();
    named.extend((more > 0).then(|| format!("destinations not reached besides these: {more}")));
    named
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn f_404_an_entry_names_what_was_written_and_what_was_not() {
        let row = |destination: &str, status: &str, details: Value, error: Option<Value>| {
            let step = Some("publish".to_owned());
            let (destination, status) = (destination.to_owned(), status.to_owned());
            RoutedOutput { step, destination, status, details, error, origin: None }
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
        let tables = json!({"tables": [{"table_name": "u", "rows_inserted": 1}, {"table_name": "v", "error": {}}]});
        let some = outputs(&[row("data_workspace_db", "error", tables, Some(json!({})))]);
        assert_eq!((some.len(), some[0].table.as_deref()), (1, Some("u")));
        let found = outputs(&rows);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].path.as_deref(), found[1].rows), (Some("a.md"), Some(3)));
        assert_eq!(unreached(&rows), ["publish to file_export: X no"]);
        let many = unreached(&vec![rows[2].clone(); 23]);
        assert_eq!(many.len(), MAX_UNREACHED + 1);
        assert_eq!(many[MAX_UNREACHED], "destinations not reached besides these: 3");
    }
}
