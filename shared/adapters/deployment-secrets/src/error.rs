//! What can go wrong with a secret of the deployment.

use countersign_failure::Failure;

/// Why a secret of the deployment could not be read. No variant holds any part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum DeploymentSecretError {
    /// Secrets Manager did not answer, or asked to slow down.
    #[error("the deployment's secret `{secret}` could not be read: {reason}")]
    #[failure(code = "DEPLOYMENT_SECRET_UNAVAILABLE", retryable)]
    Unavailable {
        /// Its name.
        secret: String,
        /// The service's own words.
        reason: String,
    },
    /// Secrets Manager refused: no permission, or a key that was switched off.
    #[error("reading the deployment's secret `{secret}` was refused: {reason}")]
    #[failure(
        code = "DEPLOYMENT_SECRET_REFUSED",
        help = "the operator checks the secret's key and policy; a credential of your own works meanwhile"
    )]
    Refused {
        /// Its name.
        secret: String,
        /// The service's own words.
        reason: String,
    },
    /// The value is empty, binary, too long or has control characters.
    #[error("the deployment's secret `{0}` is not a credential: it must be one line of text")]
    #[failure(
        code = "DEPLOYMENT_SECRET_FORM",
        help = "the operator stores it again, as plain text; a credential of your own works meanwhile"
    )]
    Form(String),
}
