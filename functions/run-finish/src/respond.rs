//! The response of a run: its answer as a text, and its results where the profile and the playbook want them.

use std::time::Duration;

use countersign_actions_output::{Places, route};
use countersign_failure::Failure;
use countersign_identity::{Requirement, Role, UserId, permits};
use countersign_plan::{Plan, run_info};
use countersign_playbook::{OutputDecl, SaveTo};
use countersign_profile::{Profile, ProfileId};
use countersign_registry::action::{ActionError, Call};
use countersign_report::{
    Destination, DestinationConfig, DocumentConfig, Format, Provenance, TableConfig, render,
};
use countersign_run::{Head, Response, RunState, RunStatus, StepStatus, StepWarnings};
use countersign_store_runs::Outcome;
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::answer::{Answer, Results};
use crate::enrich::{Enriched, enrich, is_wanted};
use crate::outcomes::{chat, chats, row_of, written};
use crate::{Context, FinishError};

/// The longest text that is part of the response; a longer one is where it was saved.
const MAX_CONTENT: usize = 512 * 1024;

/// Sentences about what the run could not read, in documents.
const MAX_WARNINGS: usize = 10;

/// Everything the response is made of.
pub(crate) struct Over<'a> {
    pub(crate) head: &'a Head,
    pub(crate) plan: &'a Plan,
    pub(crate) state: &'a RunState,
    pub(crate) outcomes: &'a [Outcome],
    pub(crate) profile: Option<&'a Profile>,
    pub(crate) at: Timestamp,
}

/// The response of a run that has come to its end, made and kept once; none of one that was stopped on the way.
pub(crate) async fn response(
    context: &Context,
    over: &Over<'_>,
    status: RunStatus,
) -> Result<Option<Response>, FinishError> {
    if !matches!(status, RunStatus::Complete | RunStatus::Partial) {
        return Ok(None);
    }
    let run = &over.head.run;
    if let Some(kept) = context.runs.response(run).await? {
        return Ok(Some(kept));
    }
    let made = made(context, over).await?;
    Ok(Some(context.runs.keep_response(run, made).await?))
}

async fn made(context: &Context, over: &Over<'_>) -> Result<Response, FinishError> {
    let Over { head, plan, state, outcomes, .. } = *over;
    let answer = Answer::of(Results { head, plan, state, outcomes });
    let warnings = context.runs.warnings(head, MAX_WARNINGS).await?;
    let call = call(over, warnings.iter().map(StepWarnings::sentence).collect());
    // A test leaves nothing behind but itself (K-46).
    let at_end = match head.dry_run {
        None => routed_at_end(context, over, &answer, &call).await?,
        Some(_) => Vec::new(),
    };
    let enriched = match head.dry_run {
        None if is_wanted(over.plan, over.profile) => enriched(context, over, &call).await?,
        _ => Enriched::default(),
    };
    let mut outputs = written(outcomes);
    outputs.extend(enriched.row.iter().filter_map(|row| row_of(row, None)));
    outputs.extend(at_end.iter().filter_map(|row| row_of(row, None)));
    let said = chats(outcomes).into_iter().chain(at_end.iter().filter_map(chat));
    let said: Vec<(Format, &str)> = said.collect();
    let (format, text) = match said.first() {
        Some((format, _)) if !answer.is_declared => {
            let texts: Vec<&str> = said.iter().map(|(_, text)| *text).collect();
            (*format, Ok(texts.join("\n")))
        }
        _ => {
            let rendered = render(answer.format, &answer.layout, &answer.shown, &provenance(&call));
            let text = rendered.map(|rendered| rendered.body).map_err(|error| error.to_string());
            (answer.format, text)
        }
    };
    let (entities, new_entities) = resolved(outcomes);
    let (entities, new_entities) =
        (entities + enriched.entities, new_entities + enriched.new_entities);
    let response = Response { outputs, entities, new_entities, ..Response::default() };
    Ok(with_text(response, format, text, answer.problems))
}

