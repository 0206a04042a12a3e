//! How a step over a list ended: counted, item by item, and in one sentence.

use std::collections::{BTreeMap, BTreeSet};

use countersign_plan::{OnError, PlanStep};
use countersign_run::{EFFECT_UNKNOWN, StepStatus, StopReason};
use countersign_store_runs::{ItemCall, ItemStatus};
use serde_json::{Value, json};

use super::Calls;
use super::list::Item;
use super::plan::{Made, is_unknown};
use crate::context::Context;
use crate::earlier::Before;
use crate::ending::Ending;
use crate::error::StepError;

/// The code of a step of which some calls were made and others were not.
const PARTLY_SENT: &str = "PARTLY_SENT";

/// Calls of unknown outcome that the sentence names; all of them stand in the output.
const MAX_NAMED: usize = 5;

/// What became of every call.
#[derive(Default)]
pub(crate) struct Summary<'a> {
    made: Option<&'a Made>,
    /// The list, when it is known; without it, calls that were not made are only counted.
    list: &'a [Item],
    before: &'a [Before],
    struck: BTreeSet<u32>,
    /// How many calls people allowed.
    allowed: usize,
}

impl<'a> Summary<'a> {
    /// Of the records alone.
    pub(crate) fn of(made: &'a Made) -> Self {
        let allowed = (made.allowed as usize).max(made.calls.len());
        Self { made: Some(made), allowed, ..Self::default() }
    }

    /// Of what earlier runs did alone.
    pub(crate) fn of_before(before: &'a [Before]) -> Self {
        Self { before, ..Self::default() }
    }

    /// Of the records and the list.
    pub(crate) fn of_list(made: &'a Made, list: &'a Calls, struck: &BTreeSet<u32>) -> Self {
        let allowed = list.left.len().saturating_sub(struck.len());
        let (list, before) = (&list.left, &list.before);
        Self { made: Some(made), list, before, struck: struck.clone(), allowed }
    }

