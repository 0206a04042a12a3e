//! What a firing leaves: an occurrence, as a due time of a schedule does.

use countersign_identity::UserId;
use countersign_run::{
    Ancestry, Occurrence, OccurrenceId, OccurrenceSource, OccurrenceState, TriggeredBy,
};
use jiff::Timestamp;

use crate::{TriggerId, TriggerSpec};

/// Triggers that fire one after the other, each by the run of the one before it; no chain is longer.
pub const MAX_CHAIN: usize = 10;

/// A trigger that fires.
#[derive(Debug, Clone, Copy)]
pub struct FiringTrigger<'a> {
    /// Whose.
    pub owner: &'a UserId,
    /// Which.
    pub trigger: &'a TriggerId,
    /// What its owner wrote.
    pub spec: &'a TriggerSpec,
    /// By what.
    pub fired: &'a TriggeredBy,
    /// What led to it.
    pub led_by: &'a Ancestry,
    /// When.
    pub at: Timestamp,
}

/// The occurrence of a firing; one that goes round in circles is skipped at once.
#[must_use]
pub fn noticed(of: &FiringTrigger<'_>) -> Occurrence {
    let FiringTrigger { owner, trigger, spec, fired, led_by, at } = *of;
    let id = OccurrenceId::of_event(trigger.as_str(), at, &fired.event());
    let source = (OccurrenceSource::Trigger, trigger.as_str());
    let occurrence = Occurrence {
        name: spec.name.to_string(),
        profile_id: spec.profile_id.to_string(),
        fired_by: Some(fired.clone()),
        chain: led_by.chain.clone(),
        others: led_by.others.clone(),
        max_retries: spec.max_retries.to(),
        timeout_seconds: spec.timeout_seconds.to(),
        ..Occurrence::noticed(id, owner.clone(), source, (at, at))
    };
    match looped(led_by, trigger) {
        None => occurrence,
        Some(why) => {
            let skipped = occurrence.ended(OccurrenceState::Skipped, "TRIGGER_LOOP", &why, at);
            Occurrence { version: 1, ..skipped }
        }
    }
}

/// Why a trigger must not fire behind these: it was one of them, or there are too many.
#[must_use]
pub fn looped(led_by: &Ancestry, trigger: &TriggerId) -> Option<String> {
    let chain = &led_by.chain;
    if led_by.has(trigger.as_str()) {
        let path = chain.join(" → ");
        return Some(format!("the trigger would fire itself: {path} → {trigger}"));
    }
    if chain.len() >= MAX_CHAIN {
        return Some(format!(
            "{MAX_CHAIN} triggers and monitors have fired one after the other already"
        ));
    }
    None
}
