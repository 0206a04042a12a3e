//! Who may decide, how many of them, how surely, and through which doors.

use std::collections::BTreeSet;

use countersign_failure::Failure;
use countersign_identity::UserId;
use countersign_run::RunContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kind::Kind;

/// How surely a decision comes from the person it names; a later one includes the earlier.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
#[schemars(rename = "ApprovalAssurance")]
pub enum Assurance {
    /// They hold the signed link that was mailed to them.
    Link,
    /// They hold it, and the one-time code mailed when they answered: a forwarded link is not enough.
    LinkCode,
    /// They are signed in.
    SignedIn,
}

impl Assurance {
    /// The word used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What every policy asks for at least: a code for what cannot be taken back.
    #[must_use]
    pub fn default_for(irreversible: bool) -> Self {
        if irreversible { Self::LinkCode } else { Self::Link }
    }
}

/// How a decision comes in. MCP and models have no door.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalDoor")]
pub enum Door {
    /// The link in a mail.
    Mail,
    /// The web console.
    Console,
    /// The REST API.
    Rest,
    /// A signed callback that stands for one named person.
    Webhook,
}

impl Door {
    /// The doors that are open unless a policy says otherwise. A webhook has to be named.
    #[must_use]
    pub fn usual() -> BTreeSet<Door> {
        BTreeSet::from([Self::Mail, Self::Console, Self::Rest])
    }
}

/// The rules of one request. A vote counts only within them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ApprovalRequestPolicy")]
pub struct Policy {
    /// Who may decide, in the order of their slots. Slots never change; escalation appends.
    pub approvers: Vec<UserId>,
    /// How many approving people it takes.
    pub quorum: u32,
    /// How many denials close the request: one, unless the policy says otherwise.
    pub denials: u32,
    /// How sure a vote must be.
    pub assurance: Assurance,
    /// The doors it may come through.
    pub doors: BTreeSet<Door>,
    /// Whether a requester who is an approver may decide.
    pub requester_may_decide: bool,
}

/// Why a policy cannot govern a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(
    status = 422,
    help = "name approvers who are known, active and hold `decide`, and who neither started the run nor own or edited what runs"
)]
pub enum PolicyError {
    /// Nobody, or too few, could ever decide.
    #[error("{quorum} signatures are needed and {eligible} of the approvers may sign")]
    #[failure(code = "APPROVAL_UNREACHABLE")]
    Unreachable {
        /// How many signatures the policy asks for.
        quorum: u32,
        /// How many of its approvers are not barred.
        eligible: usize,
    },
    /// More approvers than one request can carry.
    #[error("{count} approvers are named and at most {limit} may be")]
    #[failure(code = "APPROVERS_TOO_MANY")]
    TooManyApprovers {
        /// How many are named.
        count: usize,
        /// How many may be.
        limit: usize,
    },
    /// A quorum, a number of denials or a set of doors that is empty.
    #[error("the policy's {0} must not be empty or zero")]
    #[failure(code = "APPROVAL_POLICY_EMPTY")]
    Empty(&'static str),
}

impl Policy {
    /// How many approvers one request can carry: closing it touches a row of each in one transaction.
    pub const MAX_APPROVERS: usize = 40;

    /// One signature of one of `approvers`, through the usual doors, one denial closes.
    #[must_use]
    pub fn one_of(approvers: Vec<UserId>, irreversible: bool) -> Self {
        Self {
            approvers,
            quorum: 1,
            denials: 1,
            assurance: Assurance::default_for(irreversible),
            doors: Door::usual(),
            requester_may_decide: false,
        }
    }

    /// The slot of `person`, when they are an approver.
    #[must_use]
    pub fn slot_of(&self, person: &UserId) -> Option<u16> {
        let slot = self.approvers.iter().position(|approver| approver == person)?;
        u16::try_from(slot).ok()
    }

    /// The person in a slot.
    #[must_use]
    pub fn approver(&self, slot: u16) -> Option<&UserId> {
        self.approvers.get(usize::from(slot))
    }

