//! Which sessions tokens come from that this door accepts.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use countersign_failure::Failure as _;
use countersign_identity::Presented;
use countersign_store_directory::{Directory, SeenSession};
use jiff::Timestamp;
use tokio::time::timeout;

/// How long a request waits for that.
const AT_MOST: Duration = Duration::from_secs(1);

/// So many tokens are known again, so that each is written down once by this process.
const REMEMBERED: usize = 10_000;

/// Notes the sessions of people.
#[derive(Debug, Default)]
pub struct Sessions {
    /// The ids of tokens that were noted.
    noted: Mutex<HashSet<String>>,
}

impl Sessions {
    /// Notes the session of a token, if it is of one. No request fails because that could not be written, and none waits for it
    /// again: another process, or the session's next token, notes it.
    pub(crate) async fn note(&self, directory: &Directory, presented: &Presented) {
        let Some(seen) = seen(presented) else { return };
        if !self.is_new(&presented.token_id) {
            return;
        }
        match timeout(AT_MOST, directory.note_session(&presented.user, &seen)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(code = error.code(), "a session was not noted"),
            Err(_) => tracing::warn!("a session was not noted in time"),
        }
    }

    fn is_new(&self, token: &str) -> bool {
        let mut noted = self.lock();
        if noted.len() >= REMEMBERED {
            noted.clear();
        }
        noted.insert(token.to_owned())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is kept of the session of a token; none of a token that is of none, or does not end.
fn seen(presented: &Presented) -> Option<SeenSession> {
    Some(SeenSession {
        id: presented.session.clone()?,
        started_at: Timestamp::from_second(presented.issued_at).ok()?,
        valid_until: presented.expires_at?,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use countersign_identity::{Scopes, TokenUse, UserId};

    use super::*;

    #[test]
    fn r_104_a_session_is_noted_once_a_token_and_a_token_of_none_is_not() {
        let token = Presented {
            user: UserId::from_bytes([1; 16]),
            token_id: "t-1".to_owned(),
            session: Some("s-1".to_owned()),
            account: None,
            issued_at: 100,
            expires_at: Some(200),
            token_use: TokenUse::Login,
            scopes: Scopes::default(),
            capabilities: BTreeSet::new(),
            second_factor: false,
        };
        let known = seen(&token).unwrap();
        assert_eq!((known.id.as_str(), known.started_at.as_second()), ("s-1", 100));
        assert_eq!(known.valid_until, 200);
        assert_eq!(seen(&Presented { session: None, ..token.clone() }), None);
        assert_eq!(seen(&Presented { expires_at: None, ..token }), None);

        let sessions = Sessions::default();
        assert!(sessions.is_new("t-1") && !sessions.is_new("t-1") && sessions.is_new("t-2"));
        for n in 0..REMEMBERED {
            assert!(sessions.is_new(&format!("m-{n}")));
        }
        assert!(sessions.lock().len() <= REMEMBERED, "it stays small");
    }
}
