//! What the steps of a run reported.

use std::collections::{BTreeMap, BTreeSet};

use countersign_journal::{Entities, GRAPH, TELLING};
use countersign_plan::Plan;
use countersign_report::Format;
use countersign_run::{OutputOrigin, RoutedOutput, RunId};
use countersign_store_runs::StepOutcome;
use serde::Deserialize as _;
use serde_json::Value;

use crate::{Context, FinishError};

// Those of `TELLING`, by what their outputs say. Other outputs may have data of their own under the same names.
const RESOLVE: &str = "resolve_entities";
const ROUTE: &str = "route_output";
const SAVE: &str = "save_to_workspace";

/// The action that reads names out of records.
const EXTRACT: &str = "extract_entities";

/// The largest output that is read for an answer, in bytes of JSON: as a value it takes some ten times as much memory.
const MAX_OUTPUT: u64 = 16 * 1024 * 1024;

/// What came of the steps, in the order of the plan.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    /// Those that entry and answer are made from have their outputs; the others stay in the data bucket.
    pub(crate) all: Vec<StepOutcome>,
    actions: BTreeMap<String, String>,
    /// Those that make a call for each item of a list.
    each: BTreeSet<String>,
    /// The size in bytes of outputs that were not read.
    too_large: BTreeMap<String, u64>,
}

impl Outcomes {
    #[cfg(test)]
    pub(crate) fn small(all: Vec<StepOutcome>) -> Self {
        Self { all, ..Self::default() }
    }

    /// Reads what came of the steps; the outputs of an answer only when there will be one.
    pub(crate) async fn read(
        context: &Context,
        run: &RunId,
        plan: Option<&Plan>,
        answered: &[String],
    ) -> Result<Self, FinishError> {
        let sized = context.runs.sized_outcomes(run).await?;
        let mut read = Self::default();
        let Some(plan) = plan else {
            read.all = sized.into_iter().map(|(outcome, _)| outcome).collect();
            return Ok(read);
        };
        read.actions =
            plan.steps.iter().map(|step| (step.name.clone(), step.action.clone())).collect();
        let each = plan.steps.iter().filter(|step| step.for_each.is_some());
        read.each = each.map(|step| step.name.clone()).collect();
        for (outcome, bytes) in sized {
            let is_needed = read.reports(&outcome.step) || answered.contains(&outcome.step);
            if bytes > MAX_OUTPUT {
                read.too_large.insert(outcome.step.clone(), bytes);
            }
            let whole = if is_needed && (1..=MAX_OUTPUT).contains(&bytes) {
                context.runs.outcome(run, &outcome.step).await?
            } else {
                None
            };
            read.all.push(whole.unwrap_or(outcome));
        }
        let order = plan.order();
        read.all.sort_by_key(|outcome| order.iter().position(|step| *step == outcome.step));
        Ok(read)
    }

    fn reports(&self, step: &str) -> bool {
        let action = self.actions.get(step);
        action.is_some_and(|action| TELLING.contains(&action.as_str()))
    }

    fn of<'o>(&'o self, action: &'static str) -> impl Iterator<Item = &'o StepOutcome> {
        let is_of = move |outcome: &&StepOutcome| {
            self.actions.get(&outcome.step).is_some_and(|of_step| of_step == action)
        };
        self.all.iter().filter(is_of)
    }

    /// That the output of a step is too large to be shown, if it is.
    pub(crate) fn too_large(&self, step: &str) -> Option<String> {
        let bytes = self.too_large.get(step)?;
        Some(format!(
            "the result of “{step}” has {bytes} bytes, and at most {MAX_OUTPUT} are read for an answer: filter it, or name a part of it"
        ))
    }

    /// The entities that steps resolved, and those of what was written to the graph.
    pub(crate) fn entities(&self, written: &[RoutedOutput]) -> Entities {
        let to_graph = written.iter().filter(|row| row.destination == GRAPH);
        Entities::of(
            self.of(RESOLVE).flat_map(|outcome| self.outputs(outcome)),
            to_graph.map(|row| &row.details),
        )
    }

