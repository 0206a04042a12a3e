//! How a step over a list ended: counted, item by item, and in one sentence. One place says it, whoever ends the step.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use countersign_failure::{Class, Failure as _};
use countersign_run::{EFFECT_UNKNOWN, RunId, StepStatus, warning_count, warning_sentences};
use countersign_store_kit::Stored;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{Intent, ItemCall, ItemStatus, Result, RunStore, StepOutcome};

/// The code of a step of which some calls were made and others were not.
const PARTLY_SENT: &str = "PARTLY_SENT";

/// Calls of unknown outcome that the sentence names; all of them stand in the output.
const MAX_NAMED: usize = 5;

/// Bytes of answers in the output of a list.
const MAX_ANSWERS_BYTES: u64 = 8 * 1024 * 1024;

/// Characters of a failure's message in the sentence.
const MAX_MESSAGE: usize = 500;

/// How many sentences about what could not be read are listed.
const MAX_WARNINGS: usize = 100;

/// A call that a run made, or may have made, which this one repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierCall {
    /// The run.
    pub run: RunId,
    /// Its record.
    pub call: ItemCall,
}

impl EarlierCall {
    /// The idempotency key it carried.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.call.sending.key
    }

    /// Whether it is known to have been made.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.call.status == ItemStatus::Done
    }
}

/// What people call an item of a list by its key. A key that is only the item's number counts from 0, and people from 1.
#[must_use]
pub fn item_name(key: &str, is_numbered: bool) -> String {
    let number = key.parse::<u32>().ok().filter(|_| is_numbered);
    number.map_or_else(|| key.to_owned(), |n| n.saturating_add(1).to_string())
}

/// What is known of the calls of a step.
#[derive(Debug, Clone, Default)]
pub struct ListSummary<'a> {
    /// Those with a record, by number.
    pub calls: Option<&'a BTreeMap<u32, ItemCall>>,
    /// The keys of the list, by number; empty when it is not known. Calls without a record are then only counted.
    pub keys: Vec<&'a str>,
    /// Those of earlier runs.
    pub earlier: &'a [EarlierCall],
    /// Those that people struck out.
    pub struck: BTreeSet<u32>,
    /// How many calls people allowed.
    pub allowed: usize,
    /// Whether the keys are the numbers of the items, from 0.
    pub is_numbered: bool,
}

/// What calls answered, by the key of their item; none of an answer that cannot be read any more. An answer that has no room is
/// not there.
pub type ListAnswers = BTreeMap<String, Option<Value>>;

/// How a step over a list ends.
#[derive(Debug, Clone, PartialEq)]
pub struct ListEnd {
    /// Done only if nothing is missing, unknown or refused.
    pub status: StepStatus,
    /// The stable code, unless it is done.
    pub code: Option<String>,
    /// One sentence for people.
    pub message: String,
    /// Every item with what became of it, and the counts.
    pub output: Value,
}

impl<'a> ListSummary<'a> {
    /// Of the records alone, as whoever has no list sees them.
    #[must_use]
    pub fn of_records(calls: &'a BTreeMap<u32, ItemCall>, intent: Option<&Intent>) -> Self {
        let allowed = intent.map_or(0, |intent| intent.sending.items as usize);
        let struck = intent.map(|intent| intent.struck.iter().copied().collect());
        let (allowed, struck) = (allowed.max(calls.len()), struck.unwrap_or_default());
        let is_numbered = calls.values().all(|call| call.item == call.n.to_string());
        Self { calls: Some(calls), struck, allowed, is_numbered, ..Self::default() }
    }

    /// How the step ends. `answers` are what [`RunStore::list_answers`] gives, `early` is what ended it before its last
    /// call.
    #[must_use]
    pub fn end(&self, answers: ListAnswers, early: Option<&str>) -> ListEnd {
        let (status, code) = self.status();
        let (message, output) = (self.sentence(early), self.output(answers));
        ListEnd { status, code, message, output }
    }

