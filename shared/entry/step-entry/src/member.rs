//! What else a step of a run asks that a member of a team has started with somebody else's agent (K-35): rights of two people count.

use countersign_identity::{Denied, Requirement, Rights, permits};
use countersign_registry::action::ActionError;
use countersign_run::Head;

use crate::error::StepError;

/// Why the step may not act with what is its agent's owner's, at this moment: whoever started the run and the owner must be members of
/// the team, and the owner must hold what the step requires themselves. None when it may, and of a run that its owner started.
///
/// # Errors
/// That the directory does not answer.
pub async fn refused(
    rights: &dyn Rights,
    head: &Head,
    requirement: &Requirement,
) -> Result<Option<ActionError>, StepError> {
    let (Some(team), Some(member)) = (&head.team_context, head.member()) else { return Ok(None) };
    let team = team.team_id.as_str();
    for (person, who) in [(member, "whoever started it"), (&head.owner, "the owner of its agent")] {
        if !rights.is_member(person, team).await.map_err(StepError::beside)? {
            let message =
                format!("the run belongs to `{team}`, and {who} is not a member of it any more");
            return Ok(Some(ActionError::terminal("TEAM_ACCESS_MISSING", message)));
        }
    }
    let owner = rights.entry(&head.owner).await.map_err(StepError::beside)?;
    let held =
        owner.filter(|owner| owner.active).map(|owner| permits(&owner.scopes, requirement, None));
    Ok(lacking(held))
}

fn lacking(held: Option<Result<(), Denied>>) -> Option<ActionError> {
    let why = match held {
        Some(Ok(())) => return None,
        Some(Err(denied)) => format!("the owner of its agent: {denied}"),
        None => "the owner of its agent is not active".to_owned(),
    };
    Some(ActionError::terminal("PERMISSION_DENIED", why))
}
