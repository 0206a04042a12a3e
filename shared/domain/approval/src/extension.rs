//! More time for a request, and who gave it.

use countersign_identity::{Caller, UserId};
use jiff::{SignedDuration, Timestamp};

use crate::decide::{DecideError, check_open, check_rights};
use crate::extension_record::ExtensionRecord;
use crate::lifecycle::{LifecycleError, Move, extend};
use crate::policy::{Assurance, Door};
use crate::request::Request;

/// How often the people of one request may give it more time; each time those who have not answered are mailed.
const MAX_EXTENSIONS: usize = 16;
/// The smallest extension.
const MIN_EXTENSION: SignedDuration = SignedDuration::from_hours(1);

/// Whether somebody who is signed in may give the request more time: whoever may decide it, now. Whoever asked for
/// it may not where they may not decide it: the author of the gate has said how long the answer is worth waiting for.
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
/// [`LifecycleError`] when it is closed or out of time, when `deadline` is not an hour later or too late, or when it was given
/// more time often enough.
pub fn extend_by(
    request: &Request,
    by: &UserId,
    deadline: Timestamp,
    now: Timestamp,
) -> Result<Move, LifecycleError> {
    let mut moved = extend(request, deadline, now)?;
    let from = request.timing.deadline;
    if deadline.duration_since(from) < MIN_EXTENSION {
        return Err(LifecycleError::DeadlineNotLater);
    }
    if request.extensions.len() >= MAX_EXTENSIONS {
        return Err(LifecycleError::TooManyExtensions);
    }
    let record = ExtensionRecord { by: by.clone(), at: now, from, to: deadline };
    moved.request.extensions.push(record);
    Ok(moved)
}
