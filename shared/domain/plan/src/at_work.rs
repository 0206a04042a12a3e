//! Which steps a run is carrying out.

use countersign_run::{Event, Head, RunState, StepStatus, fold};

use crate::model::{Plan, PlanStep, StepKind};
use crate::stages::stages;

/// So many steps of a stage are carried out side by side; `MaxConcurrency` of the state machine is the same number, as a
/// test holds.
const MAX_SIDE_BY_SIDE: usize = 10;

/// What is known of a run, with `running` for the steps that it is carrying out.
///
/// A step leaves no record when it begins, which would be a write for each. It has begun when everything in the stages before its own is
/// over, and fewer than ten steps of its stage that are listed before it go on.
#[must_use]
pub fn state(plan: &Plan, head: &Head, events: &[Event]) -> RunState {
    let mut state = fold(head, &plan.order(), events);
    for name in at_work(plan, head, &state) {
        let step = state.steps.iter_mut().find(|(own, _)| *own == name);
        if let Some((_, step)) = step {
            step.status = StepStatus::Running;
        }
    }
    state
}

/// The steps that have begun and of which nothing else is known.
fn at_work(plan: &Plan, head: &Head, state: &RunState) -> Vec<String> {
    // A plan that was sealed has stages.
    let stages = stages(plan).unwrap_or_default();
    let status =
        |step: &PlanStep| state.step(&step.name).map_or(StepStatus::Pending, |known| known.status);
    let goes_on = |step: &&&PlanStep| !is_over(step, status(step));
    let stage = stages.iter().find(|stage| stage.iter().any(|step| goes_on(&step)));
    let Some(stage) = stage.filter(|_| !state.status.is_final()) else { return Vec::new() };
    let is_untouched = stage.iter().all(|step| status(step) == StepStatus::Pending);
    if head.stop.is_some() && is_untouched {
        // The run is to end: no stage begins any more.
        return Vec::new();
    }
    let begun = stage.iter().filter(goes_on).take(MAX_SIDE_BY_SIDE);
    let pending = begun.filter(|step| status(step) == StepStatus::Pending);
    pending.map(|step| step.name.clone()).collect()
}

/// Whether a step has ended. One that was signed for itself is approved before it is carried out.
fn is_over(step: &PlanStep, status: StepStatus) -> bool {
    let is_allowed = status == StepStatus::Approved && step.kind != StepKind::Gate;
    status.is_final() && !is_allowed
}

#[cfg(test)]
mod tests {
    use countersign_run::StepStatus::{self, Approved, Done, Failed, NotRun, Pending, Running};
    use countersign_run::{EventKind, GateOutcome};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_state_machine_carries_out_as_many_side_by_side() {
        let machine = include_str!("../../../../statemachines/run.asl.json");
        let machine: Value = serde_json::from_str(machine).unwrap();
        let steps = &machine["States"]["Stages"]["ItemProcessor"]["States"]["Steps"];
        assert_eq!(steps["MaxConcurrency"], MAX_SIDE_BY_SIDE);
    }

    fn plan(steps: &[(&str, &str, &[&str])]) -> Plan {
        let steps: Vec<Value> = steps
            .iter()
            .map(|(name, kind, after)| json!({"name": name, "kind": kind, "on_error": "stop", "after": after, "inputs": {}, "params": {}}))
            .collect();
        serde_json::from_value(json!({
            "version": 1, "tenant": "test", "run": format!("run_{}", "0".repeat(32)), "owner": format!("user_{}", "0".repeat(32)),
            "profile": "p", "playbook": {"id": "b", "version": "1", "digest": "d"}, "context": "background", "inputs": {},
            "steps": steps,
        }))
        .unwrap()
    }

    fn head(more: &Value) -> Head {
        let mut head = json!({
            "run": format!("run_{}", "0".repeat(32)), "owner": format!("user_{}", "0".repeat(32)),
            "invoked_by": format!("user_{}", "0".repeat(32)), "scopes": [], "profile_id": "p", "profile_name": "P",
            "context": "background", "attempt": 1, "version": 1, "started_at": "2026-11-22T10:00:00Z",
        });
        let more = more.as_object().cloned().unwrap_or_default();
        head.as_object_mut().unwrap().extend(more);
        serde_json::from_value(head).unwrap()
    }

