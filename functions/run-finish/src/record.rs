//! The run in figures (F-316, F-398).

use countersign_channel::ENDPOINT;
use countersign_plan::Plan;
use countersign_registry::actions::send_channel_message::Channel;
use countersign_registry::{CALL_CONNECTOR, SEND_CHANNEL_MESSAGE};
use countersign_run::{RoutedOutput, RunRecord, RunState};
use serde_json::Value;

use crate::outcomes::Outcomes;

/// What the run did: what it called, found, wrote, and what failed.
pub(crate) fn of(
    plan: Option<&Plan>,
    state: &RunState,
    outcomes: &Outcomes,
    written: &[RoutedOutput],
) -> RunRecord {
    let entities = outcomes.entities(written).counts;
    let mut record = RunRecord { entities, ..RunRecord::of(state, |step| endpoint(plan?, step)) };
    for row in written {
        record.add_destination(&row.destination, &row.status);
    }
    record
}

/// The detection that calls an endpoint.
const DETECT: &str = "detect_new_data";

/// The connector and the endpoint that a step calls.
fn endpoint(plan: &Plan, step: &str) -> Option<(String, String)> {
    let step = plan.step(step)?;
    let named = |name: &str| step.params.get(name).and_then(Value::as_str).map(str::to_owned);
    match step.action.as_str() {
        CALL_CONNECTOR | DETECT => Some((named("connector")?, named("endpoint")?)),
        SEND_CHANNEL_MESSAGE => {
            let channel = Channel::named(&named("channel")?)?;
            Some((channel.as_str().to_owned(), ENDPOINT.to_owned()))
        }
        _ => None,
    }
}
