//! Schedules: `/schedules`, `/schedules/{id}` and `/schedules/validate` (F-361…F-364, K-63).

use countersign_clock::{Schedule, native};
use countersign_document::Problem as Found;
use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceState};
use countersign_schedule::{MAX_SCHEDULES, ScheduleId, ScheduleSpec};
use countersign_states::StatesError;
use countersign_store_catalog::{Last, LastRun, Stored};
use countersign_store_kit::Window;
use countersign_web::{FieldError, Problem};
use jiff::Timestamp;
use serde_json::json;
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, SchemaFormat, Type};

use super::collection::described::Words;
use super::collection::json::Fields;
use super::collection::{Author, More};
use super::execution::state;
use super::{could_run, now, schedule_shown};
use crate::Context;
use crate::clock_queries::ScheduleQuery;
use crate::pagination::ListQuery;

/// How many due times to come are shown.
pub(super) const SHOWN: usize = 5;

/// Of so many occurrences the last run is looked for.
pub(super) const LOOK_BACK: i32 = 20;

/// Of so many that are not at their end the current one is looked for.
const MOST_OPEN: i32 = 200;

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

    const MOST: Option<(usize, &'static str)> = Some((MAX_SCHEDULES, "SCHEDULES_TOO_MANY"));

    type Query = ScheduleQuery;

    fn listing(query: &ScheduleQuery) -> ListQuery {
        query.listing()
    }

    fn fits(schedule: &Stored<Self>, query: &ScheduleQuery) -> bool {
        query.takes(&schedule.spec)
    }

    fn id(bytes: [u8; 16]) -> ScheduleId {
        ScheduleId::from_bytes(bytes)
    }

    async fn check(&self, ctx: &Context, by: Author<'_>) -> Result<Vec<Found>, Problem> {
        let profile = could_run::agent(ctx, by.user, &self.profile_id).await?;
        named(ctx, by.user, self).await?;
        could_run::schedule(ctx, by, self, &profile).await
    }

    async fn check_shown(schedule: &Schedule, ctx: &Context, shown: &More) -> Result<(), Problem> {
        schedule_shown::check(schedule, ctx, shown).await
    }

    /// The native schedule ticks at the time. The sweeper sets it once more, and ticks, up to a minute late, until it has.
    async fn after_write(schedule: &Schedule, ctx: &Context) {
        let set = match native(schedule) {
            Some(recurring) => ctx.ticks.repeat(&recurring).await,
            None => ctx.ticks.clear(schedule.id.as_str()).await,
        };
        settle(schedule.id.as_str(), set);
    }

    async fn after_removal(schedule: &Schedule, ctx: &Context) {
        let cleared = ctx.ticks.clear(schedule.id.as_str()).await;
        settle(schedule.id.as_str(), cleared);
    }

    async fn more(schedule: &Schedule, ctx: &Context) -> Result<More, Problem> {
        let next = upcoming(schedule, SHOWN);
        let mut more = More::new();
        more.insert("next_run_at".to_owned(), json!(next.first()));
        more.insert("next_runs".to_owned(), json!(next));
        more.retain(|_, value| !value.is_null());
        let Some(owner) = &schedule.user_id else { return Ok(more) };
        let id = Some(schedule.id.as_str());
        let known = ctx.catalog.occurrences(owner, id, Window::first(LOOK_BACK)).await?.items;
        ended(&mut more, last_run(ctx, owner, schedule, &known).await?);
        let current = current(ctx, owner, schedule).await?;
        more.insert("current_run".to_owned(), going_on(ctx, current.as_ref()).await?);
        // What there is nothing of is left out.
        more.retain(|_, value| !value.is_null());
        Ok(more)
    }

    async fn in_list(schedule: &Schedule, ctx: &Context) -> Result<More, Problem> {
        let mut more = More::new();
        more.insert("next_run_at".to_owned(), json!(upcoming(schedule, 1).first()));
        if let Some(owner) = &schedule.user_id {
            let id = schedule.id.as_str();
            ended(&mut more, ctx.catalog.last_run(owner, id, Last::Finished).await?);
        }
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
        let current = "The run that goes on; of one schedule alone.";
        let status = "Where it stands: `awaiting_approval` while it waits for people.";
        let current = ["occurrence", "run", "status"].into_iter().fold(
            ObjectBuilder::new()
                .description(Some(current))
                .property("occurrence", text())
                .property("run", text())
                .property("status", text().description(Some(status))),
            ObjectBuilder::required,
        );
        added
            .property("next_run_at", time().description(Some("When it is due next.")))
            .property("next_runs", ArrayBuilder::new().items(time()).description(Some(next)))
            .property(
                "last_run_at",
                time().description(Some("When the last run that is over was due.")),
            )
            .property(
                "last_run_status",
                text().description(Some(
                    "How that run ended; a run that goes on does not change it.",
                )),
            )
            .property("current_run", current)
    }
}

