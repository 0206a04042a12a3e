//! Plans that this process has checked against their seals. A seal is the hash of its plan, so whoever names it means exactly
//! this plan: it need not be read and checked again for each step.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_plan::Plan;

/// The most steps of all plans that are kept.
const MAX_STEPS: usize = 500;

/// The plans by their seals, the last one used first.
#[derive(Debug, Default)]
pub(crate) struct SealedPlans(Mutex<VecDeque<(String, Arc<Plan>)>>);

impl SealedPlans {
    /// The plan of this seal, if it was kept.
    pub(crate) fn get(&self, seal: &str) -> Option<Arc<Plan>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| known == seal)?;
        let found = kept.remove(at)?;
        kept.push_front(found);
        kept.front().map(|(_, plan)| Arc::clone(plan))
    }

    /// Keeps a plan that was checked against this seal, in place of those not used for longest.
    pub(crate) fn keep(&self, seal: &str, plan: &Arc<Plan>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(known, _)| known != seal);
        kept.push_front((seal.to_owned(), Arc::clone(plan)));
        let mut steps = 0;
        kept.retain(|(_, plan)| {
            steps += plan.steps.len();
            steps <= MAX_STEPS
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(steps: usize) -> Arc<Plan> {
        let step =
            |n: usize| json!({ "name": format!("s{n}"), "kind": "tool", "on_error": "stop" });
        let plan = json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "1".repeat(32)), "profile": "prof", "context": "background", "inputs": {},
            "playbook": { "id": "a", "version": "1.0.0", "digest": "" },
            "steps": (0..steps).map(step).collect::<Vec<_>>(),
        });
        Arc::new(serde_json::from_value(plan).unwrap())
    }

    fn kept(plans: &SealedPlans) -> Vec<String> {
        plans.0.lock().unwrap().iter().map(|(seal, _)| seal.clone()).collect()
    }

    #[test]
    fn the_plans_used_last_are_kept_within_the_limit() {
        let plans = SealedPlans::default();
        for seal in ["a", "b", "a"] {
            plans.keep(seal, &plan(200));
        }
        assert_eq!(kept(&plans), ["a", "b"]);
        assert!(plans.get("b").is_some() && plans.get("c").is_none());
        plans.keep("c", &plan(200));
        assert_eq!(kept(&plans), ["c", "b"]);
        plans.keep("d", &plan(501));
        assert_eq!(kept(&plans), Vec::<String>::new());
    }
}
