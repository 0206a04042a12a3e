//! The signed link of the mail door, and the nonce of the page behind it.
//!
//! A link names the request, the approver's slot, a link version and an expiry; the MAC over these and the tenant makes it
//! genuine. Re-issuing raises the version, which kills older links. The store keeps only a hash of the MAC, so reading
//! the table gives nobody a link. The task token of the state machine never leaves the store.

use countersign_failure::Failure;
use countersign_zones::to_the_second;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::deadline::later;
use crate::mac::{Mac, MacError};
use crate::position::ApprovalId;
use crate::tenant::Tenant;
use crate::token::{Reader, Said, Signed, TokenError};
use countersign_effect::Digest;

/// How long the page's nonce is good.
const NONCE_LIFETIME: SignedDuration = SignedDuration::from_mins(30);

/// Why a link or nonce does not open the page or decide.
#[derive(Debug, thiserror::Error, Failure)]
pub enum LinkError {
    /// The text is not a link.
    #[error("this link is incomplete: perhaps the mail program cut it")]
    #[failure(code = "LINK_MALFORMED", status = 404, help = "copy the whole link from the mail")]
    Malformed,
    /// The MAC does not match, or belongs to a key that is no longer in use.
    #[error("this link is not genuine")]
    #[failure(
        code = "LINK_FORGED",
        status = 404,
        help = "open the newest mail about this request, or ask for a new link"
    )]
    Forged,
    /// The link is too old.
    #[error("this link expired at {}", to_the_second(*.0))]
    #[failure(
        code = "LINK_EXPIRED",
        status = 410,
        help = "open the newest mail about this request, or ask for a new link"
    )]
    Expired(Timestamp),
    /// A newer link was issued to the same approver.
    #[error("a newer link replaced this one")]
    #[failure(
        code = "LINK_SUPERSEDED",
        status = 410,
        help = "open the newest mail about this request"
    )]
    Superseded,
    /// The page was open for too long, or belongs to another link.
    #[error("this page is too old to decide from")]
    #[failure(
        code = "PAGE_STALE",
        status = 409,
        help = "open the link again and decide on what it shows now"
    )]
    StalePage,
    /// The key could not be asked.
    #[error("checking the link")]
    #[failure(forward, help = "try again in a minute")]
    Key(#[from] MacError),
}

/// What a link says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The request.
    pub approval: ApprovalId,
    /// The slot of the approver in the request's policy.
    pub slot: u16,
    /// Raised by every re-issue.
    pub version: u32,
    /// From this second on the link is dead.
    pub expires_at: Timestamp,
}

/// Names one link without giving it away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkId(pub Digest);

/// A link with its MAC: whoever holds it is taken for the approver in its slot, with the assurance `link`.
pub type SignedLink = Signed<Link>;

impl Link {
    /// Signs the link for a deployment.
    ///
    /// # Errors
    /// [`MacError`] when the key cannot be used.
    pub async fn sign(self, tenant: &Tenant, key: &dyn Mac) -> Result<SignedLink, MacError> {
        Signed::made(self, tenant, key).await
    }
}

impl Said for Link {
    const FORM: u8 = 1;
    const DOMAIN: &'static str = "countersign/v1/link";

    fn payload(&self) -> Vec<u8> {
        let mut payload = Vec::with_capacity(30);
        payload.extend_from_slice(&id_bytes(&self.approval));
        payload.extend_from_slice(&self.slot.to_be_bytes());
        payload.extend_from_slice(&self.version.to_be_bytes());
        payload.extend_from_slice(&self.expires_at.as_second().to_be_bytes());
        payload
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, TokenError> {
        Ok(Self {
            approval: ApprovalId::from_bytes(reader.array()?),
            slot: u16::from_be_bytes(reader.array()?),
            version: u32::from_be_bytes(reader.array()?),
            expires_at: reader.time()?,
        })
    }
}

impl SignedLink {
    /// The link, once its MAC and its expiry have been checked.
    ///
    /// # Errors
    /// [`LinkError::Forged`], [`LinkError::Expired`], or [`LinkError::Key`] when the key cannot be asked.
    pub async fn verify(
        &self,
        tenant: &Tenant,
        key: &dyn Mac,
        now: Timestamp,
    ) -> Result<&Link, LinkError> {
        let link = self.genuine(tenant, key).await?;
        if now >= link.expires_at { Err(LinkError::Expired(link.expires_at)) } else { Ok(link) }
    }