/// The next due times of a schedule; one that is not enabled has none.
fn upcoming(schedule: &Schedule, most: usize) -> Vec<Timestamp> {
    let times = schedule.spec.timetable().filter(|_| schedule.spec.is_enabled);
    times.map(|times| times.upcoming(now(), most)).unwrap_or_default()
}

/// Adds how the last run that is over ended.
fn ended(more: &mut More, last: Option<LastRun>) {
    more.insert("last_run_at".to_owned(), json!(last.as_ref().map(|one| one.due_at)));
    more.insert("last_run_status".to_owned(), json!(last.map(|one| one.status)));
}

/// A playbook that is named is there, and has the inputs that are.
async fn named(ctx: &Context, owner: &UserId, schedule: &ScheduleSpec) -> Result<(), Problem> {
    let Some(id) = &schedule.playbook_id else {
        return match schedule.inputs.keys().next() {
            None => Ok(()),
            Some(name) => {
                let message = "are those of a playbook that is named: set `playbook_id`";
                Err(Problem::field(format!("inputs.{name}"), message))
            }
        };
    };
    let stored = ctx.catalog.playbooks().get(owner, &id.to_string()).await?;
    let missing = || Problem::field("playbook_id", format!("there is no playbook `{id}`"));
    let playbook = stored.ok_or_else(missing)?.playbook;
    let unknown = |name: &&String| !playbook.inputs.iter().any(|input| input.name == **name);
    let errors = schedule.inputs.keys().filter(unknown).map(|name| {
        FieldError::new(format!("inputs.{name}"), format!("is not an input of `{id}`"))
    });
    let errors: Vec<FieldError> = errors.collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(errors)) }
}

/// The last run that is over. Earlier releases did not note it beside the ledger.
pub(super) async fn last_run(
    ctx: &Context,
    owner: &UserId,
    schedule: &Schedule,
    known: &[Occurrence],
) -> Result<Option<LastRun>, Problem> {
    let noted = ctx.catalog.last_run(owner, schedule.id.as_str(), Last::Finished).await?;
    let finished = || known.iter().find(|one| one.state == OccurrenceState::Finished);
    Ok(noted.or_else(|| finished().and_then(LastRun::of)))
}

/// The newest occurrence whose run goes on, however many due times were skipped since.
async fn current(
    ctx: &Context,
    owner: &UserId,
    schedule: &Schedule,
) -> Result<Option<Occurrence>, Problem> {
    let source = Some(schedule.id.as_str());
    let open = ctx.catalog.open_occurrences(source, Window::first(MOST_OPEN)).await?.items;
    for one in open.iter().rev().filter(|one| !one.is_waiting) {
        let found = ctx.catalog.occurrence(owner, &one.id).await?;
        if let Some(found) = found.filter(|found| found.state == OccurrenceState::Started) {
            return Ok(Some(found));
        }
    }
    Ok(None)
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

/// Notes that a native schedule could not be set or removed. The mark of the change stays in any case, and the sweeper sets it once
/// more: of two changes at once, the earlier one may come to the service last.
pub(super) fn settle(id: &str, done: Result<(), StatesError>) {
    if let Err(error) = done {
        let code = error.code();
        tracing::warn!(id, code, "the native schedule is not as it is to be; the sweeper sets it");
    }
}
