//! `/profiles/{id}/data-sources/{binding}/credentials`: written, never read (F-009).

use countersign_connector::{Binding, BindingId, CredentialId};
use countersign_profile::ProfileId;
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Json, Problem};
use http::StatusCode;

use super::credential_parts::CredentialParts;
use super::data_source::own_binding;
use super::data_sources::check_credentials;
use super::{Analyst, Named, found, now};

/// Stores the credential of a data source, replacing one that was there. The values cannot be read again.
#[utoipa::path(
    put, path = "/profiles/{id}/data-sources/{binding}/credentials", tag = "profiles", request_body = CredentialParts,
    params(("id" = String, Path, description = "`prof_…`"), ("binding" = String, Path, description = "`bind_…`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn put(
    Named(ctx, Analyst(ref owner), (profile, id)): Named<(ProfileId, BindingId), Analyst>,
    Json(CredentialParts(parts)): Json<CredentialParts>,
) -> Result<StatusCode, Problem> {
    let binding = own_binding(&ctx, owner, &profile, &id).await?;
    let connector = found(ctx.catalog.connectors().get(owner, &binding.connector_id).await?)?;
    check_credentials(&parts, &connector)?;
    // Another credential may be another account: what is kept of the one before, such as its answers, is not its.
    let attempt = Attempt::new(owner, "credential", Key::default(), &())?;
    let credential = CredentialId::from_bytes(attempt.id());
    let put = ctx.vault.sealed(owner, &credential, &binding.connector_id, &parts, now()).await?;
    let changed = Binding { credential: Some(credential), ..binding.clone() };
    let before = binding.credential.as_ref().map(|before| ctx.vault.removal(owner, before));
    let with = std::iter::once(put).chain(before).collect();
    ctx.catalog.replace_binding(owner, &binding, &changed, with).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Forgets the credential of a data source.
#[utoipa::path(
    delete, path = "/profiles/{id}/data-sources/{binding}/credentials", tag = "profiles",
    params(("id" = String, Path, description = "`prof_…`"), ("binding" = String, Path, description = "`bind_…`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn delete(
    Named(ctx, Analyst(ref owner), (profile, id)): Named<(ProfileId, BindingId), Analyst>,
) -> Result<StatusCode, Problem> {
    let binding = own_binding(&ctx, owner, &profile, &id).await?;
    let credential = found(binding.credential.clone())?;
    let changed = Binding { credential: None, ..binding.clone() };
    let with = vec![ctx.vault.removal(owner, &credential)];
    ctx.catalog.replace_binding(owner, &binding, &changed, with).await?;
    Ok(StatusCode::NO_CONTENT)
}
