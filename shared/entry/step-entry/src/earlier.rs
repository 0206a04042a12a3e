//! What the runs that this one repeats have sent: it is not sent again.
//!
//! Calls are told apart by step and item. What was sent must be what would be sent now, by its idempotency key, which is made
//! of the arguments too: otherwise nobody could say what "sent before" means, and nothing is sent.

use std::collections::{BTreeMap, BTreeSet};

use countersign_plan::PlanStep;
use countersign_registry::action::{ActionError, Answered};
use countersign_run::{EFFECT_UNKNOWN, Head, RunId, StepStatus};
use countersign_store_runs::{EarlierCall, Intent, RunStore, StepOutcome, item_name};
use serde_json::Value;

use crate::context::Context;
use crate::error::StepError;
use crate::for_each::Item;
use crate::prepare::Prepared;
use crate::signature::call_key;
use crate::step_end::StepEnd;
use crate::turns::ended::ended;
use countersign_store_runs::warnings_of;

/// The items that are left to do, and what earlier runs did: what is still in the list, in its order, then what is not.
///
/// # Errors
/// `REPEAT_CHANGED` when an item was sent with other contents than it has now, or, where its place in the list is its name, was
/// sent at another place.
pub(crate) fn split(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    list: Vec<Item>,
    mut earlier: BTreeMap<String, EarlierCall>,
) -> Result<(Vec<Item>, Vec<EarlierCall>), ActionError> {
    let (mut left, mut sent) = (Vec::new(), Vec::new());
    for item in list {
        let Some(call) = earlier.remove(&item.key) else {
            left.push(item);
            continue;
        };
        if call_key(context, head, step, &item.key, &item.prepared)? != call.key() {
            let name = item_name(&item.key, step.has_numbered_items());
            return Err(changed(&format!("item `{name}`"), OTHER_CONTENTS, &Tried::of(&call)));
        }
        sent.push(call);
    }
    if step.for_each.as_ref().is_some_and(|each| each.key.is_none()) {
        unmoved(context, head, step, &left, &earlier)?;
    }
    sent.extend(earlier.into_values());
    Ok((left, sent))
}

/// That nothing that is left is what an earlier run sent as an item that the list has no more: items that have no name of their
/// own would be sent once more when those before them are gone.
fn unmoved(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    left: &[Item],
    gone: &BTreeMap<String, EarlierCall>,
) -> Result<(), ActionError> {
    for (item, call) in left.iter().flat_map(|item| gone.values().map(move |call| (item, call))) {
        if call_key(context, head, step, &call.call.item, &item.prepared)? == call.key() {
            // Such items have no other name than their number.
            let [now, before] = [&item.key, &call.call.item].map(|key| item_name(key, true));
            let how = format!(", as item `{before}`");
            return Err(changed(&format!("item `{now}`"), &how, &Tried::of(call)));
        }
    }
    Ok(())
}

const OTHER_CONTENTS: &str = " with other contents than it has now";

/// That a run before has made a call, or may have.
struct Tried<'a> {
    run: &'a RunId,
    /// Whether it is known to have been made.
    is_done: bool,
}

impl<'a> Tried<'a> {
    fn of(call: &'a EarlierCall) -> Self {
        Self { run: &call.run, is_done: call.is_done() }
    }
}

/// `how` it was made is said behind the run: ``, as item `2` ``.
fn changed(what: &str, how: &str, Tried { run, is_done }: &Tried<'_>) -> ActionError {
    let (message, help) = if *is_done {
        let message = format!("{what} was sent in {run}{how}");
        (message, "start a new run, and leave out what was sent")
    } else {
        let message =
            format!("{what} was tried in {run}{how}; whether it was carried out is not known");
        (message, "look whether it was; then start a new run, and leave out what was sent")
    };
    ActionError::terminal("REPEAT_CHANGED", message).with_help(help)
}

/// The call of a step that makes one, as a run has made or begun it, and what came of it; none when it has not.
pub(crate) async fn tried_in(
    context: &Context,
    run: &RunId,
    step: &PlanStep,
) -> Result<Option<(Intent, Option<StepOutcome>)>, StepError> {
    let Some(intent) = context.runs.intent(run, &step.name).await? else { return Ok(None) };
    Ok(Some((intent, context.runs.outcome(run, &step.name).await?)))
}

/// How a step that makes one call ends when an earlier run made it, or may have; none when it is to be made.
pub(crate) async fn ending(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    prepared: &Prepared,
) -> Result<Option<StepEnd>, StepError> {
    for run in &head.repeats {
        let Some((intent, outcome)) = tried_in(context, run, step).await? else { continue };
        if outcome.as_ref().is_some_and(|outcome| outcome.status == StepStatus::Failed) {
            continue;
        }
        let key = call_key(context, head, step, "", prepared);
        if key.is_ok_and(|key| key != intent.sending.key) {
            let is_done = outcome.is_some_and(|outcome| outcome.status == StepStatus::Done);
            let what = format!("`{}`", step.name);
            let error = changed(&what, OTHER_CONTENTS, &Tried { run, is_done });
            return Ok(Some(StepEnd::failed(step, &error)));
        }
        return Ok(Some(match outcome {
            Some(outcome) if outcome.status == StepStatus::Done => {
                done(step, format!("done in {run}; not sent again"), outcome)
            }
            _ => {
                let sentence = intent.sent().sentence(&step.name, &[]);
                let message = format!("{sentence} That was in {run}; it is not sent again.");
                StepEnd::without_output(StepStatus::Unknown, EFFECT_UNKNOWN, message)
            }
        }));
    }
    Ok(None)
}

