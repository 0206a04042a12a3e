//! One batch for describing a call and for making it.
//!
//! The step protocol describes a call right before it makes it. Describing needs connector and binding; making it needs
//! them again, the credential, and the breaker of the source. The plan says which credential and which source that was
//! when the run began, so that one request reads all four. What does not fit any more is read again by whoever needs it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use countersign_connector::{ConnectorId, ConnectorSource as _, CredentialId, Found, SourceError};
use countersign_identity::UserId;
use countersign_registry::action::ReadAhead;
use countersign_resilience::{Record, Report};
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
    pub(crate) found: Option<Kept<Named, Found>>,
    pub(crate) credential: Option<Kept<(UserId, CredentialId), Option<Item>>>,
    pub(crate) source: Option<Kept<String, Option<Record>>>,
    /// Good reports of the source that further calls will add to; they are written with the last of them.
    pub(crate) reports: Vec<Report>,
}

/// A part, for as many calls as were described together.
pub(crate) struct Kept<K, T> {
    of: K,
    read: T,
    uses: usize,
}

impl<K, T> Kept<K, T> {
    fn of(of: K, read: T, uses: usize) -> Self {
        Self { of, read, uses }
    }
}

/// What describing read last, for the calls that follow; each part is used once for each of them.
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

    /// The reports to write now: none when this one says that all is well as before, and further calls of the same source
    /// will report. When those are never made, because time is short or a call failed otherwise, the health of the source
    /// counts a few good calls less.
    pub(crate) fn reported(&self, subject: &str, report: &Report) -> Vec<Report> {
        let mut read = self.lock();
        let more = read.source.as_ref().filter(|kept| kept.of == subject);
        let waits = more.is_some_and(|kept| changes_nothing(kept.read.as_ref(), report));
        if waits {
            read.reports.push(report.clone());
            return Vec::new();
        }
        let mut reports = std::mem::take(&mut read.reports);
        reports.push(report.clone());
        reports
    }
}

/// Whether a good call finds the breaker as good as it leaves it.
fn changes_nothing(before: Option<&Record>, report: &Report) -> bool {
    let before = before.cloned().unwrap_or_default();
    report.error.is_none() && before.after(report).breaker == before.breaker
}

/// What was read of exactly this, while calls it was read for are left. Another question means that it no longer fits.
fn taken<K: PartialEq, T: Clone>(slot: &mut Option<Kept<K, T>>, of: &K) -> Option<T> {
    let mut kept = slot.take().filter(|kept| kept.of == *of)?;
    kept.uses -= 1;
    let read = kept.read.clone();
    if kept.uses > 0 {
        *slot = Some(kept);
    }
    Some(read)
}

impl Stores {
    /// Connector, binding, and what `ahead` names, with one request, for so many calls. When that fails, connector and binding alone: the
    /// rest is a help.
    pub(crate) async fn read(
        &self,
        named: Named,
        ahead: Option<&ReadAhead>,
        calls: usize,
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
                let kept = Some(Kept::of(named, found.clone(), calls));
                return Ok((found, Read { found: kept, ..Read::default() }));
            }
        };
        let credential = credential.zip(credential_at);
        let credential =
            credential.map(|(id, at)| Kept::of((owner.clone(), id), read.remove(&at), calls));
        let source = source.zip(source_at);
        let source = source.and_then(|(subject, at)| {
            let record = read.remove(&at).map(|item| self.egress.record(item)).transpose();
            Some(Kept::of(subject, record.ok()?, calls))
        });
        let found = self.catalog.found(&of_catalog, &mut read);
        let found = found.map_err(|error| Box::new(error) as SourceError)?;
        let kept = Some(Kept::of(named, found.clone(), calls));
        Ok((found, Read { found: kept, credential, source, reports: Vec::new() }))
    }
}

#[cfg(test)]
mod tests {
    use countersign_resilience::Verdict;

    use super::*;

    fn read(of: Named, id: (UserId, CredentialId), calls: usize) -> Read {
        Read {
            found: Some(Kept::of(of, Found { connector: None, binding: None }, calls)),
            credential: Some(Kept::of(id, None, calls)),
            source: Some(Kept::of("subject".to_owned(), None, calls)),
            reports: Vec::new(),
        }
    }

    fn report(error: Option<&'static str>) -> Report {
        let verdict = if error.is_some() { Verdict::Failure } else { Verdict::Success };
        let at = jiff::Timestamp::UNIX_EPOCH;
        Report { holder: "k".to_owned(), verdict, error, latency: None, at }
    }

    #[test]
    fn what_was_read_for_several_calls_serves_each_and_their_good_reports_are_written_together() {
        let owner = UserId::from_bytes([1; 16]);
        let of = (owner.clone(), "prof_1".to_owned(), ConnectorId::parse("bank").unwrap());
        let id = (owner, CredentialId::from_bytes([7; 16]));
        let (ahead, subject) = (Ahead::default(), "subject".to_owned());
        ahead.keep(read(of.clone(), id.clone(), 3));
        let call = || {
            assert!(ahead.found(&of).is_some() && ahead.credential(&id).is_some());
            ahead.source(&subject).is_some()
        };
        assert!(call());
        assert_eq!(ahead.reported(&subject, &report(None)), []);
        assert!(call());
        let failed = report(Some("CONNECTOR_UNAVAILABLE"));
        assert_eq!(ahead.reported(&subject, &failed), [report(None), failed]);
        assert!(call());
        assert_eq!(ahead.reported(&subject, &report(None)), [report(None)], "the last of them");
        assert!(ahead.found(&of).is_none(), "a fourth call reads for itself");
    }

    #[test]
    fn what_describing_read_is_used_once_and_for_the_same_call_only() {
        let owner = UserId::from_bytes([1; 16]);
        let of =
            |name: &str| (owner.clone(), "prof_1".to_owned(), ConnectorId::parse(name).unwrap());
        let id = |byte| (owner.clone(), CredentialId::from_bytes([byte; 16]));
        let read = || read(of("bank"), id(7), 1);
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
