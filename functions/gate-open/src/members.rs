//! The remark that approvers see when a member of a team has started the run with an agent of somebody else.

use countersign_run::Head;

use crate::{Context, OpenGateError};

/// That a member asks, and of which team; none for a run that the agent's owner started.
pub(crate) async fn remark(
    context: &Context,
    head: &Head,
) -> Result<Option<String>, OpenGateError> {
    let (Some(of), Some(member)) = (&head.team_context, head.member()) else { return Ok(None) };
    let team = context.directory.team(&of.team_id).await?;
    let team = team.map_or_else(|| of.team_id.to_string(), |team| team.name.to_string());
    let person = context.directory.user(member).await?;
    let member = person.map_or_else(|| member.to_string(), |person| person.username.to_string());
    Ok(Some(format!(
        "`{member}` asks for this as a member of the team “{team}”; the agent, its data sources and its documents are not theirs"
    )))
}
