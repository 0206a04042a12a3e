//! `/approvals/{id}` (F-358).

use axum::extract::State;
use countersign_approval::{
    Actor, ApprovalId, ApprovalRecord, Closed, ExtensionRecord, LifecycleError, OutcomeAnswer,
    Request, StrikeRecord, UnknownCall, Vocabulary, Vote, shown_number,
};
use countersign_gatekeeper::GateError;
use countersign_identity::UserId;
use countersign_store_approvals::Loaded;
use countersign_web::{FieldError, Json, Path, Problem};
use serde_json::{Value, json};

use super::approval_decide::refusal;
use super::approval_effect::SentCall;
use super::{Ctx, JsonOf, Reader, approval_effect, found, now};
use crate::Context;

/// One request with its preview, what each step behind it sends (`effects`), the digest a decision must carry, the votes by username, how many approvals were
/// `given` of those `needed`, whom it waits for (`waits_for`), and
/// who struck out or brought back what (`strikes`; `prompt_note` says then that the prompt is older) or gave it more time (`extensions`), and which steps of models can be rewritten (`revisable`). `agent_profile_id` is the agent of the run, `queue_status` the
/// status in the words `pending`, `approved`, `rejected`, `expired`.
#[utoipa::path(
    get, path = "/approvals/{id}", tag = "approvals", params(("id" = String, Path, description = "`appr_…`")),
    responses((status = 200, body = Value), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref person): Reader,
    Path(id): Path<ApprovalId>,
) -> JsonOf<Value> {
    let loaded = found(ctx.approvals.load(&id).await?)?;
    let loaded = found(Some(loaded).filter(|loaded| may_see(&loaded.request, person)))?;
    Ok(Json(shown(&ctx, &loaded).await?))
}

/// A request, for somebody who may see it.
pub(super) async fn seen_by(
    ctx: &Context,
    id: &ApprovalId,
    person: &UserId,
) -> Result<Request, Problem> {
    let request = ctx.approvals.request(id).await?;
    found(request.filter(|request| may_see(request, person)))
}

/// The request after a change; or why there was none, with the part of the body that is wrong.
pub(super) async fn changed<T>(
    ctx: &Context,
    id: &ApprovalId,
    change: Result<T, GateError>,
) -> JsonOf<Value> {
    let Err(error) = change else {
        return Ok(Json(shown(ctx, &found(ctx.approvals.load(id).await?)?).await?));
    };
    let mut problem = refusal(ctx, &error).await?;
    if let Some(place) = place(&error) {
        problem.errors = vec![place];
    }
    Err(problem)
}

fn place(error: &GateError) -> Option<FieldError> {
    match error {
        GateError::Strike(error) => Some(FieldError::new(error.path()?, error.to_string())),
        GateError::Lifecycle(LifecycleError::DeadlineNotLater) => {
            Some(FieldError::new("deadline", error.to_string()))
        }
        _ => None,
    }
}

/// A request as its readers see it.
pub(super) async fn shown(ctx: &Context, loaded: &Loaded) -> Result<Value, Problem> {
    let record = ctx.recorder.of(loaded).await?;
    let mut votes = Vec::new();
    for vote in &loaded.votes {
        votes.push(named(vote, &ctx.recorder.username(&vote.person).await?));
    }
    let mut strikes = Vec::new();
    for strike in &loaded.request.strikes {
        strikes.push(struck(strike, &ctx.recorder.username(&strike.by).await?));
    }
    let mut extensions = Vec::new();
    for extension in &loaded.request.extensions {
        extensions.push(extended(extension, &ctx.recorder.username(&extension.by).await?));
    }
    let head = ctx.runs.head(&loaded.request.position.run).await?;
    let effects = approval_effect::summaries(ctx, &loaded.request).await?;
    let sent = approval_effect::sent(ctx, &loaded.request).await?;
    let mut view = view(&loaded.request, effects, &sent, &record, votes);
    view["prompt_note"] = json!(loaded.request.prompt_note());
    view["strikes"] = Value::Array(strikes);
    view["extensions"] = Value::Array(extensions);
    view["queue_status"] = json!(loaded.request.status.word(Vocabulary::Queue));
    view["agent_profile_id"] = json!(head.map(|head| head.profile_id));
    Ok(view)
}

/// The calls whose outcome is asked for, each with what it sent and where all of that is, and what sending it again risks now.
fn asked(request: &Request, sent: &[SentCall]) -> Vec<Value> {
    let one = |(call, sent): (&UnknownCall, &SentCall)| {
        let mut view = json!(call);
        view["n"] = json!(shown_number(call.n));
        view["sends"] = sent.sends.clone();
        view["effect"] = json!(sent.effect);
        view["again_warning"] = json!(call.again_warning(now()));
        view
    };
    request.outcome.iter().zip(sent).map(one).collect()
}

/// A strike with the username of the person in place of their id.
fn struck(strike: &StrikeRecord, username: &str) -> Value {
    let mut view = json!(strike);
    view["by"] = json!(username);
    view
}

/// An extension with the username of the person in place of their id.
fn extended(extension: &ExtensionRecord, username: &str) -> Value {
    let mut view = json!(extension);
    view["by"] = json!(username);
    view
}

/// A vote, also on an earlier version, with the username of the person in place of their id.
fn named(vote: &Vote, username: &str) -> Value {
    let mut view = json!(vote);
    if let Some(map) = view.as_object_mut() {
        if map.contains_key("answers") {
            let answers: Vec<_> = vote.answers.iter().map(OutcomeAnswer::shown).collect();
            map.insert("answers".to_owned(), json!(answers));
        }
        map.shift_remove("person");
        map.insert("username".to_owned(), json!(username));
    }
    view
}

/// Owner, approvers, and those it would be escalated to. A member who has started somebody else's agent reads of their run, and not
/// what it would send.
fn may_see(request: &Request, person: &UserId) -> bool {
    let escalated = request.timing.escalation.iter().flat_map(|escalation| &escalation.to);
    request.owner == *person
        || request.policy.approvers.contains(person)
        || escalated.into_iter().any(|named| named == person)
}

/// Everything but the salt, which would make the ledger's digests guessable. Whoever decided stands there by username, as in
/// the run's record: how many approvals were given of those needed, and whom the request waits for.
fn view(
    request: &Request,
    effects: Value,
    sent: &[SentCall],
    record: &ApprovalRecord,
    votes: Vec<Value>,
) -> Value {
    let mut view = json!(request);
    if let Some(map) = view.as_object_mut() {
        map.shift_remove("salt");
        map.shift_remove("effects_at");
        map.shift_remove("covers");
        map.insert("effects".to_owned(), effects);
        if !request.outcome.is_empty() {
            map.insert("outcome".to_owned(), json!(asked(request, sent)));
            map.insert("tally".to_owned(), json!(record.tally));
        }
        if let Some(closed) = &request.closed {
            map.insert("closed".to_owned(), ended(closed, record.by.as_deref()));
        }
        map.insert("given".to_owned(), json!(record.given));
        map.insert("needed".to_owned(), json!(record.needed));
        map.insert("waits_for".to_owned(), json!(record.waits_for));
        map.insert("votes".to_owned(), Value::Array(votes));
    }
    view
}

/// How a request ended, with the username of the person who ended it in place of their id.
pub(super) fn ended(closed: &Closed, username: Option<&str>) -> Value {
    let mut view = json!(closed);
    if let (Actor::Person(_), Some(username)) = (&closed.by, username) {
        view["by"] = json!({ "type": "person", "username": username });
    }
    view
}
