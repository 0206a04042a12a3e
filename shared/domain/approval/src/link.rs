//! The signed link of the mail door, and the nonce of the page behind it.
//!
//! A link names the request, the approver's slot, a link version and an expiry; the MAC over these and the tenant makes it
//! genuine. Re-issuing raises the version, which kills older links. The store keeps only a hash of the MAC, so reading
//! the table gives nobody a link. The task token of the state machine never leaves the store.
//!
//! Tokens are base64url without padding, about 100 characters, of: one byte of form, the payload in fixed width, the
//! length and text of the key's name, the MAC.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_failure::{Class, Failure};
use countersign_zones::to_the_second;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;

use crate::deadline::later;
use crate::hashing::hash_bytes;
use crate::mac::{Mac, MacError};
use crate::position::ApprovalId;
use crate::tenant::Tenant;
use countersign_effect::Digest;

const LINK_FORM: u8 = 1;
const NONCE_FORM: u8 = 2;
const MAC_LENGTH: usize = 32;

/// How long the page's nonce is good.
const NONCE_LIFETIME: SignedDuration = SignedDuration::from_mins(30);

/// A text that is not a token of the expected form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a token of this form")]
pub struct TokenError;

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
#[derive(Clone, PartialEq, Eq)]
pub struct SignedLink {
    link: Link,
    proof: Proof,
}

impl Link {
    /// Signs the link for a deployment.
    ///
    /// # Errors
    /// [`MacError`] when the key cannot be used.
    pub async fn sign(self, tenant: &Tenant, key: &dyn Mac) -> Result<SignedLink, MacError> {
        let proof = Proof::made(&self.message(tenant), key).await?;
        Ok(SignedLink { link: self, proof })
    }

    fn message(&self, tenant: &Tenant) -> Vec<u8> {
        message("countersign/v1/link", tenant, &self.payload())
    }

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
    /// The text that stands in the URL.
    #[must_use]
    pub fn token(&self) -> String {
        self.proof.token(LINK_FORM, &self.link.payload())
    }

    /// Reads a token. What comes out is not yet known to be genuine: only [`SignedLink::verify`] gives its [`Link`].
    ///
    /// # Errors
    /// [`TokenError`] when the text has not the form of a link.
    pub fn parse(token: &str) -> Result<Self, TokenError> {
        let (link, proof) = Proof::read(token, LINK_FORM, Link::read)?;
        Ok(Self { link, proof })
    }

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
        self.proof.check(&self.link.message(tenant), key).await?;
        if now >= self.link.expires_at {
            return Err(LinkError::Expired(self.link.expires_at));
        }
        Ok(&self.link)
    }

    /// What the store keeps of it.
    #[must_use]
    pub fn stored_hash(&self) -> Digest {
        hash_bytes("countersign/v1/link-hash", &[&self.proof.mac])
    }

    /// The name of this link, bound into nonces.
    #[must_use]
    pub fn id(&self) -> LinkId {
        LinkId(hash_bytes("countersign/v1/link-id", &[&self.proof.mac]))
    }

    /// Whether it is the link whose hash and version the store keeps.
    ///
    /// # Errors
    /// [`LinkError::Superseded`] when another was issued since.
    pub fn check_current(&self, version: u32, stored_hash: &Digest) -> Result<(), LinkError> {
        let same = bool::from(self.stored_hash().as_bytes().ct_eq(stored_hash.as_bytes()));
        if same && version == self.link.version { Ok(()) } else { Err(LinkError::Superseded) }
    }
}

impl std::fmt::Debug for SignedLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SignedLink {{ link: {:?}, .. }}", self.link)
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
#[derive(Clone, PartialEq, Eq)]
pub struct SignedNonce {
    nonce: Nonce,
    proof: Proof,
}

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
        let proof = Proof::made(&self.message(tenant), key).await?;
        Ok(SignedNonce { nonce: self, proof })
    }

    fn message(&self, tenant: &Tenant) -> Vec<u8> {
        message("countersign/v1/nonce", tenant, &self.payload())
    }

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
    /// The text that stands in the form.
    #[must_use]
    pub fn token(&self) -> String {
        self.proof.token(NONCE_FORM, &self.nonce.payload())
    }

    /// Reads a token; only [`SignedNonce::verify`] gives its [`Nonce`].
    ///
    /// # Errors
    /// [`TokenError`] when the text has not the form of a nonce.
    pub fn parse(token: &str) -> Result<Self, TokenError> {
        let (nonce, proof) = Proof::read(token, NONCE_FORM, Nonce::read)?;
        Ok(Self { nonce, proof })
    }

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
        self.proof.check(&self.nonce.message(tenant), key).await?;
        if now >= self.nonce.expires_at || self.nonce.link != link {
            return Err(LinkError::StalePage);
        }
        Ok(&self.nonce)
    }
}

