//! MACs of links and nonces.

use aws_sdk_kms::Client;
use aws_sdk_kms::operation::verify_mac::VerifyMacError;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::MacAlgorithmSpec;
use countersign_approval::{Mac, MacError};
use countersign_aws::{AwsConfig, LazyClient};
use futures::future::BoxFuture;
use sha2::{Digest as _, Sha256};

use crate::error::SignerError;

/// An HMAC key in KMS. The key's policy lets functions make and check MACs and nobody read the key.
#[derive(Debug, Clone)]
pub struct KmsMac {
    client: LazyClient<Client>,
    key: String,
    short: String,
}

impl KmsMac {
    /// The key of this id, ARN or alias.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig, key: impl Into<String>) -> Self {
        let key = key.into();
        let short = hex::encode(&Sha256::digest(key.as_bytes())[..4]);
        Self { client: LazyClient::of(aws, Client::new), key, short }
    }
}

impl From<SignerError> for MacError {
    fn from(error: SignerError) -> Self {
        MacError { operation: error.operation, message: error.reason, class: error.class }
    }
}

impl Mac for KmsMac {
    fn key_id(&self) -> &str {
        &self.short
    }

    fn sign<'a>(&'a self, message: &'a [u8]) -> BoxFuture<'a, Result<Vec<u8>, MacError>> {
        Box::pin(async move {
            let mac = self.client.generate_mac().mac_algorithm(MacAlgorithmSpec::HmacSha256);
            let sent = mac.key_id(&self.key).message(Blob::new(message)).send().await;
            Ok(SignerError::bytes("signing a link", sent.map(|answer| answer.mac))?)
        })
    }

    fn verify<'a>(
        &'a self,
        message: &'a [u8],
        mac: &'a [u8],
    ) -> BoxFuture<'a, Result<bool, MacError>> {
        Box::pin(async move {
            let request = self.client.verify_mac().key_id(&self.key).message(Blob::new(message));
            let request = request.mac(Blob::new(mac)).mac_algorithm(MacAlgorithmSpec::HmacSha256);
            match request.send().await {
                Ok(answer) => Ok(answer.mac_valid),
                Err(error) => {
                    let service = error.as_service_error();
                    if service.is_some_and(VerifyMacError::is_kms_invalid_mac_exception) {
                        return Ok(false);
                    }
                    Err(SignerError::sdk("checking a link", &error).into())
                }
            }
        })
    }
}
