//! What the runs that this one repeats have sent: it is not sent again.

use std::collections::BTreeMap;

use countersign_plan::PlanStep;
use countersign_run::{EFFECT_UNKNOWN, Head, RunId, StepStatus};
use countersign_store_runs::{ItemStatus, Outcome, RunStore};

use crate::ending::Ending;
use crate::error::StepError;
use crate::for_each::Item;

/// A call that an earlier run made, or may have made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Before {
    /// The item's own key.
    pub(crate) item: String,
    /// The run.
    pub(crate) run: RunId,
    /// The idempotency key it carried.
    pub(crate) key: String,
    /// Whether it is known to have been made.
    pub(crate) is_done: bool,
}

/// The calls of a step over a list that earlier runs made, or may have made, by the item's own key.
pub(crate) async fn calls(
    runs: &RunStore,
    head: &Head,
    step: &PlanStep,
) -> Result<BTreeMap<String, Before>, StepError> {
    let mut before = BTreeMap::new();
    for run in &head.repeats {
        for call in runs.items(run, &step.name).await? {
            let is_done = match call.status {
                ItemStatus::Failed => continue,
                ItemStatus::Done => true,
                ItemStatus::Sending | ItemStatus::Unknown => false,
            };
            let (item, key) = (call.item, call.sending.key);
            before.insert(item.clone(), Before { item, run: run.clone(), key, is_done });
        }
    }
    Ok(before)
}

/// The items that are left to do, and what was done before, in the order of the list.
pub(crate) fn split(
    list: Vec<Item>,
    mut before: BTreeMap<String, Before>,
) -> (Vec<Item>, Vec<Before>) {
    let (mut left, mut sent) = (Vec::new(), Vec::new());
    for item in list {
        match before.remove(&item.key) {
            Some(call) => sent.push(call),
            None => left.push(item),
        }
    }
    (left, sent)
}

/// How a step that makes one call ends when an earlier run made it, or may have; none when it is to be made.
pub(crate) async fn ending(
    runs: &RunStore,
    head: &Head,
    step: &PlanStep,
) -> Result<Option<Ending>, StepError> {
    for run in &head.repeats {
        let Some(intent) = runs.intent(run, &step.name).await? else { continue };
        match runs.outcome(run, &step.name).await? {
            Some(outcome) if outcome.status == StepStatus::Done => {
                return Ok(Some(done(run, outcome)));
            }
            Some(outcome) if outcome.status == StepStatus::Failed => {}
            _ => {
                let sentence = intent.sent().sentence(&step.name, &[]);
                let message = format!("{sentence} That was in {run}; it is not sent again.");
                return Ok(Some(Ending::without_output(
                    StepStatus::Unknown,
                    EFFECT_UNKNOWN,
                    message,
                )));
            }
        }
    }
    Ok(None)
}

fn done(run: &RunId, outcome: Outcome) -> Ending {
    let message = format!("done in {run}; not sent again");
    Ending { message: Some(message), ..Ending::done(outcome.input_hash, outcome.output) }
}

/// One sentence for those who sign a repetition; none when nothing was sent before.
pub(crate) fn remark(step: &str, sent: &[Before]) -> Option<String> {
    let done = sent.iter().filter(|call| call.is_done).count();
    let unknown: Vec<&Before> = sent.iter().filter(|call| !call.is_done).collect();
    let run = &sent.first()?.run;
    let mut text = format!(
        "`{step}`: {done} calls were made before, the first of them in {run}; they are left out."
    );
    if let Some(first) = unknown.first() {
        text.push_str(&format!(
            " The outcome of {} is unknown, and they are left out too: look for key {} first.",
            unknown.len(),
            first.key
        ));
    }
    Some(text)
}
