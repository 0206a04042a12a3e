//! Counting votes: approvals add up when they say the same.

use countersign_identity::UserId;

use crate::attempt::Attempt;
use crate::outcome::{CallChoice, choices};
use crate::policy::Door;
use crate::request::Request;
use crate::status::Status;
use crate::vote::{Verdict, Vote};

/// A vote as it is counted.
pub(crate) struct Cast<'a> {
    person: &'a UserId,
    verdict: Verdict,
    door: Door,
    choices: Vec<CallChoice>,
}

impl<'a> Cast<'a> {
    pub(crate) fn of(vote: &'a Vote) -> Self {
        let choices = choices(&vote.answers);
        Self { person: &vote.person, verdict: vote.verdict, door: vote.door, choices }
    }

    pub(crate) fn now(attempt: &Attempt, person: &'a UserId) -> Self {
        let choices = choices(&attempt.answers);
        Self { person, verdict: attempt.verdict, door: attempt.door, choices }
    }

    /// Whether two approvals add up: of answers, only equal ones do.
    fn adds_to(&self, other: &Cast<'_>) -> bool {
        self.verdict == Verdict::Approve
            && other.verdict == Verdict::Approve
            && self.choices == other.choices
    }
}

/// How many approvals are equal to this one.
fn equal(counted: &[Cast<'_>], to: &Cast<'_>) -> u32 {
    let count = counted.iter().filter(|cast| cast.adds_to(to)).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// An approval that no other has more equals than.
fn leading<'c, 'a>(counted: &'c [Cast<'a>]) -> Option<&'c Cast<'a>> {
    let approvals = counted.iter().filter(|cast| cast.verdict == Verdict::Approve);
    approvals.max_by_key(|cast| equal(counted, cast))
}

/// Where the request stands after these votes on its present version.
pub(crate) fn outcome(request: &Request, counted: &[Cast<'_>]) -> Status {
    if counted.iter().any(|cast| cast.verdict.revises()) {
        return Status::Superseded;
    }
    let policy = &request.policy;
    let (leading, approvals) = (leading(counted), most(counted));
    let against =
        counted.iter().filter(|cast| leading.is_none_or(|leading| !cast.adds_to(leading)));
    let denials = count(against.clone().filter(|cast| cast.verdict == Verdict::Deny));
    let silent = policy
        .eligible(&request.requesters)
        .filter(|approver| counted.iter().all(|cast| cast.person != *approver))
        .count();
    let reachable = u32::try_from(silent).unwrap_or(u32::MAX).saturating_add(approvals);
    // Votes are never changed: what no longer can be reached is not waited for.
    if denials >= policy.denials || (count(against) > 0 && reachable < policy.quorum) {
        return Status::Denied;
    }
    let only_webhooks =
        leading.is_some_and(|leading| request.irreversible && only_webhooks(counted, leading));
    if approvals >= policy.quorum && !only_webhooks {
        return Status::Approved;
    }
    Status::Pending
}

/// A callback is never enough alone for what cannot be taken back.
fn only_webhooks(counted: &[Cast<'_>], leading: &Cast<'_>) -> bool {
    counted.iter().filter(|cast| cast.adds_to(leading)).all(|cast| cast.door == Door::Webhook)
}

fn count<'c, 'a: 'c>(cast: impl Iterator<Item = &'c Cast<'a>>) -> u32 {
    u32::try_from(cast.count()).unwrap_or(u32::MAX)
}

/// How many approvals what this vote says has: of a denial, those of the most frequent answer.
pub(crate) fn approvals(counted: &[Cast<'_>], own: &Cast<'_>) -> u32 {
    match own.verdict {
        Verdict::Approve => equal(counted, own),
        Verdict::Deny | Verdict::Enhance | Verdict::Override => most(counted),
    }
}

/// How many approvals say the same; of answers, those of the most frequent one.
fn most(counted: &[Cast<'_>]) -> u32 {
    leading(counted).map_or(0, |leading| equal(counted, leading))
}

impl Request {
    /// How many approvals of the present version say the same; of answers, those of the most frequent one.
    #[must_use]
    pub fn approvals(&self, votes: &[Vote]) -> u32 {
        most(&self.cast(votes))
    }

    /// How many approvals what this vote says has: what its person is answered, also when they ask again.
    #[must_use]
    pub fn approvals_like(&self, votes: &[Vote], own: &Vote) -> u32 {
        approvals(&self.cast(votes), &Cast::of(own))
    }

    /// The last vote of a person on the present version, whether or not it counts.
    pub(crate) fn last_vote<'a>(&self, votes: &'a [Vote], person: &UserId) -> Option<&'a Vote> {
        let own =
            votes.iter().filter(|vote| vote.person == *person && vote.version == self.version);
        own.max_by_key(|vote| vote.again)
    }

    /// The votes that count: those on the present version whose people have not lost the rights they were cast with.
    pub(crate) fn cast<'a>(&self, votes: &'a [Vote]) -> Vec<Cast<'a>> {
        votes.iter().filter(|vote| self.counts(vote)).map(Cast::of).collect()
    }
}
