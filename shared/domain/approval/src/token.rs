//! Tokens: texts that a MAC makes genuine.
//!
//! A token is base64url without padding, about 100 characters, of: one byte of form, the payload in fixed width, the
//! length and text of the key's name, the MAC.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_effect::Digest;
use countersign_failure::Class;
use jiff::Timestamp;

use crate::hashing::hash_bytes;
use crate::link::LinkError;
use crate::mac::{Mac, MacError};
use crate::tenant::Tenant;

const MAC_LENGTH: usize = 32;

/// A text that is not a token of the expected form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a token of this form")]
pub struct TokenError;

/// What a token says.
pub trait Said: Sized {
    /// The first byte of its tokens.
    const FORM: u8;
    /// What its MAC is for.
    const DOMAIN: &'static str;

    /// All of it, in fixed width.
    fn payload(&self) -> Vec<u8>;

    /// What a payload says.
    ///
    /// # Errors
    /// [`TokenError`] when it is not one.
    fn read(reader: &mut Reader<'_>) -> Result<Self, TokenError>;
}

/// What a token says, with the MAC over it and the tenant.
#[derive(Clone, PartialEq, Eq)]
pub struct Signed<T> {
    pub(crate) said: T,
    proof: Proof,
}

impl<T: Said> Signed<T> {
    pub(crate) async fn made(said: T, tenant: &Tenant, key: &dyn Mac) -> Result<Self, MacError> {
        let proof = Proof::made(&message(&said, tenant), key).await?;
        Ok(Self { said, proof })
    }

    /// The text that stands in a URL or a form.
    #[must_use]
    pub fn token(&self) -> String {
        self.proof.token(T::FORM, &self.said.payload())
    }

    /// Reads a token. What comes out is not yet known to be genuine: only `verify` gives what it says.
    ///
    /// # Errors
    /// [`TokenError`] when the text has not this form.
    pub fn parse(token: &str) -> Result<Self, TokenError> {
        let (said, proof) = Proof::read(token, T::FORM, T::read)?;
        Ok(Self { said, proof })
    }

    /// What it says, once its MAC has been checked.
    pub(crate) async fn genuine(&self, tenant: &Tenant, key: &dyn Mac) -> Result<&T, LinkError> {
        self.proof.check(&message(&self.said, tenant), key).await?;
        Ok(&self.said)
    }

    /// A hash of its MAC.
    pub(crate) fn hash(&self, domain: &str) -> Digest {
        hash_bytes(domain, &[&self.proof.mac])
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Signed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signed").field("said", &self.said).finish_non_exhaustive()
    }
}

fn message<T: Said>(said: &T, tenant: &Tenant) -> Vec<u8> {
    let tenant = tenant.as_str().as_bytes();
    [T::DOMAIN.as_bytes(), &[0], tenant, &[0], &said.payload()].concat()
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

/// Reads fixed-width fields off the front.
pub struct Reader<'a>(&'a [u8]);

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

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], TokenError> {
        self.take(N)?.try_into().map_err(|_| TokenError)
    }

    pub(crate) fn time(&mut self) -> Result<Timestamp, TokenError> {
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
