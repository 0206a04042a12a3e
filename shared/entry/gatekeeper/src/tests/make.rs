//! People, moments, requests and decisions of the tests.

use std::collections::BTreeSet;

use countersign_approval::{
    ApprovalId, Assurance, Attempt, Digest, Door, Floor, Kind, Layout, OnReject, Opening, Policy,
    Position, Preview, Request, RunContext, RunId, StepEffects, Subject, Tenant, Timing,
    UnknownCall, Verdict, Waiting,
};
use countersign_identity::UserId;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::{Attempting, Who};

pub(crate) fn user(n: u8) -> UserId {
    UserId::from_bytes([n; 16])
}

pub(crate) fn run() -> RunId {
    RunId::from_bytes([7; 16])
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    let start: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
    start.checked_add(SignedDuration::from_secs(seconds)).unwrap()
}

/// A gated call of user 9's run; people 1 to 3 may sign, two must.
pub(crate) fn gate(amount: &str) -> Opening {
    let arguments = json!({ "amount": amount });
    let texts = vec![arguments.to_string()];
    let effects = StepEffects { step: "pay".to_owned(), action: "pay".to_owned(), texts };
    let policy = Policy { quorum: 2, ..Policy::one_of((1..=3).map(user).collect(), true) };
    Opening {
        tenant: Tenant::parse("acme").unwrap(),
        position: Position::of_step(&run(), "pay"),
        context: RunContext::Background,
        subject: Subject { effects: vec![effects], ..Subject::of(Kind::Tool) },
        irreversible: true,
        owner: user(9),
        invoker: user(9),
        asked_by: None,
        requesters: BTreeSet::new(),
        title: "Pay".to_owned(),
        prompt: "Pay?".to_owned(),
        preview: Preview::of(&arguments, 10).unwrap(),
        layout: Layout::default(),
        effects_at: None,
        remarks: Vec::new(),
        plan_picture: String::new(),
        cost_bound: None,
        policy,
        floor: Floor::default(),
        requirement: None,
        topic: None,
        timing: Timing::starting(at(0), None, Waiting::Mail),
        on_reject: OnReject::Stop,
        revisable: vec!["draft".to_owned()],
        salt: Digest::from_bytes([1; 32]),
    }
}

/// As [`gate`], with so many payments.
pub(crate) fn payments(count: usize) -> Opening {
    let texts = (0..count).map(|n| json!({ "amount": n.to_string() }).to_string()).collect();
    let effects = StepEffects { step: "pay".to_owned(), action: "pay".to_owned(), texts };
    let subject = Subject { effects: vec![effects], ..Subject::of(Kind::Tool) };
    Opening { subject, ..gate("10") }
}

/// A question what became of a call of [`gate`]: people 1 to 3 may answer, two must.
pub(crate) fn question() -> Opening {
    let call = UnknownCall {
        n: 0,
        leaf: Digest::from_bytes([1; 32]),
        call: 1,
        approval: ApprovalId::from_bytes([7; 16]),
        receipt: "rcpt_1".to_owned(),
        sent_at: at(-60),
        target: "POST api.bank.example/pay".to_owned(),
        key: "9f".to_owned(),
        key_hours: Some(24),
    };
    Opening { subject: Subject { outcome: vec![call], ..Subject::of(Kind::Outcome) }, ..gate("10") }
}

/// An approver decides over a link with code, on what `request` shows.
pub(crate) fn by_mail(request: &Request, person: u8, verdict: Verdict) -> Attempting {
    Attempting {
        approval: request.id.clone(),
        who: Who::LinkOf(user(person)),
        attempt: Attempt {
            verdict,
            digest: Some(request.digest.to_string()),
            version: Some(request.version),
            door: Door::Mail,
            assurance: Assurance::LinkCode,
            answers: Vec::new(),
            note: verdict.revises().then(|| "Pay less.".to_owned()),
        },
    }
}
