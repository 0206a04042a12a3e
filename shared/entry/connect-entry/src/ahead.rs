//! One batch for describing a call and for making it.
//!
//! The step protocol describes a call right before it makes it. Describing needs connector and binding; making it needs
//! them again, the credential, and the breaker of the source. The plan says which credential and which source that was
//! when the run began, so that one request reads all four. What does not fit any more is read again by whoever needs it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use countersign_connector::{
    AgentConnector, ConnectorSource as _, CredentialId, Found, SourceError,
};
use countersign_identity::UserId;
use countersign_registry::action::ReadAhead;
use countersign_resilience::SourceState;
use countersign_store_catalog::Catalog;
use countersign_store_egress::EgressStore;
use countersign_store_kit::{Item, Lookup, StoreError, Table};
use countersign_store_vault::VaultStore;

/// The stores of a call, and a table whose client reaches all of theirs.
#[derive(Clone)]
pub(crate) struct Stores {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) vault: Arc<VaultStore>,
    pub(crate) egress: Arc<EgressStore>,
    pub(crate) across: Table,
}

/// For how long what was read is used: as long as a step over a list uses the rights of its runner.
const MAX_AGE: Duration = Duration::from_secs(10);

/// Something that was read, of what and when.
type Kept<K, T> = Option<(K, T, Instant)>;

/// What was read. The credential is kept as it is stored: sealed.
#[derive(Default)]
pub(crate) struct Read {
    found: Kept<AgentConnector, Found>,
    credential: Kept<(UserId, CredentialId), Option<Item>>,
    source: Kept<String, Option<SourceState>>,
    /// Whether the last report of the source was a success, and written.
    told: bool,
}

/// What describing read last, for the calls that follow.
#[derive(Default)]
pub(crate) struct Ahead(Mutex<Read>);

impl Ahead {
    fn lock(&self) -> MutexGuard<'_, Read> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces what was kept before.
    pub(crate) fn keep(&self, read: Read) {
        *self.lock() = read;
    }

    pub(crate) fn found(&self, of: &AgentConnector) -> Option<Found> {
        fresh(&self.lock().found, of)
    }

    pub(crate) fn credential(&self, of: &(UserId, CredentialId)) -> Option<Option<Item>> {
        fresh(&self.lock().credential, of)
    }

    pub(crate) fn source(&self, subject: &String) -> Option<Option<SourceState>> {
        fresh(&self.lock().source, subject)
    }

    pub(crate) fn keep_found(&self, of: AgentConnector, found: Found) {
        self.lock().found = now(of, found);
    }

    pub(crate) fn keep_credential(&self, of: (UserId, CredentialId), item: Option<Item>) {
        self.lock().credential = now(of, item);
    }

    /// A record that was read: what is heard of its source from here on is news.
    pub(crate) fn keep_source(&self, subject: String, record: Option<SourceState>) {
        let mut kept = self.lock();
        (kept.source, kept.told) = (now(subject, record), false);
    }

    /// A record as it was just written.
    pub(crate) fn wrote_source(&self, subject: String, record: SourceState) {
        self.lock().source = now(subject, Some(record));
    }

    /// Whether a success has to be written: the first, and the first after something else. Those of a list that
    /// follow say the same again.
    pub(crate) fn is_news(&self, subject: &str, is_success: bool) -> bool {
        let mut kept = self.lock();
        let known = kept.source.as_ref().is_some_and(|(known, ..)| known == subject);
        let repeats = known && is_success && kept.told;
        kept.told = known && is_success;
        !repeats
    }
}

fn now<K, T>(of: K, read: T) -> Kept<K, T> {
    Some((of, read, Instant::now()))
}

/// What was read of exactly this a moment ago.
fn fresh<K: PartialEq, T: Clone>(kept: &Kept<K, T>, of: &K) -> Option<T> {
    let (known, read, at) = kept.as_ref()?;
    (known == of && at.elapsed() < MAX_AGE).then(|| read.clone())
}

impl Stores {
    /// One item, as a batch reads it.
    pub(crate) async fn item(&self, at: Lookup) -> Result<Option<Item>, StoreError> {
        Ok(self.across.get_across(std::slice::from_ref(&at)).await?.remove(&at))
    }

