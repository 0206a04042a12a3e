//! What the steps of a run reported.

use std::collections::BTreeSet;

use countersign_journal::TELLING;
use countersign_plan::{Plan, PlanStep};
use countersign_report::Format;
use countersign_run::{RoutedOutput, RunId, RunState};
use countersign_store_runs::Outcome;
use serde::Deserialize as _;
use serde_json::Value;

use crate::{Context, FinishError, answer};

/// The outcomes with the outputs that entry and answer are made from; the others stay in the data bucket.
pub(crate) async fn read(
    context: &Context,
    run: &RunId,
    plan: Option<&Plan>,
    state: &RunState,
) -> Result<Vec<Outcome>, FinishError> {
    let mut outcomes = context.runs.all_outcomes(run).await?;
    let Some(plan) = plan else { return Ok(outcomes) };
    let telling = |step: &&PlanStep| TELLING.contains(&step.action.as_str());
    let telling = plan.steps.iter().filter(telling).map(|step| step.name.clone());
    let needed: BTreeSet<String> = telling.chain(answer::needed(plan, state)).collect();
    let is_elsewhere =
        |outcome: &&mut Outcome| outcome.output.is_null() && needed.contains(&outcome.step);
    for outcome in outcomes.iter_mut().filter(is_elsewhere) {
        if let Some(whole) = context.runs.outcome(run, &outcome.step).await? {
            *outcome = whole;
        }
    }
    Ok(outcomes)
}

/// What the steps wrote, and what they could not write: a step that has reached one destination is done all the same.
pub(crate) fn written(outcomes: &[Outcome]) -> Vec<RoutedOutput> {
    outcomes.iter().flat_map(|outcome| routed(outcome).into_iter().chain(saved(outcome))).collect()
}

fn routed(outcome: &Outcome) -> Vec<RoutedOutput> {
    let rows = outcome.output.get("routed_to").and_then(Value::as_array);
    let rows = rows.map(Vec::as_slice).unwrap_or_default();
    rows.iter().filter_map(|row| row_of(row, Some(&outcome.step))).collect()
}

/// A row of `routed_to`. The text of a chat is the answer's own, and not repeated.
pub(crate) fn row_of(row: &Value, step: Option<&str>) -> Option<RoutedOutput> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut details = row.get("details").cloned().unwrap_or_default();
    if let Some(details) = details.as_object_mut() {
        details.remove("content");
    }
    Some(RoutedOutput {
        step: step.map(str::to_owned),
        destination: text("destination")?,
        status: text("status")?,
        details,
        error: row.get("error").filter(|error| error.is_object()).cloned(),
    })
}

fn saved(outcome: &Outcome) -> Option<RoutedOutput> {
    outcome.output.get("table_name")?.as_str()?;
    let details = ["workspace_id", "table_name", "rows_inserted", "rows_updated"].into_iter();
    let details =
        details.filter_map(|name| Some((name.to_owned(), outcome.output.get(name)?.clone())));
    Some(RoutedOutput {
        step: Some(outcome.step.clone()),
        destination: "data_workspace_table".to_owned(),
        status: "success".to_owned(),
        details: Value::Object(details.collect()),
        error: None,
    })
}

/// The texts that steps wrote into the chat, in order, each with its format.
pub(crate) fn chats(outcomes: &[Outcome]) -> Vec<(Format, &str)> {
    let rows = outcomes.iter().filter_map(|outcome| outcome.output.get("routed_to")?.as_array());
    rows.flatten().filter_map(chat).collect()
}

/// The text of a row of `routed_to` that is a chat, with its format.
pub(crate) fn chat(row: &Value) -> Option<(Format, &str)> {
    let details = row.get("details")?;
    let text = details.get("content").and_then(Value::as_str)?;
    let format = Format::deserialize(details.get("format")?).ok()?;
    (row.get("destination").and_then(Value::as_str) == Some("chat")).then_some((format, text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn f_404_what_was_produced_is_read_from_the_routing_report() {
        let output = json!({"routed_to": [
            {"destination": "document", "status": "success", "details": {"filename": "a.md"}},
            {"destination": "data_workspace_table", "status": "success", "details": {"table_name": "t", "rows_inserted": 3}},
            {"destination": "chat", "status": "success", "details": {"format": "markdown", "content": "hello"}},
            {"destination": "file_export", "status": "error", "details": null, "error": {"code": "X", "message": "no"}},
        ]});
        let outcome = Outcome {
            step: "publish".to_owned(),
            status: countersign_run::StepStatus::Done,
            input_hash: String::new(),
            output,
            count: None,
            code: None,
            message: None,
            verdict: None,
            approval: None,
            attempt: 1,
            at: jiff::Timestamp::UNIX_EPOCH,
        };
        let outcomes = [outcome];
        let rows = written(&outcomes);
        let failed: Vec<bool> = rows.iter().map(RoutedOutput::is_failed).collect();
        assert_eq!(failed, [false, false, false, true]);
        assert_eq!(rows[2].details, json!({"format": "markdown"}));
        assert_eq!(chats(&outcomes), [(Format::Markdown, "hello")]);
    }
}
