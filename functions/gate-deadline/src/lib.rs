//! Reminds, escalates and expires: what one-time schedules call when the time of a request has come.
//!
//! Schedules may come up to a minute late, twice, or for a request that has ended: the gatekeeper looks at the clock and at the
//! request, never at the event alone.

use countersign_gatekeeper::{GateEvent, Gatekeeper};
use countersign_lambda_entry::{Fault, Invocation, decode};
use serde_json::Value;

/// Handles one call of a schedule.
///
/// # Errors
/// A [`Fault`] when the event is none of ours, the request is unknown, or a service does not answer; Lambda then tries
/// again, and after that the sweeper expires what is overdue.
pub async fn handle(
    gatekeeper: &Gatekeeper,
    event: Value,
    invocation: &Invocation,
) -> Result<Value, Fault> {
    let event: GateEvent = decode(event)?;
    Ok(gatekeeper.ring(&event, invocation.now).await?)
}

#[cfg(test)]
mod tests {
    use countersign_gatekeeper::GateEventKind;

    use super::*;

    fn check(sample: &str, action: GateEventKind, n: u32) {
        let event: GateEvent = decode(serde_json::from_str(sample).unwrap()).unwrap();
        assert_eq!((event.action, event.n), (action, n));
    }

    #[test]
    fn every_sample_event_is_understood() {
        check(include_str!("../../../events/gate-deadline/expire.json"), GateEventKind::Expire, 0);
        check(include_str!("../../../events/gate-deadline/remind.json"), GateEventKind::Remind, 1);
        check(
            include_str!("../../../events/gate-deadline/escalate.json"),
            GateEventKind::Escalate,
            0,
        );
    }

    #[test]
    fn an_event_that_decides_is_none() {
        let text = include_str!("../../../events/gate-deadline/expire.json");
        let forged: Value = serde_json::from_str(&text.replace("expire", "approve")).unwrap();
        let fault = decode::<GateEvent>(forged).unwrap_err();
        assert_eq!(fault.name, "Step.Terminal");
    }
}