    /// Whether `person` may not decide although they are an approver, because they asked for it.
    #[must_use]
    pub fn bars(&self, person: &UserId, requesters: &BTreeSet<UserId>) -> bool {
        !self.requester_may_decide && requesters.contains(person)
    }

    /// The approvers who may decide a request of these requesters.
    pub fn eligible<'a>(
        &'a self,
        requesters: &'a BTreeSet<UserId>,
    ) -> impl Iterator<Item = &'a UserId> {
        self.approvers.iter().filter(|approver| !self.bars(approver, requesters))
    }

    /// The policy with the stricter of each rule of itself, of what is asked at least for such effects, and of `floor`:
    /// neither can make anything laxer.
    #[must_use]
    pub fn tightened(mut self, floor: &Floor, irreversible: bool) -> Self {
        self.assurance = self.assurance.max(Assurance::default_for(irreversible));
        self.quorum = self.quorum.max(floor.min_quorum);
        self.denials = self.denials.min(floor.max_denials.unwrap_or(u32::MAX));
        self.assurance = self.assurance.max(floor.least_assurance(irreversible));
        if let Some(doors) = &floor.doors {
            self.doors.retain(|door| doors.contains(door));
        }
        self.requester_may_decide &= !floor.requester_never_decides;
        self
    }

    /// Removes repeated approvers and checks that a request of `requesters` can be decided at all.
    ///
    /// # Errors
    /// [`PolicyError`] when it cannot: a gate nobody may open fails early and says so, it does not wait.
    pub fn settled(mut self, requesters: &BTreeSet<UserId>) -> Result<Self, PolicyError> {
        let mut seen = BTreeSet::new();
        self.approvers.retain(|approver| seen.insert(approver.clone()));
        if self.approvers.len() > Self::MAX_APPROVERS {
            let count = self.approvers.len();
            return Err(PolicyError::TooManyApprovers { count, limit: Self::MAX_APPROVERS });
        }
        for (name, is_empty) in [
            ("quorum", self.quorum == 0),
            ("denials", self.denials == 0),
            ("doors", self.doors.is_empty()),
        ] {
            if is_empty {
                return Err(PolicyError::Empty(name));
            }
        }
        let eligible = self.eligible(requesters).count();
        let needed = usize::try_from(self.quorum).unwrap_or(usize::MAX);
        if eligible < needed {
            return Err(PolicyError::Unreachable { quorum: self.quorum, eligible });
        }
        Ok(self)
    }
}

/// The least a deployment asks of every policy. Owned by an admin; the default asks nothing more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "ApprovalFloorPolicy")]
pub struct Floor {
    /// At least so many signatures.
    pub min_quorum: u32,
    /// At most so many denials are needed to close; at least one.
    pub max_denials: Option<u32>,
    /// At least so sure.
    pub assurance: Option<Assurance>,
    /// At least so sure for what cannot be taken back.
    pub irreversible_assurance: Option<Assurance>,
    /// Only these doors.
    pub doors: Option<BTreeSet<Door>>,
    /// A requester may never decide, whatever the kind and the context.
    pub requester_never_decides: bool,
}

impl Floor {
    /// The least proof it asks for: what is asked of everything holds for the irreversible too.
    #[must_use]
    pub fn least_assurance(&self, irreversible: bool) -> Assurance {
        let of_irreversible = self.irreversible_assurance.filter(|_| irreversible);
        self.assurance.max(of_irreversible).unwrap_or(Assurance::Link)
    }
}

/// Whether the requester (invoker, owner of the profile, last editor of playbook, connector or policy) may decide, when
/// they are an approver.
///
/// Somebody who sits in front of an interactive run answers its gates inline (F-186); nobody waves through what a
/// schedule or monitor does in their name, what becomes public, or a merge.
#[must_use]
pub fn requester_may_decide(kind: Kind, context: RunContext) -> bool {
    match kind {
        Kind::Publish | Kind::Merge => false,
        Kind::Step
        | Kind::Tool
        | Kind::Outcome
        | Kind::Plan
        | Kind::Result
        | Kind::Clarification => context == RunContext::Interactive,
    }
}
