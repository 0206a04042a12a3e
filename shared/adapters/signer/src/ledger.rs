//! Signatures of the ledger's checkpoints.

use aws_sdk_kms::Client;
use aws_sdk_kms::primitives::Blob;
use aws_sdk_kms::types::{MessageType, SigningAlgorithmSpec};
use countersign_approval::Tenant;
use countersign_approval::chain::{Checkpoint, Head};
use countersign_aws::{AwsConfig, LazyClient};
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::error::SignerError;

/// An ECDSA key on P-256 in KMS.
#[derive(Debug, Clone)]
pub struct LedgerKey {
    client: LazyClient<Client>,
    key: String,
}

impl LedgerKey {
    /// The key of this id, ARN or alias.
    #[must_use]
    #[inline]
    pub fn new(aws: &AwsConfig, key: impl Into<String>) -> Self {
        Self { client: LazyClient::of(aws, Client::new), key: key.into() }
    }

    /// Signs that the chain of `tenant` ended with `head` at this time.
    ///
    /// # Errors
    /// [`SignerError`] when KMS does not sign.
    pub fn checkpoint<'a>(
        &'a self,
        tenant: &'a Tenant,
        head: &'a Head,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<Checkpoint, SignerError>> {
        Box::pin(async move {
            let message = Checkpoint::message(tenant, head, at);
            let request = self.client.sign().key_id(&self.key).message(Blob::new(message));
            let request = request
                .message_type(MessageType::Raw)
                .signing_algorithm(SigningAlgorithmSpec::EcdsaSha256);
            let sent = request.send().await.map(|answer| answer.signature);
            let signature = SignerError::bytes("signing a checkpoint", sent)?;
            Ok(Checkpoint::signed(tenant.clone(), head, at, &signature))
        })
    }

    /// The public key, DER, to hand to everybody who wants to verify.
    ///
    /// # Errors
    /// [`SignerError`] when KMS does not give it.
    pub fn public_key(&self) -> BoxFuture<'_, Result<Vec<u8>, SignerError>> {
        Box::pin(async move {
            let sent = self.client.get_public_key().key_id(&self.key).send().await;
            let held = sent.map(|answer| answer.public_key);
            SignerError::bytes("reading the ledger's public key", held)
        })
    }
}
