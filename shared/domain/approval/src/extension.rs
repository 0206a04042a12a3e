//! More time for a request, and who gave it.

use countersign_identity::{Caller, UserId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::decide::{DecideError, check_open, check_rights};
use crate::lifecycle::{LifecycleError, Move, extend};
use crate::policy::{Assurance, Door};
use crate::request::Request;

/// A request remembers so many of its extensions, the newest.
const MAX_KEPT: usize = 16;

/// Who gave a request more time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtensionRecord {
    /// Who.
    pub by: UserId,
    /// When.
    pub at: Timestamp,
    /// The deadline before.
    pub from: Timestamp,
    /// The deadline afterwards.
    pub to: Timestamp,
}

/// Whether somebody who is signed in may give the request more time: whoever may vote on it, now. Whoever asked for it may
/// not, because the author of the gate has said how long the answer is worth waiting for.
///
/// # Errors
/// [`DecideError`] as for a vote.
pub fn may_extend(request: &Request, caller: &Caller, now: Timestamp) -> Result<(), DecideError> {
    if request.policy.slot_of(&caller.user).is_none() {
        return Err(DecideError::NotAnApprover);
    }
    check_open(request, now)?;
    check_rights(request, Door::Rest, Assurance::SignedIn, caller)
}

/// The request with more time, and who gave it. What is signed does not change, so votes stay.
///
/// # Errors
/// [`LifecycleError`] when it is closed or out of time, or when `deadline` is not later or too late.
pub fn extend_by(
    request: &Request,
    by: &UserId,
    deadline: Timestamp,
    now: Timestamp,
) -> Result<Move, LifecycleError> {
    let mut moved = extend(request, deadline, now)?;
    let kept = &mut moved.request.extensions;
    let from = request.timing.deadline;
    kept.push(ExtensionRecord { by: by.clone(), at: now, from, to: deadline });
    let old = kept.len().saturating_sub(MAX_KEPT);
    kept.drain(..old);
    Ok(moved)
}
