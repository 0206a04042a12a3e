//! `/triggers/{id}/keys`: the keys with which senders of a webhook sign.

use countersign_clock::Trigger;
use countersign_failure::Failure as _;
use countersign_identity::{Role, Scopes};
use countersign_store_catalog::HookKeyInfo;
use countersign_trigger::hook::{MAX_KEYS, Secret};
use countersign_trigger::{HookKeyId, TriggerEvent, TriggerId};
use countersign_web::{Json, Problem, Signed};
use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Analyst, JsonOf, Named, Reader, holder, now, triggers};
use crate::Context;

/// A key, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeyLine {
    /// `hkey_…`.
    #[schema(value_type = String)]
    id: HookKeyId,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// The keys of a trigger.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct KeyList {
    /// The oldest first.
    items: Vec<KeyLine>,
}

/// A new key, with its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewKey {
    #[serde(flatten)]
    key: KeyLine,
    /// `whsec_…`: for the sender. It is shown here and never again.
    secret: String,
}

impl From<&HookKeyInfo> for KeyLine {
    fn from(key: &HookKeyInfo) -> Self {
        Self { id: key.id.clone(), created_at: key.created_at }
    }
}

/// Makes a key for senders of this webhook. Its secret is in this answer and nowhere else. Other keys stay valid until they are
/// removed, so that a sender can change from one to the next.
#[utoipa::path(
    post, path = "/triggers/{id}/keys", tag = "triggers", params(("id" = String, Path, description = "`trig_…`")),
    responses((status = 201, body = NewKey), (status = 403, description = "PERMISSION_DENIED: also of a token with fewer rights than the trigger"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "HOOK_KEYS_TOO_MANY, TRIGGER_NOT_A_WEBHOOK, VERSION_CONFLICT"))
)]
pub(crate) async fn create(
    Named(ctx, signed, id): Named<TriggerId, Signed>,
) -> Result<(StatusCode, Json<NewKey>), Problem> {
    let owner = holder(&signed, Role::Analyst)?;
    let trigger = triggers::own(&ctx, owner, &id).await?;
    covered(&trigger, &signed.caller.scopes)?;
    if !matches!(trigger.spec.on, TriggerEvent::Webhook {}) {
        let detail = "only a trigger with `on.type: webhook` has keys";
        return Err(Problem::conflict("TRIGGER_NOT_A_WEBHOOK", detail));
    }
    let known = ctx.catalog.hook_keys(&id).await?;
    if known.keys.len() >= MAX_KEYS {
        let detail = format!("the webhook has {MAX_KEYS} keys, which is the most");
        let problem = Problem::conflict("HOOK_KEYS_TOO_MANY", detail);
        return Err(problem.with_hint("remove one that no sender uses any more"));
    }
    let secret = Secret::new(rand::random());
    let token = Some(signed.presented.clone());
    let info = HookKeyInfo { id: HookKeyId::from_bytes(rand::random()), created_at: now(), token };
    let line = KeyLine::from(&info);
    let keys = known.keys.iter().cloned().chain([info]).collect();
    // The list first: broken off in between, it has a key that nobody can sign with, and that can be removed. No secret is left that
    // nobody sees.
    ctx.catalog.set_hook_keys(&id, &known, keys).await?;
    if let Err(error) = ctx.vault.put_hook_secret(owner, &id, &line.id, &secret).await {
        unlist(&ctx, &id, &line.id).await;
        return Err(error.into());
    }
    // Whoever removed it in between has found no secret to remove.
    if !ctx.catalog.hook_keys(&id).await?.keys.iter().any(|one| one.id == line.id) {
        ctx.vault.delete_hook_secret(&id, &line.id).await?;
        let detail = "the key was removed while it was made";
        return Err(Problem::conflict("VERSION_CONFLICT", detail));
    }
    Ok((StatusCode::CREATED, Json(NewKey { key: line, secret: secret.reveal() })))
}

/// Takes a key without a secret out of the list again. If that fails too, it stays there and can be removed.
async fn unlist(ctx: &Context, id: &TriggerId, key: &HookKeyId) {
    let taken = async {
        let known = ctx.catalog.hook_keys(id).await?;
        let keys = known.keys.iter().filter(|one| one.id != *key).cloned().collect();
        ctx.catalog.set_hook_keys(id, &known, keys).await
    };
    if let Err(error) = taken.await {
        tracing::warn!(trigger = %id, %key, code = error.code(), "a key without a secret stays listed");
    }
}

/// Whoever has a key starts runs with the rights of the trigger: nobody gives more away than they have.
fn covered(trigger: &Trigger, own: &Scopes) -> Result<(), Problem> {
    if trigger.scopes.as_ref().is_none_or(|saved| saved.intersect(own) == *saved) {
        return Ok(());
    }
    let detail = "the trigger was saved with more rights than this token has";
    let problem = Problem::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", detail);
    Err(problem.with_hint("save the trigger again with this token, or use a token with its rights"))
}

/// The keys of a webhook, without their secrets.
#[utoipa::path(
    get, path = "/triggers/{id}/keys", tag = "triggers", params(("id" = String, Path, description = "`trig_…`")),
    responses((status = 200, body = KeyList), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(Named(ctx, Reader(ref owner), id): Named<TriggerId>) -> JsonOf<KeyList> {
    triggers::own(&ctx, owner, &id).await?;
    let known = ctx.catalog.hook_keys(&id).await?;
    Ok(Json(KeyList { items: known.keys.iter().map(KeyLine::from).collect() }))
}

/// Removes a key: what is signed with it is not taken any more. One that is not there counts as removed.
#[utoipa::path(
    delete, path = "/triggers/{id}/keys/{key}", tag = "triggers",
    params(("id" = String, Path, description = "`trig_…`"), ("key" = String, Path, description = "`hkey_…`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT"))
)]
pub(crate) async fn delete(
    Named(ctx, Analyst(ref owner), (id, key)): Named<(TriggerId, HookKeyId), Analyst>,
) -> Result<StatusCode, Problem> {
    triggers::own(&ctx, owner, &id).await?;
    let known = ctx.catalog.hook_keys(&id).await?;
    if known.keys.iter().any(|one| one.id == key) {
        let keys = known.keys.iter().filter(|one| one.id != key).cloned().collect();
        ctx.catalog.set_hook_keys(&id, &known, keys).await?;
    }
    ctx.vault.delete_hook_secret(&id, &key).await?;
    Ok(StatusCode::NO_CONTENT)
}