    fn calls(&self) -> impl Iterator<Item = &'a ItemCall> {
        self.calls.into_iter().flat_map(BTreeMap::values)
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
        self.count(ItemStatus::is_unknown)
            + self.earlier.iter().filter(|call| !call.is_done()).count()
    }

    fn not_sent(&self) -> usize {
        self.allowed.saturating_sub(self.calls().count())
    }

    fn sent_before(&self) -> usize {
        self.earlier.iter().filter(|call| call.is_done()).count()
    }

    fn status(&self) -> (StepStatus, Option<String>) {
        if self.unknown() > 0 {
            return (StepStatus::Unknown, Some(EFFECT_UNKNOWN.to_owned()));
        }
        if self.failed() + self.not_sent() == 0 {
            return (StepStatus::Done, None);
        }
        let first = self.first_failure().and_then(|call| call.code.clone());
        let code = first.filter(|_| self.done() == 0);
        (StepStatus::Failed, Some(code.unwrap_or_else(|| PARTLY_SENT.to_owned())))
    }

    fn first_failure(&self) -> Option<&'a ItemCall> {
        self.calls().find(|call| call.status == ItemStatus::Failed)
    }

    /// How many, which are unknown and where to look for them, the first failure, and what ended the step early.
    fn sentence(&self, early: Option<&str>) -> String {
        let counts = [
            (self.failed(), "failed"),
            (self.unknown(), "with unknown outcome"),
            (self.not_sent(), "not sent"),
            (self.struck.len(), "struck out"),
            (self.sent_before(), "done in an earlier run"),
        ];
        let mut text = format!("{} of {} calls done", self.done(), self.allowed);
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            let _ = write!(text, ", {count} {what}");
        }
        text.push('.');
        self.name_unknown(&mut text);
        if let Some(call) = self.first_failure() {
            let (code, message) = (call.code.as_deref(), call.message.as_deref());
            let (message, code) = (short(message.unwrap_or_default()), code.unwrap_or_default());
            let _ = write!(text, " Item `{}`: {code}: {message}.", self.name(&call.item));
        }
        if let Some(early) = early {
            let _ = write!(text, " It ended early: {}.", short(early));
        }
        text
    }

    fn name_unknown(&self, text: &mut String) {
        let own = self.calls().filter(|call| call.status.is_unknown());
        let own = own.map(|call| (call.item.as_str(), call.sending.key.as_str()));
        let earlier = self.earlier.iter().filter(|call| !call.is_done());
        let earlier = earlier.map(|call| (call.call.item.as_str(), call.key()));
        let all: Vec<(&str, &str)> = own.chain(earlier).collect();
        for (item, key) in all.iter().take(MAX_NAMED) {
            let item = self.name(item);
            let _ = write!(text, " Unknown: item `{item}`, look there for key {key}.");
        }
        if all.len() > MAX_NAMED {
            let _ = write!(text, " And {} more.", all.len() - MAX_NAMED);
        }
    }

    fn output(&self, mut answers: ListAnswers) -> Value {
        let missing: Vec<String> =
            self.done_calls().filter_map(|call| self.missing(call, &answers)).collect();
        let results = self.results(&mut answers);
        let told = results.iter().map(|one| warning_count(&one["output"]));
        let warned = told.fold(missing.len() as u64, u64::saturating_add);
        let unread = results.iter().flat_map(|item| self.warnings_of(item));
        let warnings: Vec<String> = missing.into_iter().chain(unread).take(MAX_WARNINGS).collect();
        json!({
            "count": results.len(),
            "results": results,
            "warnings": warnings,
            "warning_count": warned,
            "done": self.done(),
            "failed": self.failed(),
            "unknown": self.unknown(),
            "not_sent": self.not_sent(),
            "struck": self.struck.len(),
            "sent_before": self.sent_before(),
        })
    }

    /// Every item with what became of it: the list in its order, then what earlier runs did.
    fn results(&self, answers: &mut ListAnswers) -> Vec<Value> {
        let has_record = |n: &u32| self.calls.is_some_and(|calls| calls.contains_key(n));
        let others = (0_u32..).zip(&self.keys).filter(|(n, _)| !has_record(n));
        let mut results: BTreeMap<u32, Value> = others
            .map(|(n, key)| {
                let status = if self.struck.contains(&n) { "struck" } else { "not_sent" };
                (n, result(Some(n), key, status, &Value::Null, ""))
            })
            .collect();
        for call in self.calls() {
            let answer = answers.remove(&call.item).flatten().unwrap_or_default();
            let message = call.message.as_deref().unwrap_or_default();
            let status = call.status.as_str();
            results.insert(call.n, result(Some(call.n), &call.item, status, &answer, message));
        }
        let earlier = self.earlier.iter().map(|earlier| {
            let answer = answers.remove(&earlier.call.item).flatten().unwrap_or_default();
            let status = if earlier.is_done() { "sent_before" } else { "unknown" };
            result(None, &earlier.call.item, status, &answer, &format!("in {}", earlier.run))
        });
        results.into_values().chain(earlier).collect()
    }

    fn done_calls(&self) -> impl Iterator<Item = &'a ItemCall> {
        let earlier = self.earlier.iter().map(|earlier| &earlier.call);
        self.calls().chain(earlier).filter(|call| call.status == ItemStatus::Done)
    }

    /// What people call an item.
    fn name(&self, key: &str) -> String {
        item_name(key, self.is_numbered)
    }

    /// That what a call answered is not in the output, and why; what reads the output would take it for an answer without content.
    /// Of a call that people say was made, nobody expects one.
    fn missing(&self, call: &ItemCall, answers: &ListAnswers) -> Option<String> {
        let item = self.name(&call.item);
        match &call.output {
            Some(_) if answers.get(&call.item).is_some_and(Option::is_none) => {
                Some(format!("{item}: it was done, and what it answered cannot be read any more"))
            }
            _ if answers.contains_key(&call.item) => None,
            Some(_) => Some(format!(
                "{item}: its answer is left out here: all answers together are longer than {} MB",
                MAX_ANSWERS_BYTES / (1024 * 1024)
            )),
            None if call.message.is_none() => {
                Some(format!("{item}: it was done, and its answer could not be kept"))
            }
            None => None,
        }
    }

    /// What could not be read of an item's answer, with the name of the item.
    fn warnings_of(&self, item: &Value) -> Vec<String> {
        let name = self.name(item["key"].as_str().unwrap_or_default());
        let sentences = warning_sentences(&item["output"], MAX_WARNINGS);
        sentences.into_iter().map(|sentence| format!("{name}: {sentence}")).collect()
    }
}

