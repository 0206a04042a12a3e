//! `/executions`: starting a run (K-90: 202, then poll) and the history (F-347).

use axum::extract::State;
use axum::response::Response;
use countersign_failure::Failure;
use countersign_identity::UserId;
use countersign_playbook::InputDecl;
use countersign_profile::{Handle, Profile, ProfileId, SkillType};
use countersign_registry::nearest;
use countersign_run::{Head, RunContext, RunId, RunStatus};
use countersign_store_catalog::StoredPlaybook;
use countersign_store_runs::Created;
use countersign_web::replay::{Attempt, Kept, Key};
use countersign_web::{Cursor, FieldError, Json, Page, PageQuery, Problem, Query, Signed};
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::execution::state;
use super::{Ctx, analyst, now, reader};
use crate::Context;
use crate::once::do_once;

/// Runs of a page that are looked at together.
const AT_ONCE: usize = 8;

/// A run to start.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    /// The agent: `prof_…`, or its handle with or without `@`.
    profile: String,
    /// The playbook it follows. May be left out when the agent has exactly one.
    #[serde(default)]
    playbook: Option<String>,
    /// The playbook's inputs, by name.
    #[serde(default)]
    #[schema(value_type = Object)]
    inputs: Map<String, Value>,
    /// What is asked, in the caller's words.
    #[serde(default)]
    query: String,
    /// `interactive`: somebody waits for it; `background`: nobody does. The agent's default when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    run_context: Option<RunContext>,
}

/// A run in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExecutionLine {
    /// `run_…`.
    #[schema(value_type = String)]
    id: RunId,
    /// The agent.
    profile_id: String,
    /// Its name when the run started.
    profile_name: String,
    /// The playbook.
    playbook_id: Option<String>,
    /// Its name when the run started.
    playbook_name: Option<String>,
    /// What was asked.
    query: String,
    /// How it came about.
    #[schema(value_type = String)]
    run_context: RunContext,
    /// Who started it.
    #[schema(value_type = String)]
    invoked_by: UserId,
    /// Where it stands.
    #[schema(value_type = String)]
    status: RunStatus,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    /// When it finished.
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
}

impl ExecutionLine {
    /// The same line with the status its events give.
    pub(super) fn with_status(self, status: RunStatus) -> Self {
        Self { status, ..self }
    }
}

impl From<&Head> for ExecutionLine {
    fn from(head: &Head) -> Self {
        Self {
            id: head.run.clone(),
            profile_id: head.profile_id.clone(),
            profile_name: head.profile_name.clone(),
            playbook_id: head.playbook_id.clone(),
            playbook_name: head.playbook_name.clone(),
            query: head.query.clone(),
            run_context: head.context,
            invoked_by: head.invoked_by.clone(),
            status: head.status.unwrap_or(RunStatus::Running),
            started_at: head.started_at,
            finished_at: head.finished_at,
        }
    }
}

