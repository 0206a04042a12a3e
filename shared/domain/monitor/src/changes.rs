//! What has changed in a folder.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use schemars::JsonSchema;

use crate::mark::{MarkKind, Position};

/// The most files of a folder that is compared as a whole.
pub const MAX_FILES: usize = 500;

/// A file that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What stands for its content.
    pub hash: String,
}

/// What happened to a file.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// It holds something else.
    Modified,
    /// It is gone.
    Deleted,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What happened.
    pub kind: ChangeKind,
    /// What it held before.
    pub old_hash: Option<String>,
    /// What it holds now.
    pub new_hash: Option<String>,
}

/// What has changed, and where the step stands once that is processed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// By file.
    pub changes: Vec<Change>,
    /// The position behind them.
    pub position: Position,
}

/// Which changes a look takes.
#[derive(Debug, Clone, Copy)]
pub struct Taken<'a> {
    /// Only these kinds; all when there are none.
    pub kinds: &'a [ChangeKind],
    /// At most so many; the others are found at the next look.
    pub most: usize,
}

/// Compares a folder with what it was; without a position, it is as it should be (F-219).
#[must_use]
pub fn changes(previous: Option<&Position>, there: &[Held], taken: Taken<'_>) -> Changed {
    let held = |file: &Held| (file.id.clone(), format!("{} {}", file.hash, file.name));
    let mut seen: BTreeMap<String, String> = there.iter().map(held).collect();
    let Some(before) = previous else {
        return Changed { changes: Vec::new(), position: position(seen) };
    };
    let mut changes: Vec<Change> = there.iter().filter_map(|file| change(before, file)).collect();
    let gone = before.seen.iter().filter(|(id, _)| !seen.contains_key(*id));
    changes.extend(gone.map(|(id, held)| deleted(id, held)));
    changes.retain(|change| taken.kinds.is_empty() || taken.kinds.contains(&change.kind));
    changes.sort_by(|a, b| (a.kind, &a.id).cmp(&(b.kind, &b.id)));
    for left in changes.split_off(taken.most.min(changes.len())) {
        match before.seen.get(&left.id) {
            Some(held) => seen.insert(left.id, held.clone()),
            None => seen.remove(&left.id),
        };
    }
    Changed { changes, position: position(seen) }
}

/// Where a step stands that knows these files.
fn position(seen: BTreeMap<String, String>) -> Position {
    let whole = seen.iter().map(|(id, held)| format!("{id} {held}\n")).collect::<String>();
    let value = Some(hex::encode(&Sha256::digest(whole)[..16]));
    Position { kind: MarkKind::Hash, value, floor: None, seen }
}

fn change(before: &Position, file: &Held) -> Option<Change> {
    let old = before.seen.get(&file.id).map(|held| hash_and_name(held).0.to_owned());
    let kind = match &old {
        None => ChangeKind::Added,
        Some(old) if *old == file.hash => return None,
        Some(_) => ChangeKind::Modified,
    };
    let (id, name) = (file.id.clone(), file.name.clone());
    Some(Change { id, name, kind, old_hash: old, new_hash: Some(file.hash.clone()) })
}

fn deleted(id: &str, held: &str) -> Change {
    let (hash, name) = hash_and_name(held);
    Change {
        id: id.to_owned(),
        name: name.to_owned(),
        kind: ChangeKind::Deleted,
        old_hash: Some(hash.to_owned()),
        new_hash: None,
    }
}

fn hash_and_name(held: &str) -> (&str, &str) {
    held.split_once(' ').unwrap_or((held, ""))
}
