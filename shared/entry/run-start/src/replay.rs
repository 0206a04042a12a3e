//! Starting a test that replays a run: the same agent, question and inputs, with what was asked and read then.

use countersign_plan::Plan;
use countersign_question::LEARN_STEP;
use countersign_run::{DryRun, GatePolicy, Head, Replayed, RunId};
use countersign_store_runs::Asked;
use countersign_web::{FieldError, Problem};
use serde_json::json;

use crate::asking::Asking;
use crate::choosing::Chosen;
use crate::repeat::{agent_of, followed, given, within};
use crate::start::{self, Started};
use crate::{Invoker, Starter, repeating, run_context, run_mode};

/// Starts it. The agent and its playbook are as they are now, which is what a replay is for.
///
/// # Errors
/// A [`Problem`] that says why nothing was started.
pub async fn replay(
    ctx: Starter<'_>,
    invoker: &Invoker,
    of: &Head,
    run: RunId,
) -> Result<Started, Problem> {
    can_be_replayed(of)?;
    let owner = &invoker.user;
    let profile = agent_of(ctx, owner, of).await?;
    let within = within(ctx, owner, of).await?;
    let Chosen { playbook, made, .. } = followed(ctx, owner, &profile, of, within.as_ref()).await?;
    let inputs = given(ctx.runs.inputs(&of.run).await?);
    start::check_inputs(&playbook.playbook, &inputs)?;
    let endpoints = ctx.catalog.endpoints(owner, profile.id.as_str()).await?;
    let (linked, _) = start::check_links(ctx, &playbook, &endpoints)?;
    let asking = Asking {
        profile: Some(&profile),
        query: &of.query,
        context: run_context::by_hand(&profile, &playbook.playbook, None)?,
        occurrence: None,
        approval_policy: GatePolicy::Require,
        mode: run_mode::again(&playbook.playbook, of.execution_mode)?,
        chosen_because: of.chosen_because.clone(),
        understood: of.understood.clone(),
        dry_run: Some(DryRun::Samples),
        made,
        asked_in: None,
    };
    let head = Head {
        replays: Some(Replayed { run: of.run.clone(), started_at: of.started_at }),
        last_finished_at: of.last_finished_at,
        ..asking.head(run, invoker, &playbook, ctx.now)
    };
    let own = made.map(|_| playbook.yaml.clone());
    let asked = Asked { inputs: inputs.into(), samples: Some(json!({})), playbook: own };
    let warnings = gone(ctx, of, &start::planned(&linked, &head)).await?;
    start::begin(ctx, head, &asked, warnings).await
}

/// Steps of the run that the plan does not have any more, a gate perhaps: nothing else would say so.
async fn gone(ctx: Starter<'_>, of: &Head, now: &Plan) -> Result<Vec<FieldError>, Problem> {
    let Some((then, _)) = ctx.runs.plan(&of.run).await? else { return Ok(Vec::new()) };
    // A replay learns nothing of whoever asks.
    let steps = then.steps.iter().filter(|step| step.name != LEARN_STEP);
    let gone = steps.filter(|step| now.step(&step.name).is_none());
    let said = |name: &str| {
        let message = format!("`{name}` of the run that is replayed is not in the plan any more");
        FieldError::new(format!("playbook.steps.{name}"), message)
    };
    Ok(gone.map(|step| said(&step.name)).collect())
}

fn can_be_replayed(of: &Head) -> Result<(), Problem> {
    repeating::is_over(of)?;
    if of.dry_run.is_some() {
        let message = "a test has no answers that another one could take over";
        return Err(Problem::conflict("RUN_IS_A_TEST", message));
    }
    Ok(())
}