/// Starts a run and answers at once: 202 with its id. Poll `/executions/{id}`.
#[utoipa::path(
    post, path = "/executions", tag = "executions", request_body = Start,
    params(("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run")),
    responses((status = 202, body = ExecutionLine), (status = 404, description = "NOT_FOUND"), (status = 409, description = "PROFILE_INACTIVE"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn start(
    ctx: Ctx,
    signed: Signed,
    key: Key,
    Json(body): Json<Start>,
) -> Result<Response, Problem> {
    let State(ctx) = ctx;
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, "POST /executions", key, &body)?;
    let work = Box::pin(async {
        let profile = profile(&ctx, owner, &body.profile).await?;
        let playbook = playbook(&ctx, owner, &profile, body.playbook.as_deref()).await?;
        check_inputs(&body.inputs, &playbook.playbook.inputs)?;
        let head = head(RunId::from_bytes(attempt.id()), &signed, &profile, &playbook, &body);
        let head = begin(&ctx, head, body.inputs.clone()).await?;
        let place = format!("/api/agent-factory/executions/{}", head.run);
        Kept::new(StatusCode::ACCEPTED, Some(place), &ExecutionLine::from(&head))
    });
    do_once(&ctx.catalog, &attempt, now(), work).await
}

/// The caller's runs, newest first.
#[utoipa::path(get, path = "/executions", tag = "executions", params(PageQuery), responses((status = 200, body = Page<ExecutionLine>)))]
pub(crate) async fn list(
    ctx: Ctx,
    signed: Signed,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ExecutionLine>>, Problem> {
    let State(ctx) = ctx;
    let owner = reader(&signed)?;
    let cursor = Cursor::new(owner, "executions", &[]);
    let after = query.after(&cursor)?;
    let page = ctx.runs.list(owner, query.limit()?, after.as_deref()).await?;
    let looked: Vec<BoxFuture<'_, _>> =
        page.items.iter().map(|head| Box::pin(line(&ctx, head)) as BoxFuture<'_, _>).collect();
    let lines = futures::stream::iter(looked).buffered(AT_ONCE).try_collect().await?;
    Ok(Json(cursor.page(lines, page.next.as_deref())))
}

/// The line of a run; only one that goes on is looked at more closely.
async fn line(ctx: &Context, head: &Head) -> Result<ExecutionLine, Problem> {
    let line = ExecutionLine::from(head);
    match head.status {
        Some(_) => Ok(line),
        None => Ok(line.with_status(state(ctx, head).await?.status)),
    }
}

/// Writes the run, then starts its execution. Once it is written it will run: should the start fail, the sweeper does it.
async fn begin(ctx: &Context, head: Head, inputs: Map<String, Value>) -> Result<Head, Problem> {
    let head = match ctx.runs.create(&head, &Value::Object(inputs)).await? {
        Created::New => head,
        Created::Existing(known) => *known,
    };
    if let Err(error) = ctx.runner.start(&head).await {
        tracing::warn!(run = %head.run, code = error.code(), %error, "the execution was not started; the sweeper will");
    }
    Ok(head)
}

async fn profile(ctx: &Context, owner: &UserId, named: &str) -> Result<Profile, Problem> {
    let name = named.strip_prefix('@').unwrap_or(named);
    let profile = match (ProfileId::parse(name), Handle::parse(name)) {
        (Ok(id), _) => ctx.catalog.profile(owner, &id).await?,
        (_, Ok(handle)) => ctx.catalog.profile_by_handle(owner, &handle).await?,
        (Err(_), Err(_)) => {
            return Err(Problem::field(
                "profile",
                format!("`{named}` is neither an id nor a handle"),
            ));
        }
    };
    let profile = profile
        .ok_or_else(|| Problem::not_found().with_hint(format!("there is no agent `{named}`")))?;
    if profile.is_active {
        return Ok(profile);
    }
    Err(Problem::conflict(
        "PROFILE_INACTIVE",
        "this agent is switched off; inactive agents never run",
    ))
}

async fn playbook(
    ctx: &Context,
    owner: &UserId,
    profile: &Profile,
    named: Option<&str>,
) -> Result<StoredPlaybook, Problem> {
    let id = match named {
        Some(id) => id.to_owned(),
        None => only_playbook(profile)?,
    };
    let stored = ctx.catalog.playbook(owner, &id).await?;
    stored.ok_or_else(|| Problem::field("playbook", format!("there is no playbook `{id}`")))
}

fn only_playbook(profile: &Profile) -> Result<String, Problem> {
    let playbooks = profile
        .spec
        .skills
        .iter()
        .filter(|skill| skill.enabled && skill.skill_type == SkillType::Playbook);
    let names: Vec<&str> = playbooks.map(|skill| skill.reference.as_str()).collect();
    match names.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Problem::field("playbook", "must be named: this agent has none of its own")),
        many => Err(Problem::field(
            "playbook",
            format!("must be one of this agent's: {}", many.join(", ")),
        )),
    }
}

/// Every input that is required and every input that is known; types are checked when the run is planned.
fn check_inputs(given: &Map<String, Value>, declared: &[InputDecl]) -> Result<(), Problem> {
    let mut errors = Vec::new();
    for input in declared {
        let has_value = given.get(&input.name).is_some_and(|value| !value.is_null());
        if input.required && input.default.is_none() && input.extract_from.is_none() && !has_value {
            errors.push(FieldError::new(format!("inputs.{}", input.name), "is missing"));
        }
    }
    for name in given.keys().filter(|name| !declared.iter().any(|input| input.name == **name)) {
        let error = FieldError::new(format!("inputs.{name}"), "is no input of this playbook");
        let near = nearest(name, declared.iter().map(|input| input.name.as_str()));
        errors.push(match near {
            Some(near) => error.with_hint(format!("did you mean `{near}`?")),
            None => error,
        });
    }
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(errors)) }
}

fn head(
    run: RunId,
    signed: &Signed,
    profile: &Profile,
    playbook: &StoredPlaybook,
    body: &Start,
) -> Head {
    let caller = &signed.caller;
    Head {
        run,
        owner: caller.user.clone(),
        invoked_by: caller.user.clone(),
        // What the token is worth now: a run never gets more than its caller had, and the directory may take it back.
        scopes: caller.scopes.clone(),
        profile_id: profile.id.to_string(),
        profile_name: profile.spec.name.clone(),
        playbook_id: Some(playbook.playbook.id.clone()),
        playbook_name: Some(playbook.playbook.name.clone()),
        query: body.query.clone(),
        context: body.run_context.unwrap_or(profile.spec.default_run_context),
        started_at: now(),
        last_finished_at: None,
        attempt: 1,
        idle_attempts: 0,
        events_at_attempt: 0,
        version: 1,
        seal: None,
        stop: None,
        status: None,
        finished_at: None,
    }
}

#[cfg(test)]
mod tests {
    use countersign_playbook::InputType;
    use serde_json::json;

    use super::*;

    fn input(name: &str, required: bool, default: Option<Value>) -> InputDecl {
        InputDecl {
            name: name.to_owned(),
            input_type: InputType::String,
            description: String::new(),
            required,
            default,
            extract_from: None,
        }
    }

    fn check(given: &Value, expect: &[&str]) {
        let declared = [
            input("folder", true, None),
            input("year", true, Some(json!("2024"))),
            input("note", false, None),
        ];
        let found = check_inputs(given.as_object().unwrap(), &declared);
        let found: Vec<String> = found
            .err()
            .map(|p| p.errors.iter().map(|e| e.path.clone()).collect())
            .unwrap_or_default();
        assert_eq!(found, expect, "{given}");
    }

    #[test]
    fn f_135_inputs_are_checked_by_name_before_anything_starts() {
        check(&json!({"folder": "filings"}), &[]);
        check(&json!({"folder": "filings", "year": "2023", "note": null}), &[]);
        check(&json!({}), &["inputs.folder"]);
        check(&json!({"folder": null, "foldr": "x"}), &["inputs.folder", "inputs.foldr"]);
    }
}
