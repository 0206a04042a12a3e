//! The fold does not depend on the order of events, and never leaves a final status.

use countersign_identity::{Scopes, UserId};
use jiff::Timestamp;
use proptest::prelude::*;

use crate::{
    Event, EventKind, Head, RunContext, RunId, RunStatus, StepStatus, StopReason, Verdict, fold,
};

fn head() -> Head {
    Head {
        run: RunId::from_bytes([1; 16]),
        owner: UserId::from_bytes([2; 16]),
        invoked_by: UserId::from_bytes([2; 16]),
        scopes: Scopes::default(),
        token: None,
        profile_id: "prof".to_owned(),
        profile_name: "Investigator".to_owned(),
        playbook_id: None,
        playbook_name: None,
        query: String::new(),
        context: RunContext::Interactive,
        started_at: Timestamp::UNIX_EPOCH,
        last_finished_at: None,
        dry_run: None,
        attempt: 1,
        idle_attempts: 0,
        events_at_attempt: 0,
        version: 1,
        seal: None,
        stop: None,
        status: None,
        finished_at: None,
    }
}

fn event(step: &str, attempt: u32, kind: EventKind) -> Event {
    Event { step: step.to_owned(), attempt, n: 0, at: Timestamp::UNIX_EPOCH, kind }
}

fn ended(status: StepStatus) -> EventKind {
    EventKind::StepEnded { status, count: Some(1), code: None, message: None, took_ms: 3 }
}

fn check(kinds: Vec<EventKind>, step: StepStatus, run: RunStatus) {
    let events: Vec<Event> = kinds.into_iter().map(|kind| event("a", 1, kind)).collect();
    let state = fold(&head(), &["a".to_owned()], &events);
    assert_eq!((state.step("a").unwrap().status, state.status), (step, run));
}

#[test]
fn a_gate_waits_then_is_approved_then_its_tool_is_done() {
    let opened = EventKind::GateOpened { approval: "appr_1".to_owned() };
    let closed =
        EventKind::GateClosed { approval: "appr_1".to_owned(), verdict: Verdict::Approved };
    check(vec![opened.clone()], StepStatus::Waiting, RunStatus::AwaitingApproval);
    check(vec![closed.clone(), opened.clone()], StepStatus::Approved, RunStatus::Running);
    check(vec![ended(StepStatus::Done), closed, opened], StepStatus::Done, RunStatus::Running);
}

#[test]
fn k_61_the_outcome_follows_the_stop_or_the_steps() {
    let done = fold(&head(), &["a".to_owned()], &[event("a", 1, ended(StepStatus::Done))]);
    assert_eq!(done.outcome(None), RunStatus::Complete);
    assert_eq!(done.outcome(Some(StopReason::Cancelled)), RunStatus::Cancelled);
    assert_eq!(done.outcome(Some(StopReason::TimedOut)), RunStatus::Timeout);
    let order = ["a".to_owned(), "b".to_owned()];
    let mixed = fold(
        &head(),
        &order,
        &[event("a", 1, ended(StepStatus::Done)), event("b", 1, ended(StepStatus::Failed))],
    );
    assert_eq!(mixed.outcome(None), RunStatus::Partial);
    let lost = fold(&head(), &order, &[]);
    assert_eq!(lost.outcome(None), RunStatus::Error);
    assert_eq!(
        fold(&head(), &[], &[]).outcome(None),
        RunStatus::Error,
        "a run without a plan is not complete"
    );
}

#[test]
fn a_final_status_is_not_left() {
    assert!(RunStatus::Complete.to(RunStatus::Error).is_err());
    assert_eq!(RunStatus::AwaitingApproval.to(RunStatus::Rejected), Ok(RunStatus::Rejected));
}

fn any_kind() -> impl Strategy<Value = EventKind> {
    let verdict = prop_oneof![
        Just(Verdict::Approved),
        Just(Verdict::Denied),
        Just(Verdict::TimedOut),
        Just(Verdict::Closed)
    ];
    let status = prop_oneof![
        Just(StepStatus::Done),
        Just(StepStatus::Failed),
        Just(StepStatus::Lost),
        Just(StepStatus::NotRun)
    ];
    prop_oneof![
        Just(EventKind::GateOpened { approval: "appr_1".to_owned() }),
        verdict
            .prop_map(|verdict| EventKind::GateClosed { approval: "appr_1".to_owned(), verdict }),
        (status, 0..3_u64).prop_map(|(status, count)| EventKind::StepEnded {
            status,
            count: Some(count),
            code: None,
            message: None,
            took_ms: count
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn the_fold_does_not_depend_on_the_order_of_events(
        (events, shuffled) in proptest::collection::vec((0..3_usize, any_kind()), 0..12)
            .prop_map(|kinds| kinds.into_iter().map(|(step, kind)| event(["a", "b", "c"][step], 1, kind)).collect::<Vec<_>>())
            .prop_flat_map(|events| (Just(events.clone()), Just(events).prop_shuffle()))
    ) {
        let order = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        prop_assert_eq!(fold(&head(), &order, &events), fold(&head(), &order, &shuffled));
    }
}
