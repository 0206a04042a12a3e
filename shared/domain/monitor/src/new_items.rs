//! What is new among items that have a time or none.

use std::collections::BTreeSet;

use countersign_run::OccurrenceReason;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::error::LookError;
use crate::mark::{MarkKind, Position};
use crate::remembered::{Held, forget};

/// The most items of a batch; what is left is new at the next look.
pub const MAX_ITEMS: usize = 1_000;

/// The most bytes that the records of a batch may have as JSON; what is left is new at the next look. They are in the plan of its
/// run, which functions with 256 MB hold as text and as values several times over: four megabytes take about a third of that.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Something that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What is the same in every look.
    pub key: String,
    /// When it came or changed, as far as it says.
    pub at: Option<Timestamp>,
    /// What it is.
    pub record: Value,
}

/// What is new, and where the step stands once that is processed.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItems {
    /// The oldest first.
    pub items: Vec<Found>,
    /// The position behind them.
    pub position: Position,
    /// Whether more is new than a batch holds.
    pub has_more: bool,
    /// The oldest new item where no batch has room for it: then it is none of the items, and the position is behind it alone.
    pub too_large: Option<TooLarge>,
}

/// An item that no batch has room for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooLarge {
    /// What names it in its source.
    pub key: String,
    /// How many bytes it has.
    pub bytes: usize,
    /// How many there may be.
    pub limit: usize,
}

impl TooLarge {
    /// The code of its reason.
    pub const CODE: &'static str = "DETECT_ITEM_TOO_LARGE";

    /// Why it is parked.
    #[must_use]
    pub fn reason(&self) -> OccurrenceReason {
        let Self { key, bytes, limit } = self;
        let key: String = key.chars().take(100).collect();
        let message =
            format!("the new item `{key}` has {bytes} bytes, and a batch holds at most {limit}");
        OccurrenceReason { code: Self::CODE.to_owned(), message }
    }
}

/// How a look compares.
#[derive(Debug, Clone, Copy)]
pub struct Overlap {
    /// What the value of the position is.
    pub kind: MarkKind,
    /// How late an item may come.
    pub late: SignedDuration,
    /// The clock: an item that is dated later does not move the position beyond it.
    pub now: Timestamp,
    /// The most items of a batch.
    pub most: usize,
    /// The most bytes of its records.
    pub bytes: usize,
    /// How many items the position may remember.
    pub memory: usize,
    /// Whether the source has more than what is compared.
    pub is_cut: bool,
}

/// Compares what is there with a position; without one, everything that is there is known from now on (F-219).
///
/// An item with a time is new when it is not remembered and is not dated before the newest by more than the overlap. An item
/// without a time is new when it is not remembered. What is there is in the order of its source.
///
/// # Errors
/// [`LookError`] when nobody can say that an item which is not processed counts as new later: the source has more than came
/// back, or more than a position remembers.
pub fn novel(
    previous: Option<&Position>,
    there: Vec<Found>,
    how: Overlap,
) -> Result<NewItems, LookError> {
    let start = Position::start(how.kind);
    let before = previous.unwrap_or(&start);
    let cut = how.is_cut.then(|| oldest_behind(before, &there, how)).transpose()?;
    let horizon = before.horizon(how.late);
    let (mut items, mut known) = (Vec::new(), Vec::new());
    for found in unique(there) {
        let is_old = horizon.zip(found.at).is_some_and(|(horizon, at)| at < horizon);
        let digest = digest(&found.key);
        if is_old || before.seen.contains_key(&digest) {
            known.push((digest, found.at));
        } else {
            items.push((digest, found));
        }
    }
    if previous.is_none() {
        known.extend(items.drain(..).map(|(digest, found)| (digest, found.at)));
    }
    let room = room(items.iter().map(|(_, found)| found), how);
    let left = items.split_off(room.count());
    known.extend(items.iter().map(|(digest, found)| (digest.clone(), found.at)));
    let left_at = left.iter().filter_map(|(_, found)| found.at).min();
    let mut position = behind(before, &known, how);
    match (horizon, cut) {
        (Some(_), _) => {}
        // Of a first answer that is cut, what is missing counts as known.
        (None, Some(oldest)) => position.floor = Some(just_behind(oldest, left_at)?),
        // This was the first answer, and it was whole: of those that follow, nothing may be missing.
        (None, None) => position.floor = Some(Timestamp::MIN),
    }
    forget(&mut position, &known, left_at, how)?;
    let items = items.into_iter().map(|(_, found)| found).collect();
    Ok(room.novel(items, position, !left.is_empty()))
}

