//! Where a step stands before it does anything: what came before it, and whether that lets it run.

use std::collections::{BTreeMap, BTreeSet};

use countersign_plan::{Plan, PlanStep, scope};
use countersign_run::{
    GATE_CLOSED, GATE_DENIED, GATE_NOT_ASKED, GATE_SKIPPED, GATE_TIMED_OUT, GateOutcome, Head,
    StepStatus,
};
use countersign_store_runs::{OthersRead, RunStore, Seen, StepOutcome};
use countersign_wiring::{Scope, gap};
use serde_json::Value;

use crate::error::StepError;

/// What came of the steps this one waits for, lies behind, or reads.
#[derive(Debug)]
pub(crate) struct Upstream {
    outcomes: BTreeMap<String, StepOutcome>,
}

/// Why a step is not run although the run goes on.
pub(crate) struct Blocked {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Upstream {
    /// Reads it: one request, or none when it was read with the view.
    pub(crate) async fn read(
        runs: &RunStore,
        head: &Head,
        step: &PlanStep,
        others: &[&PlanStep],
        known: Option<&OthersRead>,
    ) -> Result<Self, StepError> {
        let names: BTreeSet<&str> =
            std::iter::once(step).chain(others.iter().copied()).flat_map(needed).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let steps = std::iter::once(step).chain(others.iter().copied());
        let read: Vec<&str> = steps.flat_map(|step| &step.reads).map(String::as_str).collect();
        Ok(Self { outcomes: runs.outcomes(&head.run, &names, &read, known).await? })
    }

    /// Whether what came before lets the step run.
    pub(crate) fn blocked(&self, step: &PlanStep) -> Option<Blocked> {
        let lost = |name: &&String| !self.outcomes.contains_key(*name);
        if let Some(name) = step.after.iter().find(lost) {
            return Some(Blocked {
                code: UPSTREAM_LOST,
                message: format!("`{name}` before it has no result"),
            });
        }
        let gate = step.guard.as_ref()?;
        let (code, what) = match self.outcomes.get(gate).and_then(|outcome| outcome.verdict) {
            Some(GateOutcome::Approved) => return None,
            Some(GateOutcome::Denied) => (GATE_DENIED, "was denied"),
            Some(GateOutcome::TimedOut) => (GATE_TIMED_OUT, "was not answered in time"),
            Some(GateOutcome::Closed) => (GATE_CLOSED, "was closed without a decision"),
            Some(GateOutcome::NotAsked) => {
                (GATE_NOT_ASKED, "asked nobody: this run skips its gates")
            }
            None => (GATE_SKIPPED, "was skipped"),
        };
        // A gate whose own condition was false asked nobody and holds nobody back.
        let skipped = self.outcomes.get(gate).is_some_and(|outcome| {
            outcome.status == StepStatus::Skipped && outcome.verdict.is_none()
        });
        if skipped {
            None
        } else {
            Some(Blocked { code, message: format!("the gate `{gate}` {what}") })
        }
    }

    /// What a step that allows gaps sees in place of results that do not exist: that there is none, and why.
    pub(crate) fn gaps(&self, step: &PlanStep) -> Vec<(String, Value)> {
        let read = step.reads.iter().filter(|_| step.allows_gaps);
        let missing = read.filter_map(|name| {
            let outcome = self.outcomes.get(name)?;
            let gap = || (name.clone(), gap(outcome.message.as_deref()));
            matches!(outcome.seen(), Seen::Nothing).then(gap)
        });
        missing.collect()
    }

    /// What references can see: runtime variables, the playbook's variables, and the results the steps read.
    pub(crate) fn scope<'p>(
        mut self,
        head: &Head,
        plan: &'p Plan,
        steps: &[&PlanStep],
    ) -> Scope<'p> {
        let mut scope = scope(head, plan);
        for name in steps.iter().flat_map(|step| &step.reads) {
            if let Some(value) = self.output(name) {
                scope.insert(name.clone(), value);
            }
        }
        for gate in steps.iter().filter_map(|step| step.gate.as_ref()) {
            let name = gate.preview_from.as_deref().unwrap_or_default();
            if let Some(value) = plan.composed(name, &scope) {
                scope.insert(name, value);
            }
        }
        scope
    }

    /// A step that failed or was not run has no value: what reads it sees something undefined.
    fn output(&mut self, step: &str) -> Option<Value> {
        let outcome = self.outcomes.remove(step)?;
        match outcome.seen() {
            Seen::Output => Some(outcome.output),
            Seen::Skipped(value) | Seen::Decision(value) => Some(value),
            Seen::Nothing => None,
        }
    }
}