    /// How many entities each step found: those that it resolved, read out of records, or wrote to the graph.
    pub(crate) fn found(&self, written: &[RoutedOutput]) -> BTreeMap<String, u64> {
        let mut found = BTreeMap::new();
        for (action, list) in [(EXTRACT, "entities"), (RESOLVE, "resolved")] {
            for outcome in self.of(action) {
                let lists = self.outputs(outcome).filter_map(|output| output.get(list)?.as_array());
                let counts: Vec<u64> = lists.map(|list| list.len() as u64).collect();
                // The output of a step that only extracts is not read: it says how many there are.
                let is_one = counts.is_empty() && !self.each.contains(&outcome.step);
                let one = outcome.count.filter(|_| is_one);
                let all = (!counts.is_empty()).then(|| counts.iter().sum()).or(one);
                found.extend(all.map(|all| (outcome.step.clone(), all)));
            }
        }
        for row in written.iter().filter(|row| row.destination == GRAPH) {
            let entities = row.details.get("entities").and_then(Value::as_u64);
            if let (Some(step), Some(entities)) = (&row.step, entities) {
                *found.entry(step.clone()).or_default() += entities;
            }
        }
        found
    }

    /// What the steps wrote, and what they could not write: a step that has reached one destination is done all the same.
    pub(crate) fn written(&self) -> Vec<RoutedOutput> {
        let row = |outcome: &StepOutcome| match self.actions.get(&outcome.step).map(String::as_str)
        {
            Some(ROUTE) => routed(outcome),
            Some(SAVE) => saved(outcome).into_iter().collect(),
            _ => Vec::new(),
        };
        self.all.iter().flat_map(row).collect()
    }

    /// What a step gave back, or each of its calls.
    fn outputs<'o>(&self, outcome: &'o StepOutcome) -> impl Iterator<Item = &'o Value> + use<'o> {
        let is_each = self.each.contains(&outcome.step);
        let calls = outcome.output.get("results").and_then(Value::as_array);
        let calls = calls.filter(|_| is_each).into_iter().flatten();
        let one = (!is_each).then_some(&outcome.output);
        one.into_iter().chain(calls.filter_map(|call| call.get("output")))
    }

    /// The texts that steps wrote into the chat, in order, each with its format.
    pub(crate) fn chats(&self) -> Vec<(Format, &str)> {
        let rows = self.of(ROUTE).filter_map(|outcome| outcome.output.get("routed_to")?.as_array());
        rows.flatten().filter_map(chat).collect()
    }
}

fn routed(outcome: &StepOutcome) -> Vec<RoutedOutput> {
    let rows = outcome.output.get("routed_to").and_then(Value::as_array);
    let rows = rows.map(Vec::as_slice).unwrap_or_default();
    let row = |(n, row): (usize, &Value)| {
        let origin = Some(OutputOrigin::Step(n));
        Some(RoutedOutput { origin, ..row_of(row, Some(&outcome.step), false)? })
    };
    rows.iter().enumerate().filter_map(row).collect()
}

/// A row of `routed_to`; with the text of a chat where that is not the answer's own.
pub(crate) fn row_of(row: &Value, step: Option<&str>, with_text: bool) -> Option<RoutedOutput> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut details = row.get("details").cloned().unwrap_or_default();
    if let Some(details) = details.as_object_mut().filter(|_| !with_text) {
        details.remove("content");
    }
    Some(RoutedOutput {
        step: step.map(str::to_owned),
        destination: text("destination")?,
        status: text("status")?,
        details,
        error: row.get("error").filter(|error| error.is_object()).cloned(),
        origin: row.get("origin").and_then(|origin| OutputOrigin::deserialize(origin).ok()),
    })
}

fn saved(outcome: &StepOutcome) -> Option<RoutedOutput> {
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
        origin: None,
    })
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
        let outcome = |step: &str| StepOutcome {
            step: step.to_owned(),
            status: countersign_run::StepStatus::Done,
            input_hash: String::new(),
            output: output.clone(),
            count: None,
            code: None,
            message: None,
            verdict: None,
            model: None,
            approval: None,
            attempt: 1,
            at: jiff::Timestamp::UNIX_EPOCH,
        };
        let actions = [("publish", "route_output"), ("read", "call_connector")];
        let actions = actions.map(|(step, action)| (step.to_owned(), action.to_owned()));
        let outcomes = Outcomes {
            all: vec![outcome("publish"), outcome("read")],
            actions: actions.into(),
            ..Outcomes::default()
        };
        let rows = outcomes.written();
        let failed: Vec<bool> = rows.iter().map(RoutedOutput::is_failed).collect();
        assert_eq!(failed, [false, false, false, true]);
        assert_eq!(rows[2].details, json!({"format": "markdown"}));
        // What a source answered under these names is data, not a report.
        assert_eq!(outcomes.chats(), [(Format::Markdown, "hello")]);
    }
}
