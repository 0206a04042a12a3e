//! What is new among items that have a time or none.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::mark::{MAX_SEEN, MarkKind, Position};

/// The most items of a batch; what is left is new at the next look.
pub const MAX_ITEMS: usize = 1_000;

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
pub struct Novel {
    /// The oldest first.
    pub items: Vec<Found>,
    /// The position behind them.
    pub position: Position,
    /// Whether more is new than a batch holds.
    pub has_more: bool,
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
}

/// Compares what is there with a position; without one, everything that is there is known from now on (F-219).
///
/// An item with a time is new when it is not remembered and is not dated before the newest by more than the overlap. An item
/// without a time is new when it is not remembered.
#[must_use]
pub fn novel(previous: Option<&Position>, mut there: Vec<Found>, how: Overlap) -> Novel {
    there.sort_by(|a, b| (a.at.is_none(), a.at, &a.key).cmp(&(b.at.is_none(), b.at, &b.key)));
    there.dedup_by(|a, b| a.key == b.key);
    let start = Position::start(how.kind);
    let horizon = previous.and_then(|position| horizon(position, how.late));
    let before = previous.unwrap_or(&start);
    let (mut items, mut known) = (Vec::new(), Vec::new());
    for found in there {
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
    let has_more = items.len() > how.most;
    items.truncate(how.most);
    known.extend(items.iter().map(|(digest, found)| (digest.clone(), found.at)));
    let position = behind(before, &known, how);
    Novel { items: items.into_iter().map(|(_, found)| found).collect(), position, has_more }
}

/// What is dated before this counts as known.
fn horizon(position: &Position, late: SignedDuration) -> Option<Timestamp> {
    let by_value = position.moment().and_then(|newest| newest.checked_sub(late).ok());
    by_value.max(position.floor)
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
        // Of what has no time, the last look that saw it is remembered.
        let at = at.unwrap_or(how.now);
        position.seen.insert(digest.clone(), format!("{at}"));
    }
    forget(&mut position, known, how);
    position
}

/// Forgets what the horizon covers, then the oldest of what is too many. What was dated is then covered by the floor; what has
/// no time and is still there is kept as long as there is room.
fn forget(position: &mut Position, known: &[(String, Option<Timestamp>)], how: Overlap) {
    let undated: BTreeMap<&str, ()> = known
        .iter()
        .filter(|(_, at)| at.is_none())
        .map(|(digest, _)| (digest.as_str(), ()))
        .collect();
    if let Some(horizon) = horizon(position, how.late) {
        let is_kept = |digest: &String, at: &mut String| {
            undated.contains_key(digest.as_str())
                || at.parse::<Timestamp>().is_ok_and(|at| at >= horizon)
        };
        position.seen.retain(is_kept);
    }
    let Some(many) = position.seen.len().checked_sub(MAX_SEEN).filter(|many| *many > 0) else {
        return;
    };
    let mut by_age: Vec<(Timestamp, String)> = position
        .seen
        .iter()
        .filter(|(digest, _)| !undated.contains_key(digest.as_str()))
        .filter_map(|(digest, at)| Some((at.parse().ok()?, digest.clone())))
        .collect();
    by_age.sort();
    for (at, digest) in by_age.into_iter().take(many) {
        position.seen.remove(&digest);
        // Just behind it: it is not to be new again.
        let behind = at.checked_add(SignedDuration::from_nanos(1)).unwrap_or(at);
        position.floor = position.floor.max(Some(behind));
    }
}

/// Sixteen hex digits that stand for a key.
pub(crate) fn digest(key: &str) -> String {
    hex::encode(&Sha256::digest(key)[..8])
}
