//! Approvals that do not count any more, because the rights of their people were taken away after they were given.
//!
//! Whoever weighs a decision reads the directory for those who have approved before ([`Request::approved_by`]) and marks
//! what none of them could give now ([`Request::mark_uncounted`]). The marks are kept with the decision that found them, and
//! stay: a marked approval never counts again. Its person may give it again, once they have the rights. Denials stay what
//! they are.

use std::collections::{BTreeMap, BTreeSet};

use countersign_identity::{DirectoryEntry, UserId};

use crate::decide::{DecideError, check_rights};
use crate::not_counted::NotCounted;
use crate::policy::Door;
use crate::request::Request;
use crate::status::Status;
use crate::vote::{Verdict, Vote};

impl Request {
    /// Those whose rights decide whether their approvals count: of a request that is open, whoever has approved its present
    /// version. What a closed request was decided by does not change.
    #[must_use]
    pub fn approved_by(&self, votes: &[Vote]) -> BTreeSet<UserId> {
        let is_open = self.status == Status::Pending;
        let approvals = votes.iter().filter(|vote| is_open && self.is_counted_approval(vote));
        approvals.map(|vote| vote.person.clone()).collect()
    }

    /// Marks the approvals that their people could not give now. `people` is what the directory says at this moment of everybody
    /// in [`Request::approved_by`]; whoever is not in it is not in the directory.
    pub fn mark_uncounted(&mut self, votes: &[Vote], people: &BTreeMap<UserId, DirectoryEntry>) {
        if self.status != Status::Pending {
            return;
        }
        let approvals = votes.iter().filter(|vote| self.is_counted_approval(vote));
        let lost = approvals.filter_map(|vote| {
            let why = still_entitled(self, vote, people.get(&vote.person)).err()?;
            Some((vote.receipt.clone(), why))
        });
        let lost: Vec<_> = lost.collect();
        self.uncounted.extend(lost);
    }

    /// Whether a vote counts: it was cast on the present version, and is not marked.
    #[must_use]
    pub fn counts(&self, vote: &Vote) -> bool {
        vote.version == self.version && self.not_counted(vote).is_none()
    }

    /// Why a vote does not count although it was cast on the version that it was cast on.
    #[must_use]
    pub fn not_counted(&self, vote: &Vote) -> Option<NotCounted> {
        self.uncounted.get(&vote.receipt).copied()
    }

    /// Those whose approval of the present version does not count, and who have not given it again.
    #[must_use]
    pub fn lost_approvals<'a>(&self, votes: &'a [Vote]) -> BTreeSet<&'a UserId> {
        let has_counted =
            |person: &UserId| votes.iter().any(|vote| vote.person == *person && self.counts(vote));
        let marked = votes.iter().filter(|vote| self.not_counted(vote).is_some());
        let marked = marked.filter(|vote| vote.version == self.version).map(|vote| &vote.person);
        marked.filter(|person| !has_counted(person)).collect()
    }

    fn is_counted_approval(&self, vote: &Vote) -> bool {
        vote.verdict == Verdict::Approve && self.counts(vote)
    }
}

/// Whether the person could cast this vote now, through the same door and as surely: the check that it passed when it was cast.
fn still_entitled(
    request: &Request,
    vote: &Vote,
    entry: Option<&DirectoryEntry>,
) -> Result<(), NotCounted> {
    let entry = entry.ok_or(NotCounted::UserUnknown)?;
    let caller = match &vote.token {
        Some(token) => entry.effective(token)?,
        None if is_of_void_token(vote, entry) => return Err(NotCounted::TokenRevoked),
        None => entry.by_link()?,
    };
    check_rights(request, vote.door, vote.assurance, &caller).map_err(|error| match error {
        DecideError::CapabilityMissing => NotCounted::CapabilityMissing,
        DecideError::NotPermitted(_) => NotCounted::RoleMissing,
        _ => NotCounted::NotAllowed,
    })
}

/// A vote that an earlier release kept does not say with which token it was cast; that cannot have been issued later.
fn is_of_void_token(vote: &Vote, entry: &DirectoryEntry) -> bool {
    let needs_token = matches!(vote.door, Door::Console | Door::Rest);
    needs_token && entry.not_before.is_some_and(|bound| vote.at.as_second() < bound)
}
