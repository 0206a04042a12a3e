//! The fold does not depend on the order of events, and never leaves a final status.

use countersign_identity::UserId;
use jiff::Timestamp;
use proptest::prelude::*;

use crate::{
    Event, EventKind, GateOutcome, Head, RunContext, RunId, RunStatus, Sending, StepStatus,
    StopReason, fold,
};

pub(crate) fn head() -> Head {
    let owner = UserId::from_bytes([2; 16]);
    let (run, now) = (RunId::from_bytes([1; 16]), Timestamp::UNIX_EPOCH);
    Head {
        profile_id: "prof".to_owned(),
        profile_name: "Investigator".to_owned(),
        ..Head::asked(run, owner, RunContext::Interactive, now)
    }
}

fn event(step: &str, attempt: u32, kind: EventKind) -> Event {
    Event { step: step.to_owned(), attempt, n: 0, at: Timestamp::UNIX_EPOCH, kind }
}

fn ended(status: StepStatus) -> EventKind {
    EventKind::StepEnded {
        status,
        count: Some(1),
        code: None,
        message: None,
        took_ms: 3,
        model: None,
    }
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
        EventKind::GateClosed { approval: "appr_1".to_owned(), verdict: GateOutcome::Approved };
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

fn sending(approval: &str) -> EventKind {
    EventKind::Sending(Sending {
        call: 1,
        receipt: "rcpt_1".to_owned(),
        approval: Some(approval.to_owned()),
        target: "POST bank.example/pay".to_owned(),
        key: "9f".to_owned(),
        items: 0,
    })
}

#[test]
fn a_step_that_sends_is_at_it_then_unknown_and_asks_in_between() {
    let opened = |id: &str| EventKind::GateOpened { approval: id.to_owned() };
    let closed = |verdict| EventKind::GateClosed { approval: "appr_2".to_owned(), verdict };
    check(vec![sending("appr_1")], StepStatus::Sending, RunStatus::Running);
    check(vec![sending("appr_1"), opened("appr_1")], StepStatus::Sending, RunStatus::Running);
    let asked = vec![opened("appr_1"), sending("appr_1"), opened("appr_2")];
    check(asked.clone(), StepStatus::Waiting, RunStatus::AwaitingApproval);
    for verdict in [GateOutcome::Denied, GateOutcome::TimedOut, GateOutcome::Closed] {
        let mut late = asked.clone();
        late.push(closed(verdict));
        check(late.clone(), StepStatus::Unknown, RunStatus::Running);
        late.push(ended(StepStatus::Done));
        check(late, StepStatus::Done, RunStatus::Running);
    }
    let events = [event("a", 1, ended(StepStatus::NotRun)), event("a", 1, sending("appr_1"))];
    let state = fold(&head(), &["a".to_owned()], &events);
    let step = state.step("a").unwrap();
    assert_eq!(step.code.as_deref(), Some("EFFECT_UNKNOWN"));
    assert!(step.message.as_ref().unwrap().contains("outcome unknown. Look there for key 9f"));
}

#[test]
fn k_61_a_run_with_an_unknown_step_is_never_complete() {
    let order = ["a".to_owned(), "b".to_owned()];
    let unknown = event("a", 1, ended(StepStatus::Unknown));
    let beside = |status, run| {
        let state = fold(&head(), &order, &[unknown.clone(), event("b", 1, ended(status))]);
        assert_eq!(state.outcome(None), run, "{status:?}");
    };
    beside(StepStatus::Done, RunStatus::Partial);
    beside(StepStatus::Skipped, RunStatus::Error);
    beside(StepStatus::Rejected, RunStatus::Error);
    assert!(!StepStatus::Unknown.is_good() && StepStatus::Unknown.is_final());
    assert!(!StepStatus::Sending.is_final());
}

#[test]
fn a_final_status_is_not_left() {
    assert!(RunStatus::Complete.to(RunStatus::Error).is_err());
    assert_eq!(RunStatus::AwaitingApproval.to(RunStatus::Rejected), Ok(RunStatus::Rejected));
}

fn any_kind() -> impl Strategy<Value = EventKind> {
    let verdict = prop_oneof![
        Just(GateOutcome::Approved),
        Just(GateOutcome::Denied),
        Just(GateOutcome::TimedOut),
        Just(GateOutcome::Closed)
    ];
    let status = prop_oneof![
        Just(StepStatus::Done),
        Just(StepStatus::Failed),
        Just(StepStatus::Lost),
        Just(StepStatus::Skipped),
        Just(StepStatus::Unknown),
        Just(StepStatus::NotRun)
    ];
    prop_oneof![
        Just(EventKind::GateOpened { approval: "appr_1".to_owned() }),
        Just(EventKind::GateOpened { approval: "appr_2".to_owned() }),
        Just(sending("appr_1")),
        verdict
            .prop_map(|verdict| EventKind::GateClosed { approval: "appr_1".to_owned(), verdict }),
        (status, 0..3_u64).prop_map(|(status, count)| EventKind::StepEnded {
            status,
            count: Some(count),
            code: None,
            message: None,
            took_ms: count,
            model: None,
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

    #[test]
    fn after_sending_no_order_of_events_hides_that_it_may_have_happened(
        events in proptest::collection::vec(any_kind(), 0..10)
            .prop_map(|mut kinds| {
                kinds.push(sending("appr_1"));
                kinds.into_iter().map(|kind| event("a", 1, kind)).collect::<Vec<_>>()
            })
            .prop_shuffle()
    ) {
        let state = fold(&head(), &["a".to_owned()], &events);
        let step = state.step("a").unwrap();
        let said = |wanted| events.iter().any(|event| matches!(&event.kind, EventKind::StepEnded { status, .. } if *status == wanted));
        prop_assert!(step.sent.is_some());
        prop_assert_eq!(step.status == StepStatus::Done, said(StepStatus::Done));
        let honest = [StepStatus::Sending, StepStatus::Waiting, StepStatus::Unknown, StepStatus::Failed, StepStatus::Done];
        prop_assert!(honest.contains(&step.status), "{:?}", step.status);
        if step.status == StepStatus::Unknown {
            prop_assert_eq!(step.code.as_deref(), Some("EFFECT_UNKNOWN"));
        }
    }
}

#[test]
fn r_060_what_is_carried_out_again_counts_from_its_new_execution_on() {
    let order = ["draft".to_owned(), "ask".to_owned(), "read".to_owned()];
    let opened = |id: &str| EventKind::GateOpened { approval: id.to_owned() };
    let mut events = vec![
        event("read", 1, ended(StepStatus::Done)),
        event("draft", 1, ended(StepStatus::Done)),
        Event { attempt: 0, ..event("ask", 0, opened("appr_1")) },
    ];
    let mut head = head();
    head.revised.since.insert("draft".to_owned(), 2);
    head.revised.rounds.insert("ask".to_owned(), 1);
    let statuses = |events: &[Event]| -> Vec<StepStatus> {
        fold(&head, &order, events).steps.iter().map(|(_, step)| step.status).collect()
    };
    assert_eq!(
        statuses(&events),
        [StepStatus::Pending, StepStatus::Pending, StepStatus::Done],
        "the gate waits for nobody, and the draft is being written"
    );
    assert_eq!(fold(&head, &order, &events).status, RunStatus::Running);
    events.push(event("draft", 2, ended(StepStatus::Failed)));
    events.push(Event { attempt: 0, n: 2, ..event("ask", 0, opened("appr_2")) });
    assert_eq!(statuses(&events), [StepStatus::Failed, StepStatus::Waiting, StepStatus::Done]);
    assert_eq!((head.round_of("ask"), head.round_of("other")), (1, 0));
    assert!(head.is_done_again("draft") && !head.is_done_again("read"));
}
