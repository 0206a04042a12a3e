//! Schedules of the service: of one call, or of many.

use aws_sdk_scheduler::Client;
use aws_sdk_scheduler::operation::create_schedule::CreateScheduleError;
use aws_sdk_scheduler::types::{
    ActionAfterCompletion, FlexibleTimeWindow, FlexibleTimeWindowMode, Target,
};
use countersign_aws::{AwsConfig, LazyClient, answered};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::error::{StatesError, StatesFuture};

/// Calls one function at times to come, up to a minute late.
#[derive(Debug, Clone)]
pub struct Schedules {
    client: LazyClient<Client>,
    group: String,
    role_arn: String,
    function_arn: String,
}

/// One call to come.
#[derive(Debug, Clone, PartialEq)]
pub struct Once {
    /// 1 to 64 letters, digits, `-`, `_` and `.`; unique in its group. Setting the same name again replaces the call.
    pub name: String,
    /// When. In UTC, whole seconds; a fraction waits for the next second.
    pub at: Timestamp,
    /// The function's event.
    pub event: Value,
}

/// Calls that come again and again.
#[derive(Debug, Clone, PartialEq)]
pub struct Recurring {
    /// As of [`Once`].
    pub name: String,
    /// `cron(…)` with six fields, or `rate(…)`.
    pub expression: String,
    /// The IANA name of the zone in which that is meant.
    pub timezone: String,
    /// The function's event.
    pub event: Value,
}

impl Recurring {
    /// A call every so many minutes.
    #[must_use]
    pub fn every(name: String, minutes: u32, event: Value) -> Self {
        Self { name, expression: rate(minutes), timezone: "UTC".to_owned(), event }
    }
}

/// What a schedule of the service is told.
struct Calls<'a> {
    name: &'a str,
    when: String,
    zone: &'a str,
    after: ActionAfterCompletion,
    event: &'a Value,
}

impl Schedules {
    /// Schedules of this group that call `function_arn` with the rights of `role_arn`.
    #[must_use]
    #[inline]
    pub fn new(
        aws: &AwsConfig,
        group: impl Into<String>,
        role_arn: impl Into<String>,
        function_arn: impl Into<String>,
    ) -> Self {
        let client = LazyClient::of(aws, Client::new);
        Self {
            client,
            group: group.into(),
            role_arn: role_arn.into(),
            function_arn: function_arn.into(),
        }
    }

    /// Sets a call, or moves the one of the same name.
    ///
    /// # Errors
    /// [`StatesError`] when the service does not answer or refuses.
    pub fn set<'a>(&'a self, once: &'a Once) -> StatesFuture<'a, ()> {
        let (name, event) = (once.name.as_str(), &once.event);
        let after = ActionAfterCompletion::Delete;
        Box::pin(self.put(Calls { name, when: expression(once.at), zone: "UTC", after, event }))
    }

    /// Calls again and again, or in another way than the calls of the same name until now.
    ///
    /// # Errors
    /// [`StatesError`] when the service does not answer or refuses.
    pub fn repeat<'a>(&'a self, often: &'a Recurring) -> StatesFuture<'a, ()> {
        let Recurring { name, expression, timezone, event } = often;
        let (when, after) = (expression.clone(), ActionAfterCompletion::None);
        Box::pin(self.put(Calls { name, when, zone: timezone, after, event }))
    }

    async fn put(&self, calls: Calls<'_>) -> Result<(), StatesError> {
        let operation = "setting a schedule";
        let (target, window) = (self.target(calls.event)?, exactly_then()?);
        let create = self.client.create_schedule().name(calls.name).group_name(&self.group);
        let create = create
            .schedule_expression(&calls.when)
            .schedule_expression_timezone(calls.zone)
            .action_after_completion(calls.after.clone())
            .target(target.clone())
            .flexible_time_window(window.clone());
        let Err(error) = create.send().await else { return Ok(()) };
        let exists =
            error.as_service_error().is_some_and(CreateScheduleError::is_conflict_exception);
        if !exists {
            return Err(StatesError::sdk(operation, &error));
        }
        let update = self.client.update_schedule().name(calls.name).group_name(&self.group);
        let update = update
            .schedule_expression(&calls.when)
            .schedule_expression_timezone(calls.zone)
            .action_after_completion(calls.after)
            .target(target)
            .flexible_time_window(window);
        update.send().await.map(drop).map_err(|error| StatesError::sdk(operation, &error))
    }

    /// Takes a call back; one that is gone already is as good.
    ///
    /// # Errors
    /// [`StatesError`] when the service does not answer or refuses.
    pub fn clear<'a>(&'a self, name: &'a str) -> StatesFuture<'a, ()> {
        Box::pin(async move {
            let delete = self.client.delete_schedule().name(name).group_name(&self.group);
            let sent = delete.send().await.map(drop);
            let gone = answered(sent, |said| said.is_resource_not_found_exception().then_some(()));
            gone.map_err(|error| StatesError::sdk("dropping a schedule", &error))
        })
    }

    fn target(&self, event: &Value) -> Result<Target, StatesError> {
        let target = Target::builder().arn(&self.function_arn).role_arn(&self.role_arn);
        target.input(event.to_string()).build().map_err(|error| invalid(&error))
    }
}

fn exactly_then() -> Result<FlexibleTimeWindow, StatesError> {
    let window = FlexibleTimeWindow::builder().mode(FlexibleTimeWindowMode::Off);
    window.build().map_err(|error| invalid(&error))
}

fn invalid(error: &aws_sdk_scheduler::error::BuildError) -> StatesError {
    StatesError::Refused { operation: "setting a schedule", reason: error.to_string() }
}

/// `at(2026-11-21T10:00:00)`, rounded up: a call that came early would find nothing due.
fn expression(at: Timestamp) -> String {
    let fraction = i64::from(at.subsec_nanosecond() > 0);
    let whole = Timestamp::from_second(at.as_second() + fraction).unwrap_or(at);
    format!("at({})", whole.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S"))
}

/// `rate(1 minute)`, `rate(15 minutes)`.
fn rate(minutes: u32) -> String {
    let unit = if minutes == 1 { "minute" } else { "minutes" };
    format!("rate({minutes} {unit})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_217_a_rate_is_written_as_the_service_reads_it() {
        assert_eq!(rate(1), "rate(1 minute)");
        assert_eq!(rate(1_440), "rate(1440 minutes)");
    }

    fn check(at: &str, expect: &str) {
        assert_eq!(expression(at.parse().unwrap()), expect);
    }

    #[test]
    fn a_time_is_written_in_utc_and_rounded_up() {
        check("2026-11-21T10:00:00Z", "at(2026-11-21T10:00:00)");
        check("2026-11-21T10:00:00.001Z", "at(2026-11-21T10:00:01)");
        check("2026-12-31T23:59:59.5Z", "at(2027-01-01T00:00:00)");
        check("2026-11-21T10:00:00+02:00", "at(2026-11-21T08:00:00)");
    }
}
