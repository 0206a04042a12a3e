//! Secrets that were read a moment ago.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use countersign_connector::Secret;

/// More names than this are not kept: a library has a few dozen.
const MOST: usize = 100;

/// What was read, with the time until which it counts.
pub(crate) struct SecretCache {
    fresh: Duration,
    found: HashMap<String, (Instant, Option<Secret>)>,
}

impl SecretCache {
    pub(crate) fn new(fresh: Duration) -> Self {
        Self { fresh, found: HashMap::new() }
    }

    /// What is known of a name: a secret, or that there is none; nothing when it has to be read.
    pub(crate) fn get(&self, name: &str, now: Instant) -> Option<Option<Secret>> {
        let (until, found) = self.found.get(name)?;
        (now < *until).then(|| found.clone())
    }

    pub(crate) fn keep(&mut self, name: &str, found: Option<Secret>, now: Instant) {
        if self.found.len() >= MOST {
            self.found.retain(|_, (until, _)| now < *until);
        }
        if self.found.len() < MOST {
            self.found.insert(name.to_owned(), (now + self.fresh, found));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use countersign_connector::Secret;

    use super::{MOST, SecretCache};

    #[test]
    fn k_37_a_secret_is_read_again_after_its_time_and_their_number_is_bounded() {
        let (now, fresh) = (Instant::now(), Duration::from_secs(300));
        let later = now + fresh;
        let mut kept = SecretCache::new(fresh);
        let secret = Some(Secret::new("a key".to_owned()));
        kept.keep("KEY", secret.clone(), now);
        kept.keep("NONE", None, now);
        assert_eq!(kept.get("KEY", now), Some(secret));
        assert_eq!(kept.get("NONE", now), Some(None), "that there is none is known");
        assert_eq!(kept.get("OTHER", now), None);
        assert_eq!(kept.get("KEY", later), None);
        for n in 0..2 * MOST {
            kept.keep(&format!("KEY_{n}"), None, now);
        }
        assert_eq!(kept.found.len(), MOST);
        kept.keep("NEW", None, later);
        assert_eq!(kept.found.len(), 1, "what is old makes room");
    }
}
