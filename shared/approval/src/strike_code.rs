//! One-time codes that confirm a strike.

use crate::code::StoredCode;

/// Far beyond the slots of approvers.
const STRIKE_SLOTS: u16 = 1 << 15;

/// The slot under which the codes are kept that confirm an approver's strikes. A code is bound to its slot, so that one mailed
/// to strike out decides nothing, and one mailed to decide strikes nothing out.
#[must_use]
pub fn strike_slot(slot: u16) -> u16 {
    slot | STRIKE_SLOTS
}

impl StoredCode {
    /// Whether it confirms a strike.
    #[must_use]
    pub fn is_for_strike(&self) -> bool {
        self.slot >= STRIKE_SLOTS
    }
}
