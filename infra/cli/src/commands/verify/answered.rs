//! What a ledger says people answered about calls whose outcome nobody knew.

use std::fmt;

use countersign_approval::chain::{Ledger, Report, Sealed};
use countersign_approval::{Actor, ApprovalId, CallChoice, words};
use jiff::Timestamp;
use serde::Serialize;

/// One person's answers, out of a sealed receipt. Their evidence is in the receipt as a salted hash.
#[derive(Debug, Serialize)]
pub(super) struct Answered {
    /// The entry.
    sequence: u64,
    /// The request that asked.
    approval: ApprovalId,
    /// Who answered.
    actor: Actor,
    /// The choice for each call.
    choices: Vec<CallChoice>,
    /// When.
    at: Timestamp,
}

/// The answers up to the newest checkpoint.
pub(super) fn answers(ledger: &Ledger, report: &Report) -> Vec<Answered> {
    let sealed = |sealed: &&Sealed| sealed.entry.sequence <= report.sealed_through;
    let one = |Sealed { entry, receipt }: &Sealed| {
        Some(Answered {
            sequence: entry.sequence,
            approval: receipt.approval.clone(),
            actor: receipt.actor.clone(),
            choices: receipt.choices.clone()?,
            at: receipt.at,
        })
    };
    ledger.entries.iter().filter(sealed).filter_map(one).collect()
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sequence, approval, actor, choices, at } = self;
        let who = match actor {
            Actor::Person(person) => person.as_str(),
            Actor::Clock | Actor::Engine => "nobody",
        };
        write!(f, "entry {sequence}: at {at} {who} answered {approval}: {}", words(choices))
    }
}
