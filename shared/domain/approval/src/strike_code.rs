//! One-time codes that confirm a strike.

use crate::code::{CodeScope, StoredCode};
use crate::hashing::hash_bytes;
use crate::vote::Verdict;
use countersign_effect::Digest;

/// Far beyond the slots of approvers.
const STRIKE_SLOTS: u16 = 1 << 15;

/// The slot under which the codes are kept that confirm an approver's strikes. A code is bound to its slot, so that one mailed
/// to strike out decides nothing, and one mailed to decide strikes nothing out.
#[must_use]
pub fn strike_slot(slot: u16) -> u16 {
    slot | STRIKE_SLOTS
}

impl CodeScope {
    /// What a code for this strike is bound to: the step, and all of its effects that are struck out afterwards.
    #[must_use]
    pub fn of_strike(step: &str, indices: &[u32]) -> Self {
        let strike = Some(hash_strike(step, indices));
        Self { strike, ..Self::of(Verdict::Approve, &[]) }
    }
}

/// The length in front keeps the step apart from the indices, which have a fixed width.
fn hash_strike(step: &str, indices: &[u32]) -> Digest {
    let mut indices = indices.to_vec();
    indices.sort_unstable();
    let length = u64::try_from(step.len()).unwrap_or(u64::MAX).to_be_bytes();
    let indices: Vec<u8> = indices.into_iter().flat_map(u32::to_be_bytes).collect();
    hash_bytes("countersign/v2/code-strike", &[&length, step.as_bytes(), &indices])
}

impl StoredCode {
    /// Whether it confirms a strike.
    #[must_use]
    pub fn is_for_strike(&self) -> bool {
        self.slot >= STRIKE_SLOTS
    }
}
