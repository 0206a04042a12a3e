//! The approval protocol over its stores: what the doors, the gate, the clock and the sweeper call.
//!
//! [`Desk`] is the one way to open, strike, decide, expire, remind, escalate and cancel. Every operation first writes what is
//! true in one transaction ([`Records`]) and then tells the world; what could not be told stays marked, and
//! [`Desk::sweep`] tells it later. So a crash after any write loses nothing and does nothing twice.
//!
//! | write | mark that stays until done | repaired by |
//! |---|---|---|
//! | a request was opened or changed | `unasked` | the gate's retry, the sweeper |
//! | a request ended | `unmoved` | the next attempt of the run, the sweeper |
//! | a receipt was written | `unsealed` | the sweeper |
//! | a deadline passed | the pending request itself | its schedule, the next visitor, the sweeper |

mod cancel;
mod clock;
mod decide;
mod desk;
mod error;
mod notices;
mod open;
mod ports;
mod recorder;
mod settle;
mod signers;
mod strike;
mod sweep;
#[cfg(test)]
mod tests;
mod wired;

pub use clock::{Expiry, GateEvent, GateEventKind};
pub use decide::{Answer, Attempting, Who};
pub use desk::Desk;
pub use error::GateError;
pub use notices::Notices;
pub use open::Opened;
pub use ports::{Alarms, Ledger, Records, Wake};
pub use recorder::Recorder;
pub use signers::{CannotSign, Named, approvers_of, requesters, signers};
pub use strike::Striking;
pub use sweep::Swept;
pub use wired::Wired;
