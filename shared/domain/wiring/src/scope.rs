//! What references can see.

use std::borrow::Cow;
use std::collections::BTreeMap;

use countersign_registry::DataType;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde_json::Value;

/// The furthest `{N_days_ago}` reaches back.
const MAX_DAYS: i64 = 36_500;

/// What the engine knows about a run (F-155).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// The day the run started, in the time zone that matters to its owner: `{today}`, `{date}`.
    pub today: Date,
    /// The run: `{execution_id}`.
    pub execution_id: String,
    /// The day of the last successful run: `{last_execution_date}`, `{last_run_date}`. Undefined on the first run.
    pub last_execution: Option<Date>,
    /// Who started the run: `{caller_id}`, `{caller_name}`, `{caller_email}`.
    pub caller: Option<Person>,
}

/// Somebody, as the directory had them when they started a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// `user_…`.
    pub id: String,
    /// The name that others see.
    pub name: Option<String>,
    /// A mail address that was proved to be theirs.
    pub email: Option<String>,
}

impl Runtime {
    /// A run that started at `now`, with days counted in UTC.
    #[must_use]
    pub fn at(now: Timestamp, execution_id: &str) -> Self {
        let today = now.to_zoned(TimeZone::UTC).date();
        Self { today, execution_id: execution_id.to_owned(), last_execution: None, caller: None }
    }

    fn value(&self, name: &str) -> Option<Value> {
        let text = match name {
            "today" | "date" => self.today.to_string(),
            "execution_id" => self.execution_id.clone(),
            "last_execution_date" | "last_run_date" => self.last_execution?.to_string(),
            "caller_id" => self.caller.as_ref()?.id.clone(),
            "caller_name" => self.caller.as_ref()?.name.clone()?,
            "caller_email" => self.caller.as_ref()?.email.clone()?,
            _ => self
                .today
                .checked_sub(Span::new().try_days(days_ago(name)?).ok()?)
                .ok()?
                .to_string(),
        };
        Some(Value::String(text))
    }
}

/// The type of a runtime variable, or nothing when `name` is none. These names cannot be used for anything else.
#[must_use]
pub fn runtime_type(name: &str) -> Option<DataType> {
    match name {
        "execution_id" | "caller_id" | "caller_name" | "caller_email" => Some(DataType::String),
        "today" | "date" | "last_execution_date" | "last_run_date" => Some(DataType::Date),
        _ => days_ago(name).map(|_| DataType::Date),
    }
}

fn days_ago(name: &str) -> Option<i64> {
    let digits = name.strip_suffix("_days_ago")?;
    let plain = (1..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    let days: i64 = digits.parse().ok().filter(|_| plain)?;
    (days <= MAX_DAYS).then_some(days)
}

/// Names and their values: the playbook's variables, and the result of each finished step under the step's name.
///
/// What a run keeps for its whole life is borrowed, so that a scope costs no copy of it.
#[derive(Debug, Clone, Default)]
pub struct Scope<'v> {
    values: BTreeMap<String, Cow<'v, Value>>,
    runtime: Option<Runtime>,
}

impl<'v> Scope<'v> {
    /// An empty scope.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A scope that also knows the runtime variables.
    #[must_use]
    pub fn of_run(runtime: Runtime) -> Self {
        Self { values: BTreeMap::new(), runtime: Some(runtime) }
    }

    /// Sets a variable or a step's result.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) {
        self.values.insert(name.into(), Cow::Owned(value));
    }

    /// Sets a variable to a value that is kept elsewhere.
    pub fn lend(&mut self, name: impl Into<String>, value: &'v Value) {
        self.values.insert(name.into(), Cow::Borrowed(value));
    }

    /// The same scope with one more value.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: Value) -> Self {
        self.insert(name, value);
        self
    }

    /// The value of a name. Runtime variables cannot be shadowed.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'_, Value>> {
        match &self.runtime {
            Some(runtime) if runtime_type(name).is_some() => runtime.value(name).map(Cow::Owned),
            _ => self.values.get(name).map(|value| Cow::Borrowed(value.as_ref())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: Option<&str>) {
        let now = "2026-03-01T00:30:00Z".parse().unwrap();
        let scope = Scope::of_run(Runtime::at(now, "run_1"))
            .with("mine", "m".into())
            .with("today", "shadow".into());
        assert_eq!(scope.get(name).as_deref().and_then(Value::as_str), expect, "{name}");
    }

    #[test]
    fn a_lent_value_is_seen_as_one_that_was_given() {
        let rows = Value::from(vec![1, 2]);
        let mut scope = Scope::new().with("mine", "m".into());
        scope.lend("rows", &rows);
        assert_eq!(scope.get("rows").as_deref(), Some(&rows));
        scope.lend("mine", &rows);
        assert_eq!(scope.get("mine").as_deref(), Some(&rows));
    }

    #[test]
    fn f_155_runtime_variables() {
        check("today", Some("2026-03-01"));
        check("date", Some("2026-03-01"));
        check("30_days_ago", Some("2026-01-30"));
        check("0_days_ago", Some("2026-03-01"));
        check("365_days_ago", Some("2025-03-01"));
        check("36501_days_ago", None);
        check("-1_days_ago", None);
        check("+1_days_ago", None);
        check("execution_id", Some("run_1"));
        check("last_execution_date", None);
        check("mine", Some("m"));
        check("other", None);
    }

    #[test]
    fn a_011_who_started_the_run_is_known_to_its_steps() {
        let name = Some("Ada".to_owned());
        let caller = Person { id: "user_1".to_owned(), name, email: None };
        let runtime = Runtime::at("2026-03-01T00:00:00Z".parse().unwrap(), "run_2");
        let scope = Scope::of_run(Runtime { caller: Some(caller), ..runtime });
        let value = |name| scope.get(name).map(Cow::into_owned);
        assert_eq!(value("caller_id"), Some(Value::from("user_1")));
        assert_eq!(value("caller_name"), Some(Value::from("Ada")));
        assert_eq!(value("caller_email"), None);
        assert!(runtime_type("caller_email").is_some());
    }

    #[test]
    fn f_155_last_execution_is_defined_from_the_second_run_on() {
        let mut runtime = Runtime::at("2026-03-01T00:00:00Z".parse().unwrap(), "run_2");
        runtime.last_execution = Some("2026-02-27".parse().unwrap());
        let scope = Scope::of_run(runtime);
        assert_eq!(scope.get("last_run_date").as_deref(), Some(&Value::from("2026-02-27")));
    }
}
