//! A batch: what a monitor found new at one look, until it is processed.

use std::collections::BTreeMap;

use countersign_run::{BatchId, MonitorId, OccurrenceReason, RunId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::mark::Position;
use crate::new_items::TooLarge;
use crate::tick::State;

/// How often a batch is tried before its items are parked.
pub const MAX_ATTEMPTS: u32 = 3;

/// Where a batch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BatchState {
    /// Its run goes on, or is to be tried again.
    Open,
    /// Its run came to its end: what it held is done.
    Committed,
    /// Its runs failed too often, or somebody stopped one: what it held is kept for people to look at.
    Parked,
}

impl BatchState {
    /// The word of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it is [`BatchState::Parked`].
    #[must_use]
    pub fn is_parked(self) -> bool {
        self == Self::Parked
    }
}

/// An item of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchItem {
    /// The detection step that found it.
    pub step: String,
    /// What names it in its source.
    pub key: String,
}

/// What a batch holds; its record only says where that lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// What was found new.
    pub items: Vec<BatchItem>,
    /// The outputs of the detection steps, by step: the run's steps have them.
    pub outputs: Map<String, Value>,
    /// Where the watermarks move when the batch is closed, by step.
    pub proposed: BTreeMap<String, Position>,
    /// Its only item where that is larger than a batch may be: no run can have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub too_large: Option<TooLarge>,
}

/// A batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// Its id: follows from the monitor, its number and when it was detected.
    pub id: BatchId,
    /// 1, 2, … for each monitor.
    pub number: u64,
    /// The monitor.
    pub monitor_id: MonitorId,
    /// Where it stands.
    pub state: BatchState,
    /// The run that has it now; follows from the batch and the attempt.
    pub run: RunId,
    /// 1, 2, …, [`MAX_ATTEMPTS`].
    pub attempt: u32,
    /// How many items it has.
    pub count: usize,
    /// The versions of the watermarks it was detected from, by step: they move only from there.
    pub previous: BTreeMap<String, u64>,
    /// Whether they moved when it was closed; not when they were reset in between.
    #[serde(default)]
    pub has_moved: bool,
    /// How its last run ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_status: Option<String>,
    /// How often its present run was refused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refusals: u32,
    /// Why, the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_for: Option<OccurrenceReason>,
    /// When it was detected.
    pub created_at: Timestamp,
    /// When it was committed or parked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// When its owner had it processed after all, the last time: it was parked before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopened_at: Option<Timestamp>,
    /// Whether its owner could not be told when the end of a run parked it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_untold: bool,
    /// Raised by every change.
    pub version: u64,
}

impl Batch {
    /// The next batch of a monitor that stands at `state`: so many items, found from watermarks of these versions.
    #[must_use]
    pub fn found(
        monitor: &MonitorId,
        state: &State,
        count: usize,
        previous: BTreeMap<String, u64>,
        now: Timestamp,
    ) -> Self {
        let number = state.batches + 1;
        let id = batch_id(monitor, number, now);
        Self {
            run: run_id(&id, 1),
            id,
            number,
            monitor_id: monitor.clone(),
            state: BatchState::Open,
            attempt: 1,
            count,
            previous,
            has_moved: false,
            run_status: None,
            refusals: 0,
            refused_for: None,
            created_at: now,
            closed_at: None,
            reopened_at: None,
            is_untold: false,
            version: 1,
        }
    }
}

impl Batch {
    /// The same once its owner could not be told that the end of a run has parked it.
    #[must_use]
    pub fn untold(&self) -> Self {
        Self { is_untold: true, version: self.version + 1, ..self.clone() }
    }

    /// Whether it is parked and no notice of a run has told that: its run was refused, or its owner could not be told.
    #[must_use]
    pub fn is_parked_without_notice(&self) -> bool {
        self.state.is_parked() && (self.is_untold || self.refusals >= MAX_ATTEMPTS)
    }

    /// Whether the watermarks move when it is closed: they have, when it was parked before.
    pub(crate) fn moves_at_its_end(&self) -> bool {
        self.reopened_at.is_none()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(refusals: &u32) -> bool {
    *refusals == 0
}

/// The id of a monitor's `number`-th batch. Of a monitor that is made again under the same id, batches are others although
/// their numbers are the same: the time tells them apart.
#[must_use]
pub fn batch_id(monitor: &MonitorId, number: u64, detected_at: Timestamp) -> BatchId {
    BatchId::from_bytes(derived(&format!("batch\0{monitor}\0{number}\0{detected_at}")))
}

/// The run of a batch's `attempt`-th try.
#[must_use]
pub fn run_id(batch: &BatchId, attempt: u32) -> RunId {
    RunId::from_bytes(derived(&format!("run\0{batch}\0{attempt}")))
}

fn derived(text: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(text)[..16]);
    bytes
}
