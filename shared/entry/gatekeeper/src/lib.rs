//! The approval protocol over its stores: what the doors, the gate, the clock and the sweeper call.
//!
//! [`Gatekeeper`] is the one way to open, strike, decide, expire, remind, escalate and cancel. Every operation first writes what is
//! true in one transaction ([`Records`]) and then tells the world; what could not be told stays marked, and
//! [`Gatekeeper::sweep`] tells it later. So a crash after any write loses nothing and does nothing twice.
//!
//! | write | mark that stays until done | repaired by |
//! |---|---|---|
//! | a request was opened or changed | `unasked` | the gate's retry, the sweeper |
//! | a request ended | `unmoved` | the next attempt of the run, the sweeper |
//! | a receipt was written | `unsealed` | the sweeper |
//! | a deadline passed | the pending request itself | its schedule, the next visitor, the sweeper |

mod asking;
mod bootstrap;
mod cancel;
mod clock;
mod decide;
mod error;
mod extend;
mod notices;
mod notify_run;
mod open;
mod ports;
mod recorder;
mod recount;
mod send_problems;
mod service;
mod signers;
mod strike;
mod sweep;
#[cfg(test)]
mod tests;

pub use bootstrap::Bootstrap;
pub use clock::{Expiry, GateEvent, GateEventKind};
pub use decide::{Answer, Attempting, Who};
pub use error::{GateError, GateFuture};
pub use extend::Extending;
pub use notices::Notices;
pub use open::Opened;
pub use ports::{Alarms, Ledger, Records, ResumeTask};
pub use recorder::Recorder;
pub use recount::recount;
pub use send_problems::{not_sent, send_problems};
pub use service::Gatekeeper;
pub use signers::{CannotSign, Named, approvers_of, requesters, signers};
pub use strike::Striking;
pub use sweep::Swept;
