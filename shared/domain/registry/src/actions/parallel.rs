//! Runs sub-steps side by side. The engine itself does it.

use super::rows;
use crate::PARALLEL;
use crate::contract::{Contract, Slot};

pub(super) fn contract() -> Contract {
    Contract {
        params: vec![Slot::required(
            "parallel_steps",
            rows(),
            "Steps that do not need each other's results.",
        )],
        ..Contract::reading(
            PARALLEL,
            "",
            "Runs its sub-steps side by side; each has its own output.",
        )
    }
}
