//! Schedules: when agents run by themselves.

use countersign_schedule::{ScheduleId, ScheduleSpec};

use crate::stored::Spec;

impl Spec for ScheduleSpec {
    type Id = ScheduleId;

    const KIND: &'static str = "schedule";
    const KEY: &'static str = "SCHEDULE";

    fn property(&self) -> String {
        self.profile_id.to_string()
    }
}
