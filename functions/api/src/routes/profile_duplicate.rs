//! `/profiles/{id}/duplicate` (F-324).

use axum::response::Response;
use countersign_connector::{Binding, BindingId};
use countersign_profile::{Handle, Profile, ProfileId};
use countersign_store_catalog::CatalogError;
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Json, Problem};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::collection::created_at;
use super::profiles::ShownProfile;
use super::{Named, Reader, found, now};
use crate::Context;
use crate::idempotency::do_once;

/// So many handles are tried for a copy that names none.
const MAX_COPIES: u32 = 20;

/// What the copy is called.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Copy {
    /// Its name; the original's when left out.
    #[serde(default)]
    name: Option<String>,
    /// Its handle. Left out, the original's with `-copy`, or the first of `-copy-2`, `-copy-3` … that is free.
    #[serde(default)]
    handle: Option<String>,
}

/// Copies an agent, also one the deployment ships, with its data sources. Credentials are not copied.
#[utoipa::path(
    post, path = "/profiles/{id}/duplicate", tag = "profiles", request_body = Option<Copy>,
    params(("id" = String, Path, description = "`prof_…`"), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = ShownProfile), (status = 404, description = "NOT_FOUND"), (status = 409, description = "NAME_TAKEN"))
)]
pub(crate) async fn duplicate(
    Named(ctx, Reader(ref owner), id): Named<ProfileId>,
    key: Key,
    body: Option<Json<Copy>>,
) -> Result<Response, Problem> {
    let Json(body) = body.unwrap_or_default();
    let attempt = Attempt::new(owner, &format!("POST /profiles/{id}/duplicate"), key, &body)?;
    do_once(&ctx, &attempt, async {
        let original = found(ctx.catalog.profiles().get(owner, &id).await?)?;
        let mut spec = original.spec.clone();
        let wanted = handles(&body, &original)?;
        if let Some(name) = &body.name {
            spec = spec
                .patched(&serde_json::json!({ "name": name }))
                .map_err(|error| super::profiles::problem(&error))?;
        }
        let copy = Profile::new(ProfileId::from_bytes(attempt.id()), owner.clone(), spec, now());
        let copy = created_under(&ctx, copy, wanted).await?;
        for binding in ctx.catalog.bindings(owner, id.as_str()).await? {
            ctx.catalog.create_binding(owner, &bound_to(&copy, binding), None).await?;
        }
        created_at(copy, Vec::new())
    })
    .await
}

/// The handles to try, in order: the one that is asked for and no other, else those of copies.
fn handles(body: &Copy, original: &Profile) -> Result<Vec<Handle>, Problem> {
    match &body.handle {
        Some(text) => {
            let asked = Handle::parse(text);
            asked.map(|asked| vec![asked]).map_err(Problem::at("handle"))
        }
        None => Ok((1..=MAX_COPIES).map(|n| original.spec.handle.of_copy(n)).collect()),
    }
}

/// Stores the copy under the first of these handles that is free; the problem of the last when none is.
async fn created_under(
    ctx: &Context,
    mut copy: Profile,
    handles: Vec<Handle>,
) -> Result<Profile, Problem> {
    let mut taken = Problem::not_found();
    for handle in handles {
        copy.spec.handle = handle;
        match ctx.catalog.profiles().create(&copy).await {
            Err(error @ CatalogError::Taken { .. }) => taken = error.into(),
            stored => return Ok(stored?),
        }
    }
    Err(taken)
}

/// Ids follow from the copy, so that a repeated request binds nothing twice.
fn bound_to(copy: &Profile, binding: Binding) -> Binding {
    let digest = Sha256::digest(format!("{}\0{}", copy.id, binding.connector_id));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Binding {
        id: BindingId::from_bytes(bytes),
        profile_id: copy.id.to_string(),
        credential: None,
        created_at: Some(copy.created_at),
        health: countersign_connector::Health::default(),
        ..binding
    }
}
