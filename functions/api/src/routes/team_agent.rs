//! `/teams/{id}/agents/{profile_id}` and its journal.

use countersign_identity::UserId;
use countersign_journal::{Entry, EntryId, Mention, Origin, TaskStatus};
use countersign_profile::{Profile, ProfileId};
use countersign_run::RunContext;
use countersign_team::{JournalVisibility, Share, TeamId};
use countersign_web::{Json, Page, Path, Problem};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::team_agents::{SharedAgent, profile, view};
use super::teams::own_team;
use super::{JsonOf, Named, Reader, found};
use crate::Context;
use crate::documented::documented;
use crate::journal_pages::{Journal, shown};
use crate::lists::{Asked, PageOf};
use crate::queries::JournalQuery;

/// An agent that is shared with a team of the caller.
#[utoipa::path(
    get, path = "/teams/{id}/agents/{profile_id}", tag = "teams",
    params(("id" = String, Path, description = "`team_…`"), ("profile_id" = String, Path, description = "`prof_…`")),
    responses((status = 200, body = SharedAgent), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref user), (team, id)): Named<(TeamId, ProfileId)>,
) -> JsonOf<SharedAgent> {
    let (share, profile) = shared(&ctx, user, &team, &id).await?;
    Ok(Json(view(&ctx, share, profile).await?))
}

/// What of the journal of a shared agent its share shows to members, newest first: since it is shared, and of what its runs did,
/// but for those that members of another team started.
#[utoipa::path(
    get, path = "/teams/{id}/agents/{profile_id}/journal", tag = "teams",
    params(("id" = String, Path, description = "`team_…`"), ("profile_id" = String, Path, description = "`prof_…`"), JournalQuery),
    responses((status = 200, body = Page<SharedEntry>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a range that ends before it begins"))
)]
pub(crate) async fn journal(
    asked: Asked<JournalQuery>,
    Path((team, id)): Path<(TeamId, ProfileId)>,
) -> PageOf<SharedEntry> {
    let (ctx, reader) = (&asked.ctx, &asked.owner);
    let (share, _) = shared(ctx, reader, &team, &id).await?;
    let journal = Journal { reader, owner: &share.shared_by, profile: Some(&id) };
    let level = level(&share, &ctx.catalog.shares(id.as_str()).await?);
    let shows = |entry: &Entry| {
        let is_of_run = entry.origin != Origin::Look && entry.created_at >= share.created_at;
        let is_of_others = entry.team_id.as_deref().is_some_and(|of| of != team.as_str());
        is_of_run && !is_of_others && level.shows(reader, &entry.invoked_by, entry.run_context)
    };
    let Json(page) = shown(ctx, journal, &asked.query, shows).await?;
    let items = page.items.into_iter().map(SharedEntry::from).collect();
    Ok(Json(Page { items, next: page.next }))
}

/// What members see. An agent that reads the posts of another team may have written down what they say.
fn level(share: &Share, all: &[Share]) -> JournalVisibility {
    if share.reads_elsewhere(all) {
        JournalVisibility::OwnOnly
    } else {
        share.terms.journal_visibility
    }
}

/// An entry as members see it: not who signed, nor where results went.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SharedEntry {
    id: EntryId,
    execution_id: String,
    created_at: Timestamp,
    run_context: RunContext,
    invoked_by: UserId,
    #[serde(skip_serializing_if = "Option::is_none")]
    team_id: Option<String>,
    task_status: TaskStatus,
    summary: String,
    steps_completed: Vec<String>,
    entities_mentioned: Vec<Mention>,
    entities_discovered: Vec<Mention>,
}

documented!(SharedEntry);

impl From<Entry> for SharedEntry {
    fn from(entry: Entry) -> Self {
        let entry = entry.for_members();
        Self {
            id: entry.id,
            execution_id: entry.execution_id,
            created_at: entry.created_at,
            run_context: entry.run_context,
            invoked_by: entry.invoked_by,
            team_id: entry.team_id,
            task_status: entry.task_status,
            summary: entry.summary,
            steps_completed: entry.steps_completed,
            entities_mentioned: entry.entities_mentioned,
            entities_discovered: entry.entities_discovered,
        }
    }
}

/// The share and the agent, when the caller is a member of the team.
pub(super) async fn shared(
    ctx: &Context,
    user: &UserId,
    team: &TeamId,
    id: &ProfileId,
) -> Result<(Share, Profile), Problem> {
    own_team(ctx, user, team).await?;
    let share = found(ctx.catalog.share(id.as_str(), team).await?)?;
    let profile = found(profile(ctx, &share).await?)?;
    Ok((share, profile))
}

#[cfg(test)]
mod tests {
    use countersign_team::{ShareId, Terms};

    use super::*;

    fn share(team: u8, journal_visibility: JournalVisibility, team_post_access: bool) -> Share {
        Share {
            id: ShareId::from_bytes([team; 16]),
            agent_profile_id: "prof_1".to_owned(),
            team_id: TeamId::from_bytes([team; 16]),
            shared_by: UserId::from_bytes([9; 16]),
            terms: Terms { journal_visibility, team_post_access, ..Terms::default() },
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn k_67_what_one_team_wrote_is_shown_to_no_other() {
        let (own, quiet) =
            (share(1, JournalVisibility::Full, true), share(2, JournalVisibility::Full, false));
        let all = [own.clone(), quiet.clone()];
        assert_eq!(level(&own, &all), JournalVisibility::Full);
        assert_eq!(level(&quiet, &all), JournalVisibility::OwnOnly);
        assert_eq!(level(&quiet, std::slice::from_ref(&quiet)), JournalVisibility::Full);
    }
}
