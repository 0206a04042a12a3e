//! `/playbooks/validate` (F-343): a text that is not stored.

use axum::extract::State;
use countersign_identity::UserId;
use countersign_playbook::Bindings;
use countersign_playbook::render::Judgement;
use countersign_profile::ProfileId;
use countersign_web::{Json, Problem};
use serde::Deserialize;
use utoipa::ToSchema;

use super::answers::JudgementAnswer;
use super::{Ctx, JsonOf, Reader, found};
use crate::{Context, saving};

/// What to validate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlaybookDraft)]
pub(crate) struct Draft {
    /// The YAML.
    yaml: String,
    /// The agent it should run for, `prof_…`; its connectors are then checked too.
    #[serde(default)]
    profile_id: Option<String>,
}

/// Validates a playbook's text: `is_valid`, `errors` and `warnings` with line and column, and the same for each step.
#[utoipa::path(post, path = "/playbooks/validate", tag = "playbooks", request_body = Draft, responses((status = 200, body = JudgementAnswer), (status = 404, description = "there is no such agent")))]
pub(crate) async fn validate(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Json(draft): Json<Draft>,
) -> JsonOf<Judgement> {
    validated(&ctx, owner, &draft.yaml, draft.profile_id.as_deref()).await
}

/// What is said of a text, for the agent that is named, if one is.
pub(super) async fn validated(
    ctx: &Context,
    owner: &UserId,
    yaml: &str,
    profile: Option<&str>,
) -> JsonOf<Judgement> {
    let bindings = known_bindings(ctx, owner, profile).await?;
    let compiled = saving::judged(ctx, owner, yaml, bindings.as_ref()).await?;
    Ok(Json(compiled.into()))
}

/// The connectors of the agent that is named, if one is.
pub(super) async fn known_bindings(
    ctx: &Context,
    owner: &UserId,
    profile: Option<&str>,
) -> Result<Option<Bindings>, Problem> {
    let Some(profile) = profile else { return Ok(None) };
    let id = ProfileId::parse(profile).map_err(Problem::at("profile_id"))?;
    let profile = found(ctx.catalog.profiles().get(owner, &id).await?)?;
    Ok(Some(ctx.catalog.endpoints(owner, profile.id.as_str()).await?))
}
