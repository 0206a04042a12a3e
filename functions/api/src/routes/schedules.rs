//! Schedules: `/schedules`, `/schedules/{id}` and `/schedules/validate` (F-361…F-364, K-63).

use countersign_identity::UserId;
use countersign_profile::ProfileId;
use countersign_schedule::{ScheduleId, ScheduleSpec};
use countersign_store_catalog::Stored;
use countersign_web::Problem;

use super::collection::described::Words;
use super::collection::json::Fields;
use crate::Context;

impl Fields for ScheduleSpec {
    const PLURAL: &'static str = "schedules";
    const WORDS: Words = Words {
        create: "Makes a schedule. It cannot be enabled: this release has no clock that starts runs.",
        list: "The caller's schedules, newest first.",
        detail: "One schedule.",
        replace: "Replaces the fields of a schedule. `version`, when sent, must be the one that was read.",
        delete: "Removes a schedule.",
        id: "`sched_…`",
        invalid: "SCHEDULE_INVALID",
        changed: Some("VERSION_CONFLICT"),
        needed: None,
    };

    fn id(bytes: [u8; 16]) -> ScheduleId {
        ScheduleId::from_bytes(bytes)
    }

    async fn check(&self, ctx: &Context, owner: &UserId) -> Result<(), Problem> {
        let profile = ctx.catalog.profiles().get(owner, &self.profile_id).await?;
        let missing = || format!("there is no agent `{}`", self.profile_id);
        profile.map(drop).ok_or_else(|| Problem::field("profile_id", missing()))
    }
}

/// Removes the schedules of an agent (F-178).
pub(super) async fn remove(
    ctx: &Context,
    owner: &UserId,
    profile: &ProfileId,
) -> Result<(), Problem> {
    let schedules = ctx.catalog.collection::<Stored<ScheduleSpec>>();
    let all = schedules.all(owner).await?;
    for schedule in all.iter().filter(|schedule| schedule.spec.profile_id == *profile) {
        schedules.delete(schedule).await?;
    }
    Ok(())
}