fn with_text(
    response: Response,
    format: Format,
    text: Result<String, String>,
    mut problems: Vec<String>,
) -> Response {
    let bytes = text.as_ref().map_or(0, String::len);
    let content = match text {
        Ok(text) if text.len() <= MAX_CONTENT => Some(text),
        Ok(_) => {
            problems.push(format!(
                "the answer has {bytes} bytes, and at most {MAX_CONTENT} are shown here: `save_to: document` keeps all of it"
            ));
            None
        }
        Err(problem) => {
            problems.push(format!("the answer could not be written: {problem}"));
            None
        }
    };
    let format = serde_json::to_value(format).ok();
    let format = format.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    Response { format, content, bytes: bytes as u64, problems, ..response }
}

/// How many entities were resolved, and how many of them are new to the graph.
fn resolved(outcomes: &[Outcome]) -> (u64, u64) {
    let all = outcomes.iter().filter_map(|outcome| outcome.output.get("resolved")?.as_array());
    let all: Vec<&Value> = all.flatten().collect();
    let is_new = |one: &&&Value| one.get("is_known").and_then(Value::as_bool) == Some(false);
    (all.len() as u64, all.iter().filter(is_new).count() as u64)
}

/// What the playbook's `save_to` wants, then the profile's destinations where no step has routed to them: a row for each.
/// Whoever started the run must still be allowed to write, when there is something to write.
async fn routed_at_end(
    context: &Context,
    over: &Over<'_>,
    answer: &Answer,
    call: &Call,
) -> Result<Vec<Value>, FinishError> {
    let own = over.plan.output.as_ref().map(|output| saving(over, output, answer));
    let own = own.unwrap_or_default();
    let of_profile = if has_routed(over) { Ok(Vec::new()) } else { of_profile(over) };
    if own.is_empty() && of_profile.as_ref().is_ok_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    if let Some(error) = denied(context, over.head).await? {
        return Ok(vec![failed("output", &error)]);
    }
    let mut rows = sent(context, call, "output", &own, &answer.shown).await;
    match of_profile {
        Ok(destinations) => {
            rows.extend(sent(context, call, "profile", &destinations, &answer.data).await);
        }
        Err(error) => rows.push(failed("output_config", &error)),
    }
    Ok(rows)
}

/// Like routing, it needs whoever started the run to be allowed to write.
async fn enriched(
    context: &Context,
    over: &Over<'_>,
    call: &Call,
) -> Result<Enriched, FinishError> {
    match denied(context, over.head).await? {
        None => enrich(context, over, call).await,
        Some(error) => {
            Ok(Enriched { row: Some(failed("knowledge_graph", &error)), ..Enriched::default() })
        }
    }
}

/// A step that routes has taken the profile's destinations, or chosen others.
fn has_routed(over: &Over<'_>) -> bool {
    let routes = over.plan.steps.iter().filter(|step| step.action == "route_output");
    let mut done = routes.filter_map(|step| {
        over.state.steps.iter().find(|(name, _)| *name == step.name).map(|(_, state)| state.status)
    });
    done.any(|status| status == StepStatus::Done)
}

/// Why nothing may be written for whoever started the run: rights are read now.
async fn denied(context: &Context, head: &Head) -> Result<Option<ActionError>, FinishError> {
    let denied = |message: &str| Some(ActionError::terminal("PERMISSION_DENIED", message));
    let entry = context.directory.entry_of(&head.invoked_by).await?;
    let Some(entry) = entry.filter(|entry| entry.active) else {
        return Ok(denied("whoever started the run is no longer active"));
    };
    if let Some(Err(void)) = head.token.as_ref().map(|token| entry.effective(token)) {
        return Ok(denied(&format!("the run cannot go on as it was started: {void}")));
    }
    let scopes = head.scopes.intersect(&entry.scopes);
    let missing = permits(&scopes, &Requirement::role(Role::Analyst), None).err();
    Ok(missing.and_then(|error| denied(&error.to_string())))
}

