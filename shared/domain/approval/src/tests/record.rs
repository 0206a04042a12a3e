//! What the record says.

use countersign_identity::UserId;
use countersign_run::{RunState, RunStatus, Sending, Sent, StepState, StepStatus};

use super::make::{after, attempt, caller, question, request, unknown_call, user};
use crate::{
    ApprovalRecord, Choice, Decided, OutcomeAnswer, Recorded, Request, Status, Verdict, Vote,
    decide, expire, name_signers,
};

fn name(person: &UserId) -> String {
    let names = ["", "ada", "bob", "cyd"];
    (1..=3_u8)
        .find(|n| user(*n) == *person)
        .map_or_else(|| "somebody else".to_owned(), |n| names[usize::from(n)].to_owned())
}

fn vote(request: &Request, votes: &mut Vec<Vote>, n: u8, verdict: Verdict, note: &str) -> Request {
    let person = user(n);
    let mut attempt = attempt(request, verdict);
    attempt.note = Some(note.to_owned());
    let at = after(i64::from(n));
    let decided = decide(request, votes, &attempt, &caller(&person), at).unwrap();
    let Decided::Recorded(recorded) = decided else { panic!("{decided:?}") };
    let Recorded { request, vote, .. } = *recorded;
    votes.push(vote);
    request
}

#[test]
fn a_164_an_open_request_says_how_many_were_given_and_whom_it_waits_for() {
    let (open, mut votes) = (request(2, 2), Vec::new());
    let record = ApprovalRecord::of(&open, &votes, &name);
    assert_eq!((record.given, record.needed), (0, 2));
    assert_eq!(record.waits_for, ["ada", "bob"]);
    let open = vote(&open, &mut votes, 1, Verdict::Approve, "");
    let record = ApprovalRecord::of(&open, &votes, &name);
    assert_eq!((record.given, record.needed, record.status), (1, 2, Status::Pending));
    assert_eq!(record.waits_for, ["bob"]);
    assert_eq!((record.by, record.at, record.note), (None, None, None));
    assert!(ApprovalRecord::people(&open, &votes).contains(&user(2)));
}

#[test]
fn a_164_a_closed_request_names_who_decided_when_and_with_what_note() {
    let (open, mut votes) = (request(2, 2), Vec::new());
    let open = vote(&open, &mut votes, 1, Verdict::Approve, "fine");
    let closed = vote(&open, &mut votes, 2, Verdict::Deny, "not these");
    let record = ApprovalRecord::of(&closed, &votes, &name);
    assert_eq!((record.by.as_deref(), record.at), (Some("bob"), Some(after(2))));
    assert_eq!(record.note.as_deref(), Some("not these"));
    assert!(record.waits_for.is_empty() && record.is_refused());
    assert_eq!(
        record.sentence(200),
        "gate was denied: ada approved, noting “fine”; bob denied, noting “not these”"
    );
    assert_eq!(
        record.sentence(3),
        "gate was denied: ada approved, noting “fin…”; bob denied, noting “not…”"
    );
}

#[test]
fn k_12_the_clock_ends_a_request_without_a_name() {
    let open = request(1, 1);
    let late = expire(&open, open.timing.deadline).unwrap().request;
    let record = ApprovalRecord::of(&late, &[], &name);
    assert_eq!((record.status, record.by.clone()), (Status::TimedOut, None));
    assert_eq!(record.sentence(200), "gate was not decided in time");
}

#[test]
fn a_question_about_a_sent_step_is_never_told_as_not_decided() {
    let mut question = request(2, 1);
    question.outcome = vec![unknown_call(0)];
    let told = |status| {
        let ended = Request { status, ..question.clone() };
        let record = ApprovalRecord::of(&ended, &[], &name);
        assert!(record.in_doubt && !record.was_skipped());
        record.sentence(200)
    };
    for status in [Status::TimedOut, Status::Expired, Status::Cancelled, Status::Denied] {
        let told = told(status);
        assert!(told.contains("may have been sent, outcome unknown"), "{told}");
        assert!(!told.contains("decided"), "{told}");
    }
}

#[test]
fn an_unknown_step_names_those_whose_request_allowed_it_and_nobody_else() {
    let (open, mut votes) = (request(2, 1), Vec::new());
    let gate = vote(&open, &mut votes, 1, Verdict::Approve, "");
    let gate = ApprovalRecord::of(&gate, &votes, &name);
    let what = Sending {
        call: 1,
        receipt: "rcpt_1".to_owned(),
        approval: Some(gate.approval.to_string()),
        target: "POST api.bank.example/pay".to_owned(),
        key: "9f".to_owned(),
        items: 0,
    };
    let step = StepState {
        status: StepStatus::Unknown,
        code: None,
        message: None,
        count: None,
        took_ms: 0,
        model: None,
        tool_calls: Vec::new(),
        approval: None,
        sent: Some(Sent { at: after(1), what }),
    };
    let other = ApprovalRecord { approval: crate::ApprovalId::from_bytes([9; 16]), ..gate.clone() };
    let mut state = RunState { status: RunStatus::Partial, steps: vec![("pay".to_owned(), step)] };
    let mut told = |records: &[ApprovalRecord]| {
        name_signers(&mut state, records);
        state.steps[0].1.message.clone().unwrap()
    };
    assert!(
        told(&[gate])
            .starts_with("`pay` to api.bank.example: approved by ada (rcpt_1), sent after ")
    );
    assert!(told(&[other]).contains(": approved (rcpt_1)"));
}

