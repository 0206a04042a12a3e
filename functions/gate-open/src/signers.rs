//! Who may sign, and who is barred because they asked for it.

use std::collections::BTreeSet;

use countersign_gatekeeper::{Named, approvers_of, requesters, signers};
use countersign_identity::UserId;
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
    let profile = context.catalog.profile_named(&head.owner, &head.profile_id).await?;
    let own = asked.gate.as_ref().map(|gate| gate.approvers.clone()).unwrap_or_default();
    let agents = profile.as_ref().map(Profile::signers).unwrap_or_default();
    let names = approvers_of(&own, agents, &head.owner);
    let named = signers(&context.directory, &names, &asked.requirement, head.member()).await?;
    warn_of(asked, &named);
    let playbook = match &head.playbook_id {
        Some(id) => context.catalog.playbooks().get(&head.owner, id).await?,
        None => None,
    };
    let editor = playbook.as_ref().and_then(|playbook| playbook.updated_by.as_ref());
    let holder = profile.as_ref().and_then(|profile| profile.user_id.as_ref());
    let requesters = requesters(&head.owner, &head.invoked_by, [editor, holder]);
    Ok(People { approvers: Named::able(&named), requesters })
}

/// Who is asked in addition when nobody has decided for a while. Whoever cannot sign is left out and logged.
pub(crate) async fn escalated(
    context: &Context,
    asked: &GateAsk,
) -> Result<Vec<UserId>, OpenGateError> {
    let gate = asked.gate.as_ref();
    let Some(escalation) = gate.and_then(|gate| gate.escalation.as_ref()) else {
        return Ok(Vec::new());
    };
    let (role, member) = (&asked.requirement, asked.head.member());
    let named = signers(&context.directory, &escalation.to, role, member).await?;
    warn_of(asked, &named);
    Ok(Named::able(&named))
}

/// Those of these people who can sign. Whoever cannot is left out and logged.
pub(crate) async fn able(
    context: &Context,
    asked: &GateAsk,
    people: &[UserId],
) -> Result<Vec<UserId>, OpenGateError> {
    let mut names = Vec::new();
    for person in people {
        let user = context.directory.user(person).await?;
        names.extend(user.map(|user| user.username.to_string()));
    }
    let (role, member) = (&asked.requirement, asked.head.member());
    let named = signers(&context.directory, &names, role, member).await?;
    warn_of(asked, &named);
    Ok(Named::able(&named))
}

fn warn_of(asked: &GateAsk, named: &[Named]) {
    for one in named {
        if let Err(why) = &one.person {
            tracing::warn!(run = %asked.head.run, step = asked.step.name, approver = one.name, %why, "an approver cannot sign");
        }
    }
}
