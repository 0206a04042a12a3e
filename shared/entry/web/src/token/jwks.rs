//! The issuer's published keys, fetched when needed and kept for a while.

use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey};
use tokio::sync::Mutex;
use url::{Host, Url};

use super::{InvalidKeys, TokenError};

/// Fetched keys are good for this long.
const FRESH: Duration = Duration::from_secs(3600);
/// A key we do not know is looked for at most this often, so that forged key ids cannot make us hammer the issuer.
const PATIENCE: Duration = Duration::from_secs(60);
/// No answer is longer.
const MAX_BYTES: usize = 256 * 1024;

/// Keys behind an address.
pub struct Jwks {
    address: Url,
    client: reqwest::Client,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    keys: JwkSet,
    fetched: Option<Instant>,
    tried: Option<Instant>,
}

impl Jwks {
    pub(crate) fn new(address: Url, loopback: bool) -> Result<Self, InvalidKeys> {
        let is_local = match address.host() {
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        if address.scheme() != "https" && !(loopback && is_local && address.scheme() == "http") {
            return Err(InvalidKeys::Address);
        }
        let client = reqwest::Client::builder()
            .timeout(Duration::from_secs(5))
            .redirect(reqwest::redirect::Policy::none());
        let client = client.build().map_err(|_| InvalidKeys::Client)?;
        Ok(Self { address, client, cache: Mutex::new(Cache::default()) })
    }

    /// The key of this id, and the algorithm it is used with.
    pub(crate) async fn key(&self, id: &str) -> Result<(DecodingKey, Algorithm), TokenError> {
        let mut cache = self.cache.lock().await;
        let fresh = cache.fetched.is_some_and(|at| at.elapsed() < FRESH);
        if let (true, Some(jwk)) = (fresh, cache.keys.find(id)) {
            return usable(jwk);
        }
        let patient = cache.tried.is_some_and(|at| at.elapsed() < PATIENCE);
        if !patient {
            cache.tried = Some(Instant::now());
            match self.fetch().await {
                Ok(keys) => {
                    cache.keys = keys;
                    cache.fetched = Some(Instant::now());
                }
                Err(error) => tracing::warn!(%error, "the issuer's keys could not be fetched"),
            }
        }
        // An issuer that is down for a while does not lock everybody out: keys known from before stay good.
        match (cache.keys.find(id), cache.fetched) {
            (Some(jwk), _) => usable(jwk),
            (None, Some(_)) => Err(TokenError::UnknownKey),
            (None, None) => Err(TokenError::KeysUnavailable),
        }
    }

    async fn fetch(&self) -> Result<JwkSet, FetchError> {
        let mut response =
            self.client.get(self.address.clone()).send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_BYTES {
                return Err(FetchError::TooLong);
            }
        }
        // Keys of kinds this library does not know are left out instead of failing the set.
        let set: Published = serde_json::from_slice(&body)?;
        Ok(JwkSet {
            keys: set.keys.into_iter().filter_map(|key| serde_json::from_value(key).ok()).collect(),
        })
    }
}

#[derive(serde::Deserialize)]
struct Published {
    keys: Vec<serde_json::Value>,
}

#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error("the answer is not a key set: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the answer is too long")]
    TooLong,
}

/// Signing keys of the two kinds we accept. Shared secrets have no place in a published set.
fn usable(jwk: &Jwk) -> Result<(DecodingKey, Algorithm), TokenError> {
    let algorithm = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => Algorithm::RS256,
        AlgorithmParameters::EllipticCurve(params) if params.curve == EllipticCurve::P256 => {
            Algorithm::ES256
        }
        _ => return Err(TokenError::UnknownKey),
    };
    let declared = match jwk.common.key_algorithm {
        None => Some(algorithm),
        Some(KeyAlgorithm::RS256) => Some(Algorithm::RS256),
        Some(KeyAlgorithm::ES256) => Some(Algorithm::ES256),
        Some(_) => None,
    };
    let signs = jwk
        .common
        .public_key_use
        .as_ref()
        .is_none_or(|purpose| *purpose == PublicKeyUse::Signature);
    if declared != Some(algorithm) || !signs {
        return Err(TokenError::UnknownKey);
    }
    let key = DecodingKey::from_jwk(jwk).map_err(|_| TokenError::UnknownKey)?;
    Ok((key, algorithm))
}
