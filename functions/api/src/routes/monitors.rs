//! Monitors: `/monitors`, `/monitors/{id}` and `/monitors/validate` (F-366…F-369).

use countersign_clock::native_of_monitor;
use countersign_document::Problem as Found;
use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_monitor::{
    Detection, MAX_MONITORS, MonitorId, MonitorSpec, NoTiming, TickOutcome, Timing, detections,
};
use countersign_plan::inputs;
use countersign_playbook::{Bindings, ValidPlaybook};
use countersign_profile::Profile;
use countersign_states::{Once, StatesError};
use countersign_store_catalog::{CatalogError, Stored, StoredPlaybook};
use countersign_web::Problem;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};

use super::collection::described::Words;
use super::collection::json::Fields;
use super::collection::{Author, More};
use super::{could_run, found, now, schedule_shown, schedules};
use crate::Context;
use crate::clock_queries::ActiveQuery;
use crate::pagination::ListQuery;

impl Fields for MonitorSpec {
    const PLURAL: &'static str = "monitors";
    const WORDS: Words = Words {
        create: "Makes a monitor: its agent looks at something by itself, and runs when there is something new. Its first look says where it begins.",
        list: "The caller's monitors, newest first, paused ones too.",
        detail: "One monitor as its owner wrote it. Where it stands is at `/monitors/{id}/state`.",
        replace: "Replaces the fields of a monitor. `version`, when sent, must be the one that was read.",
        delete: "Removes a monitor with its watermarks and batches. A run that goes on comes to its end.",
        id: "`mon_…`",
        invalid: "MONITOR_INVALID",
        changed: Some("VERSION_CONFLICT"),
        needed: None,
    };

    const MOST: Option<(usize, &'static str)> = Some((MAX_MONITORS, "MONITORS_TOO_MANY"));

    type Query = ActiveQuery;

    fn listing(query: &ActiveQuery) -> ListQuery {
        query.listing()
    }

    fn fits(monitor: &Stored<Self>, query: &ActiveQuery) -> bool {
        query.takes(monitor.spec.is_active, &monitor.spec.profile_id)
    }

    fn id(bytes: [u8; 16]) -> MonitorId {
        MonitorId::from_bytes(bytes)
    }

    async fn check(&self, ctx: &Context, by: Author<'_>) -> Result<Vec<Found>, Problem> {
        let owner = by.user;
        let profile = could_run::agent(ctx, owner, &self.profile_id).await?;
        let playbook = playbook(ctx, owner, self, &profile).await?;
        let valid = &playbook.playbook;
        Timing::of(self, valid.monitor_config.as_ref()).map_err(|why| untimed(why, &valid.id))?;
        let inputs = fitting(self, &profile, valid)?;
        let steps = detections(valid, &ctx.registry).map_err(|why| {
            let message = format!("`{}` cannot be a monitor's playbook: {why}", valid.id);
            Problem::field("playbook_id", message)
        })?;
        let endpoints = ctx.catalog.endpoints(owner, self.profile_id.as_str()).await?;
        steps.iter().try_for_each(|step| reads(step, &endpoints))?;
        if !self.is_active {
            return Ok(Vec::new());
        }
        could_run::monitor(ctx, by, self, (&profile, &playbook), &inputs).await
    }

    async fn after_write(monitor: &Stored<Self>, ctx: &Context) {
        match set_clock(ctx, monitor).await {
            Ok(set) => schedules::settle(monitor.id.as_str(), set),
            Err(error) => {
                let code = error.code();
                tracing::warn!(monitor = %monitor.id, code, "the clock was not set; the sweeper does");
            }
        }
    }

    async fn check_shown(
        monitor: &Stored<Self>,
        ctx: &Context,
        shown: &More,
    ) -> Result<(), Problem> {
        if shown.is_empty() {
            return Ok(());
        }
        let state = ctx.monitors.standing(&monitor.id).await?.state;
        let time = |value: &Value| serde_json::from_value::<Timestamp>(value.clone()).ok();
        let is_past = |value: &Value| time(value).is_some_and(|at| Some(at) <= state.last_tick_at);
        // It may have looked since, with another outcome.
        let looked = shown.get("last_tick_at").and_then(time);
        let has_moved = looked.is_some_and(|at| Some(at) < state.last_tick_at);
        schedule_shown::unless(shown, |name, value| match name {
            "last_tick_at" | "failing_since" => is_past(value),
            "last_outcome" => {
                let outcome = serde_json::from_value::<TickOutcome>(value.clone()).ok();
                outcome.is_some() && (has_moved || outcome == state.last_outcome)
            }
            _ => false,
        })
    }

    async fn in_list(monitor: &Stored<Self>, ctx: &Context) -> Result<More, Problem> {
        let state = ctx.monitors.standing(&monitor.id).await?.state;
        let mut more = More::new();
        more.insert("last_tick_at".to_owned(), json!(state.last_tick_at));
        more.insert("last_outcome".to_owned(), json!(state.last_outcome.map(TickOutcome::as_str)));
        more.insert("failing_since".to_owned(), json!(state.failing_since()));
        more.retain(|_, value| !value.is_null());
        Ok(more)
    }

    fn beside(added: ObjectBuilder) -> ObjectBuilder {
        let time = |says: &'static str| {
            let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
            let time = ObjectBuilder::new().schema_type(Type::String).format(Some(format));
            time.description(Some(format!("{says}; in lists.")))
        };
        let says = "What its last look came to, as `/monitors/{id}/state` has it; in lists.";
        let outcome = ObjectBuilder::new().schema_type(Type::String).description(Some(says));
        added
            .property("last_tick_at", time("When it looked last"))
            .property("last_outcome", outcome)
            .property(
                "failing_since",
                time("Since when it, or one of its steps, fails at each look"),
            )
    }

