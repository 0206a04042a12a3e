//! Breakers and health: one item a source, changed under its version.

use std::time::Duration;

use countersign_resilience::{Admitted, LimitKey, Report, SourceState};
use countersign_store_kit::{Expr, Key, StoreError, Write, decode};
use jiff::Timestamp;

use crate::{EgressStore, TRIES};

/// How long a source is remembered after its last call, in seconds.
const KEPT: i64 = 30 * 86_400;

pub(crate) fn key(subject: &str) -> Key {
    Key::new(format!("STANDING#{subject}"), "STANDING")
}

/// What became of a change.
enum Change {
    Stored,
    /// Somebody else was faster; this is how it stands.
    Lost(Option<SourceState>),
}

impl EgressStore {
    /// A closed or open breaker is one read; the probe is one read and one write.
    pub(crate) async fn ask(
        &self,
        subject: &LimitKey,
        holder: &str,
        now: Timestamp,
        lease: Duration,
    ) -> Result<Admitted, StoreError> {
        let seen: Option<SourceState> = self.table.get(&key(subject.as_str())).await?;
        self.ask_seen(subject, holder, now, lease, seen).await
    }

    /// The same with the record as it was read a moment ago. Should it have changed, the write that depends on it fails
    /// and finds the one that stands.
    pub(crate) async fn ask_seen(
        &self,
        subject: &LimitKey,
        holder: &str,
        now: Timestamp,
        lease: Duration,
        seen: Option<SourceState>,
    ) -> Result<Admitted, StoreError> {
        let (key, mut seen) = (key(subject.as_str()), seen);
        for _ in 0..TRIES {
            let known = seen.clone().unwrap_or_default();
            let (admission, next) = known.breaker.admit(holder, now, lease);
            let Some(breaker) = next else { return Ok(Admitted { admission, seen }) };
            let next = known.with_breaker(breaker);
            match self.change(&key, seen.as_ref(), &next, now).await? {
                Change::Stored => return Ok(Admitted { admission, seen: Some(next) }),
                Change::Lost(current) => seen = current,
            }
        }
        Err(self.contended())
    }

    /// One write when nobody else reported since the admission.
    pub(crate) async fn tell(
        &self,
        subject: &LimitKey,
        seen: Option<SourceState>,
        report: &Report,
    ) -> Result<(), StoreError> {
        let (key, mut seen) = (key(subject.as_str()), seen);
        for _ in 0..TRIES {
            let next = seen.clone().unwrap_or_default().after(report);
            match self.change(&key, seen.as_ref(), &next, report.at).await? {
                Change::Stored => return Ok(()),
                Change::Lost(current) => seen = current,
            }
        }
        Err(self.contended())
    }

    async fn change(
        &self,
        key: &Key,
        seen: Option<&SourceState>,
        next: &SourceState,
        now: Timestamp,
    ) -> Result<Change, StoreError> {
        let unchanged = match seen {
            None => Expr::absent(),
            Some(seen) => Expr::new("#version = :seen").bind("seen", &seen.version)?,
        };
        let expires = now.as_second().saturating_add(KEPT);
        let write = Write::put(key, next)?.when(unchanged).expires_at(expires);
        match self.table.write(write).await {
            Ok(()) => Ok(Change::Stored),
            Err(StoreError::ConditionFailed { item, .. }) => {
                let current = item.map(|item| decode(self.table.name(), *item)).transpose()?;
                Ok(Change::Lost(current))
            }
            Err(error) => Err(error),
        }
    }

    fn contended(&self) -> StoreError {
        let reason = format!("others changed the item {TRIES} times in a row");
        StoreError::Unavailable { table: self.table.name().to_owned(), reason }
    }
}
