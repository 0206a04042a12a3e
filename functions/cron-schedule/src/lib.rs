//! The clock of schedules: what a native schedule calls when it is due.
//!
//! A tick says whose schedule ticks; what was due is computed here, so a tick that comes late, twice, or at a wrong time starts
//! nothing that was not due.

use countersign_clock::{Clock, Tick};
use countersign_lambda_entry::{Fault, Invocation, decode};
use serde_json::{Value, json};

/// Handles one tick.
///
/// # Errors
/// A [`Fault`] when the event is none of ours, or a service does not answer; Lambda tries again, and the sweeper after that.
pub async fn handle(clock: &Clock, event: Value, invocation: &Invocation) -> Result<Value, Fault> {
    let tick: Tick = decode(event)?;
    let ticked = clock.tick(&tick, invocation.now).await?;
    tracing::info!(schedule = %tick.schedule, counts = json!(ticked).to_string(), "ticked");
    Ok(json!(ticked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_event_is_one_of_ours() {
        let sample = include_str!("../../../events/cron-schedule/tick.json");
        let tick: Tick = decode(serde_json::from_str(sample).unwrap()).unwrap();
        assert!(tick.schedule.as_str().starts_with("sched_"));
    }

    #[test]
    fn a_tick_does_not_say_what_is_due() {
        let sample = include_str!("../../../events/cron-schedule/tick.json");
        let mut forged: Value = serde_json::from_str(sample).unwrap();
        forged["due_at"] = json!("2026-11-24T06:00:00Z");
        assert_eq!(decode::<Tick>(forged).unwrap_err().name, "Step.Terminal");
    }
}
