//! What happens when a source is slow, limited or broken, decided without touching one.
//!
//! - [`Budget`]: how often a source may be called in a second, minute, hour, day and month (F-105).
//! - [`Breaker`]: after five failures in a row a source is left alone for a while, then probed once (F-315, K-74).
//! - [`Fault`]: what each kind of failure leads to, as one table (F-306…F-311).
//! - [`Kept`]: the last good answer, which stands in for one that failed, and says so (K-75).
//! - [`Standing`], [`Answers`]: where the state of all this lies, shared by every instance. `store-egress` implements them.
//!
//! Time is always given; nothing here knows a clock.

mod breaker;
mod budget;
mod cached_answer;
mod counters;
mod fault;
mod ports;
mod record;
mod subject;
mod window;

pub use breaker::{Admission, Breaker, OPENS_AFTER, STAYS_OPEN, Verdict};
pub use budget::{Budget, BudgetLeft, Decision, Permit, Spent};
pub use cached_answer::{KEEP_BYTES, KEEP_FOR, Kept};
pub use counters::{Counter, Counters};
pub use fault::{Fallback, Fault, Remedy, Row, Tried, retry_after};
pub use ports::{Admitted, Answers, Standing, StandingError, Standings};
pub use record::{BreakerState, HealthView, LastError, Record, Report};
pub use subject::{AnswerKey, AnswerOf, Subject};
pub use window::Window;

#[cfg(test)]
mod tests;
