//! What a position remembers one by one, and what it may forget.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::{SignedDuration, Timestamp};

use crate::error::LookError;
use crate::mark::Position;
use crate::new_items::Overlap;

/// What begins the text of an item without a date.
const UNDATED: char = '~';

/// What is remembered of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// Its date.
    Dated(Timestamp),
    /// It has none: the last look that saw it.
    Undated(Timestamp),
}

impl Held {
    /// From its text; what is not a time is forgotten before anything else.
    pub(crate) fn read(text: &str) -> Self {
        let time = |text: &str| text.parse().unwrap_or(Timestamp::MIN);
        match text.strip_prefix(UNDATED) {
            Some(seen) => Self::Undated(time(seen)),
            None => Self::Dated(time(text)),
        }
    }

    /// What is remembered once it was seen again: of two dates the later one.
    pub(crate) fn since(self, before: Option<Self>) -> Self {
        match (before, self) {
            (Some(Self::Dated(before)), Self::Dated(now)) => Self::Dated(before.max(now)),
            _ => self,
        }
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dated(at) => write!(f, "{at}"),
            Self::Undated(at) => write!(f, "{UNDATED}{at}"),
        }
    }
}

impl Position {
    /// What is dated before this counts as known.
    #[must_use]
    pub fn horizon(&self, late: SignedDuration) -> Option<Timestamp> {
        self.by_value(late).max(self.floor)
    }

    fn by_value(&self, late: SignedDuration) -> Option<Timestamp> {
        self.moment().and_then(|newest| newest.checked_sub(late).ok())
    }
}

/// Forgets what the horizon covers, then what is too much: items without a date that are gone, those that were not seen for the
/// longest time first, then the oldest dates. Of an answer that is cut nobody knows what is gone. A date is forgotten with all its items, and the floor covers it then; so it must
/// be older than the newest, and than what is left for a later look (`left`).
pub(crate) fn forget(
    position: &mut Position,
    known: &[(String, Option<Timestamp>)],
    left: Option<Timestamp>,
    how: Overlap,
) -> Result<(), LookError> {
    let still: BTreeSet<&str> =
        known.iter().filter(|(_, at)| at.is_none()).map(|(digest, _)| digest.as_str()).collect();
    let (horizon, by_value) = (position.horizon(how.late), position.by_value(how.late));
    let is_gone = |digest: &str| !how.is_cut && !still.contains(digest);
    position.seen.retain(|digest, held| match Held::read(held) {
        Held::Dated(at) => horizon.is_none_or(|horizon| at >= horizon),
        Held::Undated(at) => !is_gone(digest) || by_value.is_none_or(|oldest| at >= oldest),
    });
    let gone = oldest_first(position, |digest, held| match held {
        Held::Undated(at) if is_gone(digest) => Some(at),
        _ => None,
    });
    for digest in gone.into_values().flatten() {
        if position.seen.len() <= how.memory {
            return Ok(());
        }
        position.seen.remove(&digest);
    }
    forget_dates(position, left, how)
}

fn forget_dates(
    position: &mut Position,
    left: Option<Timestamp>,
    how: Overlap,
) -> Result<(), LookError> {
    let is_covered = |date: Timestamp, by: Option<Timestamp>| by.is_some_and(|by| date < by);
    let newest = position.moment();
    let dates = oldest_first(position, |_, held| match held {
        Held::Dated(at) => Some(at),
        Held::Undated(_) => None,
    });
    for (date, digests) in dates {
        if position.seen.len() <= how.memory {
            return Ok(());
        }
        if !is_covered(date, newest) || left.is_some_and(|left| left <= date) {
            break;
        }
        for digest in digests {
            position.seen.remove(&digest);
        }
        let behind = date.checked_add(SignedDuration::from_nanos(1)).unwrap_or(date);
        position.floor = position.floor.max(Some(behind));
    }
    if position.seen.len() <= how.memory {
        Ok(())
    } else {
        Err(LookError::TooMany { memory: how.memory })
    }
}

/// The digests of some items by their times.
fn oldest_first(
    position: &Position,
    time: impl Fn(&str, Held) -> Option<Timestamp>,
) -> BTreeMap<Timestamp, Vec<String>> {
    let mut all: BTreeMap<Timestamp, Vec<String>> = BTreeMap::new();
    for (digest, held) in &position.seen {
        if let Some(at) = time(digest, Held::read(held)) {
            all.entry(at).or_default().push(digest.clone());
        }
    }
    all
}
