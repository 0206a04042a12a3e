//! The protocol under random interleavings: whatever people, editors and the clock do, in whatever order, a request has
//! one outcome, and it is approved only by enough entitled people, on the very digest, before the deadline.

use std::collections::BTreeMap;

use countersign_identity::{Capability, DirectoryEntry, UserId};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;

use super::make::{after, caller, entry, opening, start, tool, user};
use crate::{
    Assurance, Attempt, Decided, Door, Move, Opening, Receipt, Request, Status, Verdict, Vote,
    amend, close, decide, escalate, expire, extend,
};

const PEOPLE: u8 = 5;
const DEADLINE: i64 = 1000;

#[derive(Debug, Clone)]
enum Act {
    /// Person, verdict, how old the page they look at is (in versions), whether they may decide at this moment.
    Vote {
        person: u8,
        approve: bool,
        stale_by: usize,
        capable: bool,
    },
    /// Another person's vote computed from the state before the last change, as in a race.
    RacingVote {
        person: u8,
        approve: bool,
    },
    /// An administrator takes a person's rights away, or gives them back.
    Rights {
        person: u8,
        able: bool,
    },
    Amend(u32),
    Extend,
    Escalate,
    Expire,
    Cancel,
    Wait(i64),
}

fn acts() -> impl Strategy<Value = Act> {
    let person = 1..=PEOPLE + 2;
    prop_oneof![
        8 => (person.clone(), prop::bool::weighted(0.75), 0usize..2, prop::bool::weighted(0.9))
            .prop_map(|(person, approve, stale_by, capable)| Act::Vote { person, approve, stale_by, capable }),
        3 => (person, prop::bool::weighted(0.75)).prop_map(|(person, approve)| Act::RacingVote { person, approve }),
        3 => (1..=PEOPLE + 1, any::<bool>()).prop_map(|(person, able)| Act::Rights { person, able }),
        1 => (0u32..3).prop_map(Act::Amend),
        1 => Just(Act::Extend),
        1 => Just(Act::Escalate),
        1 => Just(Act::Expire),
        1 => prop::bool::weighted(0.2).prop_map(|cancel| if cancel { Act::Cancel } else { Act::Expire }),
        2 => (1i64..400).prop_map(Act::Wait),
    ]
}

/// A store of one request that keeps the conditions of the real one.
struct World {
    now: Timestamp,
    request: Request,
    previous: Request,
    digests: Vec<String>,
    votes: Vec<Vote>,
    receipts: Vec<Receipt>,
    outcomes: Vec<Status>,
    people: BTreeMap<UserId, DirectoryEntry>,
}

impl World {
    fn new(quorum: u32, denials: u32, irreversible: bool) -> Self {
        let mut opening = opening_of(0);
        opening.irreversible = irreversible;
        (opening.policy.quorum, opening.policy.denials) = (quorum, denials);
        let request = Request::open(opening, start()).unwrap();
        Self {
            now: start(),
            previous: request.clone(),
            digests: vec![request.digest.to_string()],
            request,
            votes: vec![],
            receipts: vec![],
            outcomes: vec![],
            people: (1..=PEOPLE + 2).map(|n| (user(n), entry(&user(n)))).collect(),
        }
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Wait(seconds) => {
                self.now = self.now.checked_add(jiff::SignedDuration::from_secs(*seconds)).unwrap();
            }
            Act::Vote { person, approve, stale_by, capable } => {
                let seen = self.digests.len().saturating_sub(1 + stale_by);
                let attempt = attempt(&self.digests[seen], *approve);
                let (request, votes) = (self.request.clone(), self.votes.clone());
                self.vote(&request, &votes, &user(*person), &attempt, *capable);
            }
            Act::RacingVote { person, approve } => {
                let before = self.previous.clone();
                let votes: Vec<Vote> =
                    self.votes.iter().take(self.votes.len().saturating_sub(1)).cloned().collect();
                let attempt = attempt(&before.digest.to_string(), *approve);
                self.vote(&before, &votes, &user(*person), &attempt, true);
            }
            Act::Rights { person, able } => {
                self.people.get_mut(&user(*person)).unwrap().active = *able;
            }
            Act::Amend(amount) => {
                let mut changed = opening_of(*amount + 1);
                changed.irreversible = self.request.irreversible;
                changed.policy.quorum = self.request.policy.quorum;
                changed.policy.denials = self.request.policy.denials;
                if let Ok(moved) = amend(&self.request, changed, self.now) {
                    self.digests.push(moved.request.digest.to_string());
                    self.apply(&moved);
                }
            }
            Act::Extend => {
                let later =
                    self.request.timing.deadline.checked_add(jiff::SignedDuration::from_secs(50));
                if let Ok(moved) = extend(&self.request, later.unwrap(), self.now) {
                    self.apply(&moved);
                }
            }
            Act::Escalate => {
                if let Ok((Some(moved), _)) = escalate(&self.request) {
                    self.apply(&moved);
                }
            }
            Act::Expire => {
                if let Ok(moved) = expire(&self.request, self.now) {
                    self.apply(&moved);
                }
            }
            Act::Cancel => {
                if let Ok(moved) = close(&self.request, Status::Cancelled, self.now) {
                    self.apply(&moved);
                }
            }
        }
    }

    fn vote(
        &mut self,
        seen: &Request,
        votes: &[Vote],
        person: &UserId,
        attempt: &Attempt,
        capable: bool,
    ) {
        let mut caller = caller(person);
        let capable = capable && self.people[person].active;
        if !capable {
            caller.capabilities.remove(&Capability::Decide);
        }
        let mut seen = seen.clone();
        seen.mark_uncounted(votes, &self.people);
        let Ok(Decided::Recorded(recorded)) = decide(&seen, votes, attempt, &caller, self.now)
        else {
            return;
        };
        // The transaction's conditions.
        let current = &self.request;
        let holds = current.status == Status::Pending
            && current.revision == seen.revision
            && current.version == seen.version
            && current.digest == seen.digest
            && current.timing.deadline > self.now
            && !self.votes.iter().any(|v| {
                (&v.person, v.version, v.again) == (person, seen.version, recorded.vote.again)
            });
        if holds {
            assert!(capable, "a vote without the capability was recorded");
            self.votes.push(recorded.vote);
            self.check_entitled(&recorded.request);
            self.write(recorded.request, Some(recorded.receipt));
        }
    }

    /// Whoever an approval is counted of could give it at the moment that it was approved.
    fn check_entitled(&self, after: &Request) {
        let counted = self.votes.iter().filter(|vote| after.counts(vote));
        for vote in counted.filter(|vote| vote.verdict == Verdict::Approve) {
            assert!(self.people[&vote.person].active, "an approval without the right counts");
        }
    }

    fn apply(&mut self, moved: &Move) {
        self.write(moved.request.clone(), moved.receipt.clone());
    }

    fn write(&mut self, after: Request, receipt: Option<Receipt>) {
        assert_eq!(after.revision, self.request.revision + 1);
        assert!(!self.request.status.is_final(), "a closed request changed");
        if after.status.is_final() {
            self.outcomes.push(after.status);
        }
        self.receipts.extend(receipt);
        self.previous = std::mem::replace(&mut self.request, after);
    }
}

