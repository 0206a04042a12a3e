//! Who may sign, and who is barred because they asked for it.

use std::collections::BTreeSet;

use countersign_gatekeeper::{Named, approvers_of, requesters, signers};
use countersign_identity::{Requirement, Role, UserId};
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

/// The gate's own approvers, else the profile's, else the owner of the run. Whoever cannot sign is left out and logged; if
/// nobody is left, opening fails and the run says so. The start of the run asked the same, so that is rare.
pub(crate) async fn people(context: &Context, asked: &GateAsk) -> Result<People, OpenGateError> {
    let head = &asked.head;
    let profile = match head.profile_id.parse() {
        Ok(id) => context.catalog.profiles().get(&head.owner, &id).await?,
        Err(_) => None,
    };
    let own = asked.gate.as_ref().map(|gate| gate.approvers.clone()).unwrap_or_default();
    let agents = profile.as_ref().map(Profile::signers).unwrap_or_default();
    let names = approvers_of(&own, agents, &head.owner);
    let named = signers(&context.directory, &names, &Requirement::role(Role::Reader)).await?;
    for one in &named {
        if let Err(why) = &one.person {
            tracing::warn!(run = %head.run, step = asked.step.name, approver = one.name, %why, "an approver cannot sign");
        }
    }
    let playbook = match &head.playbook_id {
        Some(id) => context.catalog.playbooks().get(&head.owner, id).await?,
        None => None,
    };
    let editor = playbook.as_ref().and_then(|playbook| playbook.updated_by.as_ref());
    let holder = profile.as_ref().and_then(|profile| profile.user_id.as_ref());
    let requesters = requesters(&head.owner, &head.invoked_by, [editor, holder]);
    Ok(People { approvers: Named::able(&named), requesters })
}
