//! Tokens bought with a client's id and secret, or with a person's consent (F-103), kept in memory until shortly before their end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_connector::oauth::{Token, token_key, token_request};
use countersign_connector::request::{Request, RequestError};
use countersign_connector::{Auth, Credential, Secret};
use countersign_identity::UserId;
use tokio::time::Instant;

/// Tokens kept at most; more owners than that at once only buy theirs again.
const MAX: usize = 256;

/// The tokens of one process. Clones share them.
#[derive(Clone, Default)]
pub struct Tokens(Arc<Mutex<HashMap<String, Kept>>>);

struct Kept {
    token: Secret,
    until: Instant,
}

impl Tokens {
    fn kept(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a caller gets its token.
#[derive(Clone)]
pub(crate) struct Login {
    auth: Auth,
    /// The token's name in [`Tokens`]; none when the connector needs no token.
    key: Option<String>,
    /// Whether the token in use was a kept one.
    from_memory: bool,
}

impl Login {
    pub(crate) fn new(owner: &UserId, auth: &Auth, credential: Option<&Credential>) -> Self {
        let key = credential.and_then(|credential| token_key(owner.as_str(), auth, credential));
        Self { auth: auth.clone(), key, from_memory: false }
    }

    /// How requests prove who sends them.
    pub(crate) fn auth(&self) -> &Auth {
        &self.auth
    }

    /// The kept token, while it is good.
    pub(crate) fn kept(&mut self, tokens: &Tokens) -> Option<Secret> {
        let all = tokens.kept();
        let found = all.get(self.key.as_ref()?).filter(|kept| kept.until > Instant::now());
        let token = found.map(|kept| kept.token.clone());
        self.from_memory = token.is_some();
        token
    }

    /// The request for a new token, when the connector needs one.
    pub(crate) fn request(&self, credential: &Credential) -> Result<Option<Request>, RequestError> {
        token_request(&self.auth, Some(credential))
    }

    /// Keeps a new token.
    pub(crate) fn keep(&mut self, tokens: &Tokens, token: Token) {
        self.from_memory = false;
        let (Some(key), Some(good_for)) = (&self.key, token.good_for) else { return };
        let now = Instant::now();
        let mut all = tokens.kept();
        all.retain(|_, kept| kept.until > now);
        if all.len() >= MAX
            && let Some(next) =
                all.iter().min_by_key(|(_, kept)| kept.until).map(|(key, _)| key.clone())
        {
            all.remove(&next);
        }
        all.insert(key.clone(), Kept { token: token.secret, until: now + good_for });
    }

    /// Drops the kept token, which the source refused; whether it came from memory, so that a new one may do better.
    pub(crate) fn forget(&mut self, tokens: &Tokens) -> bool {
        if let Some(key) = &self.key {
            tokens.kept().remove(key);
        }
        std::mem::take(&mut self.from_memory)
    }
}
