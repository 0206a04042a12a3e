//! A run that is over, and its answer: what response, destinations and a later try of one of them are made of.

use std::time::Duration;

use countersign_identity::UserId;
use countersign_plan::{Plan, run_info};
use countersign_profile::Profile;
use countersign_registry::action::{Asking, Call};
use countersign_run::{Head, RunState, StepWarnings};
use jiff::Timestamp;
use serde_json::Map;

use crate::answer::{Answer, Results};
use crate::outcomes::Outcomes;
use crate::{Context, FinishError};

/// The first sentences about what the run could not read, in documents and in the journal; the others are counted.
pub(crate) const MAX_WARNINGS: usize = 10;

/// Everything the response is made of.
pub(crate) struct Over<'a> {
    pub(crate) head: &'a Head,
    pub(crate) plan: &'a Plan,
    pub(crate) state: &'a RunState,
    pub(crate) outcomes: &'a Outcomes,
    pub(crate) profile: Option<&'a Profile>,
    pub(crate) at: Timestamp,
}

/// The answer of a run, and the call that writes it. It is the same as often as it is made.
pub(crate) async fn answered(
    context: &Context,
    over: &Over<'_>,
) -> Result<(Answer, Call), FinishError> {
    let Over { head, plan, state, outcomes, .. } = *over;
    let answer = Answer::of(Results { head, plan, state, outcomes });
    let warnings = context.runs.warnings(head, MAX_WARNINGS).await?;
    let mut warnings = StepWarnings::sentences(&warnings);
    if answer.is_incomplete {
        warnings.extend(answer.problems.iter().cloned());
    }
    let call = call(over, warnings);
    Ok((answer, call))
}

/// The end of a run as the call of an action: whose data it is, and where it comes from.
fn call(over: &Over<'_>, warnings: Vec<String>) -> Call {
    let head = over.head;
    Call {
        run: head.run.to_string(),
        step: "output".to_owned(),
        owner: head.owner.clone(),
        action: "route_output".to_owned(),
        inputs: over.plan.inputs.clone(),
        params: Map::new(),
        idempotency_key: format!("{}/end", head.run),
        now: over.at,
        remaining: Duration::from_secs(30),
        info: run_info(head, warnings),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
    }
}

/// The profile of a run, when it is still there.
pub(crate) async fn profile(
    context: &Context,
    owner: &UserId,
    id: &str,
) -> Result<Option<Profile>, FinishError> {
    Ok(context.catalog.profile_named(owner, id).await?)
}
