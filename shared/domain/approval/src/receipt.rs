//! The immutable record of a vote or of the end of a request.
//!
//! Receipts hold ids and salted digests only. The salt is kept with the request: erasing the request leaves a receipt that
//! still proves that, when and by whom something was decided, and says nothing of what. Each part has a salt of its own,
//! derived from the request's, so that one part can be disclosed without the others.

use countersign_effect::Digest;
use countersign_run::RunId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::actor::{Actor, ReceiptId};
use crate::hashing::{SubjectError, hash, hash_bytes};
use crate::kind::Kind;
use crate::outcome::{CallChoice, OutcomeAnswer, choices};
use crate::policy::{Assurance, Door};
use crate::position::ApprovalId;
use crate::request::Request;
use crate::status::Status;
use crate::tenant::Tenant;
use crate::vote::Verdict;

/// What happened, in ids and salted digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The version of this shape: 2, absent in receipts of version 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v: Option<u8>,
    /// Derived from request, version, actor and how often that voted before: the same act has the same id, however often it is tried.
    pub id: ReceiptId,
    /// The deployment.
    pub tenant: Tenant,
    /// The request.
    pub approval: ApprovalId,
    /// The run.
    pub run: RunId,
    /// SHA-256 of the step's name with the request's salt.
    pub step: Digest,
    /// What the request was about.
    pub kind: Kind,
    /// The version decided on.
    pub version: u32,
    /// The digest decided on, salted.
    pub subject: Digest,
    /// Count and root of the preview's rows, salted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Digest>,
    /// The effects that are allowed, salted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<Digest>,
    /// The policy in force, salted.
    pub policy: Digest,
    /// Who acted.
    pub actor: Actor,
    /// The verdict, when a person acted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The door a person came through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
    /// How surely it was that person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assurance: Option<Assurance>,
    /// What the person said became of each call, when the request asks that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<CallChoice>>,
    /// The same with the evidence, salted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Digest>,
    /// The note's digest, salted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Digest>,
    /// The receipts of the approvals of this version that did not count, because their people had lost the rights to give them: as
    /// the last decision found; absent when it found none. Acts that are no decision, such as a deadline, look nothing up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_counted: Vec<ReceiptId>,
    /// When.
    pub at: Timestamp,
    /// The status this act led to: `pending` while more votes are needed.
    pub status: Status,
}

/// What a receipt says beyond its request.
pub(crate) struct Act<'a> {
    pub(crate) actor: Actor,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) door: Option<Door>,
    pub(crate) assurance: Option<Assurance>,
    pub(crate) answers: &'a [OutcomeAnswer],
    pub(crate) note: Option<&'a str>,
    pub(crate) at: Timestamp,
    pub(crate) status: Status,
    /// How many acts of this actor on this version came before.
    pub(crate) again: u32,
}

impl Receipt {
    /// The hash the ledger chains: `SHA-256("countersign/v1/receipt\0" + RFC 8785 JSON)`.
    ///
    /// # Errors
    /// The serialiser's message; a receipt made here always has one.
    pub fn hash(&self) -> Result<Digest, SubjectError> {
        hash("countersign/v1/receipt", self)
    }

    /// Writes the receipt of an act on `request`.
    pub(crate) fn of(request: &Request, act: Act<'_>) -> Self {
        let salted = |part: &str, bytes: &[u8]| salted(request.v, &request.salt, part, bytes);
        // These are plain data: serialising them cannot fail, and an empty string would only make the digest useless.
        let (is_v2, answered) = (request.v >= 2, !act.answers.is_empty());
        Self {
            v: is_v2.then_some(request.v),
            id: receipt_id(request, &act.actor, act.again),
            tenant: request.tenant.clone(),
            approval: request.id.clone(),
            run: request.position.run.clone(),
            step: salted("step", request.position.step.as_bytes()),
            kind: request.kind,
            version: request.version,
            subject: salted("subject", request.digest.as_bytes()),
            preview: is_v2.then(|| salted("preview", &canonical_bytes(&request.preview.summary()))),
            effects: is_v2.then(|| salted("effects", &canonical_bytes(&request.covers))),
            policy: salted("policy", &canonical_bytes(&request.policy)),
            actor: act.actor,
            verdict: act.verdict,
            door: act.door,
            assurance: act.assurance,
            choices: answered.then(|| choices(act.answers)),
            answers: answered.then(|| salted("answers", &canonical_bytes(&act.answers))),
            note: act.note.map(|note| salted("note", note.as_bytes())),
            not_counted: request.uncounted.keys().cloned().collect(),
            at: act.at,
            status: act.status,
        }
    }
}

impl Request {
    /// Whether `receipt` speaks of this very request, version and content: the check of an auditor who still has the
    /// request.
    #[must_use]
    pub fn explains(&self, receipt: &Receipt) -> bool {
        receipt.approval == self.id
            && receipt.version == self.version
            && receipt.subject == salted(self.v, &self.salt, "subject", self.digest.as_bytes())
            && (self.v < 2 || self.subject_digest().is_ok_and(|digest| digest == self.digest))
    }
}

fn canonical_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json_canonicalizer::to_vec(value).unwrap_or_default()
}

/// What a receipt holds in place of `bytes`.
///
/// Version 2: `SHA-256("countersign/v2/salted/<part>\0" + part salt + bytes)`, where the part's salt is
/// `SHA-256("countersign/v2/salt/<part>\0" + salt)`. Version 1 used the request's salt itself.
pub(crate) fn salted(version: u8, salt: &Digest, part: &str, bytes: &[u8]) -> Digest {
    if version < 2 {
        return hash_bytes(&format!("countersign/v1/salted/{part}"), &[salt.as_bytes(), bytes]);
    }
    let own = part_salt(salt, part);
    hash_bytes(&format!("countersign/v2/salted/{part}"), &[own.as_bytes(), bytes])
}

/// The salt of one part of a receipt of version 2: whoever is given it, and the part, can check that part and no other.
#[must_use]
pub fn part_salt(salt: &Digest, part: &str) -> Digest {
    hash_bytes(&format!("countersign/v2/salt/{part}"), &[salt.as_bytes()])
}

fn receipt_id(request: &Request, actor: &Actor, again: u32) -> ReceiptId {
    let who = match actor {
        Actor::Person(person) => person.as_str(),
        Actor::Clock => "clock",
        Actor::Engine => "engine",
    };
    let version = request.version.to_be_bytes();
    let again = again.to_be_bytes();
    let mut parts = vec![request.id.as_str().as_bytes(), &version, who.as_bytes()];
    // The id of a first vote is what it always was.
    if again != [0; 4] {
        parts.push(&again);
    }
    ReceiptId::from_bytes(hash_bytes("countersign/v1/receipt-id", &parts).head())
}
