//! Data keys from KMS.

use std::collections::HashMap;

use aws_sdk_kms::Client;
use aws_sdk_kms::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::DataKeySpec;
use countersign_aws::{AwsConfig, CallFailure, LazyClient};
use futures::future::BoxFuture;

use crate::error::VaultError;
use crate::seal::{Bound, DataKey, Keys};

/// A symmetric key in KMS that wraps data keys.
#[derive(Debug, Clone)]
pub struct KmsKeys {
    client: LazyClient<Client>,
    key: String,
}

impl KmsKeys {
    /// The key of this id, ARN or alias.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig, key: impl Into<String>) -> Self {
        Self { client: LazyClient::of(aws, Client::new), key: key.into() }
    }
}

impl Keys for KmsKeys {
    fn generate<'a>(&'a self, bound: &'a Bound) -> BoxFuture<'a, Result<DataKey, VaultError>> {
        Box::pin(async move {
            let operation = "making a data key";
            let request =
                self.client.generate_data_key().key_id(&self.key).key_spec(DataKeySpec::Aes256);
            let sent = request.set_encryption_context(Some(context(bound))).send().await;
            let answer = sent.map_err(|error| sdk(operation, &error))?;
            let wrapped = answer.ciphertext_blob.map(Blob::into_inner);
            match (key_in(answer.plaintext), wrapped) {
                (Some(plain), Some(wrapped)) => Ok(DataKey::new(plain, wrapped)),
                _ => Err(VaultError::Refused {
                    operation,
                    reason: "the answer has no key of 32 bytes".to_owned(),
                }),
            }
        })
    }

    fn unwrap<'a>(
        &'a self,
        wrapped: &'a [u8],
        bound: &'a Bound,
    ) -> BoxFuture<'a, Result<DataKey, VaultError>> {
        Box::pin(async move {
            let operation = "unwrapping a data key";
            let request =
                self.client.decrypt().key_id(&self.key).ciphertext_blob(Blob::new(wrapped));
            let sent = request.set_encryption_context(Some(context(bound))).send().await;
            let answer = sent.map_err(|error| {
                match error.as_service_error().map(ProvideErrorMetadata::code) {
                    Some(Some("InvalidCiphertextException" | "IncorrectKeyException")) => {
                        VaultError::NotAuthentic
                    }
                    _ => sdk(operation, &error),
                }
            })?;
            let plain = key_in(answer.plaintext).ok_or(VaultError::NotAuthentic)?;
            Ok(DataKey::new(plain, wrapped.to_vec()))
        })
    }
}

/// The key in an answer, if it is one of 32 bytes.
fn key_in(plain: Option<Blob>) -> Option<[u8; 32]> {
    plain?.into_inner().try_into().ok()
}

fn context(bound: &Bound) -> HashMap<String, String> {
    bound.parts().map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

fn sdk<E: ProvideErrorMetadata, R>(operation: &'static str, error: &SdkError<E, R>) -> VaultError {
    CallFailure::of(error).into_error(
        |reason| VaultError::Unavailable { operation, reason },
        |reason| VaultError::Refused { operation, reason },
    )
}
