//! The journal says that the run waits, as long as it does (F-224).

use countersign_approval::ApprovalId;
use countersign_journal::{JournalWrite as _, Waiting, waiting};
use countersign_profile::JournalConfig;
use countersign_run::fold;
use countersign_step_entry::GateAsk;

use crate::{Context, OpenGateError};

/// Writes the entry of the open request. That it cannot be written keeps nobody from deciding.
pub(crate) async fn note(context: &Context, asked: &GateAsk, approval: &ApprovalId) {
    if let Err(error) = write(context, asked, approval).await {
        tracing::warn!(run = %asked.head.run, %approval, %error, "the journal does not say that the run waits");
    }
}

async fn write(
    context: &Context,
    asked: &GateAsk,
    approval: &ApprovalId,
) -> Result<(), OpenGateError> {
    let head = &asked.head;
    let Some(request) = context.approvals.request(approval).await? else { return Ok(()) };
    let order: Vec<String> = asked.stages.iter().flatten().map(|(name, _)| name.clone()).collect();
    let state = fold(head, &order, &context.steps.runs.events(&head.run).await?);
    let run = Waiting {
        approval: approval.as_str(),
        step: &asked.step.name,
        deadline: request.timing.deadline,
        run: head.run.as_str(),
        owner: &head.owner,
        profile_id: &head.profile_id,
        name: head.playbook_name.as_deref().unwrap_or(&head.profile_name),
        query: &head.query,
        context: head.context,
        asked_by: request.asked_by.as_ref(),
        invoked_by: &head.invoked_by,
        team: head.team_context.as_ref().map(|team| &team.team_id),
        steps: &state.steps,
        at: request.opened_at,
    };
    let Some(entry) = waiting(&run, &config(context, asked).await?) else { return Ok(()) };
    context.journal.put_if_new(&entry).await?;
    // Whoever decided in between found nothing to take away.
    let now = context.approvals.request(approval).await?;
    if now.is_none_or(|request| request.status.is_final()) {
        context.journal.withdraw(&head.owner, &entry.id).await?;
    }
    Ok(())
}

/// A profile that is gone leaves the defaults.
async fn config(context: &Context, asked: &GateAsk) -> Result<JournalConfig, OpenGateError> {
    let head = &asked.head;
    let profile = context.catalog.profile_named(&head.owner, &head.profile_id).await?;
    Ok(profile.map(|profile| profile.spec.journal_config).unwrap_or_default())
}
