//! `/profiles/{id}/data-sources/{binding}`.

use countersign_connector::{Binding, BindingId, ConfigOverrides, CredentialId, Permissions};
use countersign_identity::UserId;
use countersign_profile::{Profile, ProfileId};
use countersign_web::{Json, Problem};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::collection::changeable;
use super::data_sources::{DataSource, check_binding, check_own_credential};
use super::{Analyst, JsonOf, Named, Reader, found};
use crate::Context;

/// What a data source is from now on, whole: what is left out would be allowed. Its credential has an address of its own.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DataSourceChange)]
pub(crate) struct Change {
    /// Connection values to replace.
    #[schema(value_type = Object)]
    pub(super) config_overrides: ConfigOverrides,
    /// What the agent may do.
    #[schema(value_type = Object)]
    pub(super) permissions: Permissions,
    /// Whether the agent may use it.
    is_enabled: bool,
}

/// One data source of an agent.
#[utoipa::path(
    get, path = "/profiles/{id}/data-sources/{binding}", tag = "profiles",
    params(("id" = String, Path, description = "`prof_…`"), ("binding" = String, Path, description = "`bind_…`")),
    responses((status = 200, body = DataSource), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref owner), (profile, id)): Named<(ProfileId, BindingId)>,
) -> JsonOf<DataSource> {
    let binding = ctx.catalog.binding_by_id(owner, profile.as_str(), &id).await?;
    Ok(Json(found(binding)?.into()))
}

/// Changes a data source.
#[utoipa::path(
    put, path = "/profiles/{id}/data-sources/{binding}", tag = "profiles", request_body = Change,
    params(("id" = String, Path, description = "`prof_…`"), ("binding" = String, Path, description = "`bind_…`")),
    responses((status = 200, body = DataSource), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn replace(
    Named(ctx, Analyst(ref owner), (profile, id)): Named<(ProfileId, BindingId), Analyst>,
    Json(body): Json<Change>,
) -> JsonOf<DataSource> {
    let binding = own_binding(&ctx, owner, &profile, &id).await?;
    let kept = body.permissions == binding.permissions
        && body.config_overrides == binding.config_overrides;
    // What stays as it was is not asked for again, so that a binding can be switched off whatever became of its connector.
    let config_overrides = if kept {
        body.config_overrides
    } else {
        let connector = ctx.catalog.connectors().get(owner, &binding.connector_id).await?;
        let gone = || {
            let message = format!("there is no connector `{}` any more", binding.connector_id);
            let problem = Problem::field("permissions", message);
            problem.with_hint("overrides and permissions can only stay as they are")
        };
        let connector = connector.ok_or_else(gone)?;
        let has_credential = binding.credential.is_some();
        let own = check_own_credential(&body.config_overrides, has_credential, &connector);
        let overrides = check_binding(body.config_overrides, &body.permissions, &connector);
        Problem::both(overrides, own)?.0
    };
    let changed = Binding {
        config_overrides,
        permissions: body.permissions,
        is_enabled: body.is_enabled,
        ..binding.clone()
    };
    ctx.catalog.replace_binding(owner, &binding, &changed, Vec::new()).await?;
    Ok(Json(changed.into()))
}

/// Takes a connector away from an agent, with its credential.
#[utoipa::path(
    delete, path = "/profiles/{id}/data-sources/{binding}", tag = "profiles",
    params(("id" = String, Path, description = "`prof_…`"), ("binding" = String, Path, description = "`bind_…`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn delete(
    Named(ctx, Analyst(ref owner), (profile, id)): Named<(ProfileId, BindingId), Analyst>,
) -> Result<StatusCode, Problem> {
    let binding = own_binding(&ctx, owner, &profile, &id).await?;
    let forget = |credential: &CredentialId| ctx.vault.removal(owner, credential);
    ctx.catalog.delete_binding(owner, &binding, &forget).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The caller's own binding, for changing it.
pub(super) async fn own_binding(
    ctx: &Context,
    owner: &UserId,
    profile: &ProfileId,
    id: &BindingId,
) -> Result<Binding, Problem> {
    changeable::<Profile>(ctx, owner, profile).await?;
    found(ctx.catalog.binding_by_id(owner, profile.as_str(), id).await?)
}
