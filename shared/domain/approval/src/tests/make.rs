//! Makers of test values.

use std::collections::BTreeSet;

use countersign_identity::{Accounts, Caller, Capability, DirectoryEntry, Scopes, UserId};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::{
    ApprovalId, Assurance, Attempt, Digest, Door, Floor, Kind, Layout, OnReject, Opening, Policy,
    Position, Preview, Request, RunContext, RunId, StepEffects, Subject, Tenant, Timing,
    UnknownCall, Verdict, Waiting,
};

pub(crate) fn user(n: u8) -> UserId {
    UserId::from_bytes([n; 16])
}

pub(crate) fn users(count: u8) -> Vec<UserId> {
    (1..=count).map(user).collect()
}

pub(crate) fn tenant() -> Tenant {
    Tenant::parse("acme").unwrap()
}

pub(crate) fn start() -> Timestamp {
    "2026-11-21T10:00:00Z".parse().unwrap()
}

pub(crate) fn after(seconds: i64) -> Timestamp {
    start().checked_add(SignedDuration::from_secs(seconds)).unwrap()
}

/// Owner and invoker is user 100; the approvers are 1…count.
pub(crate) fn opening(count: u8) -> Opening {
    Opening {
        tenant: tenant(),
        position: Position::of_step(&RunId::from_bytes([7; 16]), "gate"),
        context: RunContext::Background,
        subject: tool(&json!({ "amount": "10.00" })),
        irreversible: false,
        owner: user(100),
        invoker: user(100),
        asked_by: None,
        requesters: BTreeSet::new(),
        title: "Pay".to_owned(),
        prompt: "Pay?".to_owned(),
        preview: Preview::of(&json!([1, 2, 3]), 2).unwrap(),
        layout: Layout::default(),
        effects_at: None,
        remarks: Vec::new(),
        plan_picture: "read → [gate] → pay".to_owned(),
        cost_bound: None,
        policy: Policy { assurance: Assurance::Link, ..Policy::one_of(users(count), false) },
        floor: Floor::default(),
        requirement: None,
        topic: None,
        timing: Timing::starting(start(), None, Waiting::Queue),
        on_reject: OnReject::Stop,
        revisable: Vec::new(),
        salt: Digest::from_bytes([9; 32]),
    }
}

/// One call; what stands for its effect need not be one here.
pub(crate) fn tool(arguments: &Value) -> Subject {
    let texts = vec![arguments.to_string()];
    let effects = StepEffects { step: "gate".to_owned(), action: "pay".to_owned(), texts };
    Subject { effects: vec![effects], ..Subject::of(Kind::Tool) }
}

pub(crate) fn request(count: u8, quorum: u32) -> Request {
    let mut opening = opening(count);
    opening.policy.quorum = quorum;
    Request::open(opening, start()).unwrap()
}

/// A call without an answer.
pub(crate) fn unknown_call(n: u32) -> UnknownCall {
    UnknownCall {
        n,
        leaf: Digest::from_bytes([1; 32]),
        call: 1,
        approval: ApprovalId::from_bytes([7; 16]),
        receipt: "rcpt_1".to_owned(),
        sent_at: start(),
        target: "POST api.bank.example/pay".to_owned(),
        key: format!("9f{n}"),
        key_hours: Some(24),
    }
}

/// A question about these calls.
pub(crate) fn question(count: u8, quorum: u32, calls: &[u32]) -> Request {
    let mut opening = opening(count);
    opening.policy.quorum = quorum;
    let outcome = calls.iter().map(|n| unknown_call(*n)).collect();
    opening.subject = Subject { outcome, ..Subject::of(Kind::Outcome) };
    Request::open(opening, start()).unwrap()
}

pub(crate) fn caller(person: &UserId) -> Caller {
    Caller {
        user: person.clone(),
        scopes: Scopes::parse(["global:editor"]),
        capabilities: BTreeSet::from([Capability::Decide]),
        token_id: "t".to_owned(),
    }
}

/// What the directory says of somebody who may decide.
pub(crate) fn entry(person: &UserId) -> DirectoryEntry {
    let Caller { user, scopes, capabilities, .. } = caller(person);
    DirectoryEntry {
        user,
        name: "Somebody".to_owned(),
        email: "somebody@example.org".to_owned(),
        email_verified: true,
        active: true,
        accounts: Accounts::Any,
        scopes,
        capabilities,
        not_before: None,
        revoked: BTreeSet::new(),
    }
}

pub(crate) fn attempt(request: &Request, verdict: Verdict) -> Attempt {
    Attempt {
        verdict,
        digest: Some(request.digest.to_string()),
        version: None,
        door: Door::Rest,
        assurance: Assurance::SignedIn,
        answers: Vec::new(),
        note: None,
    }
}