fn of_profile(over: &Over<'_>) -> Result<Vec<Destination>, ActionError> {
    let Some(profile) = over.profile else { return Ok(Vec::new()) };
    let destinations = profile.spec.output_config.destinations();
    destinations.map_err(|error| ActionError::from_failure(&error))
}

/// Routes to destinations. The key follows from the run, so that finishing again writes nothing twice.
async fn sent(
    context: &Context,
    call: &Call,
    what: &str,
    destinations: &[Destination],
    data: &Value,
) -> Vec<Value> {
    let call = Call { idempotency_key: format!("{}/{what}", call.idempotency_key), ..call.clone() };
    let places = Places { content: &context.content, graph: &context.graph };
    match route(places, &call, destinations, data).await {
        Ok(rows) => rows.iter().filter_map(|row| serde_json::to_value(row).ok()).collect(),
        Err(error) => vec![failed(what, &error)],
    }
}

fn failed(destination: &str, error: &ActionError) -> Value {
    serde_json::json!({
        "destination": destination, "status": "error", "details": null,
        "error": { "code": error.code(), "message": error.message, "help": error.help },
    })
}

/// `save_to` as destinations.
fn saving(over: &Over<'_>, output: &OutputDecl, answer: &Answer) -> Vec<Destination> {
    let playbook = &over.plan.playbook.id;
    let document = DestinationConfig::Document(DocumentConfig {
        filename_template: format!("{playbook}_{{date}}"),
        folder_id: None,
        create_if_missing: false,
        layout: answer.layout.clone(),
    });
    let table = DestinationConfig::Table(TableConfig {
        workspace_id: None,
        table_name: playbook.replace('-', "_"),
        source: records_at(&answer.shown),
        mapping: None,
        create_if_missing: true,
        deduplication_key: Vec::new(),
    });
    let configs = match output.save_to {
        SaveTo::None => vec![],
        SaveTo::Document => vec![document],
        SaveTo::Workspace => vec![table],
        SaveTo::Both => vec![document, table],
    };
    let destination = |config| Destination {
        format: answer.format,
        condition: None,
        transforms: Vec::new(),
        config,
    };
    configs.into_iter().map(destination).collect()
}

/// Where the first list of records is; the whole, when there is none.
fn records_at(shown: &Value) -> String {
    let is_records =
        |value: &&Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_object));
    let fields = shown.as_object().into_iter().flatten();
    let found = fields.filter(|(_, value)| is_records(value)).map(|(name, _)| name.clone()).next();
    found.unwrap_or_default()
}

/// The end of a run as the call of an action: whose data it is, and where it comes from.
fn call(over: &Over<'_>, warnings: Vec<String>) -> Call {
    let head = over.head;
    Call {
        run: head.run.to_string(),
        step: "output".to_owned(),
        owner: head.owner.clone(),
        action: "route_output".to_owned(),
        inputs: over.plan.inputs.clone(),
        params: Map::new(),
        idempotency_key: format!("{}/end", head.run),
        now: over.at,
        remaining: Duration::from_secs(30),
        info: run_info(head, warnings),
        permit: None,
    }
}

fn provenance(call: &Call) -> Provenance {
    let entity = call.inputs.get("entity_name").and_then(Value::as_str);
    Provenance {
        run: call.run.clone(),
        profile: call.info.profile_name.clone(),
        playbook: call.info.playbook_id.clone(),
        query: call.info.query.clone(),
        entity_name: entity.unwrap_or_default().to_owned(),
        at: call.now,
        warnings: call.info.warnings.clone(),
    }
}

/// The profile of a run, when it is still there.
pub(crate) async fn profile(
    context: &Context,
    owner: &UserId,
    id: &str,
) -> Result<Option<Profile>, FinishError> {
    match ProfileId::parse(id) {
        Ok(id) => Ok(context.catalog.profiles().get(owner, &id).await?),
        Err(_) => Ok(None),
    }
}
