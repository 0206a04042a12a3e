//! `route_output` (F-053, F-280…F-294).

use std::sync::Arc;

use countersign_actions_knowledge::GraphPort;
use countersign_failure::Class;
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::route_output as declared;
use countersign_report::{Destination, WrittenDestination};
use countersign_wiring::{Condition, Scope};
use serde_json::Value;

use crate::content_port::ContentPort;
use crate::defaults::ProfileOutputs;
use crate::routed::Routed;
use crate::router::{OutputPorts, told};

/// Sends data to destinations, each on its own.
pub(crate) struct RouteOutput {
    pub(crate) content: Arc<dyn ContentPort>,
    pub(crate) graph: Arc<dyn GraphPort>,
    pub(crate) profiles: Arc<dyn ProfileOutputs>,
}

impl Perform for RouteOutput {
    type Action = declared::RouteOutput;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let (destinations, digests) = self.destinations(call, params.destinations).await?;
        let places = OutputPorts { content: &*self.content, graph: &*self.graph };
        let routed = places.send_all(call, &destinations, &inputs.data).await?;
        Ok(declared::Output { agent_destinations: digests, ..report(call, routed)? })
    }
}

/// Writes data to destinations, each on its own, for a step or for the end of a run: the row of each, in order. The call says
/// whose data it is; a repeated call with the same idempotency key writes nothing again.
///
/// # Errors
/// [`ActionError`] when a condition cannot be read; nothing is written then.
pub async fn route(
    places: OutputPorts<'_>,
    call: &Call,
    destinations: &[Destination],
    data: &Value,
) -> Result<Vec<declared::Routed>, ActionError> {
    let routed = places.send_all(call, destinations, data).await?;
    Ok(routed.into_iter().map(|(kind, outcome)| row(call, kind, outcome)).collect())
}

/// Writes data to a destination again, as [`route`] did when it was number `n`: with the same key what was written is found.
///
/// # Errors
/// [`ActionError`] when its condition cannot be read.
pub async fn route_again(
    places: OutputPorts<'_>,
    call: &Call,
    (destination, n): (&Destination, usize),
    data: &Value,
) -> Result<declared::Routed, ActionError> {
    let conditions = conditions(std::slice::from_ref(destination))?;
    let condition = conditions.first().and_then(Option::as_ref);
    let routed = places.send_one(call, n, (destination, condition), data).await;
    Ok(row(call, destination.kind(), routed))
}

impl RouteOutput {
    /// The step's own destinations, else the profile's with their digests.
    async fn destinations(
        &self,
        call: &Call,
        written: Option<Vec<WrittenDestination>>,
    ) -> Result<(Vec<Destination>, Vec<String>), ActionError> {
        if let Some(written) = written {
            return Ok((written.into_iter().map(Destination::from).collect(), Vec::new()));
        }
        let own = self.profiles.destinations(&call.owner, &call.info.profile_id).await?;
        if !own.is_empty() {
            return Ok(own.into_iter().map(|one| (one.destination, one.digest)).unzip());
        }
        let error = ActionError::terminal(
            "OUTPUT_NO_DESTINATION",
            "neither the step nor the profile names a destination",
        );
        let help = "name `destinations` in the step, or give the profile some in `output_config`";
        Err(error.with_help(help))
    }
}

pub(crate) fn conditions(
    destinations: &[Destination],
) -> Result<Vec<Option<Condition>>, ActionError> {
    let read = |(index, destination): (usize, &Destination)| {
        let refused = |error: countersign_wiring::SyntaxError| {
            let message =
                format!("the output is not valid: destinations[{index}].condition: {error}");
            ActionError::terminal("OUTPUT_INVALID", message)
        };
        destination.condition.as_deref().map(Condition::parse).transpose().map_err(refused)
    };
    destinations.iter().enumerate().map(read).collect()
}

/// What a condition can name: `data`, `count`, and the fields of the data when it is an object.
pub(crate) fn scope(data: &Value) -> Scope<'_> {
    let mut scope = Scope::new();
    for (name, value) in data.as_object().into_iter().flatten() {
        scope.lend(name, value);
    }
    scope.lend("data", data);
    let count =
        data.as_array().map(Vec::len).map(Value::from).or_else(|| data.get("count").cloned());
    scope.with("count", count.unwrap_or(Value::Null))
}

/// One row per destination (F-292). When nothing was reached the step fails, so that its `on_error` applies.
fn report(
    call: &Call,
    routed: Vec<(&'static str, Routed)>,
) -> Result<declared::Output, ActionError> {
    let failed = |outcome: &Routed| matches!(outcome, Routed::Failed(_));
    if !routed.is_empty() && routed.iter().all(|(_, outcome)| failed(outcome)) {
        return Err(all_failed(routed));
    }
    let routed_to: Vec<_> =
        routed.into_iter().map(|(kind, outcome)| row(call, kind, outcome)).collect();
    let success = routed_to.iter().all(|row| row.error.is_none());
    let warnings: Vec<String> = routed_to.iter().flat_map(|row| warnings(&row.details)).collect();
    let warning_count = warnings.len() as u64;
    let agent_destinations = Vec::new();
    Ok(declared::Output { routed_to, success, agent_destinations, warnings, warning_count })
}

/// What the details of a destination say of fields that no record has and of rows that were not kept: its own, and of each table.
fn warnings(details: &Value) -> Vec<String> {
    let tables = details.get("tables").and_then(Value::as_array).into_iter().flatten();
    let parts = std::iter::once(details).chain(tables);
    let listed = parts.filter_map(|part| part.get("warnings")?.as_array()).flatten();
    listed.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn row(call: &Call, destination: &'static str, outcome: Routed) -> declared::Routed {
    let row = |status, details| declared::Routed { destination, status, details, error: None };
    let failed = |details, error: &ActionError| declared::Routed {
        error: Some(told(call, error)),
        ..row("error", details)
    };
    match outcome {
        Routed::Done(details) => row("success", details),
        Routed::Skipped(None) => row("skipped", "the condition is false".into()),
        Routed::Skipped(Some(why)) => {
            row("skipped", format!("the condition is false: {why}").into())
        }
        Routed::Partly(details, error) => failed(details, &error),
        Routed::Failed(error) => failed(Value::Null, &error),
    }
}

fn all_failed(routed: Vec<(&'static str, Routed)>) -> ActionError {
    let errors: Vec<(&str, ActionError)> =
        routed
            .into_iter()
            .filter_map(|(kind, outcome)| {
                if let Routed::Failed(error) = outcome { Some((kind, error)) } else { None }
            })
            .collect();
    let passing = errors.iter().any(|(_, error)| error.class == Class::Retryable);
    let said: Vec<String> = errors
        .iter()
        .map(|(kind, error)| format!("{kind}: {} {}", error.code, error.message))
        .collect();
    let message = format!("no destination was reached: {}", said.join("; "));
    let error = if passing {
        ActionError::retryable("OUTPUT_NOT_ROUTED", message)
    } else {
        ActionError::terminal("OUTPUT_NOT_ROUTED", message)
    };
    match errors.into_iter().find_map(|(_, error)| error.help) {
        Some(help) => error.with_help(help),
        None => error,
    }
}
