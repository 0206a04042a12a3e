//! The immutable record of a vote or of the end of a request.
//!
//! Receipts hold ids and salted digests only. The salt lies with the request: erasing the request leaves a receipt that
//! still proves that, when and by whom something was decided, and says nothing of what.

use countersign_identity::UserId;
use countersign_run::RunId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::kind::Kind;
use crate::policy::{Assurance, Door};
use crate::request::{ApprovalId, Request, Tenant};
use crate::status::Status;
use crate::subject::{Digest, hash, hash_bytes};
use crate::vote::Verdict;

countersign_ids::prefixed_id! {
    /// One receipt.
    pub struct ReceiptId("rcpt");
}

/// Who or what acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type", content = "id", deny_unknown_fields)]
pub enum Actor {
    /// A person of the directory.
    Person(UserId),
    /// The deadline.
    Clock,
    /// The engine: the run was stopped, is gone, or asked something else instead.
    Engine,
}

/// What happened, in ids and salted digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Derived from request, version and actor: the same act has the same id, however often it is tried.
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
    /// The note's digest, salted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Digest>,
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
    pub(crate) note: Option<&'a str>,
    pub(crate) at: Timestamp,
    pub(crate) status: Status,
}

impl Receipt {
    /// The hash the ledger chains: `SHA-256("countersign/v1/receipt\0" + RFC 8785 JSON)`.
    ///
    /// # Errors
    /// The serialiser's message; a receipt made here always has one.
    pub fn hash(&self) -> Result<Digest, crate::subject::SubjectError> {
        hash("countersign/v1/receipt", self)
    }

    /// Writes the receipt of an act on `request`.
    pub(crate) fn of(request: &Request, act: Act<'_>) -> Self {
        let salted = |part: &str, bytes: &[u8]| salted(&request.salt, part, bytes);
        // Policy is plain data: serialising it cannot fail, and an empty text would only make the digest useless.
        let policy = serde_json_canonicalizer::to_vec(&request.policy).unwrap_or_default();
        Self {
            id: receipt_id(request, &act.actor),
            tenant: request.tenant.clone(),
            approval: request.id.clone(),
            run: request.position.run.clone(),
            step: salted("step", request.position.step.as_bytes()),
            kind: request.kind,
            version: request.version,
            subject: salted("subject", request.digest.as_bytes()),
            policy: salted("policy", &policy),
            actor: act.actor,
            verdict: act.verdict,
            door: act.door,
            assurance: act.assurance,
            note: act.note.map(|note| salted("note", note.as_bytes())),
            at: act.at,
            status: act.status,
        }
    }
}

/// `SHA-256("countersign/v1/salted/<part>\0" + salt + bytes)`: what a receipt holds in place of `bytes`.
pub(crate) fn salted(salt: &Digest, part: &str, bytes: &[u8]) -> Digest {
    hash_bytes(&format!("countersign/v1/salted/{part}"), &[salt.as_bytes(), bytes])
}

fn receipt_id(request: &Request, actor: &Actor) -> ReceiptId {
    let who = match actor {
        Actor::Person(person) => person.as_str(),
        Actor::Clock => "clock",
        Actor::Engine => "engine",
    };
    let version = request.version.to_be_bytes();
    let parts = [request.id.as_str().as_bytes(), &version, who.as_bytes()];
    ReceiptId::from_bytes(hash_bytes("countersign/v1/receipt-id", &parts).head())
}
