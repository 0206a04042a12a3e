//! How a child ends without an answer.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use rustix::process::Signal;

/// The status of a program of ours that panicked.
const PANICKED: i32 = 101;

/// What the end of a child without an answer means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It was given more than it may take. A child that is refused memory aborts; one that the system kills for memory, or that
    /// overruns its stack, is dead of a signal too.
    Memory,
    /// It computed longer than it may.
    Computing,
    /// It panicked.
    Panicked,
    /// Anything else.
    Other(ExitStatus),
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> Self {
        let of_memory = [Signal::ABORT, Signal::SEGV, Signal::BUS, Signal::KILL];
        match (status.signal(), status.code()) {
            (Some(signal), _) if signal == Signal::XCPU.as_raw() => Self::Computing,
            (Some(signal), _) if of_memory.iter().any(|known| known.as_raw() == signal) => {
                Self::Memory
            }
            (None, Some(PANICKED)) => Self::Panicked,
            _ => Self::Other(status),
        }
    }
}
