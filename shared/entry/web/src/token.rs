//! Verifying JSON Web Tokens: the one module the API and the authorizer share.
//!
//! A deployment has exactly one source of keys: a shared HS256 secret (local stacks) or the issuer's published keys
//! (JWKS), a Cognito user pool among them. The algorithm follows from the key, never from the token; issuer, audience, issue
//! and expiry are required, and clocks may differ by [`LEEWAY_SECONDS`].

mod claims;
mod error;
mod jwks;
mod settings;

pub use claims::Claims;
pub use error::TokenError;
pub use jwks::Jwks;

use countersign_identity::Presented;
use futures::future::BoxFuture;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use url::Url;

/// How far clocks may differ.
pub const LEEWAY_SECONDS: u64 = 30;

/// No token is longer.
pub const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// No secret is shorter: HS256 wants as many bits as its digest has.
pub const MIN_SECRET_BYTES: usize = 32;

/// Where keys come from.
enum Keys {
    Secret(DecodingKey),
    Published(Jwks),
}

/// Verifies the tokens of one deployment.
pub struct Verifier {
    keys: Keys,
    issuer: String,
    audience: String,
}

/// Why a verifier cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKeys {
    /// Both or neither.
    #[error("exactly one of a shared secret and a JWKS address must be set")]
    NotExactlyOne,
    /// Guessable.
    #[error("the shared secret has fewer than {MIN_SECRET_BYTES} bytes")]
    ShortSecret,
    /// Not an address keys may be fetched from.
    #[error("the JWKS address must be an https address")]
    Address,
    /// The HTTP client could not be built.
    #[error("the client for the JWKS address could not be built")]
    Client,
    /// A token without issuer or audience would be good everywhere.
    #[error("issuer and audience must not be empty")]
    Unbound,
}

impl Verifier {
    /// A verifier for the deployment's settings. `loopback` allows a JWKS address on this machine, for tests.
    ///
    /// # Errors
    /// [`InvalidKeys`] when the settings do not name exactly one usable source of keys.
    pub fn new(
        secret: Option<&str>,
        jwks: Option<&str>,
        issuer: &str,
        audience: &str,
        loopback: bool,
    ) -> Result<Self, InvalidKeys> {
        if issuer.is_empty() || audience.is_empty() {
            return Err(InvalidKeys::Unbound);
        }
        let keys = match (secret, jwks) {
            (Some(secret), None) if secret.len() < MIN_SECRET_BYTES => {
                return Err(InvalidKeys::ShortSecret);
            }
            (Some(secret), None) => Keys::Secret(DecodingKey::from_secret(secret.as_bytes())),
            (None, Some(address)) => {
                let address = Url::parse(address).map_err(|_| InvalidKeys::Address)?;
                Keys::Published(Jwks::new(address, loopback)?)
            }
            _ => return Err(InvalidKeys::NotExactlyOne),
        };
        Ok(Self { keys, issuer: issuer.to_owned(), audience: audience.to_owned() })
    }

    /// Verifies a token and reads what it presents. What its holder may do is the directory's to say.
    ///
    /// # Errors
    /// [`TokenError`] names what is wrong.
    pub fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Presented, TokenError>> {
        Box::pin(async move {
            if token.len() > MAX_TOKEN_BYTES {
                return Err(TokenError::Malformed);
            }
            let header = decode_header(token).map_err(|error| TokenError::of_header(&error))?;
            if header.crit.is_some() {
                // RFC 7515, 4.1.11: who does not understand what is critical must refuse the token.
                return Err(TokenError::Critical);
            }
            let (key, algorithm) = match &self.keys {
                Keys::Secret(key) => (key.clone(), Algorithm::HS256),
                Keys::Published(jwks) => {
                    jwks.key(header.kid.as_deref().ok_or(TokenError::UnknownKey)?).await?
                }
            };
            if header.alg != algorithm {
                return Err(TokenError::Algorithm);
            }
            let data = decode::<Claims>(token, &key, &self.validation(algorithm))
                .map_err(|error| TokenError::of(&error))?;
            self.present(data.claims)
        })
    }

    fn validation(&self, algorithm: Algorithm) -> Validation {
        let mut validation = Validation::new(algorithm);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        // Of the audience `Claims` makes sure: access tokens of a user pool name it in another claim.
        validation.validate_aud = false;
        validation.set_required_spec_claims(&["exp", "iss", "sub"]);
        validation
    }

    fn present(&self, claims: Claims) -> Result<Presented, TokenError> {
        let now = jiff::Timestamp::now().as_second();
        if claims.iat > now.saturating_add(LEEWAY_SECONDS.cast_signed()) {
            // A token from the future would outlive "every token issued before now is void".
            return Err(TokenError::NotYetValid);
        }
        claims.presented(&self.audience, matches!(self.keys, Keys::Published(_)))
    }
}

#[cfg(test)]
mod tests;
