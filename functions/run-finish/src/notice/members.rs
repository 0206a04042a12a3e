//! What a member is told of a run that they started with an agent of somebody else: how it ended and how the answer begins. Who
//! signed, what was sent and where results went is told to the agent's owner.

use countersign_identity::UserId;
use countersign_letter::Label;
use countersign_letter::mail::{FinishedMail, Reader};
use countersign_run::{Head, StepStatus};
use countersign_store_content::Notification;
use serde_json::{Map, json};

use super::counted;
use super::message::the_answer;
use crate::{Context, Done, FinishError};

/// Where the member reads of the run, behind the address of the deployment; none of a run that the agent's owner started.
pub(super) fn path(head: &Head) -> Option<String> {
    let team = &head.team_context.as_ref()?.team_id;
    let (agent, run) = (&head.profile_id, &head.run);
    if agent.is_empty() {
        // The agent was removed.
        return Some("/api/agent-factory/notifications".to_owned());
    }
    Some(format!("/api/agent-factory/teams/{team}/agents/{agent}/executions/{run}"))
}

/// Whether somebody is not a member of the team any more: what the agent found is not for them.
pub(crate) async fn left(
    context: &Context,
    head: &Head,
    person: &UserId,
) -> Result<bool, FinishError> {
    let Some(team) = &head.team_context else { return Ok(false) };
    Ok(context.directory.team_of(person, &team.team_id).await?.is_none())
}

/// Whether members may read what the agent answers them now, as the API answers them: its owner may have taken the share back, left
/// the team, or removed the agent.
pub(super) async fn may_read(context: &Context, head: &Head) -> Result<bool, FinishError> {
    let Some(team) = &head.team_context else { return Ok(false) };
    let share = context.catalog.share(&head.profile_id, &team.team_id).await?;
    let Some(share) = share.filter(|share| share.terms.lets_members_run()) else {
        return Ok(false);
    };
    let is_member = context.directory.team_of(&share.shared_by, &team.team_id).await?.is_some();
    Ok(is_member && context.catalog.shared_profile(&share).await?.is_some())
}

/// The notification without what is the owner's; the beginning of the answer only where the member may read it.
pub(super) fn notification(done: &Done<'_>, full: Notification, may_read: bool) -> Notification {
    let details = [("execution_id", json!(done.head.run)), ("status", json!(done.status))];
    let details = details.map(|(name, value)| (name.to_owned(), value));
    Notification { message: message(done, may_read), details: Map::from_iter(details), ..full }
}

/// The mail without what is the owner's.
pub(super) fn letter(head: &Head, full: FinishedMail) -> FinishedMail {
    let team = head.team_context.as_ref().filter(|_| !head.profile_id.is_empty());
    let reader = team.map_or(Reader::MemberWithoutAgent, |team| Reader::Member {
        team: Label::new(team.team_id.as_str()),
        agent: Label::new(&head.profile_id),
    });
    FinishedMail { decisions: Vec::new(), reader, ..full }
}

fn message(done: &Done<'_>, may_read: bool) -> String {
    let (good, skipped, all) = counted(done);
    let mut message = format!("{good} of {all} steps were done");
    if skipped > 0 {
        message.push_str(&format!(", {skipped} skipped"));
    }
    message.push('.');
    let failed = done.state.steps.iter().find(|(_, step)| step.status == StepStatus::Failed);
    if let Some((name, step)) = failed {
        let code = step.code.as_deref().unwrap_or("no reason is known");
        message.push_str(&format!(" `{name}` failed: {code}."));
    } else if let Some(code) = done.head.stop.as_ref().and_then(|stop| stop.code.as_ref()) {
        message.push_str(&format!(" It could not begin: {code}."));
    }
    let response = done.response.filter(|_| may_read);
    message.push_str(&response.map(the_answer).unwrap_or_default());
    message
}
