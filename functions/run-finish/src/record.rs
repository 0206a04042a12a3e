//! The run in figures (F-316, F-398).

use countersign_channel::ENDPOINT;
use countersign_plan::{Plan, PlanStep, scope};
use countersign_registry::actions::send_channel_message::Channel;
use countersign_registry::{CALL_CONNECTOR, SEND_CHANNEL_MESSAGE};
use countersign_run::{ConnectorCall, Head, RoutedOutput, RunRecord, RunState, StepState};
use countersign_wiring::{Scope, resolve};

use crate::outcomes::Outcomes;

/// What the run did: what it called, found, wrote, and what failed.
pub(crate) fn of(
    head: &Head,
    plan: Option<&Plan>,
    state: &RunState,
    outcomes: &Outcomes,
    written: &[RoutedOutput],
) -> RunRecord {
    // What a replay took over was done by the run that it replays.
    if head.replays.is_some() {
        return RunRecord::of(state, |_, _| Vec::new());
    }
    let entities = outcomes.entities(written).counts;
    let scope = plan.map(|plan| scope(head, plan));
    let called = |name: &str, state: &StepState| {
        let step = plan.and_then(|plan| plan.step(name)).zip(scope.as_ref());
        step.map_or_else(Vec::new, |(step, scope)| calls(step, scope, state))
    };
    let mut record = RunRecord { entities, ..RunRecord::of(state, called) };
    for row in written {
        record.add_destination(&row.destination, &row.status);
    }
    record
}

/// The detection that calls an endpoint.
const DETECT: &str = "detect_new_data";

/// What ends a step that only reads, or a call of a model, before anything was called.
const REFUSED: [&str; 3] = ["PERMISSION_DENIED", "STEP_INPUT_INVALID", "TOOL_REFUSED"];

/// The calls of connectors that a finished step made: its own, and those that its model asked for.
fn calls(step: &PlanStep, scope: &Scope<'_>, state: &StepState) -> Vec<ConnectorCall> {
    let own = endpoint(step, scope).filter(|_| was_called(step, state));
    let own = own.map(|called| ConnectorCall::of_step(&step.name, state, called));
    let asked = step.tools.iter().flat_map(|tools| {
        let made = state.tool_calls.iter().filter(|call| !is_refused(call.code.as_deref()));
        made.filter_map(|call| {
            let called = tools.named(&call.tool)?.endpoint.as_ref()?;
            let called = (called.connector.clone(), called.endpoint.clone());
            Some(ConnectorCall::of_tool(&step.name, call, called))
        })
    });
    own.into_iter().chain(asked).collect()
}

fn is_refused(code: Option<&str>) -> bool {
    code.is_some_and(|code| REFUSED.contains(&code))
}

/// Whether a finished step called its endpoint in this run. It did not when its output was given in advance, as by a monitor or a
/// test, or when an earlier run had already made the call.
fn was_called(step: &PlanStep, state: &StepState) -> bool {
    let is_refused = is_refused(state.code.as_deref());
    let has_called = if step.irreversible { state.sent.is_some() } else { !is_refused };
    step.stand_in.is_none() && has_called
}

/// The connector and the endpoint that a step calls.
fn endpoint(step: &PlanStep, scope: &Scope<'_>) -> Option<(String, String)> {
    let named = |name: &str| {
        let value = resolve(step.params.get(name)?, scope).ok()?;
        value.as_str().map(str::to_owned)
    };
    match step.action.as_str() {
        CALL_CONNECTOR | DETECT => Some((named("connector")?, named("endpoint")?)),
        SEND_CHANNEL_MESSAGE => {
            let channel = Channel::named(&named("channel")?)?;
            Some((channel.as_str().to_owned(), ENDPOINT.to_owned()))
        }
        _ => None,
    }
}
