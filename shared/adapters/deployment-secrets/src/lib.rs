//! The deployment's own credentials. Those of shipped connectors (K-37): one secret of Secrets Manager for each name that an
//! `env_var` has, `{stack}/connectors/{name}`. Those of model providers: `{stack}/models/{provider}`. Who may use one of a
//! connector is decided in `countersign_connector`; here they are read.

mod cache;
mod error;

use std::sync::Mutex;
use std::time::{Duration, Instant};

use aws_sdk_secretsmanager::Client;
use aws_sdk_secretsmanager::error::{ProvideErrorMetadata, SdkError};
use countersign_aws::{AwsConfig, CallFailure, LazyClient};
use countersign_connector::{DeploymentSecrets, Secret, SourceError, SourceFuture};

pub use error::DeploymentSecretError;

use self::cache::SecretCache;

/// How long a secret is used before it is read again, so that a new value counts soon.
const FRESH: Duration = Duration::from_secs(300);
/// The longest value that is a credential.
const LARGEST: usize = 4_096;

/// Reads the deployment's secrets, each at most once in five minutes; that there is none is kept too.
pub struct SecretsManager {
    client: LazyClient<Client>,
    prefix: String,
    kept: Mutex<SecretCache>,
}

impl SecretsManager {
    /// The secrets of the connectors of the stack of this name.
    #[must_use]
    pub fn connectors(aws: &AwsConfig, stack: &str) -> Self {
        Self::below(aws, format!("{stack}/connectors"))
    }

    /// The secrets of its model providers.
    #[must_use]
    pub fn models(aws: &AwsConfig, stack: &str) -> Self {
        Self::below(aws, format!("{stack}/models"))
    }

    fn below(aws: &AwsConfig, prefix: String) -> Self {
        let client = LazyClient::of(aws, Client::new);
        Self { client, prefix, kept: Mutex::new(SecretCache::new(FRESH)) }
    }

    async fn read(&self, name: &str) -> Result<Option<Secret>, DeploymentSecretError> {
        let id = format!("{}/{name}", self.prefix);
        let sent = self.client.get_secret_value().secret_id(&id).send().await;
        let answer = match sent {
            Ok(answer) => answer,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(failed(&id, &error)),
        };
        let value = answer.secret_string.unwrap_or_default();
        let value = value.trim();
        if value.is_empty() || value.len() > LARGEST || value.chars().any(char::is_control) {
            return Err(DeploymentSecretError::Form(id));
        }
        Ok(Some(Secret::new(value.to_owned())))
    }
}

impl DeploymentSecrets for SecretsManager {
    fn secret<'a>(&'a self, name: &'a str) -> SourceFuture<'a, Option<Secret>> {
        Box::pin(async move {
            let lock = || self.kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let known = lock().get(name, Instant::now());
            if let Some(known) = known {
                return Ok(known);
            }
            let read = self.read(name).await.map_err(|error| Box::new(error) as SourceError)?;
            lock().keep(name, read.clone(), Instant::now());
            Ok(read)
        })
    }
}

/// There is none: it was never made, or its removal is scheduled.
fn is_missing<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> bool {
    let code = error.as_service_error().and_then(ProvideErrorMetadata::code);
    matches!(code, Some("ResourceNotFoundException" | "InvalidRequestException"))
}

fn failed<E: ProvideErrorMetadata, R>(id: &str, error: &SdkError<E, R>) -> DeploymentSecretError {
    CallFailure::of(error).into_error(
        |reason| DeploymentSecretError::Unavailable { secret: id.to_owned(), reason },
        |reason| DeploymentSecretError::Refused { secret: id.to_owned(), reason },
    )
}
