//! How a step over a list ended: counted, item by item, and in one sentence.

use std::collections::BTreeSet;

use countersign_plan::{OnError, PlanStep};
use countersign_run::{EFFECT_UNKNOWN, StepStatus, StopReason};
use countersign_store_runs::{ItemCall, ItemStatus};
use serde_json::{Value, json};

use super::list::Item;
use super::plan::{Made, is_unknown};
use crate::context::Context;
use crate::ending::Ending;
use crate::error::StepError;

/// The code of a step of which some calls were made and others were not.
const PARTLY_SENT: &str = "PARTLY_SENT";

/// Calls of unknown outcome that the sentence names; all of them stand in the output.
const MAX_NAMED: usize = 5;

/// What became of every call.
pub(crate) struct Summary<'a> {
    made: &'a Made,
    /// The list, when it is known; without it, calls that were not made are only counted.
    list: &'a [Item],
    struck: BTreeSet<u32>,
    /// How many calls people allowed.
    allowed: usize,
}

impl<'a> Summary<'a> {
    /// Of the records alone.
    pub(crate) fn of(made: &'a Made) -> Self {
        let allowed = (made.allowed as usize).max(made.calls.len());
        Self { made, list: &[], struck: BTreeSet::new(), allowed }
    }

    /// Of the records and the list.
    pub(crate) fn of_list(made: &'a Made, list: &'a [Item], struck: &BTreeSet<u32>) -> Self {
        let allowed = list.len().saturating_sub(struck.len());
        Self { made, list, struck: struck.clone(), allowed }
    }

    fn count(&self, which: impl Fn(ItemStatus) -> bool) -> usize {
        self.made.calls.values().filter(|call| which(call.status)).count()
    }

    fn done(&self) -> usize {
        self.count(|status| status == ItemStatus::Done)
    }

    fn failed(&self) -> usize {
        self.count(|status| status == ItemStatus::Failed)
    }

    fn unknown(&self) -> usize {
        self.count(is_unknown)
    }

    fn not_sent(&self) -> usize {
        self.allowed.saturating_sub(self.made.calls.len())
    }

    /// How the step ends. `instead` is what ended it before all calls were made; when none was, it stands as it is.
    pub(crate) async fn ending(
        &self,
        context: &Context,
        step: &PlanStep,
        instead: Option<Ending>,
    ) -> Result<Ending, StepError> {
        let instead = match instead {
            Some(ending) if self.made.calls.is_empty() => return Ok(ending),
            other => other,
        };
        let output = self.output(context).await?;
        if self.failed() + self.unknown() + self.not_sent() == 0 {
            return Ok(Ending::done(String::new(), output));
        }
        let (status, code) = self.status();
        let message = self.sentence(instead.as_ref());
        let stops = (step.on_error == OnError::Stop).then_some(StopReason::StepFailed);
        let stops = instead.and_then(|ending| ending.stops).or(stops);
        Ok(Ending { output, stops, ..Ending::without_output(status, &code, message) })
    }

    fn status(&self) -> (StepStatus, String) {
        if self.unknown() > 0 {
            return (StepStatus::Unknown, EFFECT_UNKNOWN.to_owned());
        }
        let first = self.first_failure().and_then(|call| call.code.clone());
        let code = first.filter(|_| self.done() == 0);
        (StepStatus::Failed, code.unwrap_or_else(|| PARTLY_SENT.to_owned()))
    }

    fn first_failure(&self) -> Option<&ItemCall> {
        self.made.calls.values().find(|call| call.status == ItemStatus::Failed)
    }

    /// One sentence for people: how many, which failed, which to look for.
    pub(crate) fn sentence(&self, instead: Option<&Ending>) -> String {
        let counts = [
            (self.failed(), "failed"),
            (self.unknown(), "with unknown outcome"),
            (self.not_sent(), "not sent"),
            (self.struck.len(), "struck out"),
        ];
        let mut text = format!("{} of {} calls done", self.done(), self.allowed);
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            text.push_str(&format!(", {count} {what}"));
        }
        text.push('.');
        let unknown = self.made.calls.values().filter(|call| is_unknown(call.status));
        for call in unknown.take(MAX_NAMED) {
            let key = &call.sending.key;
            text.push_str(&format!(" Unknown: item `{}`, look there for key {key}.", call.item));
        }
        if let Some(call) = self.first_failure() {
            let (code, message) = (call.code.as_deref(), call.message.as_deref());
            let (code, message) = (code.unwrap_or_default(), message.unwrap_or_default());
            text.push_str(&format!(" Item `{}`: {code}: {message}.", call.item));
        }
        if let Some(message) = instead.and_then(|ending| ending.message.as_deref()) {
            text.push_str(&format!(" It ended early: {message}."));
        }
        text
    }

    /// The step's output: every item with what became of it, and the counts.
    async fn output(&self, context: &Context) -> Result<Value, StepError> {
        let mut results = Vec::with_capacity(self.allowed);
        for (n, item) in (0_u32..).zip(self.list) {
            if !self.made.calls.contains_key(&n) {
                let status = if self.struck.contains(&n) { "struck" } else { "not_sent" };
                results.push((n, result(n, &item.key, status, &Value::Null, "")));
            }
        }
        for (n, call) in &self.made.calls {
            let output = context.runs.item_output(call).await?;
            let message = call.message.as_deref().unwrap_or_default();
            results.push((*n, result(*n, &call.item, word(call.status), &output, message)));
        }
        results.sort_by_key(|(n, _)| *n);
        let results: Vec<Value> = results.into_iter().map(|(_, result)| result).collect();
        Ok(json!({
            "count": results.len(),
            "results": results,
            "done": self.done(),
            "failed": self.failed(),
            "unknown": self.unknown(),
            "not_sent": self.not_sent(),
            "struck": self.struck.len(),
            "sent_before": 0,
        }))
    }
}

fn word(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::Done => "done",
        ItemStatus::Failed => "failed",
        ItemStatus::Sending | ItemStatus::Unknown => "unknown",
    }
}

fn result(n: u32, key: &str, status: &str, output: &Value, message: &str) -> Value {
    json!({ "n": n, "key": key, "status": status, "output": output, "message": message })
}
