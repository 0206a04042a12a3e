//! `/monitors/{id}/state`, `/watermarks` and `/reset-watermarks` (F-373, F-374, F-215).
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use std::collections::BTreeSet;

use countersign_monitor::{Looks, MonitorId, StepsChanged, TickOutcome, Watermark, detections};
use countersign_run::RunId;
use countersign_web::{Json, Problem, Query};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::{Analyst, JsonOf, Named, Reader, monitors, now};

/// Where a monitor stands.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MonitorState {
    /// The monitor.
    #[schema(value_type = String)]
    id: MonitorId,
    /// When it looked, or should have looked, last.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_tick_at: Option<Timestamp>,
    /// What that came to: `suppressed` (nothing new), `baseline` (its first look), `started`, `waiting` (the batch before is not
    /// processed yet), `retried`, `outside_active_hours` or `failed`.
    last_outcome: Option<&'static str>,
    /// What its last ticks came to, the newest first: those in a row that came to the same are one line, of at most ten.
    recent: Vec<Recent>,
    /// Why it failed.
    last_error: Option<String>,
    /// Since when it, or one of its steps, fails at each look; null when all of it works.
    #[schema(value_type = Option<String>, format = DateTime)]
    failing_since: Option<Timestamp>,
    /// Why a step of it cannot look, where the others can.
    failing_step: Option<String>,
    /// How many batches it has had.
    batches: u64,
    /// The number of the batch that is not processed yet.
    open_batch: Option<u64>,
    /// The run that has it.
    #[schema(value_type = Option<String>)]
    open_run: Option<RunId>,
    /// Set when that run failed: the next one starts at a tick after this.
    #[schema(value_type = Option<String>, format = DateTime)]
    retry_after: Option<Timestamp>,
    /// What could not be read at its last look, whether or not that started a run; null when everything could.
    warnings: Option<Unread>,
    /// The last time that its detection steps were others than at the look before; null when they never were.
    steps_changed: Option<Changed>,
}

/// Ticks in a row that came to the same.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Recent {
    /// What they came to.
    outcome: &'static str,
    /// How many they are.
    count: u64,
    /// The first of them.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
    /// The last of them.
    #[schema(value_type = String, format = DateTime)]
    until: Timestamp,
}

impl Recent {
    fn of(looks: &Looks) -> Self {
        let Looks { outcome, count, since, until } = *looks;
        Self { outcome: outcome.as_str(), count, since, until }
    }
}

/// What could not be read at a look.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Unread {
    /// How many warnings there are.
    count: u64,
    /// The first five, each with its step.
    first: Vec<String>,
    /// Since when each look has some.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
}

/// That detection steps are others.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changed {
    /// When that was seen.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// Steps that looked for the first time then: what changed before that is not reported, unless `process_first` is set.
    new: Vec<String>,
    /// Steps that have looked before and are no longer in the playbook.
    gone: Vec<String>,
}

/// How far a detection step has come.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WatermarkView {
    /// The step.
    step_name: String,
    /// `timestamp`, `cursor`, `hash` or `offset`; null before its first look.
    #[schema(value_type = Option<String>)]
    watermark_type: Option<Value>,
    /// The value; null before its first look, and after a reset.
    watermark_value: Option<String>,
    /// What it looks at.
    #[schema(value_type = Object)]
    metadata: Map<String, Value>,
    /// When it looked last.
    #[schema(value_type = Option<String>, format = DateTime)]
    last_checked_at: Option<Timestamp>,
    /// How many new items it found then.
    items_found_last: usize,
    /// How many items it remembers one by one.
    remembered: usize,
    /// When it moved last.
    #[schema(value_type = Option<String>, format = DateTime)]
    updated_at: Option<Timestamp>,
}

/// All watermarks of a monitor.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Watermarks {
    /// One for each detection step that has looked, by name.
    items: Vec<WatermarkView>,
}

/// Which watermarks.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MarksQuery {
    /// Only that of this detection step.
    step_name: Option<String>,
}

/// Which watermarks to set back.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reset {
    /// Only these detection steps; left out, all.
    #[serde(default)]
    steps: Vec<String>,
}

