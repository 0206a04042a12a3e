//! The public half of the ledger's key.

use countersign_failure::Failure;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::pkcs8::{DecodePublicKey as _, EncodePublicKey as _, LineEnding, spki};
use sha2::{Digest as _, Sha256};

/// The public half of the ledger's key.
#[derive(Debug, Clone)]
pub struct PublicKey {
    key: VerifyingKey,
    pem: String,
    fingerprint: String,
}

/// A text or bytes that are not a public key on P-256.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[error("this is not a public key on P-256: {0}")]
#[failure(code = "LEDGER_KEY_INVALID")]
pub struct InvalidKey(String);

impl From<spki::Error> for InvalidKey {
    fn from(_: spki::Error) -> Self {
        Self("it is not the PEM or DER text of one".to_owned())
    }
}

impl PublicKey {
    /// Reads a key in DER (SubjectPublicKeyInfo), as KMS gives it.
    ///
    /// # Errors
    /// [`InvalidKey`] when it is none.
    pub fn from_der(der: &[u8]) -> Result<Self, InvalidKey> {
        Self::of(VerifyingKey::from_public_key_der(der)?)
    }

    /// Reads a key in PEM.
    ///
    /// # Errors
    /// [`InvalidKey`] when it is none.
    pub fn from_pem(pem: &str) -> Result<Self, InvalidKey> {
        Self::of(VerifyingKey::from_public_key_pem(pem)?)
    }

    fn of(key: VerifyingKey) -> Result<Self, InvalidKey> {
        let der = key.to_public_key_der()?;
        let pem = der.to_pem("PUBLIC KEY", LineEnding::LF).map_err(spki::Error::from)?;
        let fingerprint = hex::encode(&Sha256::digest(der.as_bytes())[..8]);
        Ok(Self { key, pem, fingerprint })
    }

    /// The first eight bytes of the SHA-256 of the DER form, in hex: what its file is called.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The key as exported: PEM, lines of 64, ended by line feeds.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    pub(super) fn has_signed(&self, message: &[u8], signature: &Signature) -> bool {
        self.key.verify(message, signature).is_ok()
    }
}
