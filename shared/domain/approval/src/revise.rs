//! Asking for changes: who may vote may have what is signed rewritten, with instructions (R-060, K-09).
//!
//! Nothing is changed in the request itself. It is closed as `superseded`, the steps that it names as revisable are carried out
//! again with the instructions, and what comes of them is another request with another digest.

use countersign_failure::Failure;

use crate::attempt::Attempt;
use crate::request::Request;
use crate::vote::MAX_NOTE;

/// How often a gate asks at most before it offers no more changes.
pub const MAX_REVISIONS: u32 = 40;

/// Why changes cannot be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum ReviseError {
    /// Nothing of it is written by a model that could be told.
    #[error("nothing of what this request asks for can be rewritten with instructions")]
    #[failure(
        code = "REVISION_NOT_OFFERED",
        help = "deny it, and start a run that asks for something else; a playbook's gate offers changes with `revise`"
    )]
    NotOffered,
    /// There are no instructions.
    #[error("there are no instructions that say what to change")]
    #[failure(code = "INSTRUCTIONS_MISSING", help = "send `instructions`")]
    NoInstructions,
    /// The instructions are too long.
    #[error("the instructions have {0} characters and may have {MAX_NOTE}")]
    #[failure(code = "INSTRUCTIONS_TOO_LONG")]
    TooLong(usize),
    /// The gate has asked often enough.
    #[error("this gate has asked {MAX_REVISIONS} times: changes cannot be asked for any more")]
    #[failure(
        code = "REVISIONS_TOO_MANY",
        status = 409,
        help = "approve or deny what the request shows now"
    )]
    TooMany,
}

/// Whether this attempt may ask for the changes it asks for; a decision may always be made.
pub(crate) fn check_revision(request: &Request, attempt: &Attempt) -> Result<(), ReviseError> {
    if !attempt.verdict.revises() {
        return Ok(());
    }
    if request.position.round >= MAX_REVISIONS {
        return Err(ReviseError::TooMany);
    }
    if request.revisable.is_empty() {
        return Err(ReviseError::NotOffered);
    }
    let length = attempt.note.as_deref().map_or(0, |note| note.trim().chars().count());
    if length == 0 { Err(ReviseError::NoInstructions) } else { Ok(()) }
}
