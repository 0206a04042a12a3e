//! Schedules: `/schedules`, `/schedules/{id}` and `/schedules/validate` (F-361…F-364, K-63).

use countersign_clock::{Schedule, Tick};
use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_profile::ProfileId;
use countersign_run::{Occurrence, OccurrenceState};
use countersign_schedule::{ScheduleId, ScheduleSpec};
use countersign_states::Recurring;
use countersign_store_catalog::Stored;
use countersign_web::Problem;
use serde_json::json;
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, SchemaFormat, Type};

use super::collection::More;
use super::collection::described::Words;
use super::collection::json::Fields;
use super::execution::state;
use super::now;
use crate::Context;

/// How many due times to come are shown.
const SHOWN: usize = 5;

/// Of so many occurrences the last run is looked for.
const LOOK_BACK: i32 = 20;

impl Fields for ScheduleSpec {
    const PLURAL: &'static str = "schedules";
    const WORDS: Words = Words {
        create: "Makes a schedule. Once it is enabled, its agent is asked whenever it is due, with the rights its owner has then, and at most those of the token it was saved with.",
        list: "The caller's schedules, newest first.",
        detail: "One schedule, with its next due times and how its last run ended.",
        replace: "Replaces the fields of a schedule. `version`, when sent, must be the one that was read.",
        delete: "Removes a schedule. Its runs and occurrences stay.",
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

    /// The native schedule ticks at the time. Where it could not be set, the sweeper does, up to a minute late.
    async fn after_write(schedule: &Schedule, ctx: &Context) {
        let set = match native(schedule) {
            Some(recurring) => ctx.ticks.repeat(&recurring).await,
            None => ctx.ticks.clear(schedule.id.as_str()).await,
        };
        if let Err(error) = set {
            tracing::warn!(schedule = %schedule.id, code = error.code(), %error, "the native schedule was not set; the sweeper ticks");
        }
    }

    async fn after_removal(schedule: &Schedule, ctx: &Context) {
        if let Err(error) = ctx.ticks.clear(schedule.id.as_str()).await {
            tracing::warn!(schedule = %schedule.id, code = error.code(), %error, "the native schedule was not removed; its ticks find nothing");
        }
    }

    async fn more(schedule: &Schedule, ctx: &Context) -> Result<More, Problem> {
        let times = schedule.spec.timetable().filter(|_| schedule.spec.is_enabled);
        let next = times.map(|times| times.upcoming(now(), SHOWN)).unwrap_or_default();
        let mut more = More::new();
        more.insert("next_run_at".to_owned(), json!(next.first()));
        more.insert("next_runs".to_owned(), json!(next));
        more.retain(|_, value| !value.is_null());
        let Some(owner) = &schedule.user_id else { return Ok(more) };
        let id = Some(schedule.id.as_str());
        let known = ctx.catalog.occurrences(owner, id, LOOK_BACK, None).await?.items;
        let finished = known.iter().find(|one| one.state == OccurrenceState::Finished);
        more.insert("last_run_at".to_owned(), json!(finished.map(|one| one.due_at)));
        more.insert("last_run_status".to_owned(), json!(finished.and_then(|one| one.status)));
        let current = known.iter().find(|one| one.state == OccurrenceState::Started);
        more.insert("current_run".to_owned(), going_on(ctx, current).await?);
        // What there is nothing of is left out.
        more.retain(|_, value| !value.is_null());
        Ok(more)
    }

    fn beside(added: ObjectBuilder) -> ObjectBuilder {
        let time = || {
            let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
            ObjectBuilder::new().schema_type(Type::String).format(Some(format))
        };
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let next = "Its next due times, in UTC; of one schedule alone.";
        let current = "The run that goes on: `occurrence`, `run` and `status`, which is `awaiting_approval` while it waits for people (F-208); of one schedule alone.";
        added
            .property(
                "next_run_at",
                time().description(Some("When it is due next; of one schedule alone.")),
            )
            .property("next_runs", ArrayBuilder::new().items(time()).description(Some(next)))
            .property(
                "last_run_at",
                time().description(Some(
                    "When the last run that is over was due; of one schedule alone.",
                )),
            )
            .property(
                "last_run_status",
                text().description(Some(
                    "How that run ended; a run that goes on does not change it (F-208).",
                )),
            )
            .property("current_run", ObjectBuilder::new().description(Some(current)))
    }
}

/// The run of an occurrence, as far as it is.
async fn going_on(
    ctx: &Context,
    current: Option<&Occurrence>,
) -> Result<serde_json::Value, Problem> {
    let Some((of, run)) = current.and_then(|one| Some((one, one.runs.last()?))) else {
        return Ok(json!(null));
    };
    let Some(head) = ctx.runs.head(run).await? else { return Ok(json!(null)) };
    let status = state(ctx, &head).await?.status;
    Ok(json!({ "occurrence": of.id, "run": run, "status": status }))
}

/// The native schedule of one that is enabled.
fn native(schedule: &Schedule) -> Option<Recurring> {
    let times = schedule.spec.timetable().filter(|_| schedule.spec.is_enabled)?;
    let tick = Tick { owner: schedule.user_id.clone()?, schedule: schedule.id.clone() };
    Some(Recurring {
        name: schedule.id.to_string(),
        expression: times.native().to_owned(),
        timezone: schedule.spec.timezone.to_string(),
        event: json!(tick),
    })
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
        ScheduleSpec::after_removal(schedule, ctx).await;
    }
    Ok(())
}