fn result(n: Option<u32>, key: &str, status: &str, output: &Value, message: &str) -> Value {
    json!({ "n": n, "key": key, "status": status, "output": output, "message": message })
}

/// A message without its last full stop, cut with a mark.
fn short(message: &str) -> String {
    let message = message.trim_end_matches('.');
    let mut short: String = message.chars().take(MAX_MESSAGE).collect();
    if short.len() < message.len() {
        short.push('…');
    }
    short
}

fn stored_bytes(stored: &Stored) -> u64 {
    match stored {
        Stored::Item { json } => json.len() as u64,
        Stored::Bucket { bytes, .. } => *bytes,
    }
}

impl RunStore {
    /// What the runs before have made, or may have made, of a step over a list, by the item's own key.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn earlier_calls(
        &self,
        repeats: &[RunId],
        step: &str,
    ) -> Result<BTreeMap<String, EarlierCall>> {
        self.earlier(repeats, step, |status| status != ItemStatus::Failed).await
    }

    /// The calls of the runs before that were refused, or of which people said that they were not done: the newest of each item.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn earlier_failures(
        &self,
        repeats: &[RunId],
        step: &str,
    ) -> Result<BTreeMap<String, EarlierCall>> {
        self.earlier(repeats, step, |status| status == ItemStatus::Failed).await
    }

    async fn earlier(
        &self,
        repeats: &[RunId],
        step: &str,
        keeps: fn(ItemStatus) -> bool,
    ) -> Result<BTreeMap<String, EarlierCall>> {
        let mut earlier = BTreeMap::new();
        for run in repeats {
            let calls = self.items(run, step).await?;
            for call in calls.into_iter().filter(|call| keeps(call.status)) {
                earlier.insert(call.item.clone(), EarlierCall { run: run.clone(), call });
            }
        }
        Ok(earlier)
    }

    /// What the calls of a list and those of earlier runs answered, by the key of their item, as far as there is room for it in one
    /// output. The rest stays with the records of the calls.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the bucket does not answer. That one answer is lost does not undo the calls.
    pub async fn list_answers(
        &self,
        calls: &BTreeMap<u32, ItemCall>,
        earlier: &[EarlierCall],
    ) -> Result<ListAnswers> {
        let mut answers = ListAnswers::new();
        let mut room = MAX_ANSWERS_BYTES;
        let earlier = earlier.iter().map(|earlier| &earlier.call);
        for call in calls.values().chain(earlier) {
            let Some(bytes) = call.output.as_ref().map(stored_bytes) else { continue };
            if let Some(left) = room.checked_sub(bytes) {
                room = left;
                let answer = match self.item_output(call).await {
                    Err(error) if error.class() == Class::Terminal => {
                        tracing::warn!(step = call.step, n = call.n, %error, "the answer of a call is lost");
                        None
                    }
                    answer => Some(answer?),
                };
                answers.insert(call.item.clone(), answer);
            }
        }
        Ok(answers)
    }

    /// How a step over a list ends that has left this mark and is not run any further, from its records alone.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when table or bucket do not answer.
    pub async fn list_outcome(
        &self,
        run: &RunId,
        intent: &Intent,
        early: Option<&str>,
        at: Timestamp,
    ) -> Result<StepOutcome> {
        let calls = self.items(run, &intent.step).await?;
        let calls: BTreeMap<u32, ItemCall> = calls.into_iter().map(|call| (call.n, call)).collect();
        let summary = ListSummary::of_records(&calls, Some(intent));
        let ListEnd { status, code, message, output } =
            summary.end(self.list_answers(&calls, &[]).await?, early);
        let count = output["done"].as_u64();
        let known = StepOutcome::unknown(&intent.step, &intent.sent(), intent.attempt, at);
        Ok(StepOutcome { status, code, message: Some(message), output, count, ..known })
    }
}