/// How a step of a model ends when the same model was asked the same before, in the same form: with the same answer. Another one
/// would change what is left to do of what a run before has done a part of.
pub(crate) async fn answer(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    prepared: &Prepared,
) -> Result<Option<StepEnd>, StepError> {
    let model = context.action(&step.action).and_then(|action| action.model(step.model.as_ref()));
    for run in &head.repeats {
        let outcome = context.runs.outcome(run, &step.name).await?;
        let same = outcome.filter(|outcome| {
            let by = outcome.model.as_ref().map(|model| &model.model_used);
            outcome.status == StepStatus::Done
                && outcome.input_hash == prepared.hash
                && by == model.as_ref()
        });
        if let Some(outcome) = same {
            return answered_before(context, run, step, outcome).await.map(Some);
        }
    }
    Ok(None)
}

/// Ends a step with the answer of an earlier run as if it had come now: what the model and its tools could not read is told, and
/// stops the run where the step now says `on_warning: stop`.
async fn answered_before(
    context: &Context,
    run: &RunId,
    step: &PlanStep,
    outcome: StepOutcome,
) -> Result<StepEnd, StepError> {
    let calls = match &step.tools {
        Some(_) => context.runs.tool_outcomes(run, &step.name).await?,
        None => Vec::new(),
    };
    let answered = Answered { output: outcome.output, model: outcome.model };
    let ending = ended(step, outcome.input_hash, answered, &calls);
    let told = ending.message.unwrap_or_else(|| format!("answered in {run}; not asked again"));
    Ok(StepEnd { message: Some(told), ..ending })
}

fn done(step: &PlanStep, message: String, outcome: StepOutcome) -> StepEnd {
    // What could not be read of its answer then cannot be read now.
    let warnings = warnings_of(step, &outcome.output, outcome.model.as_ref()).map(Box::new);
    let model = outcome.model;
    let done = StepEnd::done(outcome.input_hash, outcome.output);
    StepEnd { message: Some(message), warnings, model, ..done }
}

/// What those who sign a repetition are told of a list: what was made before, what is unknown, and what was struck out.
pub(crate) async fn remarks(
    runs: &RunStore,
    head: &Head,
    step: &PlanStep,
    sent: &[EarlierCall],
) -> Result<Vec<String>, StepError> {
    let mut remarks: Vec<String> = made_before(&step.name, sent).into_iter().collect();
    for run in &head.repeats {
        let outcome = runs.outcome(run, &step.name).await?;
        let struck = outcome.map(|outcome| struck(&outcome.output)).unwrap_or_default();
        if !struck.is_empty() {
            let (items, name) = (listed(&struck), &step.name);
            remarks.push(format!("`{name}`: in {run} these were struck out: {items}."));
        }
    }
    Ok(remarks)
}

fn made_before(step: &str, sent: &[EarlierCall]) -> Option<String> {
    let runs: BTreeSet<&str> = sent.iter().map(|call| call.run.as_str()).collect();
    let runs = runs.into_iter().collect::<Vec<_>>().join(", ");
    let done = sent.iter().filter(|call| call.is_done()).count();
    let unknown: Vec<&EarlierCall> = sent.iter().filter(|call| !call.is_done()).collect();
    let mut parts = Vec::new();
    if done > 0 {
        parts.push(format!("calls made before: {done}"));
    }
    if let Some(first) = unknown.first() {
        let (count, item, key) = (unknown.len(), &first.call.item, first.key());
        parts.push(format!("of unknown outcome: {count}, first `{item}` with key {key}"));
    }
    let parts = parts.join("; ");
    (!sent.is_empty()).then(|| format!("`{step}`: left out, {parts} ({runs})."))
}

/// The keys of the items that were struck out, from the output of a step over a list.
fn struck(output: &Value) -> Vec<String> {
    let results = output["results"].as_array().into_iter().flatten();
    let struck = results.filter(|result| result["status"] == "struck");
    struck.filter_map(|result| result["key"].as_str().map(str::to_owned)).collect()
}

/// Items that a text names; more are counted.
const MAX_NAMED: usize = 10;

/// The first of some items by name, and how many there are more, for remarks of repetitions and for journals.
#[must_use]
pub fn listed(items: &[String]) -> String {
    let named: Vec<String> = items.iter().take(MAX_NAMED).map(|item| format!("`{item}`")).collect();
    match items.len().saturating_sub(MAX_NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(is_done: bool, how: &str, expect: &str) {
        let run = RunId::from_bytes([1; 16]);
        let error = changed("item `2`", how, &Tried { run: &run, is_done });
        assert_eq!(error.message.replace(run.as_str(), "run_1"), expect);
        let looks = error.help.unwrap().starts_with("look whether it was");
        assert_eq!(looks, !is_done, "{expect}");
    }

    #[test]
    fn k_49_what_may_not_have_been_sent_is_not_said_to_have_been() {
        let other = " with other contents than it has now";
        check(true, OTHER_CONTENTS, &format!("item `2` was sent in run_1{other}"));
        let unknown = "; whether it was carried out is not known";
        check(false, OTHER_CONTENTS, &format!("item `2` was tried in run_1{other}{unknown}"));
        check(true, ", as item `1`", "item `2` was sent in run_1, as item `1`");
        let moved = format!("item `2` was tried in run_1, as item `1`{unknown}");
        check(false, ", as item `1`", &moved);
    }
}
