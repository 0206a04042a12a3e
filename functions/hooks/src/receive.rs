//! One message: whether it is for somebody, and what becomes of it.
//!
//! Its body is kept before its occurrence is entered, because a run begins with it. Whoever ends in between leaves a body that no
//! occurrence names and nobody reads; it expires like every other one, and the message that comes again is kept anew.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use countersign_clock::{EventOutcome, Trigger};
use countersign_identity::UserId;
use countersign_run::{Ancestry, Occurrence, QUOTA_EXCEEDED, TriggeredBy};
use countersign_store_catalog::{HookKeyInfo, HookKeys, Listener};
use countersign_trigger::hook::{HookError, MAX_PER_MINUTE, Message, Secret};
use countersign_trigger::{FiringTrigger, HookKeyId, TriggerEvent, TriggerId, noticed};
use countersign_web::{FieldError, Json, Problem, WrittenJson};
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::Context;

/// Takes a message. What is wrong with the message itself is said to everybody; whether there is a trigger, to nobody.
pub(crate) async fn receive(
    State(ctx): State<Arc<Context>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: WrittenJson,
) -> Result<Response, Problem> {
    let now = Timestamp::now();
    let message = read(&headers, now)?;
    let (trigger, key) = verified(&ctx, &id, &message, &body).await?.ok_or_else(unverified)?;
    if !ctx.clock.catalog.count_message(&trigger.id, now).await? {
        return Err(too_often(now));
    }
    body.value()?;
    let fired = TriggeredBy::Webhook {
        message_id: message.id.clone(),
        sent_at: message.sent_at,
        bytes: body.0.len() as u64,
        sha256: hex::encode(Sha256::digest(&body.0)),
        key: Some(key.to_string()),
    };
    let answer = taken(&ctx, &trigger, &fired, &body, now).await?;
    Ok((StatusCode::ACCEPTED, Json(answer)).into_response())
}

/// The headers of the message.
fn read(headers: &HeaderMap, now: Timestamp) -> Result<Message, Problem> {
    let all = |name: &str| -> Vec<&str> {
        headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default()).collect()
    };
    let (id, at) = (all("webhook-id"), all("webhook-timestamp"));
    Message::read(&id, &at, &all("webhook-signature"), now).map_err(|wrong| match wrong {
        HookError::Header { header, problem } => {
            let detail = format!("the header `{header}` {problem}");
            let mut problem = Problem::new(StatusCode::BAD_REQUEST, "WEBHOOK_HEADER", detail);
            problem.errors = vec![FieldError::new(header, wrong.to_string())];
            problem
        }
        HookError::Window => {
            let problem =
                Problem::new(StatusCode::UNAUTHORIZED, "WEBHOOK_TOO_OLD", wrong.to_string());
            problem.with_hint("sign each attempt with the time at which it is sent")
        }
    })
}

/// The trigger that the message is for, when it is active and the message is signed with one of its keys: this one.
async fn verified(
    ctx: &Context,
    id: &str,
    message: &Message,
    body: &WrittenJson,
) -> Result<Option<(Trigger, HookKeyId)>, Problem> {
    let known = match TriggerId::parse(id) {
        Ok(id) => {
            let (listener, keys) = ctx.clock.catalog.hook(&id).await?;
            listener.map(|listener| (listener, keys))
        }
        Err(_) => None,
    };
    let Some((Listener { owner, trigger }, keys)) = known else {
        // As much is computed as for a trigger with a key.
        let _ = message.is_signed_by(&[Secret::new([0; 32])], &body.0);
        return Ok(None);
    };
    let ids = valid(ctx, &owner, keys).await?;
    let secrets = ctx.vault.hook_secrets(&owner, &trigger, &ids).await?;
    let signer = message.signer(secrets.iter().map(|(_, secret)| secret), &body.0);
    let Some((key, _)) = signer.and_then(|place| secrets.get(place)) else { return Ok(None) };
    let found = ctx.clock.catalog.collection::<Trigger>().own(&owner, &trigger).await?;
    let is_active = |trigger: &Trigger| {
        trigger.spec.is_active && matches!(trigger.spec.on, TriggerEvent::Webhook {})
    };
    Ok(found.filter(is_active).map(|trigger| (trigger, key.clone())))
}

/// The keys that may be signed with: one that was made with a token that is void now is void as well.
async fn valid(ctx: &Context, owner: &UserId, keys: HookKeys) -> Result<Vec<HookKeyId>, Problem> {
    let entry = match keys.keys.iter().any(|key| key.token.is_some()) {
        true => ctx.clock.directory.entry_of(owner).await?,
        false => None,
    };
    let is_void =
        |key: &HookKeyInfo| entry.as_ref().is_some_and(|entry| key.saved().is_revoked(entry));
    Ok(keys.keys.into_iter().filter(|key| !is_void(key)).map(|key| key.id).collect())
}

/// The answer to a sender who sends more than a webhook takes.
fn too_often(now: Timestamp) -> Problem {
    let detail =
        format!("this webhook takes {MAX_PER_MINUTE} messages a minute, and has taken them");
    let seconds = 60 - now.as_second().rem_euclid(60);
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "WEBHOOK_TOO_OFTEN", detail);
    let problem = problem.again_after(u32::try_from(seconds).unwrap_or(60));
    problem.with("limit", MAX_PER_MINUTE)
}

/// The answer to a stranger.
fn unverified() -> Problem {
    let detail = "there is no webhook here that this message is signed for";
    Problem::new(StatusCode::UNAUTHORIZED, "WEBHOOK_UNVERIFIED", detail)
}

