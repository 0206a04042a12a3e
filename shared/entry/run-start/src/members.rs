//! Who starts an agent that somebody else shares with their team (F-231, K-35).

use countersign_identity::{Requirement, Role, permits};
use countersign_profile::Profile;
use countersign_run::names_stored;
use countersign_team::{Share, TeamContext};
use countersign_web::{FieldError, Problem};
use http::StatusCode;
use serde_json::{Map, Value};

use crate::{Invoker, Shared, Starter, skills};

/// The member, as whoever asks the agent of this share. They are known to be a member, and the owner too.
///
/// # Errors
/// `PERMISSION_DENIED` when the owner lets no members run it or may run nothing themselves; `TEAM_ACCESS_MISSING` when the agent
/// reads what another team writes, which its answer might tell.
pub async fn as_member(
    ctx: Starter<'_>,
    member: Invoker,
    profile: &Profile,
    share: &Share,
    inputs: &Map<String, Value>,
) -> Result<Invoker, Problem> {
    if share.shared_by == member.user {
        let own = Problem::field("profile_id", "is an agent of your own");
        return Err(own.with_hint("start it at `POST /api/agent-factory/executions`"));
    }
    if !share.terms.lets_members_run() {
        return Err(refused("its owner does not let members of the team run it"));
    }
    if share.reads_elsewhere(&ctx.catalog.shares(profile.id.as_str()).await?) {
        let message = "it reads the posts of another team, which its answer might tell";
        return Err(Problem::conflict("TEAM_ACCESS_MISSING", message));
    }
    let owner = ctx.directory.entry_of(&share.shared_by).await?;
    let owner =
        owner.filter(|owner| owner.active).ok_or_else(|| refused("its owner is not active"))?;
    permits(&owner.scopes, &Requirement::role(Role::Analyst), None)
        .map_err(|denied| refused(&format!("its owner: {denied}")))?;
    let team = TeamContext {
        team_id: share.team_id.clone(),
        team_file_access: share.terms.team_file_access,
        team_post_access: share.terms.team_post_access,
    };
    let given = inputs.keys().cloned().collect();
    let shared = Shared { owner: share.shared_by.clone(), scopes: owner.scopes, team, given };
    Ok(Invoker { shared: Some(shared), ..member })
}

fn refused(why: &str) -> Problem {
    Problem::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", why)
}

/// A member asks for one of the agent's skills.
///
/// # Errors
/// `INVALID_INPUT`.
pub(crate) fn check_playbook(profile: &Profile, playbook: Option<&str>) -> Result<(), Problem> {
    let is_skill = |id: &str| skills::enabled(&profile.spec).any(|it| it.reference.as_str() == id);
    match playbook.filter(|id| !is_skill(id)) {
        Some(other) => {
            Err(Problem::field("playbook", format!("`{other}` is no skill of this agent")))
        }
        None => Ok(()),
    }
}

/// What a member says of the inputs: nothing that the skill gives, and nothing that names what somebody has stored by its id. A step
/// looks for that among what is the owner's: it would read the owner's file of this id, and never the member's.
///
/// # Errors
/// `INVALID_INPUT` with each input.
pub(crate) fn check_inputs<'a>(
    profile: &Profile,
    playbook: &str,
    said: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Result<(), Problem> {
    let given = skills::given(&profile.spec, playbook);
    let errors: Vec<FieldError> = said
        .filter_map(|(name, value)| {
            let why = if given.is_some_and(|given| given.contains_key(name)) {
                "is given by the agent's skill"
            } else if names_stored(value) {
                "names something stored; what members have stored is not read by somebody else's agent"
            } else {
                return None;
            };
            Some(FieldError::new(format!("inputs.{name}"), why))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(errors)) }
}