    /// What is left of it is found by nobody; the next tick of its clock, within a minute or two, forgets it.
    async fn after_removal(monitor: &Stored<Self>, ctx: &Context) {
        let cleared = ctx.monitor_clocks.clear(monitor.id.as_str()).await;
        schedules::settle(monitor.id.as_str(), cleared);
    }
}

/// The playbook whose detection steps look.
async fn playbook(
    ctx: &Context,
    owner: &UserId,
    monitor: &MonitorSpec,
    profile: &Profile,
) -> Result<StoredPlaybook, Problem> {
    let id = monitor.playbook(&profile.spec).ok_or_else(|| {
        let message = "must be named: this agent has none that comes first";
        Problem::field("playbook_id", message)
    })?;
    let stored = ctx.catalog.playbooks().get(owner, &id.to_owned()).await?;
    stored.ok_or_else(|| Problem::field("playbook_id", format!("there is no playbook `{id}`")))
}

/// The same of a monitor that is stored.
pub(super) async fn playbook_of(
    ctx: &Context,
    owner: &UserId,
    monitor: &MonitorSpec,
) -> Result<StoredPlaybook, Problem> {
    let profile = found(ctx.catalog.profiles().get(owner, &monitor.profile_id).await?)?;
    playbook(ctx, owner, monitor, &profile).await
}

/// Nobody says when it looks.
fn untimed(why: NoTiming, playbook: &str) -> Problem {
    match why {
        NoTiming::Interval => {
            let message =
                format!("is missing, and the playbook `{playbook}` has no `monitor_config`");
            Problem::field("interval", message)
        }
        NoTiming::Hours => Problem::field("playbook_id", why.to_string()),
    }
}

/// The inputs of its runs: what the monitor gives, else what its agent's skill does.
fn fitting(
    monitor: &MonitorSpec,
    profile: &Profile,
    playbook: &ValidPlaybook,
) -> Result<Map<String, Value>, Problem> {
    let skill = profile.spec.skill_for(&playbook.id);
    let mut all: Map<String, Value> =
        skill.map(|skill| skill.parameters.clone()).unwrap_or_default();
    all.extend(monitor.inputs.clone());
    inputs(playbook, &all).map(|_| all.clone()).map_err(could_run::misfits)
}

/// What a detection step asks is an endpoint of the agent's that only reads.
fn reads(step: &Detection<'_>, endpoints: &Bindings) -> Result<(), Problem> {
    let param = |name: &str| step.params.get(name).and_then(Value::as_str);
    let (Some(connector), Some(endpoint)) = (param("connector"), param("endpoint")) else {
        return Ok(());
    };
    // A variable is known only with its value.
    if connector.contains('{') || endpoint.contains('{') {
        return Ok(());
    }
    let of = |what: String| {
        Err(Problem::field("playbook_id", format!("its step `{}` {what}", step.step)))
    };
    match (endpoints.endpoints(connector), endpoints.endpoint(connector, endpoint)) {
        (None, _) => {
            of(format!("asks the connector `{connector}`, which is not bound to the agent"))
        }
        (_, None) => {
            of(format!("asks `{endpoint}`, which the connector `{connector}` does not have"))
        }
        (_, Some(found)) if found.irreversible => of(format!(
            "asks `{endpoint}` of `{connector}`, which has an effect: a look only reads"
        )),
        _ => Ok(()),
    }
}

/// Sets the clock of a monitor that looks, and stops that of one that does not (F-217).
async fn set_clock(
    ctx: &Context,
    monitor: &Stored<MonitorSpec>,
) -> Result<Result<(), StatesError>, CatalogError> {
    Ok(match native_of_monitor(&ctx.catalog, monitor).await? {
        Some(recurring) => ctx.monitor_clocks.repeat(&recurring).await,
        None => ctx.monitor_clocks.clear(monitor.id.as_str()).await,
    })
}

/// Sets the clocks of an owner's monitors that look as often as their playbook says: it, or which one it is, has changed.
pub(super) async fn follow_playbooks(ctx: &Context, owner: &UserId) {
    let monitors = match ctx.catalog.collection::<Stored<MonitorSpec>>().all(owner).await {
        Ok(monitors) => monitors,
        Err(error) => {
            let code = error.code();
            tracing::warn!(
                code,
                "the clocks of monitors were not looked at; the sweeper ticks those that are late"
            );
            return;
        }
    };
    let follows =
        |monitor: &&Stored<MonitorSpec>| monitor.spec.is_active && monitor.spec.interval.is_none();
    for monitor in monitors.iter().filter(follows) {
        MonitorSpec::after_write(monitor, ctx).await;
    }
}

/// Ticks a monitor once, now.
pub(super) async fn tick_now(ctx: &Context, monitor: &Stored<MonitorSpec>) -> Result<(), Problem> {
    let at = now();
    let once = Once {
        name: format!("{}-{}", monitor.id, at.as_millisecond()),
        at,
        event: json!({ "owner": monitor.user_id, "monitor": monitor.id, "asked_for": true }),
    };
    Ok(ctx.monitor_clocks.set(&once).await?)
}

/// The caller's own monitor.
pub(super) async fn own(
    ctx: &Context,
    owner: &UserId,
    id: &MonitorId,
) -> Result<Stored<MonitorSpec>, Problem> {
    found(ctx.catalog.collection::<Stored<MonitorSpec>>().own(owner, id).await?)
}