    fn event(step: &str, kind: EventKind) -> Event {
        let at = "2026-11-22T10:00:00Z".parse().unwrap();
        Event { step: step.to_owned(), attempt: 1, n: 0, at, kind }
    }

    fn ended(step: &str, status: StepStatus) -> Event {
        let (count, code, message, model) = (None, None, None, None);
        event(step, EventKind::StepEnded { status, count, code, message, took_ms: 1, model })
    }

    #[track_caller]
    fn check(plan: &Plan, head: &Head, events: &[Event], expect: &[StepStatus]) {
        let state = state(plan, head, events);
        let statuses: Vec<StepStatus> = state.steps.iter().map(|(_, step)| step.status).collect();
        assert_eq!(statuses, expect);
    }

    #[test]
    fn f_348_a_step_runs_when_all_before_it_is_over() {
        let plan = plan(&[
            ("read", "tool", &[]),
            ("a", "tool", &["read"]),
            ("b", "tool", &["read"]),
            ("keep", "tool", &["a", "b"]),
        ]);
        let at_work = head(&json!({}));
        check(&plan, &at_work, &[], &[Running, Pending, Pending, Pending]);
        let mut events = vec![ended("read", Done)];
        check(&plan, &at_work, &events, &[Done, Running, Running, Pending]);
        events.push(ended("b", Failed));
        check(&plan, &at_work, &events, &[Done, Running, Failed, Pending]);
        events.push(ended("a", Done));
        check(&plan, &at_work, &events, &[Done, Done, Failed, Running]);
        events.push(ended("keep", NotRun));
        check(&plan, &at_work, &events, &[Done, Done, Failed, NotRun]);
    }

    #[test]
    fn f_348_nothing_runs_behind_a_gate_that_waits() {
        let plan =
            plan(&[("read", "tool", &[]), ("ask", "gate", &["read"]), ("keep", "tool", &["ask"])]);
        let opened = event("ask", EventKind::GateOpened { approval: "appr_1".to_owned() });
        let mut events = vec![ended("read", Done), opened];
        let waits = [Done, StepStatus::Waiting, Pending];
        check(&plan, &head(&json!({})), &events, &waits);
        let (approval, verdict) = ("appr_1".to_owned(), GateOutcome::Approved);
        events.push(event("ask", EventKind::GateClosed { approval, verdict }));
        check(&plan, &head(&json!({})), &events, &[Done, Approved, Running]);
    }

    #[test]
    fn f_348_what_is_approved_for_itself_is_not_over() {
        let plan = plan(&[("pay", "gated_tool", &[]), ("tell", "tool", &["pay"])]);
        let (approval, verdict) = ("appr_1".to_owned(), GateOutcome::Approved);
        let mut events = vec![event("pay", EventKind::GateClosed { approval, verdict })];
        check(&plan, &head(&json!({})), &events, &[Approved, Pending]);
        events.push(ended("pay", Done));
        check(&plan, &head(&json!({})), &events, &[Done, Running]);
    }

    #[test]
    fn f_348_a_run_that_is_over_or_stopped_begins_nothing() {
        let plan =
            plan(&[("read", "tool", &[]), ("a", "tool", &["read"]), ("b", "tool", &["read"])]);
        let over = head(&json!({ "status": "cancelled", "finished_at": "2026-11-22T10:00:00Z" }));
        check(&plan, &over, &[], &[Pending, Pending, Pending]);
        let stop = json!({ "reason": "cancelled", "message": "", "at": "2026-11-22T10:00:00Z" });
        let stopped = head(&json!({ "stop": stop }));
        check(&plan, &stopped, &[ended("read", Done)], &[Done, Pending, Pending]);
        let events = [ended("read", Done), ended("b", Failed)];
        check(&plan, &stopped, &events, &[Done, Running, Failed]);
    }

    #[test]
    fn f_348_ten_steps_run_side_by_side() {
        let names: Vec<String> = (0..12).map(|n| format!("s{n}")).collect();
        let none: &[&str] = &[];
        let steps: Vec<_> = names.iter().map(|name| (name.as_str(), "tool", none)).collect();
        let running = |events: &[Event]| {
            let state = state(&plan(&steps), &head(&json!({})), events);
            state.steps.iter().filter(|(_, step)| step.status == Running).count()
        };
        assert_eq!(running(&[]), 10);
        assert_eq!(running(&[ended("s0", Done), ended("s4", Done), ended("s5", Done)]), 9);
    }
}
