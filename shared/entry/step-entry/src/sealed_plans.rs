//! Plans that this process has checked against their seals, and who started their runs. A seal is the hash of its plan, so whoever names it means exactly
//! this plan: it need not be read and checked again for each step.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_plan::Plan;

use crate::rights::Started;

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
    known: Known,
    bytes: usize,
}

/// What is known of a run.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) plan: Arc<Plan>,
    /// As its head said when the plan was read: another attempt may be somebody else's.
    pub(crate) started: Started,
}

impl SealedPlans {
    /// The plan of this seal and who started its run, if that was kept.
    pub(crate) fn get(&self, seal: &str) -> Option<Known> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|known| known.seal == seal)?;
        let found = kept.remove(at)?;
        let known = found.known.clone();
        kept.push_front(found);
        Some(known)
    }

    /// The run of this seal goes on as somebody else started it again.
    pub(crate) fn restarted(&self, seal: &str, started: Started) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_run) = kept.iter_mut().find(|known| known.seal == seal) {
            of_run.known.started = started;
        }
    }

    /// Keeps a plan of so many bytes that was checked against this seal, in place of those not used for longest.
    pub(crate) fn keep(&self, seal: &str, known: Known, bytes: usize) {
        if bytes > MAX_PLAN {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|known| known.seal != seal);
        kept.push_front(Sealed { seal: seal.to_owned(), known, bytes });
        while kept.iter().map(|known| known.bytes).sum::<usize>() > MAX_ALL {
            kept.pop_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known() -> Known {
        let plan = json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "1".repeat(32)), "profile": "prof", "context": "background", "inputs": {},
            "playbook": { "id": "a", "version": "1.0.0", "digest": "" }, "steps": [],
        });
        let head = json!({
            "run": plan["run"], "owner": plan["owner"], "invoked_by": plan["owner"], "scopes": [], "profile_id": "prof",
            "profile_name": "Payer", "context": "background", "started_at": jiff::Timestamp::UNIX_EPOCH, "attempt": 1, "version": 1,
        });
        let started = Started::of(&serde_json::from_value(head).unwrap());
        Known { plan: Arc::new(serde_json::from_value(plan).unwrap()), started }
    }

    fn kept(plans: &SealedPlans) -> Vec<String> {
        plans.0.lock().unwrap().iter().map(|known| known.seal.clone()).collect()
    }

    #[test]
    fn the_plans_used_last_are_kept_within_the_limits() {
        let plans = SealedPlans::default();
        let tenth = MAX_ALL / 10;
        for seal in ["a", "b", "a", "c"] {
            plans.keep(seal, known(), tenth);
        }
        assert_eq!(kept(&plans), ["c", "a", "b"]);
        assert!(plans.get("b").is_some() && plans.get("d").is_none());
        plans.keep("large", known(), MAX_PLAN + 1);
        assert_eq!(kept(&plans), ["b", "c", "a"]);
        for n in 0..8 {
            plans.keep(&n.to_string(), known(), tenth);
        }
        assert_eq!(kept(&plans), ["7", "6", "5", "4", "3", "2", "1", "0", "b", "c"]);
    }
}