/// What a batch has room for.
#[derive(Debug)]
pub(crate) enum Room {
    /// So many of the first.
    For(usize),
    /// Not even the first.
    Not(TooLarge),
}

impl Room {
    /// How many items the position goes past.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::For(count) => *count,
            Self::Not(_) => 1,
        }
    }

    /// What is new: these items, unless the one among them is too large.
    pub(crate) fn novel(self, items: Vec<Found>, position: Position, has_more: bool) -> NewItems {
        match self {
            Self::For(_) => NewItems { items, position, has_more, too_large: None },
            Self::Not(one) => {
                NewItems { items: Vec::new(), position, has_more, too_large: Some(one) }
            }
        }
    }
}

/// How many of them a batch has room for.
pub(crate) fn room<'f>(items: impl ExactSizeIterator<Item = &'f Found>, how: Overlap) -> Room {
    let most = items.len().min(how.most);
    let mut bytes = 0;
    for (n, found) in items.take(most).enumerate() {
        bytes += found.record.to_string().len();
        if bytes <= how.bytes {
            continue;
        }
        if n == 0 {
            return Room::Not(TooLarge { key: found.key.clone(), bytes, limit: how.bytes });
        }
        return Room::For(n);
    }
    Room::For(most)
}

/// The oldest date of an answer that its source has cut. What is missing is of no interest when the records come newest first
/// and go back to what counts as known anyhow: nothing else says what is missing.
fn oldest_behind(before: &Position, there: &[Found], how: Overlap) -> Result<Timestamp, LookError> {
    let dates: Option<Vec<Timestamp>> = there.iter().map(|found| found.at).collect();
    let dates = dates.ok_or(LookError::Incomplete)?;
    let (Some(newest), Some(oldest)) = (dates.first(), dates.last()) else {
        return Err(LookError::Incomplete);
    };
    let at_first = || newest.min(&how.now).checked_sub(how.late).ok();
    let wanted = before.horizon(how.late).or_else(at_first);
    let is_newest_first = newest > oldest && dates.is_sorted_by(|one, next| one >= next);
    if is_newest_first && wanted.is_some_and(|wanted| *oldest < wanted) {
        Ok(*oldest)
    } else {
        Err(LookError::Incomplete)
    }
}

/// Just behind a date, unless an item that is left has it too.
fn just_behind(date: Timestamp, left: Option<Timestamp>) -> Result<Timestamp, LookError> {
    if left.is_some_and(|left| left <= date) {
        return Err(LookError::Incomplete);
    }
    Ok(date.checked_add(SignedDuration::from_nanos(1)).unwrap_or(date))
}

/// Each item once, as it is dated last; the oldest first, then those without a date.
fn unique(mut there: Vec<Found>) -> Vec<Found> {
    there.sort_by(|a, b| (b.at, &a.key).cmp(&(a.at, &b.key)));
    let mut keys = BTreeSet::new();
    there.retain(|found| keys.insert(found.key.clone()));
    there.sort_by(|a, b| (a.at.is_none(), a.at, &a.key).cmp(&(b.at.is_none(), b.at, &b.key)));
    there
}

/// The position once these are known too.
fn behind(before: &Position, known: &[(String, Option<Timestamp>)], how: Overlap) -> Position {
    let newest = known.iter().filter_map(|(_, at)| *at).max().map(|at| at.min(how.now));
    let newest = before.moment().max(newest);
    let mut position = Position {
        kind: how.kind,
        value: newest.map(|at| at.to_string()),
        floor: before.floor,
        seen: before.seen.clone(),
    };
    for (digest, at) in known {
        let held = position.seen.get(digest).map(|held| Held::read(held));
        let seen = at.map_or(Held::Undated(how.now), Held::Dated);
        position.seen.insert(digest.clone(), seen.since(held).to_string());
    }
    position
}

/// Sixteen hex digits that stand for a key.
pub(crate) fn digest(key: &str) -> String {
    hex::encode(&Sha256::digest(key)[..8])
}
