//! `/profiles/{id}/share` (F-378…F-380).

use axum::response::Response;
use countersign_identity::UserId;
use countersign_profile::{Profile, ProfileId};
use countersign_team::{JournalVisibility, Share, ShareId, TeamId, Terms};
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Json, Problem};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answers::ShareAnswer;
use super::collection::changeable;
use super::{JsonOf, Named, Reader, now};
use crate::Context;
use crate::idempotency::{created, do_once};

/// The terms of a share, all of them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareTerms {
    /// As of a new share.
    team_file_access: bool,
    /// As of a new share.
    team_post_access: bool,
    /// As of a new share.
    #[schema(value_type = String)]
    journal_visibility: JournalVisibility,
    /// As of a new share.
    members_run: bool,
    /// Whether the share counts.
    is_active: bool,
}

/// An agent to share.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewShare {
    /// The team, `team_…`: one that the owner is a member of.
    #[schema(value_type = String)]
    team_id: TeamId,
    /// Whether the agent may read the team's files. Must be `false`: teams have no files in this release.
    #[serde(default)]
    team_file_access: bool,
    /// Whether the agent may read the team's posts.
    #[serde(default)]
    team_post_access: bool,
    /// What members see of the agent's journal: `own_only` (runs that they started), `own_and_scheduled` (these, and runs of
    /// schedules and monitors; the default), `full`.
    #[serde(default)]
    #[schema(value_type = String)]
    journal_visibility: JournalVisibility,
    /// Whether members may run the agent. It then works for them with what is yours: data sources and their credentials, documents,
    /// knowledge; whatever a playbook looks up by an input it looks up for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    members_run: bool,
    /// Whether the share counts.
    #[serde(default = "yes")]
    is_active: bool,
}

fn yes() -> bool {
    true
}

impl NewShare {
    fn terms(&self) -> ShareTerms {
        let Self { team_file_access, team_post_access, journal_visibility, .. } = *self;
        let Self { members_run, is_active, .. } = *self;
        ShareTerms {
            team_file_access,
            team_post_access,
            journal_visibility,
            members_run,
            is_active,
        }
    }
}

impl ShareTerms {
    fn checked(self) -> Result<Terms, Problem> {
        let Self { team_file_access, team_post_access, journal_visibility, members_run, is_active } =
            self;
        if team_file_access {
            return Err(Problem::field("team_file_access", "cannot be true: teams have no files"));
        }
        Ok(Terms { team_file_access, team_post_access, journal_visibility, members_run, is_active })
    }
}

/// Shares an agent of the caller with a team of theirs. Its members see the agent and what the terms say.
#[utoipa::path(
    post, path = "/profiles/{id}/share", tag = "profiles", request_body = NewShare,
    params(("id" = String, Path, description = "`prof_…`"), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = ShareAnswer), (status = 403, description = "SYSTEM_TEMPLATE"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "NAME_TAKEN: it is shared with the team already"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn create(
    Named(ctx, Reader(ref owner), profile): Named<ProfileId>,
    key: Key,
    Json(body): Json<NewShare>,
) -> Result<Response, Problem> {
    changeable::<Profile>(&ctx, owner, &profile).await?;
    let attempt = Attempt::new(owner, &format!("POST /profiles/{profile}/share"), key, &body)?;
    do_once(&ctx, &attempt, async {
        let (terms, ()) =
            Problem::both(body.terms().checked(), member(&ctx, owner, &body.team_id).await)?;
        let now = now();
        let share = Share {
            id: ShareId::from_bytes(attempt.id()),
            agent_profile_id: profile.to_string(),
            team_id: body.team_id.clone(),
            shared_by: owner.clone(),
            terms,
            created_at: now,
            updated_at: now,
        };
        let share = ctx.catalog.create_share(&share).await?;
        created(format!("/api/agent-factory/profiles/{profile}/shares"), &share)
    })
    .await
}

/// Only members share with a team.
async fn member(ctx: &Context, owner: &UserId, team: &TeamId) -> Result<(), Problem> {
    let team = ctx.directory.team_of(owner, team).await?;
    let unknown = || Problem::field("team_id", "must be a team that you are a member of");
    team.map(|_| ()).ok_or_else(unknown)
}

/// Gives a share other terms: all of them, so that nothing changes unsaid.
#[utoipa::path(
    put, path = "/profiles/{id}/share/{team_id}", tag = "profiles", request_body = ShareTerms,
    params(("id" = String, Path, description = "`prof_…`"), ("team_id" = String, Path, description = "`team_…`")),
    responses((status = 200, body = ShareAnswer), (status = 403, description = "SYSTEM_TEMPLATE"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn replace(
    Named(ctx, Reader(ref owner), (profile, team)): Named<(ProfileId, TeamId)>,
    Json(body): Json<ShareTerms>,
) -> JsonOf<Share> {
    changeable::<Profile>(&ctx, owner, &profile).await?;
    let terms = body.checked()?;
    Ok(Json(ctx.catalog.change_share(profile.as_str(), &team, terms, now()).await?))
}

/// Takes a share back: from now on members see nothing of the agent but where runs stand that they have started, without what
/// these answer, and it reads nothing of the team.
#[utoipa::path(
    delete, path = "/profiles/{id}/share/{team_id}", tag = "profiles",
    params(("id" = String, Path, description = "`prof_…`"), ("team_id" = String, Path, description = "`team_…`")),
    responses((status = 204), (status = 403, description = "SYSTEM_TEMPLATE"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn delete(
    Named(ctx, Reader(ref owner), (profile, team)): Named<(ProfileId, TeamId)>,
) -> Result<StatusCode, Problem> {
    changeable::<Profile>(&ctx, owner, &profile).await?;
    ctx.catalog.remove_share(profile.as_str(), &team).await?;
    Ok(StatusCode::NO_CONTENT)
}
