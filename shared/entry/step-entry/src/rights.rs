//! Whether a step may act for whoever started its run.

use std::time::Duration;

use countersign_identity::{DirectoryEntry, Presented, Requirement, Scopes, UserId};
use countersign_plan::{PlanStep, requirement_of};
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_run::{Head, NotPermitted};
use countersign_store_directory::Directory;
use countersign_store_kit::Lookup;
use countersign_store_runs::StepView;

use crate::context::Context;
use crate::error::StepError;
use crate::member;

/// Who started a run, and with which rights: what the directory says of these is read with the views of its steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Started {
    by: UserId,
    scopes: Scopes,
    token: Option<Presented>,
}

impl Started {
    pub(crate) fn of(head: &Head) -> Self {
        Self { by: head.invoked_by.clone(), scopes: head.scopes.clone(), token: head.token.clone() }
    }

    pub(crate) fn lookups(&self, directory: &Directory) -> Vec<Lookup> {
        directory.lookups(&self.by, &self.scopes, self.token.as_ref())
    }
}

/// Whether such a step goes by the rights that are read with its view: it changes nothing, and no scope more could take a right away
/// from it.
pub(crate) fn go_by_view(step: &PlanStep, contract: &Contract) -> bool {
    let acts = step.irreversible || contract.irreversible || contract.writes;
    !acts && step.for_each.is_none() && contract.requirement.allowed_scopes.is_none()
}

/// Whether a step may go by what was read a moment ago: it changes nothing, and asks no model.
pub(crate) fn may_go_by(context: &Context, step: &PlanStep) -> bool {
    let contract = context.registry.get(&step.action);
    contract.is_some_and(|contract| go_by_view(step, contract) && !contract.uses_llm)
}

/// How old a reading of the runner's rights may be when something is sent that cannot be taken back.
pub(crate) const MAX_RIGHTS_AGE: Duration = Duration::from_secs(10);

/// Why the step may not act for whoever started the run.
pub(crate) async fn refused(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    contract: &Contract,
) -> Result<Option<ActionError>, StepError> {
    let requirement = requirement_of(step, contract);
    if go_by_view(step, contract) {
        let read = context.rights.found(&view.other_tables);
        let read = read.map_err(|error| StepError::beside(Box::new(error)))?;
        if view.head.permits(read.as_ref(), &requirement).is_ok() {
            return member::refused(&context.rights, &view.head, &requirement).await;
        }
    }
    // What was read with the view may be less than all of their rights.
    refused_now(context, &view.head, step, contract).await
}

/// The same, with the rights read now.
pub(crate) async fn refused_now(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    contract: &Contract,
) -> Result<Option<ActionError>, StepError> {
    refused_by(&context.rights, head, &requirement_of(step, contract), &contract.name).await
}

/// The same of anything that requires `requirement`, called `what`.
pub(crate) async fn refused_by(
    rights: &Directory,
    head: &Head,
    requirement: &Requirement,
    what: &str,
) -> Result<Option<ActionError>, StepError> {
    let entry = rights.entry_of(&head.invoked_by).await;
    let entry = entry.map_err(|error| StepError::beside(Box::new(error)))?;
    if let Some(why) = denied(head, entry.as_ref(), requirement, what) {
        return Ok(Some(why));
    }
    member::refused(rights, head, requirement).await
}

/// Why `what` may not be done for whoever started the run, by what the directory says of them now.
#[must_use]
pub fn denied(
    head: &Head,
    entry: Option<&DirectoryEntry>,
    requirement: &Requirement,
    what: &str,
) -> Option<ActionError> {
    let why = match head.permits(entry, requirement) {
        Ok(()) => return None,
        Err(NotPermitted::Denied(denied)) => format!("`{what}`: {denied}"),
        Err(lost) => lost.to_string(),
    };
    Some(ActionError::terminal("PERMISSION_DENIED", why))
}
