//! `/teams/{id}/agents` (F-007, F-382): what members see of agents that are shared with their team.

use countersign_identity::UserId;
use countersign_profile::{Profile, ProfileId, Skill, SkillType};
use countersign_run::ExecutionMode;
use countersign_store_kit::Page as Stored;
use countersign_team::{JournalVisibility, Share, TeamId};
use countersign_web::{Page, PageQuery, Path, Problem};
use futures::{StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::teams::own_team;
use crate::Context;
use crate::documented::documented;
use crate::lists::{Asked, PageOf, Paging};

/// Agents of a page that are looked up together.
const AT_ONCE: usize = 8;

/// An agent as members of a team see it: who it is and what it can do. Where it sends, what it was told and its credentials
/// stay with its owner.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SharedAgent {
    agent_profile_id: ProfileId,
    name: String,
    handle: String,
    description: String,
    icon: Option<String>,
    is_active: bool,
    /// What it can do, without the inputs that its owner gave.
    skills: Vec<SharedSkill>,
    default_execution_mode: ExecutionMode,
    shared_by: UserId,
    /// The owner's name for people.
    shared_by_name: Option<String>,
    shared_at: Timestamp,
    team_file_access: bool,
    team_post_access: bool,
    journal_visibility: JournalVisibility,
    /// Whether members may run it.
    members_run: bool,
}

documented!(SharedAgent);

/// A skill as members see it.
#[derive(Debug, Serialize, JsonSchema)]
struct SharedSkill {
    skill_type: SkillType,
    reference: String,
    enabled: bool,
}

impl From<&Skill> for SharedSkill {
    fn from(skill: &Skill) -> Self {
        Self {
            skill_type: skill.skill_type,
            reference: skill.reference.to_string(),
            enabled: skill.enabled,
        }
    }
}

/// The agents that are shared with a team of the caller. One whose share does not count is left out, so a page may have fewer and
/// still a `next`.
#[utoipa::path(
    get, path = "/teams/{id}/agents", tag = "teams", params(("id" = String, Path, description = "`team_…`"), PageQuery),
    responses((status = 200, body = Page<SharedAgent>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(asked: Asked<PageQuery>, Path(team): Path<TeamId>) -> PageOf<SharedAgent> {
    let (ctx, user) = (&asked.ctx, &asked.owner);
    own_team(ctx, user, &team).await?;
    let filters = [("team", Some(team.as_str()))];
    let paging = Paging::of(ctx, user, "team-agents", &filters, &asked.query).await?;
    let found = ctx.catalog.shared_with(&team, paging.window()).await?;
    let agents = found.items.into_iter().map(|share| async move {
        Ok::<_, Problem>(profile(ctx, &share).await?.map(|profile| (share, profile)))
    });
    let agents: Vec<_> = futures::stream::iter(agents).buffered(AT_ONCE).try_collect().await?;
    let mut items = Vec::new();
    for (share, profile) in agents.into_iter().flatten() {
        items.push(view(ctx, share, profile).await?);
    }
    paging.page(Stored { items, next: found.next })
}

/// The agent of a share, while the share counts and its owner is a member of the team.
pub(super) async fn profile(ctx: &Context, share: &Share) -> Result<Option<Profile>, Problem> {
    if !share.terms.is_active {
        return Ok(None);
    }
    if ctx.directory.team_of(&share.shared_by, &share.team_id).await?.is_none() {
        return Ok(None);
    }
    Ok(ctx.catalog.shared_profile(share).await?)
}

/// An agent as members see it.
pub(super) async fn view(
    ctx: &Context,
    share: Share,
    profile: Profile,
) -> Result<SharedAgent, Problem> {
    let owner = ctx.directory.user(&share.shared_by).await?;
    let Profile { id, spec, is_active, .. } = profile;
    Ok(SharedAgent {
        agent_profile_id: id,
        name: spec.name.to_string(),
        handle: spec.handle.to_string(),
        description: spec.description.to_string(),
        icon: spec.icon.map(|icon| icon.to_string()),
        is_active,
        skills: spec.skills.iter().map(SharedSkill::from).collect(),
        default_execution_mode: spec.default_execution_mode,
        shared_by: share.shared_by,
        shared_by_name: owner.map(|owner| owner.display_name),
        shared_at: share.created_at,
        team_file_access: share.terms.team_file_access,
        team_post_access: share.terms.team_post_access,
        journal_visibility: share.terms.journal_visibility,
        members_run: share.terms.members_run,
    })
}
