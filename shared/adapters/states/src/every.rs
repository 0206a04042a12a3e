//! Schedules that call a function again and again.

use aws_sdk_scheduler::operation::create_schedule::CreateScheduleError;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::error::StatesError;
use crate::schedules::{Schedules, exactly_then};

/// One call that comes again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Every {
    /// As of a single call; setting the same name again replaces it.
    pub name: String,
    /// How often, in minutes.
    pub minutes: u32,
    /// The function's event.
    pub event: Value,
}

impl Schedules {
    /// Sets calls that come again and again, or changes those of the same name.
    ///
    /// # Errors
    /// [`StatesError`] when the service does not answer or refuses.
    pub fn repeat<'a>(&'a self, every: &'a Every) -> BoxFuture<'a, Result<(), StatesError>> {
        Box::pin(async move {
            let operation = "setting a schedule";
            let (target, window) = (self.target(&every.event)?, exactly_then()?);
            let rate = rate(every.minutes);
            let create = self.client.create_schedule().name(&every.name).group_name(&self.group);
            let create = create.schedule_expression(&rate).target(target.clone());
            let Err(error) = create.flexible_time_window(window.clone()).send().await else {
                return Ok(());
            };
            let exists =
                error.as_service_error().is_some_and(CreateScheduleError::is_conflict_exception);
            if !exists {
                return Err(StatesError::sdk(operation, &error));
            }
            let update = self.client.update_schedule().name(&every.name).group_name(&self.group);
            let update = update.schedule_expression(&rate).target(target);
            let update = update.flexible_time_window(window).send().await;
            update.map(drop).map_err(|error| StatesError::sdk(operation, &error))
        })
    }
}

/// `rate(1 minute)`, `rate(15 minutes)`.
fn rate(minutes: u32) -> String {
    let unit = if minutes == 1 { "minute" } else { "minutes" };
    format!("rate({minutes} {unit})")
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn f_217_a_rate_is_written_as_the_service_reads_it() {
        assert_eq!(rate(1), "rate(1 minute)");
        assert_eq!(rate(1_440), "rate(1440 minutes)");
    }
}
