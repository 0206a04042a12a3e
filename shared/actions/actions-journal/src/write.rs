//! `write_journal_entry` (F-065).

use std::sync::Arc;

use countersign_journal::{
    Entities, Entry, EntryId, JournalConfig, Mention, Origin, Output, StepNote, TaskStatus,
    written_to_graph,
};
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::{Nothing, write_journal_entry as declared};
use countersign_run::{RunContext, StepStatus};
use serde_json::{Value, json};

use crate::Journal;
use crate::outcomes::{RunOutcomes, StepResult};

/// An entry keeps at most so many characters of its summary, and so many notes and names.
const MAX_SUMMARY: usize = 10_000;
const MAX_ITEMS: usize = 200;

/// Writes an entry in the writer's words; the engine adds what it knows of the run.
pub(crate) struct WriteJournalEntry {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) outcomes: Arc<dyn RunOutcomes>,
}

impl Perform for WriteJournalEntry {
    type Action = declared::WriteJournalEntry;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        _: Nothing,
    ) -> Result<declared::Output, ActionError> {
        let outcomes = self.outcomes.outcomes(&call.run).await?;
        let config = JournalConfig {
            retention_days: self.outcomes.retention_days(call).await?,
            ..JournalConfig::default()
        };
        let entry = entry(call, &inputs, &outcomes, &config);
        let stands = self
            .journal
            .put_if_new(&entry)
            .await
            .map_err(|error| ActionError::from_failure(&error))?;
        let warnings = left_out(&inputs);
        Ok(declared::Output {
            journal_entry_id: stands.id.to_string(),
            success: true,
            warning_count: warnings.len() as u64,
            warnings,
        })
    }
}

fn entry(
    call: &Call,
    inputs: &declared::Inputs,
    outcomes: &[StepResult],
    config: &JournalConfig,
) -> Entry {
    let others: Vec<&StepResult> =
        outcomes.iter().filter(|outcome| outcome.step != call.step).collect();
    let wrong: Vec<String> = others
        .iter()
        .filter(|outcome| !outcome.status.is_good())
        .map(|outcome| {
            format!("{}: {}", outcome.step, outcome.code.as_deref().unwrap_or("not done"))
        })
        .collect();
    let done = others.iter().filter(|outcome| outcome.status == StepStatus::Done);
    let outputs: Vec<&Value> = done.map(|outcome| &outcome.output).collect();
    let to_graph = outputs.iter().flat_map(|output| written_to_graph(output));
    let discovered = Entities::of(outputs.iter().copied(), to_graph).discovered;
    Entry {
        id: EntryId::of_call(&call.idempotency_key),
        agent_profile_id: call.info.profile_id.clone(),
        user_id: call.owner.clone(),
        execution_id: call.run.clone(),
        origin: Origin::Step,
        summary: inputs.summary.trim().chars().take(MAX_SUMMARY).collect(),
        brief: None,
        detail_entries: items(inputs.detail_entries.as_ref()).filter_map(note).collect(),
        run_context: context(&call.info.run_context),
        occurrence: None,
        invoked_by: call.info.invoked_by.clone(),
        team_id: call.info.team.clone(),
        entities_mentioned: items(inputs.entities_mentioned.as_ref())
            .filter_map(Mention::read)
            .collect(),
        steps_completed: others
            .iter()
            .filter(|outcome| outcome.status.is_done())
            .map(|outcome| outcome.step.clone())
            .collect(),
        entities_discovered: discovered,
        outputs_produced: others.iter().flat_map(|outcome| produced(outcome)).collect(),
        approvals: Vec::new(),
        task_status: if wrong.is_empty() { TaskStatus::Complete } else { TaskStatus::Partial },
        error_summary: (!wrong.is_empty()).then(|| wrong.join("; ")),
        created_at: call.now,
        expires_at: config.expiry(call.now),
    }
}

/// What an entry has no room for, or cannot be read, a sentence each.
fn left_out(inputs: &declared::Inputs) -> Vec<String> {
    let characters = inputs.summary.trim().chars().count();
    let summary = (characters > MAX_SUMMARY).then(|| {
        format!("`summary` has {characters} characters, of which the first {MAX_SUMMARY} are kept")
    });
    let notes = listed(
        ("detail_entries", "neither a text nor a record"),
        inputs.detail_entries.as_ref(),
        |one| note(one).is_some(),
    );
    let names = listed(
        ("entities_mentioned", "neither a name nor a record with one"),
        inputs.entities_mentioned.as_ref(),
        |one| Mention::read(one).is_some(),
    );
    summary.into_iter().chain(notes).chain(names).collect()
}

fn listed(
    (input, unreadable): (&str, &str),
    given: Option<&Vec<Value>>,
    is_read: impl Fn(&Value) -> bool,
) -> impl Iterator<Item = String> {
    let all = given.map_or(0, Vec::len);
    let unread = items(given).filter(|one| !is_read(one)).count();
    let more = (all > MAX_ITEMS)
        .then(|| format!("`{input}` has {all} entries, of which the first {MAX_ITEMS} are kept"));
    let unread = (unread > 0)
        .then(|| format!("what is {unreadable} in `{input}` is left out, {unread} of {all}"));
    more.into_iter().chain(unread)
}

fn items(given: Option<&Vec<Value>>) -> impl Iterator<Item = &Value> {
    given.into_iter().flatten().take(MAX_ITEMS)
}

/// A note in words, or as `{action, result, entities_found}`; other records are kept as their JSON.
fn note(value: &Value) -> Option<StepNote> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let entities_found = value.get("entities_found").and_then(Value::as_u64);
    match (value, text("action")) {
        (Value::String(words), _) => {
            Some(StepNote { action: "note".to_owned(), result: words.clone(), entities_found })
        }
        (Value::Object(_), Some(action)) => {
            Some(StepNote { action, result: text("result").unwrap_or_default(), entities_found })
        }
        (Value::Object(_), None) => {
            Some(StepNote { action: "note".to_owned(), result: value.to_string(), entities_found })
        }
        _ => None,
    }
}

fn context(word: &str) -> RunContext {
    serde_json::from_value(json!(word)).unwrap_or(RunContext::Interactive)
}

/// What `route_output` and `save_to_workspace` say they wrote.
fn produced(outcome: &StepResult) -> Vec<Output> {
    let output = &outcome.output;
    if output.get("rows_inserted").is_some() {
        return vec![Output::of("data_workspace_table", output)];
    }
    let routed = output.get("routed_to").and_then(Value::as_array).into_iter().flatten();
    let of_row = |row: &Value| {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        Output::of_row(text("destination"), text("status"), &row["details"])
    };
    routed.flat_map(of_row).collect()
}
