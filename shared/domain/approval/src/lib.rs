//! The approval protocol, as values and pure functions.
//!
//! A [`Request`] asks people to sign a [`Subject`]; what they sign is its [`Digest`]. [`decide`] takes one [`Attempt`]
//! to decide and says what follows: a [`Vote`], a [`Receipt`], perhaps the end of the request, or why nothing changes.
//! Nothing here approves by default: only votes of enough entitled people, over the very digest, before the deadline.
//!
//! | transition from `pending` | to | by |
//! |---|---|---|
//! | enough approving votes | `approved` | [`decide`] |
//! | a denial that closes | `denied` | [`decide`] |
//! | the deadline passed | `timed_out` | [`expire`] |
//! | its run is gone | `expired` | [`close`] |
//! | somebody asked for changes | `superseded` | [`decide`] |
//! | its run was stopped | `cancelled` | [`close`] |
//!
//! An approval whose person has lost the rights to give it does not count any more ([`Request::mark_uncounted`]).
//!
//! Every other state is final. [`amend`] and [`strike`] keep a request pending, raise its version and void its votes.
//!
//! The door of the mail works with [`Link`] and [`Nonce`], authenticated by a [`Mac`]; receipts are sealed into a hash
//! chain ([`chain`]) that anybody can verify with the public key.

mod actor;
mod attempt;
pub mod chain;
mod closed;
mod code;
mod counting;
mod covered;
mod deadline;
mod decide;
mod doubt;
mod extension;
mod extension_record;
mod hashing;
mod kind;
mod layout;
mod lifecycle;
mod link;
mod mac;
mod not_counted;
mod open_error;
mod opening;
mod outcome;
mod policy;
pub mod ports;
mod position;
mod preview;
mod receipt;
mod record;
mod request;
mod revise;
mod revision;
mod status;
mod story;
mod strike;
mod strike_code;
mod strike_record;
mod subject;
mod tenant;
#[cfg(test)]
mod tests;
mod token;
mod told;
mod uncounted;
mod unknown_call;
pub mod v1;
mod vote;

pub use actor::{Actor, ReceiptId};
pub use attempt::Attempt;
pub use closed::Closed;
pub use code::{Code, CodeAllowance, CodeCheck, CodeScope, StoredCode};
pub use countersign_effect::{Digest, InvalidDigest};
pub use countersign_run::{RunContext, RunId};
pub use covered::{Covered, StepEffects};
pub use deadline::{Escalation, Timing, Waiting};
pub use decide::{DecideError, Decided, Recorded, check_open, check_person, decide};
pub use doubt::is_doubtful;
pub use extension::{extend_by, may_extend};
pub use extension_record::ExtensionRecord;
pub use hashing::SubjectError;
pub use kind::{Kind, Unknown};
pub use layout::{Column, Format, Layout};
pub use lifecycle::{LifecycleError, Move, amend, close, escalate, expire, extend, strikes_gone};
pub use link::{Link, LinkError, LinkId, Nonce, SignedLink, SignedNonce};
pub use mac::{HmacKey, Mac, MacError};
pub use not_counted::NotCounted;
pub use open_error::{MAX_PROMPT_CHARS, MAX_REQUEST_BYTES, OpenError};
pub use opening::{OnReject, Opening, Subject};
pub use outcome::{
    AnswerFault, AnswerProblem, CallChoice, Choice, MAX_EVIDENCE_CHARS, MAX_VOTE_EVIDENCE_CHARS,
    OutcomeAnswer, check_answers, choices, shown_number, words,
};
pub use policy::{Assurance, Door, Floor, Policy, PolicyError, requester_may_decide};
pub use position::{ApprovalId, Position};
pub use preview::Preview;
pub use receipt::{Receipt, part_salt};
pub use record::{ApprovalRecord, RecordedDecision, Tally};
pub use request::Request;
pub use revise::{MAX_REVISIONS, ReviseError};
pub use revision::Revision;
pub use status::{Decision, Status, Vocabulary};
pub use story::story;
pub use strike::{MAX_STRIKES, Strike, StrikeError, Struck, strike};
pub use strike_code::strike_slot;
pub use strike_record::StrikeRecord;
pub use tenant::{InvalidTenant, Tenant};
pub use token::TokenError;
pub use told::name_signers;
pub use unknown_call::UnknownCall;
pub use vote::{MAX_NOTE, Verdict, Vote};
