//! A destination of a finished run that could not be written, tried again by itself (F-314).
//!
//! What is written is the stored result, with the key of the run: what has arrived after all is found and not written twice.
//! Rights are read now, and what people sign before it is written is left to a repetition of the run, which asks them.

use countersign_actions_output::{OutputPorts, OwnDestination, route_again};
use countersign_lambda_entry::Invocation;
use countersign_plan::confirms;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::route_output::Routed;
use countersign_report::{Destination, WrittenDestination};
use countersign_run::{Head, OutputOrigin, RoutedOutput, RunId};
use countersign_step_entry::finished_call;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::agent_list::gone;
use crate::over::{Over, answered};
use crate::{Context, FinishError, Finished, agent_list, at_end, outcomes};

/// Where links begin.
const API: &str = "/api/agent-factory";

/// Says of each row that can be tried again where.
pub(crate) fn link(run: &RunId, outputs: &mut [RoutedOutput]) {
    for (n, row) in outputs.iter_mut().enumerate() {
        link_one(run, n, row);
    }
}

fn link_one(run: &RunId, n: usize, row: &mut RoutedOutput) {
    if let Some(error) = row.error.as_mut().filter(|_| row.origin.is_some()) {
        error["retry"] = format!("{API}/executions/{run}/destinations/{n}/retry").into();
    }
}

/// Tries everything that was asked for.
pub(crate) async fn asked(
    context: &Context,
    head: &Head,
    invocation: &Invocation,
) -> Result<(), FinishError> {
    for n in context.runs.deliveries(&head.run).await? {
        // Of two that were asked for at once, one writes.
        if !context.runs.claim_delivery(&head.run, n, invocation.now).await? {
            continue;
        }
        if let Err(error) = one(context, head, n, invocation).await {
            context.runs.release_delivery(&head.run, n).await?;
            return Err(error);
        }
    }
    Ok(())
}

async fn one(
    context: &Context,
    head: &Head,
    n: usize,
    invocation: &Invocation,
) -> Result<(), FinishError> {
    let response = context.runs.response(&head.run).await?;
    let row = response.as_ref().and_then(|response| response.outputs.get(n));
    let row = row.filter(|row| row.is_failed());
    let (Some(response), Some(row), Some(origin)) =
        (&response, row, row.and_then(|row| row.origin))
    else {
        return Ok(context.runs.forget_delivery(&head.run, n).await?);
    };
    let routed = match at_end::denied(context, head).await? {
        Some(error) => Err(error),
        None => {
            let was = &response.agent_destinations;
            routed(context, head, (row, origin, was), invocation).await?
        }
    };
    let mut row = again(row, routed);
    link_one(&head.run, n, &mut row);
    Ok(context.runs.delivered(&head.run, n, &row).await?)
}

async fn routed(
    context: &Context,
    head: &Head,
    (row, origin, was): (&RoutedOutput, OutputOrigin, &[String]),
    invocation: &Invocation,
) -> Result<Result<Routed, ActionError>, FinishError> {
    let Finished { state, plan, profile } = Finished::read(context, head).await?;
    let Some(plan) = plan else { return Ok(Err(gone())) };
    if let OutputOrigin::Step(n) = origin {
        let step = row.step.as_deref().and_then(|step| plan.step(step));
        let Some(step) = step.filter(|step| !confirms(step, n)) else { return Ok(Err(gone())) };
        let Some(contract) = context.registry.get(&step.action) else { return Ok(Err(gone())) };
        let call = finished_call(&context.runs, (head, &plan), (step, contract), invocation);
        return Ok(match call.await? {
            Ok(call) => of_step(context, head, &call, (&row.destination, n), was).await,
            Err(error) => Err(error),
        });
    }
    let needed = crate::answer::needed(&plan, &state);
    let outcomes = outcomes::Outcomes::read(context, &head.run, Some(&plan), &needed).await?;
    let over = Over {
        head,
        plan: &plan,
        state: &state,
        outcomes: &outcomes,
        profile: profile.as_ref(),
        at: invocation.now,
    };
    let (answer, call) = answered(context, &over).await?;
    if let Some(refused) = at_end::refused(&over) {
        return Ok(Err(ActionError::terminal("OUTPUT_NOT_RETRYABLE", refused)));
    }
    Ok(at_end::again(context, &over, &answer, &call, (&row.destination, origin), was).await)
}

/// The destinations that the step had: its own, else the agent's.
async fn of_step(
    context: &Context,
    head: &Head,
    call: &Call,
    (kind, n): (&str, usize),
    was: &[String],
) -> Result<Routed, ActionError> {
    let written = call.params.get("destinations").map(Vec::<WrittenDestination>::deserialize);
    let destination = match written {
        Some(Ok(written)) => {
            let one = written.into_iter().nth(n).map(Destination::from);
            one.filter(|one| one.kind() == kind).ok_or_else(gone)?
        }
        Some(Err(_)) => return Err(gone()),
        None => {
            let profile = crate::over::profile(context, &head.owner, &head.profile_id).await;
            let profile = profile.map_err(|error| ActionError::from_failure(&error))?;
            let now = profile.map(|profile| OwnDestination::all(&profile.spec.output_config));
            let now = now.transpose()?.unwrap_or_default();
            let then = then(context, head, call).await?;
            // Earlier releases noted the list at the end of the run.
            let was = if then.is_empty() { was } else { &then };
            agent_list::found(&now, was, (kind, n))?.clone()
        }
    };
    let places = OutputPorts { content: &context.content, graph: &context.graph };
    let data = call.inputs.get("data").unwrap_or(&Value::Null);
    route_again(places, call, (&destination, n), data).await
}

/// The digests of the agent's destinations as they were when the step wrote to them.
async fn then(context: &Context, head: &Head, call: &Call) -> Result<Vec<String>, ActionError> {
    let outcome = context.runs.outcome(&head.run, &call.step).await;
    let outcome = outcome.map_err(|error| ActionError::from_failure(&error))?;
    let list = outcome.and_then(|outcome| outcome.output.get("agent_destinations").cloned());
    Ok(list.and_then(|list| Vec::deserialize(list).ok()).unwrap_or_default())
}

/// The row as it is now.
fn again(row: &RoutedOutput, routed: Result<Routed, ActionError>) -> RoutedOutput {
    let made = match routed {
        Ok(routed) => serde_json::to_value(&routed).unwrap_or_default(),
        Err(error) => json!({
            "destination": row.destination, "status": "error", "details": null,
            "error": { "code": error.code, "message": error.message, "help": error.help },
        }),
    };
    let made = outcomes::row_of(&made, row.step.as_deref(), false);
    made.map_or_else(|| row.clone(), |made| RoutedOutput { origin: row.origin, ..made })
}
