//! The entry of the run in its agent's journal (F-221).

use countersign_journal::{JournalConfig, JournalWrite as _, Mention, Output, RunAccount, account};
use countersign_store_runs::Outcome;
use serde_json::Value;

use crate::{Context, Done, FinishError};

/// Actions whose outputs say what was found and what was produced.
const TELLING: [&str; 3] = ["resolve_entities", "route_output", "save_to_workspace"];

/// An entry names at most so many warnings; the others are counted.
const MAX_WARNINGS: usize = 10;

/// An entry names at most so many entities.
const MAX_ENTITIES: usize = 200;

/// Writes the entry, unless the profile wants none.
pub(crate) async fn write(context: &Context, done: &Done<'_>) -> Result<(), FinishError> {
    let head = done.head;
    let config = journal_config(context, done).await?;
    let outcomes = telling(context, done).await?;
    let (entities, outputs) = (entities(&outcomes), outputs(&outcomes));
    let unreached = unreached(&outcomes);
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
    if let Some(entry) = account(&run, &config) {
        context.journal.put_if_new(&entry).await?;
    }
    Ok(())
}

/// The outcomes with the outputs that the entry is made from; the others lie where they lie.
async fn telling(context: &Context, done: &Done<'_>) -> Result<Vec<Outcome>, FinishError> {
    let run = &done.head.run;
    let mut outcomes = context.runs.all_outcomes(run).await?;
    let Some((plan, _)) = context.runs.plan(run).await? else { return Ok(outcomes) };
    let tells =
        |name: &str| plan.step(name).is_some_and(|step| TELLING.contains(&step.action.as_str()));
    for outcome in
        outcomes.iter_mut().filter(|outcome| outcome.output.is_null() && tells(&outcome.step))
    {
        if let Some(whole) = context.runs.outcome(run, &outcome.step).await? {
            *outcome = whole;
        }
    }
    Ok(outcomes)
}

/// A profile that is gone leaves the defaults.
async fn journal_config(context: &Context, done: &Done<'_>) -> Result<JournalConfig, FinishError> {
    let profile = match done.head.profile_id.parse() {
        Ok(id) => context.catalog.profiles().get(&done.head.owner, &id).await?,
        Err(_) => None,
    };
    Ok(profile.map(|profile| profile.spec.journal_config).unwrap_or_default())
}

/// The entities that resolving reported.
fn entities(outcomes: &[Outcome]) -> Vec<Mention> {
    let resolved = outcomes.iter().filter_map(|outcome| outcome.output.get("resolved")?.as_array());
    resolved.flatten().filter_map(Mention::read).take(MAX_ENTITIES).collect()
}

/// What routing and saving reported.
fn outputs(outcomes: &[Outcome]) -> Vec<Output> {
    outcomes
        .iter()
        .flat_map(|outcome| routed(&outcome.output).into_iter().chain(saved(&outcome.output)))
        .collect()
}

fn routed(output: &Value) -> Vec<Output> {
    let rows =
        output.get("routed_to").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let done =
        rows.iter().filter(|row| row.get("status").and_then(Value::as_str) == Some("success"));
    done.filter_map(|row| {
        let details = row.get("details")?;
        let text = |name: &str| details.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Output {
            output_type: row.get("destination")?.as_str()?.to_owned(),
            path: text("path").or_else(|| text("filename")),
            table: text("table_name"),
            rows: details.get("rows_inserted").and_then(Value::as_u64),
        })
    })
    .collect()
}

/// What routing could not write: a step that has reached one destination is done all the same.
fn unreached(outcomes: &[Outcome]) -> Vec<String> {
    let failed = |outcome: &Outcome| {
        let rows = outcome.output.get("routed_to").and_then(Value::as_array).cloned();
        let step = outcome.step.clone();
        rows.unwrap_or_default().into_iter().filter_map(move |row| {
            let error = row.get("error").filter(|error| error.is_object())?;
            let text = |value: Option<&Value>| {
                value.and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            let place = text(row.get("destination"));
            Some(format!(
                "{step} to {place}: {} {}",
                text(error.get("code")),
                text(error.get("message"))
            ))
        })
    };
    outcomes.iter().flat_map(failed).collect()
}

fn saved(output: &Value) -> Option<Output> {
    let table = output.get("table_name")?.as_str()?.to_owned();
    let rows = output.get("rows_inserted").and_then(Value::as_u64);
    Some(Output {
        output_type: "data_workspace_table".to_owned(),
        path: None,
        table: Some(table),
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn f_404_what_was_produced_is_read_from_the_routing_report() {
        let output = json!({"routed_to": [
            {"destination": "document", "status": "success", "details": {"filename": "a.md"}},
            {"destination": "data_workspace_table", "status": "success", "details": {"table_name": "t", "rows_inserted": 3}},
            {"destination": "file_export", "status": "error", "details": null, "error": {"code": "X", "message": "no"}},
        ]});
        let found = routed(&output);
        assert_eq!(found.len(), 2);
        let outcome = Outcome {
            step: "publish".to_owned(),
            status: countersign_run::StepStatus::Done,
            input_hash: String::new(),
            output: output.clone(),
            count: None,
            code: None,
            message: None,
            verdict: None,
            approval: None,
            attempt: 1,
            at: jiff::Timestamp::UNIX_EPOCH,
        };
        assert_eq!(unreached(&[outcome]), ["publish to file_export: X no"]);
        assert_eq!((found[0].path.as_deref(), found[1].rows), (Some("a.md"), Some(3)));
    }
}
