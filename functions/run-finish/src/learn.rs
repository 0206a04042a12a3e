//! What a question tells of whoever asked it is kept for their next questions, if they want that (R-082…R-086, K-45).

use countersign_plan::Plan;
use countersign_question::{Finding, LEARN_STEP, LearnedFrom};
use countersign_registry::Action as _;
use countersign_registry::actions::extract_facts::ExtractFacts;
use countersign_run::{Head, RunState, StepState, StepStatus, Strategy};
use serde_json::{Value, json};

use crate::{Context, Done, FinishError};

/// Keeps it. That it could not be kept changes nothing of the run.
pub(crate) async fn keep(context: &Context, done: &Done<'_>, plan: Option<&Plan>) {
    if let Err(error) = kept(context, done, plan).await {
        tracing::warn!(run = %done.head.run, %error, "what a question tells of a person was not kept");
    }
}

async fn kept(context: &Context, done: &Done<'_>, plan: Option<&Plan>) -> Result<(), FinishError> {
    let head = done.head;
    if !plan.is_some_and(learns) || head.strategy != Some(Strategy::Research) {
        return Ok(());
    }
    let is_done = |step: &StepState| step.status == StepStatus::Done;
    if !done.state.step(LEARN_STEP).is_some_and(is_done) {
        return Ok(());
    }
    let read = context.runs.outcomes(&head.run, &[LEARN_STEP], &[LEARN_STEP], None).await?;
    let found = read.get(LEARN_STEP).map_or(&Value::Null, |outcome| &outcome.output);
    if found["found"] != json!(true) {
        return Ok(());
    }
    // Whoever has changed their mind since is not remembered.
    let about = context.catalog.about(&head.owner).await?;
    if about.is_some_and(|said| said.about.learn) {
        let from = LearnedFrom { run: head.run.to_string(), at: head.started_at };
        let found = Finding { question: &head.query, said: found };
        context.catalog.learn(&head.owner, &found, &from, done.at).await?;
    }
    Ok(())
}

/// Whether a plan has the step that looks for it.
fn learns(plan: &Plan) -> bool {
    plan.step(LEARN_STEP).is_some_and(|step| step.action == ExtractFacts::NAME)
}

/// The steps by which the end of a run is judged: that nothing could be learned of whoever asked does not touch it.
pub(crate) fn judged(head: &Head, plan: Option<&Plan>, state: &RunState) -> RunState {
    let mut judged = state.clone();
    if head.strategy == Some(Strategy::Research) && plan.is_some_and(learns) {
        judged.steps.retain(|(name, _)| name != LEARN_STEP);
    }
    judged
}
