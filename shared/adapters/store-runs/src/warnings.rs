//! What the steps of a run could not read, in sentences.

use std::collections::HashMap;

use countersign_canonical::canonical;
use countersign_plan::{OnWarning, PlanStep};
use countersign_run::{
    Head, ModelUse, RunId, StepWarnings, all_warnings, warning_count, warning_sentences,
};
use countersign_store_kit::decode;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::records::{OutcomeItem, StepOutcome};
use crate::{Result, RunStore, keys};

/// The warnings in this output of a step, and that a model wrote it; none when there are none.
#[must_use]
pub fn warnings_of(
    step: &PlanStep,
    output: &Value,
    model: Option<&ModelUse>,
) -> Option<StepWarnings> {
    let count = warning_count(output).saturating_add(u64::from(model.is_some()));
    (count > 0).then(|| StepWarnings {
        step: step.name.clone(),
        count,
        first: Vec::new(),
        hash: hash(&step.name, count, output, model),
        asks: step.on_warning == OnWarning::Gate,
    })
}

fn hash(step: &str, count: u64, output: &Value, model: Option<&ModelUse>) -> String {
    let unread: Vec<&Value> = all_warnings(output).collect();
    let all = match model {
        Some(model) => json!([step, count, unread, model.answer_sha256, model.sentence()]),
        None => json!([step, count, unread]),
    };
    // Numbers that canonical JSON cannot write exactly are written all the same: this hash compares, it proves nothing.
    let text = canonical(&all).unwrap_or_else(|_| all.to_string());
    hex::encode(Sha256::digest(text))
}

/// Every sentence about the warnings of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarningSentences {
    /// The step.
    pub step: String,
    /// How many warnings there are.
    pub count: u64,
    /// One sentence each, in the order of the step's output; untrusted text. Fewer than `count` where the output lists fewer.
    pub sentences: Vec<String>,
}

impl WarningSentences {
    /// What the output of a step lists, if it is the output that the warnings were read from; otherwise what is known of them.
    fn of(known: &StepWarnings, outcome: Option<&StepOutcome>) -> Self {
        let all = outcome.filter(|one| {
            hash(&known.step, known.count, &one.output, one.model.as_ref()) == known.hash
        });
        let all = all.map(|one| {
            let written = one.model.iter().map(ModelUse::sentence);
            written.chain(warning_sentences(&one.output, usize::MAX)).collect()
        });
        let sentences = all.unwrap_or_else(|| known.first.clone());
        Self { step: known.step.clone(), count: known.count, sentences }
    }
}

impl RunStore {
    /// All that is known of the warnings of some steps of a run, in their order: one request, and one per output in the bucket.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the store does not answer.
    pub async fn warning_sentences(
        &self,
        run: &RunId,
        of_steps: &[StepWarnings],
    ) -> Result<Vec<WarningSentences>> {
        let steps: Vec<&str> = of_steps.iter().map(|known| known.step.as_str()).collect();
        let outcomes = self.outcomes(run, &steps, &steps, None).await?;
        let of_step = |known: &StepWarnings| WarningSentences::of(known, outcomes.get(&known.step));
        Ok(of_steps.iter().map(of_step).collect())
    }

    /// The warnings of a run so far with about `limit` sentences in all, and the first one of each step in any case: many of one
    /// step do not hide another. One request, and none when there are no warnings.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn warnings(&self, head: &Head, limit: usize) -> Result<Vec<StepWarnings>> {
        if head.warnings.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = head.warnings.iter().map(|known| keys::outcome(&head.run, &known.step));
        let mut kept = HashMap::new();
        for (_, item) in self.table.get_many(&wanted.collect::<Vec<_>>()).await? {
            let item: OutcomeItem = decode(self.table.name(), item)?;
            kept.insert(item.step, item.warned);
        }
        let mut left = limit;
        let mut written = |known: &StepWarnings| {
            let mut first = kept.remove(&known.step).unwrap_or_default();
            first.truncate(left.max(1));
            left = left.saturating_sub(first.len());
            StepWarnings { first, ..known.clone() }
        };
        Ok(head.warnings.iter().map(&mut written).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(on_warning: &str) -> PlanStep {
        serde_json::from_value(json!({
            "name": "read", "kind": "tool", "on_error": "stop", "on_warning": on_warning, "after": [],
        }))
        .unwrap()
    }

    #[test]
    fn f_311_other_warnings_have_another_hash() {
        let of =
            |text: &str| warnings_of(&step("gate"), &json!({"warnings": [text]}), None).unwrap();
        assert_eq!(of("a").hash, of("a").hash);
        assert_ne!(of("a").hash, of("b").hash);
        let empty = |name: &str| {
            let output =
                json!({"files_read": 1, "file_notes": [{"name": name, "message": "no entries"}]});
            warnings_of(&step("gate"), &output, None).unwrap().hash
        };
        assert_ne!(empty("a.csv"), empty("b.csv"));
        assert_eq!(warnings_of(&step("gate"), &json!({"warnings": []}), None), None);
    }

    #[test]
    fn f_311_only_gate_asks_again() {
        let output = json!({"warnings": ["a"]});
        assert!(warnings_of(&step("gate"), &output, None).unwrap().asks);
        assert!(!warnings_of(&step("continue"), &output, None).unwrap().asks);
    }
}