/// The occurrence of a message that is signed, and how far it is: of one that came before, that of the first time.
async fn taken(
    ctx: &Context,
    trigger: &Trigger,
    fired: &TriggeredBy,
    body: &WrittenJson,
    now: Timestamp,
) -> Result<Value, Problem> {
    let Some(owner) = &trigger.user_id else { return Err(unverified()) };
    // A message that found no room was told to come back.
    let before = match seen(ctx, owner, trigger, fired).await? {
        Some(known) if is_turned_away(&known) => Some(known),
        Some(known) => return repeated(&known, fired),
        None => None,
    };
    let firing = FiringTrigger {
        owner,
        trigger: &trigger.id,
        spec: &trigger.spec,
        fired,
        led_by: &Ancestry::NONE,
        at: now,
    };
    // Whoever refused it may have ended before its body was removed.
    if let Some(before) = &before {
        ctx.clock.remove_body(before).await;
    }
    // Nothing is kept of what there is no room for, and of what comes to no run for another reason only until then.
    if let Some(skipped) = ctx.clock.turned_away(&firing, before.as_ref()).await? {
        return Err(turned_away(&skipped, now));
    }
    let instead = before.map(|before| before.id);
    let own = noticed(&firing);
    ctx.clock.hook_bodies.keep(&own, body.0.to_vec()).await?;
    let after = match ctx.clock.fire(&firing, trigger, instead.as_ref()).await? {
        EventOutcome::New(occurrence) => *occurrence,
        // Somebody was faster, perhaps within the same second.
        EventOutcome::Known(id) => match ctx.clock.catalog.occurrence(owner, &id).await? {
            Some(known) => known_before(ctx, known, &own, fired).await?,
            // It is in the ledger no longer, and this one never was.
            None => {
                ctx.clock.hook_bodies.remove_copy(&own).await?;
                return Ok(json!({ "occurrence": id }));
            }
        },
    };
    told(ctx, &after, now).await
}

/// What a sender is told once the occurrence is entered. Nothing is kept of a message that is to come again: there was room when it
/// came, and others have used it up since.
async fn told(ctx: &Context, after: &Occurrence, now: Timestamp) -> Result<Value, Problem> {
    if is_turned_away(after) {
        ctx.clock.remove_body(after).await;
        return Err(turned_away(after, now));
    }
    tracing::info!(occurrence = %after.id, state = after.state.as_str(), "a webhook has fired");
    Ok(answer(after))
}

/// The occurrence of the message that came before with the same id.
async fn seen(
    ctx: &Context,
    owner: &UserId,
    trigger: &Trigger,
    fired: &TriggeredBy,
) -> Result<Option<Occurrence>, Problem> {
    match ctx.clock.catalog.seen_event(trigger.id.as_str(), &fired.event()).await? {
        Some(id) => Ok(ctx.clock.catalog.occurrence(owner, &id).await?),
        None => Ok(None),
    }
}

/// The occurrence of the same message that was faster. What was kept for this one, which is not entered, is removed.
async fn known_before(
    ctx: &Context,
    known: Occurrence,
    own: &Occurrence,
    fired: &TriggeredBy,
) -> Result<Occurrence, Problem> {
    match known.id == own.id && is_same(&known, fired) {
        // Both came in the same microsecond: it may have been kept again after the other one had removed it.
        true => ctx.clock.remove_unused_body(&known).await,
        false => ctx.clock.hook_bodies.remove_copy(own).await?,
    }
    repeated(&known, fired)?;
    Ok(known)
}

/// The answer to a sender: the occurrence, how far it is, and why there is no run.
fn answer(of: &Occurrence) -> Value {
    let mut answer = json!({ "occurrence": of.id, "state": of.state });
    if let Some(reason) = &of.reason {
        answer["reason"] = json!(reason.code);
    }
    answer
}

/// The answer to a message that came before. An id that comes again with another body is another message, and the sender's
/// mistake: taking it as the first one would lose it.
fn repeated(known: &Occurrence, fired: &TriggeredBy) -> Result<Value, Problem> {
    if is_same(known, fired) {
        return Ok(answer(known));
    }
    tracing::warn!(occurrence = %known.id, "a message came again with another body");
    let detail = "a message of this id came before with another body; nothing was started";
    let problem = Problem::conflict("MESSAGE_ID_REUSED", detail);
    Err(problem
        .with_hint("give every message an id of its own")
        .with("occurrence", known.id.as_str()))
}

/// Whether the message that came before had the same body.
fn is_same(known: &Occurrence, fired: &TriggeredBy) -> bool {
    let digest = |fired: &TriggeredBy| match fired {
        TriggeredBy::Webhook { sha256, .. } => Some(sha256.clone()),
        TriggeredBy::File { .. } | TriggeredBy::After { .. } => None,
    };
    known.fired_by.as_ref().and_then(digest) == digest(fired)
}

fn is_turned_away(occurrence: &Occurrence) -> bool {
    occurrence.is_skipped_for(QUOTA_EXCEEDED)
}

/// The day's runs of the trigger's owner, or of the trigger, are used up: the same message may come again when the next day begins.
fn turned_away(occurrence: &Occurrence, now: Timestamp) -> Problem {
    const DAY: i64 = 24 * 3600;
    let detail = "the runs that this webhook, or its owner, may start in a day are used up";
    let seconds = DAY - now.as_second().rem_euclid(DAY);
    let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, QUOTA_EXCEEDED, detail);
    let problem = problem.again_after(u32::try_from(seconds).unwrap_or(u32::MAX));
    problem.with("occurrence", occurrence.id.as_str())
}
