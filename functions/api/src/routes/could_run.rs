//! Whether the runs of a schedule, a monitor or a trigger could be started and signed: asked when it is saved, and not at 3 a.m.

use countersign_document::{Problem as Found, Severity};
use countersign_failure::at_path;
use countersign_identity::UserId;
use countersign_monitor::MonitorSpec;
use countersign_plan::InputProblem;
use countersign_profile::{Profile, ProfileId};
use countersign_run::{GatePolicy, RunContext, RunId};
use countersign_run_start::{self as run_start, Invoker, Occasion, Question, Starting, run_mode};
use countersign_schedule::{ScheduleSpec, asked};
use countersign_store_catalog::StoredPlaybook;
use countersign_trigger::TriggerSpec;
use countersign_web::{FieldError, Problem};
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::collection::Author;
use super::now;
use crate::Context;

/// A gate that nobody can open.
const UNREACHABLE: &str = "APPROVAL_UNREACHABLE";

/// Checks the runs of an enabled schedule. What may be put right before it is due is a warning; a gate that nobody can open is
/// refused.
pub(super) async fn schedule(
    ctx: &Context,
    by: Author<'_>,
    spec: &ScheduleSpec,
    profile: &Profile,
) -> Result<Vec<Found>, Problem> {
    if !spec.is_enabled || !profile.is_active {
        return Ok(Vec::new());
    }
    let now = now();
    let utc = || now.to_zoned(TimeZone::UTC).date();
    let today = spec.timetable().map_or_else(utc, |times| times.day(now));
    let query = asked(&spec.query_template, today, today);
    let policy = spec.approval_policy.unwrap_or(profile.spec.default_approval_policy);
    let question = Question {
        run: RunId::from_bytes(by.id),
        profile,
        playbook: spec.playbook_id.as_deref(),
        query: &query,
        inputs: &spec.inputs,
        mode: None,
        today,
        occasion: Occasion::Clock(RunContext::Scheduled, policy),
        occurrence: None,
        source_limit: None,
        conversation: None,
    };
    match run_start::could_answer(ctx.starter(), &invoker(by), &question).await {
        Ok(said) => Ok(said.iter().map(|one| warning("run", one)).collect()),
        Err(problem) if problem.status >= 500 => Err(problem),
        Err(problem) if problem.code == UNREACHABLE => Err(not_saved(problem)),
        Err(problem) => Ok(vec![would_not_start(&problem)]),
    }
}

/// Checks the runs of a monitor.
pub(super) async fn monitor(
    ctx: &Context,
    by: Author<'_>,
    spec: &MonitorSpec,
    of: (&Profile, &StoredPlaybook),
    inputs: &Map<String, Value>,
) -> Result<Vec<Found>, Problem> {
    let starting = Starting {
        context: RunContext::Monitor,
        approval_policy: spec.approval_policy.into(),
        ..starting(by, of, &spec.query_template, inputs)?
    };
    said(run_start::could_start(ctx.starter(), &invoker(by), &starting).await)
}

/// Checks the runs of an active trigger. Their inputs come with an event.
pub(super) async fn trigger(
    ctx: &Context,
    by: Author<'_>,
    spec: &TriggerSpec,
    of: (&Profile, &StoredPlaybook),
) -> Result<Vec<Found>, Problem> {
    if !spec.is_active || !of.0.is_active {
        return Ok(Vec::new());
    }
    let inputs = Map::new();
    let starting = starting(by, of, &spec.query_template, &inputs)?;
    said(run_start::could_start(ctx.starter(), &invoker(by), &starting).await)
}

/// A run of an agent that nobody waits for, and whose gates ask.
fn starting<'s>(
    by: Author<'_>,
    (profile, playbook): (&'s Profile, &'s StoredPlaybook),
    query: &'s str,
    inputs: &'s Map<String, Value>,
) -> Result<Starting<'s>, Problem> {
    Ok(Starting {
        run: RunId::from_bytes(by.id),
        profile,
        playbook,
        query,
        inputs,
        context: RunContext::Background,
        occurrence: None,
        source_limit: None,
        approval_policy: GatePolicy::Require,
        mode: run_mode::of(Some(profile), &playbook.playbook, None)?,
        chosen_because: None,
        understood: Vec::new(),
        repeats: &[],
        found: None,
        made: None,
        within: None,
    })
}

/// The agent that a document names as `profile_id`.
pub(super) async fn agent(
    ctx: &Context,
    owner: &UserId,
    id: &ProfileId,
) -> Result<Profile, Problem> {
    let profile = ctx.catalog.profiles().get(owner, id).await?;
    let missing = || Problem::field("profile_id", format!("there is no agent `{id}`"));
    profile.ok_or_else(missing)
}

/// What is wrong with the inputs of a document.
pub(super) fn misfits(problems: Vec<InputProblem>) -> Problem {
    let field = |problem: InputProblem| {
        FieldError::new(format!("inputs.{}", problem.name), problem.problem)
    };
    Problem::invalid(problems.into_iter().map(field).collect())
}

/// What is said of runs that could be started is a warning; a gate that nobody can open is refused.
fn said(could: Result<Vec<FieldError>, Problem>) -> Result<Vec<Found>, Problem> {
    could.map(|said| said.iter().map(|one| warning("run", one)).collect()).map_err(not_saved)
}

fn invoker(by: Author<'_>) -> Invoker {
    Invoker {
        user: by.user.clone(),
        scopes: by.scopes.clone(),
        token: None,
        shared: None,
        by_mention: false,
    }
}

/// The same problem, of something that is not saved.
fn not_saved(mut problem: Problem) -> Problem {
    if problem.code == UNREACHABLE {
        problem.detail =
            "too few of the approvers could sign what its runs ask; it was not saved".to_owned();
    }
    problem
}

/// What a run of it would be warned of, at the field that names where that is from.
fn warning(code: &str, said: &FieldError) -> Found {
    let pointer = if said.path.starts_with("profile") { "/profile_id" } else { "/playbook_id" };
    let message = at_path(&said.path, &said.message);
    let found = Found::error(code, pointer, message).hint(said.hint.clone());
    Found { severity: Severity::Warning, ..found }
}

fn would_not_start(problem: &Problem) -> Found {
    let errors: Vec<String> =
        problem.errors.iter().map(|one| at_path(&one.path, &one.message)).collect();
    let more = if errors.is_empty() { String::new() } else { format!(": {}", errors.join("; ")) };
    let message = format!("as things are, its runs would not start: {}{more}", problem.detail);
    let found = Found::error(problem.code.as_str(), "/query_template", message);
    Found { severity: Severity::Warning, ..found.hint(problem.hint.clone()) }
}
