//! Keyed authentication of what leaves with a mail.

use countersign_failure::{Class, Failure};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Why a MAC could not be made or checked. A MAC that does not match is not an error: it is `false`.
#[derive(Debug, thiserror::Error, Failure)]
#[error("{operation}: {message}")]
#[failure(code = "LINK_KEY_UNAVAILABLE", class = *class)]
pub struct MacError {
    /// What was tried.
    pub operation: &'static str,
    /// What the key's keeper said.
    pub message: String,
    /// Whether trying again can help.
    pub class: Class,
}

/// A secret key that makes and checks MACs. Its bytes may lie elsewhere, as in KMS.
pub trait Mac: Send + Sync {
    /// A short name of the key: 1 to 40 letters, digits, `-` and `_`. It stands in every token.
    fn key_id(&self) -> &str;

    /// The 32-byte MAC of `message`.
    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, MacError>>;

    /// Whether `mac` is the MAC of `message`.
    fn verify<'a>(
        &'a self,
        message: &'a [u8],
        mac: &'a [u8],
    ) -> BoxFuture<'a, Result<bool, MacError>>;
}

/// HMAC-SHA-256 with a key in memory: for tests and for the command line.
pub struct HmacKey {
    id: String,
    key: Vec<u8>,
}

impl HmacKey {
    /// A key and its short name.
    #[must_use]
    pub fn new(id: &str, key: &[u8]) -> Self {
        Self { id: id.to_owned(), key: key.to_vec() }
    }

    fn hmac(&self, message: &[u8]) -> Result<Hmac<Sha256>, MacError> {
        let keyed = Hmac::<Sha256>::new_from_slice(&self.key);
        let mut hmac = keyed.map_err(|error| MacError {
            operation: "preparing the key",
            message: error.to_string(),
            class: Class::Terminal,
        })?;
        hmac.update(message);
        Ok(hmac)
    }
}

impl std::fmt::Debug for HmacKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HmacKey {{ id: {:?}, .. }}", self.id)
    }
}

impl Mac for HmacKey {
    fn key_id(&self) -> &str {
        &self.id
    }

    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, MacError>> {
        let mac = self.hmac(message).map(|hmac| hmac.finalize().into_bytes().to_vec());
        std::future::ready(mac).boxed()
    }

    fn verify<'a>(
        &'a self,
        message: &'a [u8],
        mac: &'a [u8],
    ) -> BoxFuture<'a, Result<bool, MacError>> {
        let right = self.hmac(message).map(|hmac| hmac.verify_slice(mac).is_ok());
        std::future::ready(right).boxed()
    }
}
