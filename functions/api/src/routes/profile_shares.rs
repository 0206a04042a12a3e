//! `/profiles/{id}/shares` (F-381).

use countersign_profile::ProfileId;
use countersign_team::{Share, TeamConfig};
use countersign_web::Json;
use schemars::JsonSchema;
use serde::Serialize;

use super::{JsonOf, Named, Reader, found};
use crate::documented::documented;

/// With whom an agent is shared.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProfileShares")]
pub(crate) struct Shares {
    /// Each share with its terms, whether or not it counts.
    items: Vec<Share>,
    /// What the shares that count come to: `shared_with_teams`, `team_file_access`, `team_post_access` and
    /// `team_permissions`, what each team grants.
    team_config: TeamConfig,
}

documented!(Shares);

/// With which teams an agent of the caller is shared.
#[utoipa::path(
    get, path = "/profiles/{id}/shares", tag = "profiles", params(("id" = String, Path, description = "`prof_…`")),
    responses((status = 200, body = Shares), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(Named(ctx, Reader(ref owner), id): Named<ProfileId>) -> JsonOf<Shares> {
    let profile = found(ctx.catalog.profiles().get(owner, &id).await?)?;
    // Nobody shares what the deployment ships.
    let items = match profile.user_id {
        Some(_) => ctx.catalog.shares(id.as_str()).await?,
        None => Vec::new(),
    };
    let team_config = TeamConfig::derived(&items);
    Ok(Json(Shares { items, team_config }))
}
