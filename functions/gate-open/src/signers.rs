//! Who may sign, and who is barred because they asked for it.

use std::collections::BTreeSet;

use countersign_identity::{Capability, UserId};
use countersign_profile::Profile;
use countersign_step_entry::GateAsk;

use crate::{Context, OpenGateError};

/// The people of a gate.
pub(crate) struct People {
    /// Who may sign, in order.
    pub(crate) approvers: Vec<UserId>,
    /// Who asked for it: invoker, owner, last editor of the playbook.
    pub(crate) requesters: BTreeSet<UserId>,
}

/// The gate's own approvers, else the profile's, else the owner of the run. Names the directory does not know and people
/// without the capability `decide` are left out and logged; if nobody is left, opening fails and the run says so.
pub(crate) async fn people(context: &Context, asked: &GateAsk) -> Result<People, OpenGateError> {
    let head = &asked.head;
    let profile = match head.profile_id.parse() {
        Ok(id) => context.catalog.profile(&head.owner, &id).await?,
        Err(_) => None,
    };
    let mut approvers = Vec::new();
    for name in names(asked, profile.as_ref()) {
        match context.directory.find(&name).await? {
            Some(user) if user.active && may_decide(context, &user.id).await? => {
                approvers.push(user.id);
            }
            Some(user) if user.active => {
                tracing::warn!(run = %head.run, step = asked.step.name, approver = %user.id, "an approver has no capability `decide`");
            }
            _ => {
                tracing::warn!(run = %head.run, step = asked.step.name, "an approver is not in the directory or not active");
            }
        }
    }
    let mut requesters = BTreeSet::from([head.owner.clone(), head.invoked_by.clone()]);
    if let Some(id) = &head.playbook_id {
        let playbook = context.catalog.playbook(&head.owner, id).await?;
        requesters.extend(playbook.and_then(|playbook| playbook.updated_by));
    }
    requesters.extend(profile.and_then(|profile| profile.user_id));
    Ok(People { approvers, requesters })
}

/// Whoever may not decide cannot be waited for.
async fn may_decide(context: &Context, user: &UserId) -> Result<bool, OpenGateError> {
    let standing = context.directory.standing_of(user).await?;
    Ok(standing.is_some_and(|standing| standing.capabilities.contains(&Capability::Decide)))
}

fn names(asked: &GateAsk, profile: Option<&Profile>) -> Vec<String> {
    let own = asked.gate.as_ref().map(|gate| gate.approvers.clone()).unwrap_or_default();
    let of_profile = || profile.map(Profile::signers).unwrap_or_default();
    let named = if own.is_empty() { of_profile() } else { own };
    if named.is_empty() { vec![asked.head.owner.to_string()] } else { named }
}
