//! The keys of the table.

use countersign_approval::{ApprovalId, ReceiptId, Request, RunId, Vote};
use countersign_identity::UserId;
use countersign_store_kit::Key;
use jiff::Timestamp;

/// Index partition of requests that wait for people, by deadline.
pub(crate) const PENDING: &str = "PENDING";
/// Index partition of decided requests whose run has not moved, by the time of the decision.
pub(crate) const UNMOVED: &str = "UNMOVED";
/// Index partition of requests nobody was told of, by the time of opening.
pub(crate) const UNASKED: &str = "UNASKED";
/// Index partition of receipts that are not in the chain, by time.
pub(crate) const UNSEALED: &str = "UNSEALED";
/// Partition of checkpoints.
pub(crate) const CHECKPOINT: &str = "CHECKPOINT";
/// What the request and its votes start with, so that one query reads both and nothing else.
pub(crate) const REQUEST: &str = "REQUEST";

pub(crate) fn partition(id: &ApprovalId) -> String {
    format!("APPR#{id}")
}

pub(crate) fn request(id: &ApprovalId) -> Key {
    Key::new(partition(id), REQUEST)
}

pub(crate) fn vote(id: &ApprovalId, vote: &Vote) -> Key {
    let Vote { version, person, again, .. } = vote;
    let again = if *again == 0 { String::new() } else { format!("#{again:06}") };
    Key::new(partition(id), format!("REQUEST#VOTE#{version:06}#{person}{again}"))
}

pub(crate) fn receipt(id: &ApprovalId, version: u32, receipt: &ReceiptId) -> Key {
    Key::new(partition(id), format!("RECEIPT#{version:06}#{receipt}"))
}

pub(crate) fn approver_row(id: &ApprovalId, person: &UserId) -> Key {
    Key::new(partition(id), format!("FOR#{person}"))
}

pub(crate) fn owner_row(id: &ApprovalId) -> Key {
    Key::new(partition(id), "OWNER")
}

pub(crate) fn unasked(id: &ApprovalId) -> Key {
    Key::new(partition(id), "UNASKED")
}

pub(crate) fn link(id: &ApprovalId, slot: u16) -> Key {
    Key::new(partition(id), format!("LINK#{slot:05}"))
}

pub(crate) fn code(id: &ApprovalId, version: u32, slot: u16) -> Key {
    Key::new(partition(id), format!("CODE#{version:06}#{slot:05}"))
}

pub(crate) fn run_partition(run: &RunId) -> String {
    format!("RUN#{run}")
}

pub(crate) fn place(run: &RunId, id: &ApprovalId) -> Key {
    Key::new(run_partition(run), partition(id))
}

pub(crate) fn chain_head() -> Key {
    Key::new("CHAIN", "HEAD")
}

/// A thousand entries share a partition: reading on is one query, writing never meets a hot one for long.
pub(crate) fn chain_partition(sequence: u64) -> String {
    format!("CHAIN#{:09}", sequence / 1000)
}

pub(crate) fn chain_entry(sequence: u64) -> Key {
    Key::new(chain_partition(sequence), sequence_text(sequence))
}

pub(crate) fn sequence_text(sequence: u64) -> String {
    format!("{sequence:012}")
}

pub(crate) fn checkpoint(sequence: u64, at: Timestamp) -> Key {
    Key::new(CHECKPOINT, format!("{}#{}", sequence_text(sequence), time(at)))
}

/// A time as a text that sorts like the time.
pub(crate) fn time(at: Timestamp) -> String {
    format!("{:015}", at.as_millisecond().max(0))
}

/// Where a request stands in a list: an open one by its deadline, a closed one by when it ended.
pub(crate) fn place_of(request: &Request) -> String {
    let deadline = request.timing.deadline;
    at(request.closed.as_ref().map_or(deadline, |closed| closed.at), &request.id)
}

/// A time and an id, so that two requests of one instant keep apart.
pub(crate) fn at(time_of: Timestamp, id: &impl std::fmt::Display) -> String {
    format!("{}#{id}", time(time_of))
}