/// Approvers 1…5, of whom 5 is a requester and barred; 6 is escalated to, 7 is nobody.
fn opening_of(amount: u32) -> Opening {
    let mut opening = opening(PEOPLE);
    opening.subject = tool(&json!({ "amount": amount.to_string() }));
    opening.requesters.insert(user(PEOPLE));
    opening.timing.deadline = after(DEADLINE);
    opening.timing.escalation =
        Some(crate::Escalation { at: after(500), to: vec![user(PEOPLE + 1)] });
    opening
}

fn attempt(digest: &str, approve: bool) -> Attempt {
    Attempt {
        verdict: if approve { Verdict::Approve } else { Verdict::Deny },
        digest: Some(digest.to_owned()),
        version: None,
        door: Door::Mail,
        assurance: Assurance::LinkCode,
        answers: Vec::new(),
        note: None,
    }
}

fn check_world(world: &World) -> Result<(), TestCaseError> {
    let request = &world.request;
    prop_assert!(world.outcomes.len() <= 1, "two outcomes: {:?}", world.outcomes);
    prop_assert_eq!(request.closed.is_some(), request.status.is_final());
    let counted: Vec<&Vote> = world.votes.iter().filter(|vote| request.counts(vote)).collect();
    let people: BTreeMap<&UserId, Verdict> =
        counted.iter().map(|vote| (&vote.person, vote.verdict)).collect();
    prop_assert_eq!(people.len(), counted.len(), "somebody counts twice");
    for vote in &counted {
        prop_assert_eq!(vote.digest, request.digest);
        prop_assert!(vote.at < request.timing.deadline);
        prop_assert!(request.policy.slot_of(&vote.person).is_some());
        prop_assert!(vote.person != user(PEOPLE) && vote.person != user(100));
    }
    let count = |verdict| people.values().filter(|v| **v == verdict).count();
    let (approvals, denials) = (count(Verdict::Approve), count(Verdict::Deny));
    let (quorum, most) = (request.policy.quorum as usize, request.policy.denials as usize);
    match request.status {
        Status::Approved => {
            prop_assert!(approvals >= quorum);
            prop_assert!(denials < most, "approved against a denial that closes");
        }
        Status::Denied => prop_assert!(denials >= 1),
        Status::TimedOut => {
            prop_assert!(world.now >= request.timing.deadline && approvals < quorum);
        }
        Status::Pending => {
            prop_assert!(denials < most, "a denial did not close");
            prop_assert!(approvals < quorum, "a quorum did not close");
        }
        _ => {}
    }
    let ids: std::collections::BTreeSet<_> =
        world.receipts.iter().map(|receipt| &receipt.id).collect();
    prop_assert_eq!(ids.len(), world.receipts.len(), "two acts share a receipt");
    let endings = world.receipts.iter().filter(|receipt| receipt.status.is_final()).count();
    prop_assert_eq!(endings, usize::from(request.status.is_final()), "not one receipt of the end");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn one_outcome_and_never_an_unearned_approval(
        quorum in 1u32..4, denials in 1u32..3, irreversible in any::<bool>(),
        acts in prop::collection::vec(acts(), 0..40),
    ) {
        let mut world = World::new(quorum, denials, irreversible);
        for act in &acts {
            world.act(act);
            check_world(&world)?;
        }
    }

    #[test]
    fn repeating_every_act_changes_nothing(acts in prop::collection::vec(acts(), 0..20)) {
        let mut world = World::new(2, 1, false);
        for act in acts.iter().filter(|act| matches!(act, Act::Vote { .. } | Act::Expire | Act::Cancel)) {
            world.act(act);
            let before = (world.request.clone(), world.votes.len(), world.receipts.len());
            world.act(act);
            prop_assert_eq!(before, (world.request.clone(), world.votes.len(), world.receipts.len()));
        }
    }
}