impl std::fmt::Debug for SignedNonce {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SignedNonce {{ nonce: {:?}, .. }}", self.nonce)
    }
}

fn message(domain: &str, tenant: &Tenant, payload: &[u8]) -> Vec<u8> {
    [domain.as_bytes(), &[0], tenant.as_str().as_bytes(), &[0], payload].concat()
}

/// What makes a token genuine: a MAC, and the name of the key it was made with.
#[derive(Clone, PartialEq, Eq)]
struct Proof {
    key_id: String,
    mac: [u8; MAC_LENGTH],
}

impl Proof {
    async fn made(message: &[u8], key: &dyn Mac) -> Result<Self, MacError> {
        let mac = key.sign(message).await?;
        Ok(Self { key_id: key.key_id().to_owned(), mac: exactly_32(&mac)? })
    }

    /// Refuses what this key has not made of this message.
    async fn check(&self, message: &[u8], key: &dyn Mac) -> Result<(), LinkError> {
        if self.key_id != key.key_id() || !key.verify(message, &self.mac).await? {
            return Err(LinkError::Forged);
        }
        Ok(())
    }

    fn token(&self, form: u8, payload: &[u8]) -> String {
        let key_id = self.key_id.as_bytes();
        let length = u8::try_from(key_id.len()).unwrap_or(u8::MAX);
        let name = &key_id[..usize::from(length).min(key_id.len())];
        URL_SAFE_NO_PAD.encode([&[form], payload, &[length], name, &self.mac].concat())
    }

    /// What a token of this form says, and its proof, which is not checked.
    fn read<T>(
        token: &str,
        form: u8,
        payload: impl FnOnce(&mut Reader<'_>) -> Result<T, TokenError>,
    ) -> Result<(T, Self), TokenError> {
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| TokenError)?;
        let mut reader = Reader::open(&bytes, form)?;
        let payload = payload(&mut reader)?;
        let (key_id, mac) = reader.close()?;
        Ok((payload, Self { key_id, mac }))
    }
}

fn exactly_32(mac: &[u8]) -> Result<[u8; MAC_LENGTH], MacError> {
    mac.try_into().map_err(|_| MacError {
        operation: "signing",
        message: format!("the key made a MAC of {} bytes instead of {MAC_LENGTH}", mac.len()),
        class: Class::Terminal,
    })
}

fn id_bytes(id: &ApprovalId) -> [u8; 16] {
    let mut bytes = [0; 16];
    let digits = id.as_str().strip_prefix("appr_").unwrap_or_default();
    // An id always has 32 hex digits: its type says so.
    let _ = hex::decode_to_slice(digits, &mut bytes);
    bytes
}

/// Reads fixed-width fields off the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn open(bytes: &'a [u8], form: u8) -> Result<Self, TokenError> {
        match bytes.split_first() {
            Some((first, rest)) if *first == form => Ok(Self(rest)),
            _ => Err(TokenError),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], TokenError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(TokenError)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], TokenError> {
        self.take(N)?.try_into().map_err(|_| TokenError)
    }

    fn time(&mut self) -> Result<Timestamp, TokenError> {
        let seconds = i64::from_be_bytes(self.array()?);
        Timestamp::from_second(seconds).map_err(|_| TokenError)
    }

    fn close(mut self) -> Result<(String, [u8; MAC_LENGTH]), TokenError> {
        let [length] = self.array()?;
        let name = std::str::from_utf8(self.take(usize::from(length))?).map_err(|_| TokenError)?;
        let mac = self.array()?;
        if self.0.is_empty() { Ok((name.to_owned(), mac)) } else { Err(TokenError) }
    }
}
