//! The verifier of a function, from its environment.

use countersign_lambda_entry::{Setting, Settings, StartError};

use super::Verifier;

impl Verifier {
    /// The verifier that the deployment's settings describe.
    ///
    /// # Errors
    /// [`StartError`] when issuer or audience are missing or there is not exactly one usable source of keys.
    pub fn of(settings: &Settings) -> Result<Self, StartError> {
        let verifier = Self::new(
            settings.get(Setting::JwtHs256Secret),
            settings.get(Setting::JwtJwksUrl),
            settings.need(Setting::JwtIssuer)?,
            settings.need(Setting::JwtAudience)?,
            settings.allow_loopback(),
        );
        let name = "JWT_HS256_SECRET or JWT_JWKS_URL";
        verifier.map_err(|error| StartError::Invalid { name, reason: error.to_string() })
    }
}