    /// Connector, binding, and what `ahead` names, with one request. When that fails, connector and binding alone: the
    /// rest is a help.
    pub(crate) async fn read(
        &self,
        of: AgentConnector,
        ahead: Option<&ReadAhead>,
    ) -> Result<(Found, Read), SourceError> {
        let owner = &of.owner;
        let of_catalog = self.catalog.lookups(&of);
        let credential = ahead.and_then(|ahead| ahead.credential.as_deref());
        let credential = credential.and_then(|id| CredentialId::parse(id).ok());
        let credential_at = credential.as_ref().map(|id| self.vault.lookup(owner, id));
        let source = ahead.and_then(|ahead| ahead.source.clone());
        let source_at = source.as_ref().map(|subject| self.egress.lookup(subject));
        let mut wanted: Vec<Lookup> = of_catalog.all();
        wanted.extend(credential_at.iter().chain(&source_at).cloned());
        let mut read = match self.across.get_across(&wanted).await {
            Ok(read) => read,
            Err(error) => {
                tracing::warn!(%error, "reading one after the other");
                let found = self.catalog.bound(&of).await?;
                let kept = now(of, found.clone());
                return Ok((found, Read { found: kept, ..Read::default() }));
            }
        };
        let credential = credential.zip(credential_at);
        let credential = credential.and_then(|(id, at)| now((owner.clone(), id), read.remove(&at)));
        let source = source.zip(source_at);
        let source = source.and_then(|(subject, at)| {
            let record = read.remove(&at).map(|item| self.egress.record(item)).transpose();
            now(subject, record.ok()?)
        });
        let found = self.catalog.found(&of_catalog, &mut read);
        let found = found.map_err(|error| Box::new(error) as SourceError)?;
        let kept = now(of, found.clone());
        Ok((found, Read { found: kept, credential, source, told: false }))
    }
}

#[cfg(test)]
mod tests {
    use countersign_connector::ConnectorId;

    use super::*;

    #[test]
    fn what_describing_read_is_used_for_the_same_call_only() {
        let owner = UserId::from_bytes([1; 16]);
        let of = |name: &str| AgentConnector {
            owner: owner.clone(),
            profile: "prof_1".to_owned(),
            connector: ConnectorId::parse(name).unwrap(),
        };
        let id = |byte| (owner.clone(), CredentialId::from_bytes([byte; 16]));
        let (subject, moved) = ("subject".to_owned(), "moved".to_owned());
        let ahead = Ahead::default();
        ahead.keep(Read {
            found: now(of("bank"), Found { connector: None, binding: None }),
            credential: now(id(7), None),
            source: now(subject.clone(), None),
            told: false,
        });
        for _ in 0..2 {
            assert!(ahead.found(&of("bank")).is_some());
            assert_eq!(
                (ahead.credential(&id(7)), ahead.source(&subject)),
                (Some(None), Some(None))
            );
        }
        assert!(ahead.found(&of("other")).is_none(), "another call reads for itself");
        assert!(ahead.credential(&id(8)).is_none(), "a credential entered since is read");
        assert!(ahead.source(&moved).is_none());
        ahead.keep(Read::default());
        assert!(ahead.found(&of("bank")).is_none(), "what was read for an earlier step is gone");
    }

    #[test]
    fn what_is_old_is_read_again() {
        let old = Instant::now().checked_sub(MAX_AGE).unwrap();
        assert_eq!(fresh(&Some(("a", 1, Instant::now())), &"a"), Some(1));
        assert_eq!(fresh(&Some(("a", 1, old)), &"a"), None);
    }

    #[test]
    fn successes_in_a_row_are_written_once() {
        let ahead = Ahead::default();
        assert!(
            ahead.is_news("bank", true) && ahead.is_news("bank", true),
            "nothing was read of it"
        );
        ahead.keep_source("bank".to_owned(), None);
        let said = [true, true, false, false, true, true];
        let news = said.map(|success| ahead.is_news("bank", success));
        assert_eq!(news, [true, false, true, true, true, false]);
        ahead.keep_source("other".to_owned(), None);
        assert!(ahead.is_news("other", true));
        ahead.keep(Read::default());
        assert!(ahead.is_news("other", true));
    }
}