    /// What the store keeps of it.
    #[must_use]
    pub fn stored_hash(&self) -> Digest {
        self.hash("countersign/v1/link-hash")
    }

    /// The name of this link, bound into nonces.
    #[must_use]
    pub fn id(&self) -> LinkId {
        LinkId(self.hash("countersign/v1/link-id"))
    }

    /// Whether it is the link whose hash and version the store keeps.
    ///
    /// # Errors
    /// [`LinkError::Superseded`] when another was issued since.
    pub fn check_current(&self, version: u32, stored_hash: &Digest) -> Result<(), LinkError> {
        let same = bool::from(self.stored_hash().as_bytes().ct_eq(stored_hash.as_bytes()));
        if same && version == self.said.version { Ok(()) } else { Err(LinkError::Superseded) }
    }
}

/// What a page's form says: which link it was opened with, and what it showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonce {
    /// The link.
    pub link: LinkId,
    /// The digest of what was shown.
    pub digest: Digest,
    /// The version that was shown.
    pub version: u32,
    /// From this second on the page is too old.
    pub expires_at: Timestamp,
}

/// A nonce with its MAC. Nothing is stored for it.
pub type SignedNonce = Signed<Nonce>;

impl Nonce {
    /// The nonce of a page that is rendered now; good for 30 minutes.
    #[must_use]
    pub fn for_page(link: LinkId, digest: Digest, version: u32, now: Timestamp) -> Self {
        Self { link, digest, version, expires_at: later(now, NONCE_LIFETIME) }
    }

    /// Signs the nonce for a deployment.
    ///
    /// # Errors
    /// [`MacError`] when the key cannot be used.
    pub async fn sign(self, tenant: &Tenant, key: &dyn Mac) -> Result<SignedNonce, MacError> {
        Signed::made(self, tenant, key).await
    }
}

impl Said for Nonce {
    const FORM: u8 = 2;
    const DOMAIN: &'static str = "countersign/v1/nonce";

    fn payload(&self) -> Vec<u8> {
        let mut payload = Vec::with_capacity(76);
        payload.extend_from_slice(self.link.0.as_bytes());
        payload.extend_from_slice(self.digest.as_bytes());
        payload.extend_from_slice(&self.version.to_be_bytes());
        payload.extend_from_slice(&self.expires_at.as_second().to_be_bytes());
        payload
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, TokenError> {
        Ok(Self {
            link: LinkId(Digest::from_bytes(reader.array()?)),
            digest: Digest::from_bytes(reader.array()?),
            version: u32::from_be_bytes(reader.array()?),
            expires_at: reader.time()?,
        })
    }
}

impl SignedNonce {
    /// The nonce, once its MAC, its age and its link have been checked.
    ///
    /// # Errors
    /// [`LinkError::Forged`], [`LinkError::StalePage`], or [`LinkError::Key`] when the key cannot be asked.
    pub async fn verify(
        &self,
        tenant: &Tenant,
        key: &dyn Mac,
        link: LinkId,
        now: Timestamp,
    ) -> Result<&Nonce, LinkError> {
        let nonce = self.genuine(tenant, key).await?;
        let is_stale = now >= nonce.expires_at || nonce.link != link;
        if is_stale { Err(LinkError::StalePage) } else { Ok(nonce) }
    }
}

fn id_bytes(id: &ApprovalId) -> [u8; 16] {
    let mut bytes = [0; 16];
    let digits = id.as_str().strip_prefix("appr_").unwrap_or_default();
    // An id always has 32 hex digits: its type says so.
    let _ = hex::decode_to_slice(digits, &mut bytes);
    bytes
}
