//! What happens when a source is slow, limited or broken, decided without touching one.
//!
//! - [`Budget`]: how often a source may be called in a second, minute, hour, day and month (F-105).
//! - [`Breaker`]: after five failures in a row a source is left alone for a while, then probed once (F-315, K-74).
//! - [`CallFailure`]: what each kind of failure leads to, as one table (F-306…F-311).
//! - [`CachedAnswer`]: the last good answer, which stands in for one that failed, and says so (K-75).
//! - [`CallLimits`], [`Answers`]: where the state of all this lies, shared by every instance. `store-egress` implements them.
//!
//! Time is always given; nothing here knows a clock.

mod breaker;
mod budget;
mod cached_answer;
mod call_failure;
mod counters;
mod keys;
mod ports;
mod source_state;
mod window;

pub use breaker::{Admission, Breaker, CallResult, OPENS_AFTER, STAYS_OPEN};
pub use budget::{Budget, BudgetLeft, Decision, Permit, Spent};
pub use cached_answer::{CachedAnswer, KEEP_BYTES, KEEP_FOR};
pub use call_failure::{CallFailure, Fallback, Remedy, Row, Tried, retry_after};
pub use counters::{Counter, Counters};
pub use keys::{AnswerKey, AnswerOf, LimitKey};
pub use ports::{Admitted, Answers, CallLimitError, CallLimits, LimitFuture, SourceHealth};
pub use source_state::{BreakerState, HealthView, LastError, Report, SourceState};
pub use window::Window;

#[cfg(test)]
mod tests;
