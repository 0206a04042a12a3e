//! What agents are called by: `/resolve-handle` and `/available-agents` (F-383, F-384).

use std::collections::BTreeMap;

use axum::extract::State;
use countersign_identity::UserId;
use countersign_profile::{Handle, Profile, ProfileId};
use countersign_web::{Json, Problem, Query};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Ctx, JsonOf, Reader, found};
use crate::Context;
use crate::queries::{AgentsQuery, HandleQuery};

/// So many agents are offered when nothing else is asked for.
const FEW: u32 = 10;

/// So many at most.
const MOST: u32 = 50;

/// An agent by its handle.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Called {
    /// `prof_…`.
    #[schema(value_type = String)]
    id: ProfileId,
    /// What it is called by, without `@`.
    #[schema(value_type = String)]
    handle: Handle,
    /// Its name.
    name: String,
    /// What it is for.
    description: String,
    /// An emoji or a short text.
    icon: Option<String>,
    /// Whether it runs.
    is_active: bool,
    /// Whether the deployment ships it.
    is_system: bool,
}

/// Agents, by handle.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Offered {
    /// The agents.
    items: Vec<Called>,
    /// How many there are of which this begins.
    total: usize,
}

impl From<Profile> for Called {
    fn from(agent: Profile) -> Self {
        let Profile { id, user_id, is_active, spec, .. } = agent;
        Self {
            id,
            handle: spec.handle,
            name: spec.name.to_string(),
            description: spec.description.to_string(),
            icon: spec.icon.map(|icon| icon.to_string()),
            is_active,
            is_system: user_id.is_none(),
        }
    }
}

/// The agent of a handle: the caller's own, or the one that the deployment ships. A run that names it by its handle runs this one.
#[utoipa::path(
    get, path = "/resolve-handle", tag = "profiles", params(HandleQuery),
    responses((status = 200, body = Called), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn resolve(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(asked): Query<HandleQuery>,
) -> JsonOf<Called> {
    let handle = asked.handle.trim();
    let handle =
        Handle::parse(handle.strip_prefix('@').unwrap_or(handle)).map_err(Problem::at("handle"))?;
    let agent = found(ctx.catalog.profiles().by_handle(owner, &handle).await?)?;
    Ok(Json(agent.into()))
}

/// The active agents whose handle or name begins so, by handle: what completes a handle while it is typed. Of two with the same
/// handle the caller's own is the one that it means.
#[utoipa::path(
    get, path = "/available-agents", tag = "profiles", params(AgentsQuery),
    responses((status = 200, body = Offered))
)]
pub(crate) async fn complete(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(asked): Query<AgentsQuery>,
) -> JsonOf<Offered> {
    let limit = asked.limit.unwrap_or(FEW);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::field("limit", format!("is a number from 1 to {MOST}")));
    }
    let begins = asked.begins.unwrap_or_default().to_lowercase();
    let begins = begins.trim().trim_start_matches('@');
    let mut items = active(&ctx, owner).await?;
    items.retain(|agent| begins_with(agent, begins));
    let total = items.len();
    let few = usize::try_from(limit).unwrap_or(usize::MAX);
    let items = items.into_iter().take(few).map(Called::from).collect();
    Ok(Json(Offered { items, total }))
}

/// What each handle means to the caller, of agents that run, in the order of their handles.
async fn active(ctx: &Context, owner: &UserId) -> Result<Vec<Profile>, Problem> {
    let shipped = ctx.catalog.profiles().all_system().await?;
    let own = ctx.catalog.profiles().all(owner).await?;
    // An own agent that is switched off keeps its handle.
    let agents: BTreeMap<Handle, Profile> =
        shipped.into_iter().chain(own).map(|agent| (agent.spec.handle.clone(), agent)).collect();
    Ok(agents.into_values().filter(|agent| agent.is_active).collect())
}

/// Whether its handle or its name begins so; the text is in lower case.
fn begins_with(agent: &Profile, text: &str) -> bool {
    let name = agent.spec.name.to_lowercase();
    agent.spec.handle.as_str().starts_with(text) || name.starts_with(text)
}