    fn calls(&self) -> impl Iterator<Item = &'a ItemCall> {
        self.made.into_iter().flat_map(|made| made.calls.values())
    }

    fn is_made(&self, n: u32) -> bool {
        self.made.is_some_and(|made| made.calls.contains_key(&n))
    }

    fn count(&self, which: impl Fn(ItemStatus) -> bool) -> usize {
        self.calls().filter(|call| which(call.status)).count()
    }

    fn done(&self) -> usize {
        self.count(|status| status == ItemStatus::Done)
    }

    fn failed(&self) -> usize {
        self.count(|status| status == ItemStatus::Failed)
    }

    fn unknown(&self) -> usize {
        self.count(is_unknown) + self.before.iter().filter(|call| !call.is_done).count()
    }

    fn not_sent(&self) -> usize {
        self.allowed.saturating_sub(self.calls().count())
    }

    /// How the step ends. `instead` is what ended it before all calls were made; when none was, it stands as it is.
    pub(crate) async fn ending(
        &self,
        context: &Context,
        step: &PlanStep,
        instead: Option<Ending>,
    ) -> Result<Ending, StepError> {
        let instead = match instead {
            Some(ending) if self.calls().next().is_none() => return Ok(ending),
            other => other,
        };
        let answers = self.answers(context).await?;
        Ok(self.ended(step, self.output(answers), instead.as_ref()))
    }

    /// The same when no call was made.
    pub(crate) fn of_nothing(&self, step: &PlanStep) -> Ending {
        self.ended(step, self.output(BTreeMap::new()), None)
    }

    fn ended(&self, step: &PlanStep, output: Value, instead: Option<&Ending>) -> Ending {
        let message = self.sentence(instead);
        if self.failed() + self.unknown() + self.not_sent() == 0 {
            return Ending { message: Some(message), ..Ending::done(String::new(), output) };
        }
        let (status, code) = self.status();
        let stops = (step.on_error == OnError::Stop).then_some(StopReason::StepFailed);
        let stops = instead.and_then(|ending| ending.stops).or(stops);
        Ending { output, stops, ..Ending::without_output(status, &code, message) }
    }

    fn status(&self) -> (StepStatus, String) {
        if self.unknown() > 0 {
            return (StepStatus::Unknown, EFFECT_UNKNOWN.to_owned());
        }
        let first = self.first_failure().and_then(|call| call.code.clone());
        let code = first.filter(|_| self.done() == 0);
        (StepStatus::Failed, code.unwrap_or_else(|| PARTLY_SENT.to_owned()))
    }

    fn first_failure(&self) -> Option<&'a ItemCall> {
        self.calls().find(|call| call.status == ItemStatus::Failed)
    }

    /// One sentence for people: how many, which failed, which to look for.
    pub(crate) fn sentence(&self, instead: Option<&Ending>) -> String {
        let counts = [
            (self.failed(), "failed"),
            (self.unknown(), "with unknown outcome"),
            (self.not_sent(), "not sent"),
            (self.struck.len(), "struck out"),
            (self.sent_before(), "done in an earlier run"),
        ];
        let mut text = format!("{} of {} calls done", self.done(), self.allowed);
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            text.push_str(&format!(", {count} {what}"));
        }
        text.push('.');
        let unknown = self.calls().filter(|call| is_unknown(call.status));
        let unknown = unknown.map(|call| (&call.item, &call.sending.key));
        let before = self.before.iter().filter(|call| !call.is_done);
        for (item, key) in unknown.chain(before.map(|call| (&call.item, &call.key))).take(MAX_NAMED)
        {
            text.push_str(&format!(" Unknown: item `{item}`, look there for key {key}."));
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

    fn sent_before(&self) -> usize {
        self.before.iter().filter(|call| call.is_done).count()
    }

    /// What the calls answered, by number.
    async fn answers(&self, context: &Context) -> Result<BTreeMap<u32, Value>, StepError> {
        let mut answers = BTreeMap::new();
        for call in self.calls() {
            answers.insert(call.n, context.runs.item_output(call).await?);
        }
        Ok(answers)
    }

    /// The step's output: every item with what became of it, and the counts.
    fn output(&self, mut answers: BTreeMap<u32, Value>) -> Value {
        let left_out = (0_u32..).zip(self.list).filter(|(n, _)| !self.is_made(*n));
        let mut results: Vec<(u32, Value)> = left_out
            .map(|(n, item)| {
                let status = if self.struck.contains(&n) { "struck" } else { "not_sent" };
                (n, result(Some(n), &item.key, status, &Value::Null, ""))
            })
            .collect();
        for call in self.calls() {
            let answer = answers.remove(&call.n).unwrap_or_default();
            let message = call.message.as_deref().unwrap_or_default();
            let line = result(Some(call.n), &call.item, word(call.status), &answer, message);
            results.push((call.n, line));
        }
        results.sort_by_key(|(n, _)| *n);
        let before = self.before.iter().map(|call| {
            let status = if call.is_done { "sent_before" } else { "unknown" };
            result(None, &call.item, status, &Value::Null, &format!("in {}", call.run))
        });
        let results: Vec<Value> =
            results.into_iter().map(|(_, result)| result).chain(before).collect();
        json!({
            "count": results.len(),
            "results": results,
            "done": self.done(),
            "failed": self.failed(),
            "unknown": self.unknown(),
            "not_sent": self.not_sent(),
            "struck": self.struck.len(),
            "sent_before": self.sent_before(),
        })
    }
}

fn word(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::Done => "done",
        ItemStatus::Failed => "failed",
        ItemStatus::Sending | ItemStatus::Unknown => "unknown",
    }
}

fn result(n: Option<u32>, key: &str, status: &str, output: &Value, message: &str) -> Value {
    json!({ "n": n, "key": key, "status": status, "output": output, "message": message })
}
