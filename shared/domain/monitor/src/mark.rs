//! How far a detection step has come.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::new_items::{Found, digest};
use crate::remembered::Held;

/// The most items a watermark remembers one by one: about 270 KB, of the 350 KB of a record.
pub const MAX_SEEN: usize = 5_000;

/// The most items that all watermarks of a monitor remember: they are written with one request.
pub const MAX_REMEMBERED: usize = 30_000;

/// What a watermark's value is (F-213).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// The time of the newest item.
    Timestamp,
    /// The same for an answer of a data source.
    Cursor,
    /// A digest of everything that is there.
    Hash,
    /// How many items of a list are known to whose end new ones are added.
    Offset,
}

/// How far a step has come: a value, and what it remembers of what lies near it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// What the value is.
    #[serde(rename = "type")]
    pub kind: MarkKind,
    /// The value; none before anything was there, and after a reset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What is older counts as known, whatever the overlap is: it is not remembered one by one any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<Timestamp>,
    /// What is remembered, by a digest of its key: its date, `~` and the last look that saw it when it has none, or what it held.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seen: BTreeMap<String, String>,
}

impl Position {
    /// The position before everything: whatever is there is new.
    #[must_use]
    pub fn start(kind: MarkKind) -> Self {
        Self { kind, value: None, floor: None, seen: BTreeMap::new() }
    }

    /// Whether it is the position before everything.
    #[must_use]
    pub fn is_start(&self) -> bool {
        self.value.is_none() && self.floor.is_none() && self.seen.is_empty()
    }

    /// The same where everything dated before `date` counts as known.
    #[must_use]
    pub fn known_before(self, date: Timestamp) -> Self {
        Self { floor: self.floor.max(Some(date)), ..self }
    }

    /// The same where these items are known too.
    #[must_use]
    pub fn knowing<'f>(mut self, items: impl Iterator<Item = &'f Found>, now: Timestamp) -> Self {
        for item in items {
            let held = item.at.map_or(Held::Undated(now), Held::Dated);
            self.seen.insert(digest(&item.key), held.to_string());
        }
        self
    }

    /// The same after everything dated before `date` was read, of interest or not.
    #[must_use]
    pub fn read_up_to(self, date: Timestamp) -> Self {
        let value = self.moment().max(Some(date)).map(|at| at.to_string());
        Self { value, ..self }
    }

    /// The value as a moment.
    #[must_use]
    pub fn moment(&self) -> Option<Timestamp> {
        self.value.as_deref().and_then(|value| value.parse().ok())
    }
}

/// The watermark of one detection step of one monitor (F-406, K-65).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watermark {
    /// The step.
    pub step_name: String,
    /// How far it has come; none before the first look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// What it looks at: `folder_id`, `connector`, `endpoint`, `entity_types`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// When it looked last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_checked_at: Option<Timestamp>,
    /// How many new items it found then.
    #[serde(default)]
    pub items_found_last: usize,
    /// When the position moved last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Raised when the position moves: what was detected from another position is not committed.
    pub version: u64,
}

impl Watermark {
    /// The watermark of a step that has never looked.
    #[must_use]
    pub fn new(step: &str) -> Self {
        Self {
            step_name: step.to_owned(),
            position: None,
            metadata: Map::new(),
            last_checked_at: None,
            items_found_last: 0,
            updated_at: None,
            version: 0,
        }
    }

    /// The same after a look.
    #[must_use]
    pub fn looked(self, found: usize, at: Timestamp) -> Self {
        Self { last_checked_at: Some(at), items_found_last: found, ..self }
    }

    /// The same at another position.
    #[must_use]
    pub fn moved(self, position: Position, at: Timestamp) -> Self {
        let version = self.version + 1;
        Self { position: Some(position), updated_at: Some(at), version, ..self }
    }

    /// The same before everything: whatever is there is new at the next look, wherever that looks (F-215).
    #[must_use]
    pub fn reset(self, at: Timestamp) -> Self {
        let kind = self.position.as_ref().map_or(MarkKind::Cursor, |position| position.kind);
        Self { metadata: Map::new(), ..self }.moved(Position::start(kind), at)
    }

    /// The watermark for a look at `source`. Where it looked at something else, or for something else, it has never looked: its
    /// position means nothing there.
    #[must_use]
    pub fn for_source(self, kind: MarkKind, source: &Map<String, Value>) -> Self {
        let is_same = |(name, value): (&String, &Value)| {
            self.metadata.get(name).unwrap_or(&Value::Null) == value
        };
        let is_of_kind = self.position.as_ref().is_none_or(|position| position.kind == kind);
        if self.metadata.is_empty() || (is_of_kind && source.iter().all(is_same)) {
            return self;
        }
        let metadata = source.clone();
        Self { position: None, last_checked_at: None, metadata, ..self }
    }
}
