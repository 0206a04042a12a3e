//! Plans that this process has checked against their seals. A seal is the hash of its plan, so whoever names it means exactly
//! this plan: it need not be read and checked again for each step.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_plan::Plan;

/// A plan of more bytes of JSON is not kept; that of a monitor's run may have all that was found in it.
const MAX_PLAN: usize = 50_000;

/// The most bytes of all that are kept: a process works on one run, or on a few in turn. As values they take about ten times as much.
const MAX_ALL: usize = 100_000;

/// The plans by their seals, the last one used first.
#[derive(Debug, Default)]
pub(crate) struct SealedPlans(Mutex<VecDeque<Sealed>>);

#[derive(Debug)]
struct Sealed {
    seal: String,
    plan: Arc<Plan>,
    bytes: usize,
}

impl SealedPlans {
    /// The plan of this seal, if it was kept.
    pub(crate) fn get(&self, seal: &str) -> Option<Arc<Plan>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|known| known.seal == seal)?;
        let found = kept.remove(at)?;
        let plan = Arc::clone(&found.plan);
        kept.push_front(found);
        Some(plan)
    }

    /// Keeps a plan of so many bytes that was checked against this seal, in place of those not used for longest.
    pub(crate) fn keep(&self, seal: &str, plan: &Arc<Plan>, bytes: usize) {
        if bytes > MAX_PLAN {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|known| known.seal != seal);
        kept.push_front(Sealed { seal: seal.to_owned(), plan: Arc::clone(plan), bytes });
        while kept.iter().map(|known| known.bytes).sum::<usize>() > MAX_ALL {
            kept.pop_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan() -> Arc<Plan> {
        let plan = json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "1".repeat(32)), "profile": "prof", "context": "background", "inputs": {},
            "playbook": { "id": "a", "version": "1.0.0", "digest": "" }, "steps": [],
        });
        Arc::new(serde_json::from_value(plan).unwrap())
    }

    fn kept(plans: &SealedPlans) -> Vec<String> {
        plans.0.lock().unwrap().iter().map(|known| known.seal.clone()).collect()
    }

    #[test]
    fn the_plans_used_last_are_kept_within_the_limits() {
        let plans = SealedPlans::default();
        let tenth = MAX_ALL / 10;
        for seal in ["a", "b", "a", "c"] {
            plans.keep(seal, &plan(), tenth);
        }
        assert_eq!(kept(&plans), ["c", "a", "b"]);
        assert!(plans.get("b").is_some() && plans.get("d").is_none());
        plans.keep("large", &plan(), MAX_PLAN + 1);
        assert_eq!(kept(&plans), ["b", "c", "a"]);
        for n in 0..8 {
            plans.keep(&n.to_string(), &plan(), tenth);
        }
        assert_eq!(kept(&plans), ["7", "6", "5", "4", "3", "2", "1", "0", "b", "c"]);
    }
}
