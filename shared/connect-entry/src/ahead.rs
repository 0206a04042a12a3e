//! One batch for describing a call and for making it.
//!
//! The step protocol describes a call right before it makes it. Describing needs connector and binding; making it needs
//! them again, the credential, and the breaker of the source. The plan says which credential and which source that was
//! when the run began, so that one request reads all four. What does not fit any more is read again by whoever needs it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_connector::{ConnectorId, ConnectorSource as _, CredentialId, Found, SourceError};
use countersign_identity::UserId;
use countersign_registry::action::ReadAhead;
use countersign_resilience::Record;
use countersign_store_catalog::Catalog;
use countersign_store_egress::EgressStore;
use countersign_store_kit::{Item, Lookup, Table};
use countersign_store_vault::VaultStore;

/// The stores of a call, and a table whose client reaches all of theirs.
#[derive(Clone)]
pub(crate) struct Stores {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) vault: Arc<VaultStore>,
    pub(crate) egress: Arc<EgressStore>,
    pub(crate) across: Table,
}

/// Whose call of which connector, for which profile.
pub(crate) type Named = (UserId, String, ConnectorId);

/// What was read and not yet used. The credential is kept as it is stored: sealed.
#[derive(Default)]
pub(crate) struct Read {
    pub(crate) found: Option<(Named, Found)>,
    pub(crate) credential: Option<((UserId, CredentialId), Option<Item>)>,
    pub(crate) source: Option<(String, Option<Record>)>,
}

/// What describing read last, for the call that follows; each part is used once.
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

    pub(crate) fn found(&self, named: &Named) -> Option<Found> {
        taken(&mut self.lock().found, named)
    }

    pub(crate) fn credential(&self, of: &(UserId, CredentialId)) -> Option<Option<Item>> {
        taken(&mut self.lock().credential, of)
    }

    pub(crate) fn source(&self, subject: &String) -> Option<Option<Record>> {
        taken(&mut self.lock().source, subject)
    }
}

/// What was read of exactly this; afterwards nothing is kept.
fn taken<K: PartialEq, T>(kept: &mut Option<(K, T)>, of: &K) -> Option<T> {
    kept.take().filter(|(known, _)| known == of).map(|(_, read)| read)
}

impl Stores {
    /// Connector, binding, and what `ahead` names, with one request. When that fails, connector and binding alone: the
    /// rest is a help.
    pub(crate) async fn read(
        &self,
        named: Named,
        ahead: Option<&ReadAhead>,
    ) -> Result<(Found, Read), SourceError> {
        let (owner, profile, connector) = &named;
        let of_catalog = self.catalog.lookups(owner, profile, connector);
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
                let found = self.catalog.bound(owner, profile, connector).await?;
                let kept = Some((named, found.clone()));
                return Ok((found, Read { found: kept, ..Read::default() }));
            }
        };
        let credential = credential.zip(credential_at);
        let credential = credential.map(|(id, at)| ((owner.clone(), id), read.remove(&at)));
        let source = source.zip(source_at);
        let source = source.and_then(|(subject, at)| {
            let record = read.remove(&at).map(|item| self.egress.record(item)).transpose();
            Some((subject, record.ok()?))
        });
        let found = self.catalog.found(&of_catalog, &mut read);
        let found = found.map_err(|error| Box::new(error) as SourceError)?;
        let kept = Some((named, found.clone()));
        Ok((found, Read { found: kept, credential, source }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_describing_read_is_used_once_and_for_the_same_call_only() {
        let owner = UserId::from_bytes([1; 16]);
        let of =
            |name: &str| (owner.clone(), "prof_1".to_owned(), ConnectorId::parse(name).unwrap());
        let id = |byte| (owner.clone(), CredentialId::from_bytes([byte; 16]));
        let read = || Read {
            found: Some((of("bank"), Found { connector: None, binding: None })),
            credential: Some((id(7), None)),
            source: Some(("subject".to_owned(), None)),
        };
        let ahead = Ahead::default();
        ahead.keep(read());
        assert!(ahead.found(&of("bank")).is_some(), "it was handed over");
        assert!(ahead.found(&of("bank")).is_none(), "once");
        assert_eq!((ahead.credential(&id(7)), ahead.credential(&id(7))), (Some(None), None));
        let subject = "subject".to_owned();
        assert_eq!((ahead.source(&subject), ahead.source(&subject)), (Some(None), None));
        ahead.keep(read());
        assert!(ahead.found(&of("other")).is_none(), "another call reads for itself");
        assert!(ahead.credential(&id(8)).is_none(), "a credential entered since is read");
        assert!(ahead.source(&"moved".to_owned()).is_none());
        ahead.keep(Read::default());
        assert!(ahead.found(&of("bank")).is_none(), "what was read for an earlier call is gone");
    }
}
