//! Triggers: what starts an agent beside people and clocks. A webhook, a file that arrives in a folder, the end of another run.
//!
//! - [`TriggerSpec`] is what its owner writes, [`TriggerEvent`] what it waits for.
//! - [`references`] says what its inputs may name of the event, [`fitting`] whether they fit a playbook, [`inputs`] what they
//!   are once there is an event. What an event brings is data: it is never read as a reference.
//! - [`noticed`] is the occurrence that a firing leaves, [`looped`] whether it goes round in circles; [`circle`] finds circles
//!   among triggers before anything has fired.
//! - [`hook`] reads and verifies the signatures of webhooks.
//!
//! Nothing here reads a clock or a store.

mod circles;
mod event;
mod firing;
pub mod hook;
mod inputs;
mod references;
mod spec;
#[cfg(test)]
mod tests;

pub use circles::{Edge, circle};
pub use event::{EndStatus, FileType, FolderName, TriggerEvent};
pub use firing::{FiringTrigger, MAX_CHAIN, looped, noticed};
pub use inputs::{Content, fitting, inputs};
pub use references::{NoReference, references};
pub use spec::{MAX_TRIGGERS, TriggerSpec};

countersign_ids::prefixed_id! {
    /// One trigger.
    pub struct TriggerId("trig");
}

countersign_ids::prefixed_id! {
    /// A key with which the sender of a webhook signs.
    pub struct HookKeyId("hkey");
}
