//! Sealing and opening.

use std::fmt;
use std::sync::Arc;

use aes_gcm::aead::{Aead, Generate, Payload};
use aes_gcm::{Aes256Gcm, Key, KeyInit, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::error::VaultError;

/// What a sealed record belongs to. It opens only with exactly these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Whose it is.
    pub owner: String,
    /// Its own id.
    pub record: String,
    /// What it is for, such as a connector.
    pub purpose: String,
}

impl Bound {
    pub(crate) fn parts(&self) -> [(&'static str, &str); 3] {
        [("owner", &self.owner), ("record", &self.record), ("purpose", &self.purpose)]
    }

    /// The cipher's additional data: each part with its length, so that no two bindings look the same.
    fn additional_data(&self) -> Vec<u8> {
        let mut data = b"countersign/vault/v1".to_vec();
        for (_, part) in self.parts() {
            data.extend((part.len() as u64).to_be_bytes());
            data.extend(part.as_bytes());
        }
        data
    }
}

/// A data key, plain and wrapped. Its debug form shows neither.
#[derive(Clone)]
pub struct DataKey {
    plain: [u8; 32],
    wrapped: Vec<u8>,
}

impl DataKey {
    /// A key and its wrapped form.
    #[must_use]
    pub fn new(plain: [u8; 32], wrapped: Vec<u8>) -> Self {
        Self { plain, wrapped }
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey(redacted)")
    }
}

/// Makes and unwraps data keys.
pub trait Keys: Send + Sync {
    /// A new data key for a record.
    fn generate<'a>(&'a self, bound: &'a Bound) -> BoxFuture<'a, Result<DataKey, VaultError>>;

    /// The data key in its wrapped form, for the record it was made for.
    fn unwrap<'a>(
        &'a self,
        wrapped: &'a [u8],
        bound: &'a Bound,
    ) -> BoxFuture<'a, Result<DataKey, VaultError>>;
}

/// A sealed record, safe to store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// The form; 1.
    pub version: u8,
    /// The wrapped data key, base64.
    pub key: String,
    /// The nonce, base64.
    pub nonce: String,
    /// Cipher text and tag, base64.
    pub text: String,
}

/// Seals and opens records.
#[derive(Clone)]
pub struct Vault {
    keys: Arc<dyn Keys>,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault")
    }
}

impl Vault {
    /// A vault whose data keys come from `keys`.
    #[must_use]
    #[inline]
    pub fn new(keys: Arc<dyn Keys>) -> Self {
        Self { keys }
    }

    /// Seals bytes for a record.
    pub fn seal<'a>(
        &'a self,
        bound: &'a Bound,
        plain: &'a [u8],
    ) -> BoxFuture<'a, Result<Sealed, VaultError>> {
        Box::pin(async move {
            let key = self.keys.generate(bound).await?;
            let nonce = Nonce::generate();
            let payload = Payload { msg: plain, aad: &bound.additional_data() };
            let text = cipher(&key)
                .encrypt(&nonce, payload)
                .map_err(|_| VaultError::Form("it is too large"))?;
            Ok(Sealed {
                version: 1,
                key: STANDARD.encode(&key.wrapped),
                nonce: STANDARD.encode(nonce),
                text: STANDARD.encode(text),
            })
        })
    }

    /// Opens a sealed record.
    pub async fn open(&self, bound: &Bound, sealed: &Sealed) -> Result<Vec<u8>, VaultError> {
        if sealed.version != 1 {
            return Err(VaultError::Form("its version is not 1"));
        }
        let bytes =
            |text: &str| STANDARD.decode(text).map_err(|_| VaultError::Form("it is not base64"));
        let nonce: [u8; 12] = bytes(&sealed.nonce)?
            .try_into()
            .map_err(|_| VaultError::Form("its nonce is not of 12 bytes"))?;
        let text = bytes(&sealed.text)?;
        let key = self.keys.unwrap(&bytes(&sealed.key)?, bound).await?;
        let payload = Payload { msg: &text, aad: &bound.additional_data() };
        cipher(&key).decrypt(&nonce.into(), payload).map_err(|_| VaultError::NotAuthentic)
    }
}

fn cipher(key: &DataKey) -> Aes256Gcm {
    Aes256Gcm::new(&Key::<Aes256Gcm>::from(key.plain))
}
