//! Monitors: an agent that looks at something by itself, and runs when there is something new (F-209…F-220).
//!
//! - [`MonitorSpec`] is what its owner writes, [`Timing`] when it looks.
//! - A [`Watermark`] says how far one detection step of one monitor has come (K-65). [`novel`] and [`changes`] compare what is
//!   there with it.
//! - What is new goes into a [`Batch`]: one open batch per monitor. [`tick`] says what a look at the clock has to do,
//!   [`settle`] what the end of a run means for its batch: it is committed, tried again, or parked after
//!   [`MAX_ATTEMPTS`] failures. Only then do the watermarks move (K-66). Its [`noticed`] occurrence is in the ledger.
//!
//! Nothing here reads a clock or a store.

mod appended;
mod batch;
mod changes;
mod clock;
mod error;
mod failing;
mod hours;
mod interval;
mod looks;
mod mark;
mod new_items;
mod noticed;
mod occurrence;
mod outcome;
mod parked;
mod refused;
mod remembered;
mod reopened;
mod settle;
mod spec;
mod steps;
mod tick;
mod timing;

#[cfg(test)]
mod tests;

/// So many monitors may a person have.
pub const MAX_MONITORS: usize = 100;

pub use appended::appended;
pub use batch::{Batch, BatchItem, BatchState, Content, MAX_ATTEMPTS, batch_id, run_id};
pub use changes::{Change, ChangeKind, Changed, Held, MAX_FILES, Taken, changes};
pub use clock::{MAX_TICKED, TICKED_AGAIN};
pub use countersign_run::{BatchId, FromMonitor, MonitorId};
pub use error::LookError;
pub use failing::{Failing, InPart};
pub use hours::{ActiveHours, ClockTime};
pub use interval::Interval;
pub use looks::{Looks, MAX_LOOKS, looks_with};
pub use mark::{MAX_REMEMBERED, MAX_SEEN, MarkKind, Position, Watermark};
pub use new_items::{Found, MAX_BYTES, MAX_ITEMS, NewItems, Overlap, TooLarge, novel};
pub use noticed::{LookWarnings, StepWarnings, StepsChanged};
pub use occurrence::{Origin, asked_again, begun, followed, held_up, noticed, parked_by};
pub use outcome::TickOutcome;
pub use parked::LastParked;
pub use refused::{parked_at_once, refused};
pub use reopened::NotReopened;
pub use settle::{BatchOutcome, SETTLE_TRIES, Settled, fate, settle};
pub use spec::MonitorSpec;
pub use steps::{Detection, MAX_DETECTIONS, NoDetection, detections};
pub use tick::{Due, Open, StartBlocker, State, tick};
pub use timing::{NoTiming, Timing};