/// Answers as a person gives them, one after the other.
fn answer(open: &Request, votes: &mut Vec<Vote>, n: u8, answer: OutcomeAnswer) -> Request {
    let mut attempt = attempt(open, Verdict::Approve);
    attempt.answers = vec![answer];
    let decided = decide(open, votes, &attempt, &caller(&user(n)), after(i64::from(n))).unwrap();
    let Decided::Recorded(recorded) = decided else { panic!("repeated") };
    let Recorded { request, vote, .. } = *recorded;
    votes.push(vote);
    request
}

#[test]
fn k_49_different_answers_are_counted_apart_and_said_so() {
    let (open, mut votes) = (question(3, 2, &[0]), Vec::new());
    let done = OutcomeAnswer::new(0, Choice::Done, Some("statement 47"));
    let open = answer(&open, &mut votes, 1, done);
    let open = answer(&open, &mut votes, 2, OutcomeAnswer::new(0, Choice::NotDone, None));
    let record = ApprovalRecord::of(&open, &votes, &name);
    assert_eq!(
        (record.status, record.progress().as_str()),
        (Status::Pending, "1 of 2 for done, 1 of 2 for not done")
    );
    let told = record.sentence(200);
    assert!(told.contains("the question waits, 1 of 2 for done, 1 of 2 for not done: "), "{told}");
    assert!(told.contains("ada answered done, with the evidence “statement 47”"), "{told}");
    assert_eq!((record.given, open.approvals(&votes)), (1, 1), "answers that differ do not add up");
    let closed = answer(&open, &mut votes, 3, OutcomeAnswer::new(0, Choice::NotDone, None));
    assert_eq!((closed.status, closed.approvals(&votes)), (Status::Approved, 2));
    let like = |n: usize| closed.approvals_like(&votes, &votes[n]);
    assert_eq!((like(0), like(1), like(2)), (1, 2, 2));
}

#[test]
fn k_49_an_answered_step_names_who_said_what_and_how_they_know() {
    let (open, mut votes) = (question(2, 2, &[0]), Vec::new());
    let done = |evidence| OutcomeAnswer::new(0, Choice::Done, Some(evidence));
    let open = answer(&open, &mut votes, 1, done("statement 47"));
    let closed = answer(&open, &mut votes, 2, done("called the bank"));
    let record = ApprovalRecord::of(&closed, &votes, &name);
    let step = StepState {
        status: StepStatus::Done,
        code: None,
        message: None,
        count: None,
        took_ms: 0,
        model: None,
        tool_calls: Vec::new(),
        approval: None,
        sent: Some(unknown_call(0).sent()),
    };
    let mut state =
        RunState { status: RunStatus::Complete, steps: vec![("gate".to_owned(), step)] };
    let receipt = record.receipt.clone().unwrap();
    name_signers(&mut state, &[record]);
    assert_eq!(
        state.steps[0].1.message.clone().unwrap(),
        format!(
            "`gate` to api.bank.example: approved (rcpt_1), sent after 2026-11-21 10:00:00Z, no answer came. ada said that it was \
             done, with the evidence “statement 47”; bob said that it was done, with the evidence “called the bank” \
             ({receipt}). Its key is 9f0."
        )
    );
}

#[test]
fn k_49_only_those_whose_answer_was_to_send_again_allowed_the_next_call() {
    let (open, mut votes) = (question(3, 2, &[0]), Vec::new());
    let done = OutcomeAnswer::new(0, Choice::Done, Some("statement 47"));
    let again = || OutcomeAnswer::new(0, Choice::Again, None);
    let open = answer(&open, &mut votes, 1, done.clone());
    let open = answer(&open, &mut votes, 2, again());
    let closed = answer(&open, &mut votes, 3, again());
    assert_eq!(closed.status, Status::Approved);
    let record = ApprovalRecord::of(&closed, &votes, &name);
    assert_eq!(record.senders().collect::<Vec<_>>(), ["bob", "cyd"]);

    // What people say was done is not sent again.
    let (open, mut votes) = (question(2, 1, &[0]), Vec::new());
    let closed = answer(&open, &mut votes, 1, done);
    let record = ApprovalRecord::of(&closed, &votes, &name);
    assert_eq!(record.senders().next(), None);
}

#[test]
fn k_49_everybody_who_approved_a_gate_allowed_the_call_and_whoever_denied_did_not() {
    let (mut open, mut votes) = (request(3, 2), Vec::new());
    open.policy.denials = 2;
    let open = vote(&open, &mut votes, 1, Verdict::Approve, "");
    let open = vote(&open, &mut votes, 2, Verdict::Deny, "");
    let closed = vote(&open, &mut votes, 3, Verdict::Approve, "");
    let record = ApprovalRecord::of(&closed, &votes, &name);
    assert_eq!(record.senders().collect::<Vec<_>>(), ["ada", "cyd"]);
}