/// The code of a step that is not run because one before it has no result.
pub(crate) const UPSTREAM_LOST: &str = "UPSTREAM_LOST";

/// The steps whose outcomes one asks for: its own, and those of the steps that it covers.
pub(crate) fn asked_for<'p>(plan: &'p Plan, step: &'p PlanStep) -> BTreeSet<&'p str> {
    let covered = step.gate.iter().flat_map(|gate| &gate.covers);
    let covered = covered.filter_map(|name| plan.step(name));
    let names = std::iter::once(step).chain(covered).flat_map(needed);
    names.filter(|name| *name != step.name).collect()
}

/// The steps that one waits for, lies behind, or reads.
fn needed(step: &PlanStep) -> impl Iterator<Item = &str> {
    step.after.iter().chain(&step.guard).chain(&step.reads).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn outcome(step: &str, status: StepStatus, verdict: Option<GateOutcome>) -> StepOutcome {
        StepOutcome {
            step: step.to_owned(),
            status,
            input_hash: String::new(),
            output: Value::Null,
            count: None,
            code: None,
            message: None,
            verdict,
            model: None,
            approval: None,
            attempt: 1,
            at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn r_065_a_step_that_allows_gaps_sees_why_a_result_is_missing() {
        let held = outcome("pay", StepStatus::NotRun, None);
        let held = StepOutcome { message: Some("the gate `ask` was denied".to_owned()), ..held };
        let others = [
            outcome("read", StepStatus::Done, None),
            outcome("skipped", StepStatus::Skipped, None),
            outcome("ask", StepStatus::Rejected, Some(GateOutcome::Denied)),
        ];
        let all = others.into_iter().chain([held]).map(|one| (one.step.clone(), one));
        let upstream = Upstream { outcomes: all.collect() };
        let step = |allows_gaps: bool| -> PlanStep {
            let step = json!({
                "name": "tell", "kind": "tool", "on_error": "stop", "on_warning": "continue", "after": [],
                "reads": ["read", "skipped", "ask", "pay", "gone"], "allows_gaps": allows_gaps,
            });
            serde_json::from_value(step).unwrap()
        };
        let gap = json!({ "_missing": true, "_reason": "the gate `ask` was denied" });
        assert_eq!(upstream.gaps(&step(true)), [("pay".to_owned(), gap)]);
        assert_eq!(upstream.gaps(&step(false)), []);
    }

    #[track_caller]
    fn check(status: StepStatus, verdict: Option<GateOutcome>, expect: Option<&str>) {
        let outcome = outcome("ask", status, verdict);
        let upstream = Upstream { outcomes: BTreeMap::from([("ask".to_owned(), outcome)]) };
        let step = json!({
            "name": "pay", "kind": "tool", "on_error": "stop", "on_warning": "continue", "after": ["ask"],
            "guard": "ask",
        });
        let step: PlanStep = serde_json::from_value(step).unwrap();
        let blocked = upstream.blocked(&step).map(|blocked| blocked.code);
        assert_eq!(blocked, expect, "{status:?} {verdict:?}");
    }

    #[test]
    fn a_gate_holds_back_unless_it_was_approved_or_nobody_was_to_be_asked() {
        use GateOutcome::{Approved, Denied, NotAsked, TimedOut};
        check(StepStatus::Approved, Some(Approved), None);
        check(StepStatus::Skipped, None, None);
        check(StepStatus::Rejected, Some(Denied), Some("GATE_DENIED"));
        // A test skips a gate and takes it as decided.
        check(StepStatus::Skipped, Some(Approved), None);
        check(StepStatus::Skipped, Some(Denied), Some("GATE_DENIED"));
        check(StepStatus::Skipped, Some(TimedOut), Some("GATE_TIMED_OUT"));
        check(StepStatus::NotRun, None, Some("GATE_SKIPPED"));
        // A gate that nobody was asked at holds back like one that was denied.
        check(StepStatus::Closed, Some(NotAsked), Some("GATE_NOT_ASKED"));
    }
}
