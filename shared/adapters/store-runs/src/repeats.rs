//! Whether a plan still recognises what the runs it repeats have sent.

use std::fmt;

use countersign_plan::{Plan, PlanStep};
use countersign_run::RunId;

use crate::{Result, RunStore};

/// A step that has sent something and is not recognised any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrecognised {
    /// The step.
    pub step: String,
    /// The run.
    pub run: RunId,
}

impl fmt::Display for Unrecognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, run } = self;
        write!(
            f,
            "`{step}` has sent something in {run}, or may have, and the playbook no longer has it, calls something else there, or names its \
             items in another way"
        )
    }
}

impl RunStore {
    /// Every step of the repeated runs that has sent something and is another one in this plan.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub async fn unrecognised(&self, plan: &Plan, repeats: &[RunId]) -> Result<Vec<Unrecognised>> {
        let mut found = Vec::new();
        for run in repeats {
            let Some((before, _)) = self.plan(run).await? else { continue };
            for step in before.steps.iter().filter(|step| step.irreversible) {
                if is_same(step, plan.step(&step.name)) {
                    continue;
                }
                if self.intent(run, &step.name).await?.is_some() {
                    found.push(Unrecognised { step: step.name.clone(), run: run.clone() });
                }
            }
        }
        Ok(found)
    }
}

fn is_same(before: &PlanStep, now: Option<&PlanStep>) -> bool {
    let key = |step: &PlanStep| step.for_each.as_ref().map(|each| each.key.clone());
    now.is_some_and(|now| {
        // One that only reads by now would not ask what was sent before.
        now.irreversible
            && now.action == before.action
            && now.params == before.params
            && key(now) == key(before)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::is_same;

    fn step(endpoint: &str, each: &Value) -> countersign_plan::PlanStep {
        serde_json::from_value(json!({
            "name": "pay", "kind": "tool", "action": "call_connector", "on_error": "stop", "after": [],
            "irreversible": true, "params": { "connector": "bank", "endpoint": endpoint }, "for_each": each,
        }))
        .unwrap()
    }

    #[test]
    fn k_49_a_step_is_the_same_while_it_calls_the_same_and_names_its_items_alike() {
        let each = |key: &str| json!({ "in": "vendors", "as": "item", "key": key, "parallel": 1, "max": 9 });
        let before = step("pay", &each("{item.no}"));
        let mut wider = step("pay", &each("{item.no}"));
        wider.for_each.as_mut().unwrap().max = 100;
        assert!(is_same(&before, Some(&wider)));
        assert!(!is_same(&before, Some(&step("pay", &each("{item.iban}")))));
        assert!(!is_same(&before, Some(&step("refund", &each("{item.no}")))));
        assert!(!is_same(&before, Some(&step("pay", &Value::Null))));
        assert!(!is_same(&before, None));
        let mut reads = step("pay", &each("{item.no}"));
        reads.irreversible = false;
        assert!(!is_same(&before, Some(&reads)), "it would not look for what was sent");
    }
}
