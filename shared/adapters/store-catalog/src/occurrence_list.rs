//! Lists of occurrences between two times.

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId};
use countersign_store_kit::{Page, Window};
use jiff::{SignedDuration, Timestamp};

use crate::occurrences::ledger;
use crate::{Answer, Catalog, record};

/// Which occurrences of an owner.
#[derive(Debug, Clone, Copy, Default)]
pub struct OccurrencesOf<'a> {
    /// Only those of the source with this id.
    pub source: Option<&'a str>,
    /// Only those that were due at this time or later.
    pub from: Option<Timestamp>,
    /// Only those that were due before this time.
    pub before: Option<Timestamp>,
}

impl Catalog {
    /// Occurrences of an owner; the newest first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn occurrences_of(
        &self,
        owner: &UserId,
        of: OccurrencesOf<'_>,
        window: Window,
    ) -> Answer<'_, Page<Occurrence>> {
        let query = ledger(owner, of.source).between(&low(of.from), &high(of.before));
        let query = query.descending().within(window);
        record::list(&self.table, query, "list occurrences")
    }
}

/// Before every time from this one on; the stamp begins every key.
fn low(from: Option<Timestamp>) -> String {
    // A fraction of a second later is the next second.
    let whole = |at: Timestamp| {
        Timestamp::from_second(at.as_second() + i64::from(at.subsec_nanosecond() > 0))
    };
    from.map_or_else(|| "0".to_owned(), |at| stamp(whole(at).unwrap_or(at)))
}

/// Behind every time before this one.
fn high(before: Option<Timestamp>) -> String {
    let last = |at: Timestamp| at.checked_sub(SignedDuration::from_nanos(1)).unwrap_or(at);
    before.map_or_else(|| "~".to_owned(), |at| format!("{}~", stamp(last(at))))
}

fn stamp(at: Timestamp) -> String {
    OccurrenceId::new("", at).place().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, before: &str, due: &str, expect: bool) {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let key = format!("{}#mon_1", stamp(at(due)));
        let is_within = low(Some(at(from))) <= key && key <= high(Some(at(before)));
        assert_eq!(is_within, expect, "{due} from {from} before {before}");
    }

    #[test]
    fn p_003_occurrences_are_listed_from_one_time_to_before_another() {
        let (from, before) = ("2026-11-24T06:00:00Z", "2026-11-24T07:00:00Z");
        check(from, before, "2026-11-24T05:59:59Z", false);
        check(from, before, from, true);
        check(from, before, "2026-11-24T06:59:59Z", true);
        check(from, before, before, false);
        check("2026-11-24T06:00:00.5Z", before, from, false);
    }
}