impl From<Watermark> for WatermarkView {
    fn from(mark: Watermark) -> Self {
        let kind = mark.position.as_ref().map(|position| position.kind);
        Self {
            step_name: mark.step_name,
            watermark_type: kind.and_then(|kind| serde_json::to_value(kind).ok()),
            remembered: mark.position.as_ref().map_or(0, |position| position.seen.len()),
            watermark_value: mark.position.and_then(|position| position.value),
            metadata: mark.metadata,
            last_checked_at: mark.last_checked_at,
            items_found_last: mark.items_found_last,
            updated_at: mark.updated_at,
        }
    }
}

/// Where a monitor stands: its last look, and the batch that is not processed yet.
#[utoipa::path(
    get, path = "/monitors/{id}/state", tag = "monitors", params(("id" = String, Path, description = "`mon_…`")),
    responses((status = 200, body = MonitorState), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn state(
    Named(ctx, Reader(ref owner), id): Named<MonitorId>,
) -> JsonOf<MonitorState> {
    monitors::own(&ctx, owner, &id).await?;
    let state = ctx.monitors.standing(&id).await?.state;
    let (open, failing_since) = (state.open.as_ref(), state.failing_since());
    Ok(Json(MonitorState {
        last_tick_at: state.last_tick_at,
        last_outcome: state.last_outcome.map(TickOutcome::as_str),
        recent: state.looks.iter().rev().map(Recent::of).collect(),
        last_error: state.last_error,
        failing_since,
        failing_step: state.in_part.map(|in_part| in_part.why),
        batches: state.batches,
        open_batch: open.map(|open| open.number),
        open_run: open.map(|open| open.run.clone()),
        retry_after: open.and_then(|open| open.retry_after),
        warnings: state.warnings.map(|known| Unread {
            count: known.count(),
            first: known.first(),
            since: known.since,
        }),
        steps_changed: state.steps_changed.map(|StepsChanged { at, new, gone }| Changed {
            at,
            new,
            gone,
        }),
        id,
    }))
}

/// How far each detection step of a monitor has come.
#[utoipa::path(
    get, path = "/monitors/{id}/watermarks", tag = "monitors", params(("id" = String, Path, description = "`mon_…`"), MarksQuery),
    responses((status = 200, body = Watermarks), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn watermarks(
    Named(ctx, Reader(ref owner), id): Named<MonitorId>,
    Query(MarksQuery { step_name }): Query<MarksQuery>,
) -> JsonOf<Watermarks> {
    monitors::own(&ctx, owner, &id).await?;
    let of_step = |mark: &Watermark| step_name.as_ref().is_none_or(|step| mark.step_name == *step);
    let marks = ctx.monitors.standing(&id).await?.marks.into_values().filter(of_step);
    Ok(Json(Watermarks { items: marks.map(WatermarkView::from).collect() }))
}

/// Sets watermarks back: at the next look everything that is there is new, and is processed again. A batch that is being
/// processed comes to its end, and does not move them.
#[utoipa::path(
    post, path = "/monitors/{id}/reset-watermarks", tag = "monitors", request_body = Reset,
    params(("id" = String, Path, description = "`mon_…`")),
    responses((status = 200, body = Watermarks), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: there is no such detection step"))
)]
pub(crate) async fn reset(
    Named(ctx, Analyst(ref owner), id): Named<MonitorId, Analyst>,
    Json(body): Json<Reset>,
) -> JsonOf<Watermarks> {
    let monitor = monitors::own(&ctx, owner, &id).await?;
    let playbook = monitors::playbook_of(&ctx, owner, &monitor.spec).await?;
    let steps = detections(&playbook.playbook, &ctx.registry).unwrap_or_default();
    let known: Vec<String> = steps.iter().map(|step| step.step.to_owned()).collect();
    let asked: BTreeSet<String> = body.steps.into_iter().collect();
    let unknown = asked.iter().find(|step| !known.contains(step));
    if let Some(unknown) = unknown {
        let shown: String = unknown.chars().take(100).collect();
        let message =
            format!("there is no detection step `{shown}`; known: `{}`", known.join("`, `"));
        return Err(Problem::field("steps", message));
    }
    let chosen = if asked.is_empty() { known } else { asked.into_iter().collect() };
    let marks = ctx.monitors.reset(&id, &chosen, now()).await?;
    Ok(Json(Watermarks { items: marks.into_iter().map(WatermarkView::from).collect() }))
}
