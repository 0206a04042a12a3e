//! The ledger of occurrences: one record for each due time, and a mark while something is still to happen.

use countersign_identity::UserId;
use countersign_run::{Head, Occurrence, OccurrenceId, OpenOccurrence, RunId};
use countersign_schedule::NOTED_TRIES;
use countersign_store_kit::{Expr, Page, Query, Window, Write};
use futures::TryFutureExt as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::record;
use crate::{Answer, Catalog, Result, keys};

/// How long an occurrence is kept, in seconds.
pub(crate) const KEPT: i64 = 400 * 24 * 3600;

/// An occurrence of which something is to be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnsaidOccurrence {
    /// Whose.
    pub owner: UserId,
    /// Which.
    pub id: OccurrenceId,
}

impl Catalog {
    /// Enters an occurrence in the ledger, once. `false` when it is there already.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn notice(&self, occurrence: &Occurrence) -> Answer<'_, bool> {
        record::change(&self.table, entered(occurrence), "note an occurrence")
    }

    /// Replaces an occurrence by its next version. `false` when it has changed in between.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn move_occurrence(&self, after: &Occurrence) -> Answer<'_, bool> {
        record::change(&self.table, replaced(after), "change an occurrence")
    }

    /// Notes that an occurrence has so many runs, of which the last has begun; how it is then. Whoever noted meanwhile that it
    /// waits, or that no run was to be, did not know of that run: it is what holds.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer; [`CatalogError::Changed`] when others change it again and again.
    pub fn note_begun<'a>(
        &'a self,
        of: &'a Occurrence,
        runs: usize,
        now: Timestamp,
    ) -> Answer<'a, Occurrence> {
        Box::pin(async move {
            let mut known = of.clone();
            let all: Vec<RunId> = (0..runs).map(|n| of.id.run(n)).collect();
            for _ in 0..NOTED_TRIES {
                let after = Occurrence { runs: all.clone(), status: None, ..known.begun(now) };
                if self.move_occurrence(&after).await? {
                    return Ok(after);
                }
                match self.occurrence(&of.owner, &of.id).await? {
                    Some(found) if found.runs.len() < runs => known = found,
                    found => return Ok(found.unwrap_or(after)),
                }
            }
            Err(CatalogError::Changed("occurrence"))
        })
    }

    /// An occurrence of this owner.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn occurrence(&self, owner: &UserId, id: &OccurrenceId) -> Answer<'_, Option<Occurrence>> {
        record::one(&self.table, keys::occurrence(owner, id), "read an occurrence")
    }

    /// The occurrence that a run is of, when it is of one.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn occurrence_of<'a>(&'a self, head: &'a Head) -> Answer<'a, Option<Occurrence>> {
        Box::pin(async move {
            match &head.occurrence {
                Some(id) => self.occurrence(&head.owner, id).await,
                None => Ok(None),
            }
        })
    }

    /// The occurrences of an owner, or of one source of theirs; the newest first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn occurrences(
        &self,
        owner: &UserId,
        source: Option<&str>,
        window: Window,
    ) -> Answer<'_, Page<Occurrence>> {
        let query = ledger(owner, source).descending().within(window);
        record::list(&self.table, query, "list occurrences")
    }

    /// Occurrences that are not at their end, of all or of one source; those that were due first come first within a source.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn open_occurrences(
        &self,
        source: Option<&str>,
        window: Window,
    ) -> Answer<'_, Page<OpenOccurrence>> {
        let query = Query::partition(keys::OPEN_OCCURRENCES).consistent();
        let query = match source {
            Some(source) => query.prefix(&format!("{source}-")),
            None => query,
        };
        record::list(&self.table, query.within(window), "list open occurrences")
    }
}

impl Catalog {
    /// Occurrences of which something is to be said that was not yet, as far as is known.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn unsaid_occurrences(&self, limit: i32) -> Answer<'_, Vec<UnsaidOccurrence>> {
        let query = Query::partition(keys::UNSAID_OCCURRENCES).consistent().limit(limit);
        let page = record::list(&self.table, query, "list what is to be said of occurrences");
        Box::pin(page.map_ok(|page| page.items))
    }

    /// Notes that those who listen have heard what became of an occurrence.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn said(&self, id: &OccurrenceId) -> Answer<'_, ()> {
        let doing = "note what was said of an occurrence";
        record::remove(&self.table, &keys::unsaid_occurrence(id), doing)
    }
}

/// The writes that enter an occurrence which is not there yet.
pub(crate) fn entered(occurrence: &Occurrence) -> Result<Vec<Write>> {
    let mut writes = vec![put(occurrence)?.if_absent()];
    if !occurrence.state.is_final() {
        writes.push(mark(occurrence)?);
    }
    writes.extend(unsaid(occurrence)?);
    Ok(writes)
}

/// The writes that replace an occurrence which still has the version before.
fn replaced(after: &Occurrence) -> Result<Vec<Write>> {
    let seen = Expr::new("#version = :seen").bind("seen", &after.version.saturating_sub(1));
    let seen = seen.map_err(CatalogError::doing("change an occurrence"))?;
    let mut writes = vec![put(after)?.when(seen), mark(after)?];
    writes.extend(unsaid(after)?);
    Ok(writes)
}

/// The mark of an occurrence of which something is to be said: whoever dies before it is said leaves that to the sweeper.
fn unsaid(of: &Occurrence) -> Result<Option<Write>> {
    if !of.is_to_be_said() {
        return Ok(None);
    }
    let unsaid = UnsaidOccurrence { owner: of.owner.clone(), id: of.id.clone() };
    let key = keys::unsaid_occurrence(&of.id);
    let doing = "note what is to be said of an occurrence";
    record::put(&key, ("occurrence", &unsaid, 1), doing).map(Some)
}

/// The occurrences of an owner, or of one source of theirs.
pub(crate) fn ledger(owner: &UserId, source: Option<&str>) -> Query {
    match source {
        Some(source) => Query::partition(&keys::occurrences(owner, source)).consistent(),
        None => Query::index(&keys::occurrences_of(owner)),
    }
}

/// The mark of an occurrence that is not at its end; none of one that is.
fn mark(of: &Occurrence) -> Result<Write> {
    let key = keys::open_occurrence(&of.id);
    let Some(open) = OpenOccurrence::of(of) else { return Ok(Write::delete(&key)) };
    let put = record::put(&key, ("occurrence", &open, 1), "note an open occurrence")?;
    let is_waiting = open.is_waiting;
    Ok(if is_waiting { put.indexed(keys::WAITING_OCCURRENCES, &open.place()) } else { put })
}

pub(crate) fn put(occurrence: &Occurrence) -> Result<Write> {
    let Occurrence { owner, id, version, .. } = occurrence;
    let key = keys::occurrence(owner, id);
    let put = record::put(&key, ("occurrence", occurrence, *version), "write an occurrence")?;
    let sort = format!("{}#{}", id.place(), id.source());
    let put = put.indexed(&keys::occurrences_of(owner), &sort);
    Ok(put.expires_at(occurrence.due_at.as_second() + KEPT))
}
