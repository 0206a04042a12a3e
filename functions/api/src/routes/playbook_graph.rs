//! `/playbooks/{id}/graph` (F-344, F-167).
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use countersign_playbook::{CompileContext, Graph, graph as graph_of};
use countersign_web::{Json, Query};
use serde::Deserialize;
use utoipa::IntoParams;

use super::answers::PlaybookGraphAnswer;
use super::playbooks_validate::known_bindings;
use super::{JsonOf, Named, Reader, found};

/// For which agent.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct For {
    /// The agent whose connectors give the types, `prof_…`.
    profile_id: Option<String>,
}

/// Who uses whose results, with types.
#[utoipa::path(
    get, path = "/playbooks/{id}/graph", tag = "playbooks", params(("id" = String, Path, description = "kebab-case"), For),
    responses((status = 200, body = PlaybookGraphAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn graph(
    Named(ctx, Reader(ref owner), id): Named<String>,
    Query(query): Query<For>,
) -> JsonOf<Graph> {
    let stored = found(ctx.catalog.playbooks().get(owner, &id).await?)?;
    let bindings = known_bindings(&ctx, owner, query.profile_id.as_deref()).await?;
    let world = CompileContext::of(&ctx.registry);
    let world = bindings.as_ref().map_or(world, |bindings| world.with(bindings));
    Ok(Json(graph_of(&stored.playbook, &world)))
}
