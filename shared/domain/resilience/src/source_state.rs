//! How a source fares: its breaker, and what its recent calls were like.

use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::breaker::{Breaker, CallResult, OPENS_AFTER};
use crate::budget::{Budget, BudgetLeft};
use crate::counters::Counters;

/// Calls the error rate is made of.
const RECENT: u32 = 50;
/// What the newest latency counts for.
const WEIGHT: f64 = 0.2;

/// How a source fares, as it is stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceState {
    /// Counts the changes, so that two instances do not overwrite each other.
    #[serde(default)]
    pub version: u64,
    /// The breaker.
    #[serde(default)]
    pub breaker: Breaker,
    /// One bit for each recent call, the newest lowest; set when it failed.
    #[serde(default)]
    failures: u64,
    /// How many calls those bits are.
    #[serde(default)]
    calls: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_error: Option<LastError>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_success: Option<Timestamp>,
}

/// The last failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SourceError")]
pub struct LastError {
    /// Its code, such as `CONNECTOR_UNAVAILABLE`.
    pub code: String,
    /// When.
    pub at: Timestamp,
}

/// How a call went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Whose call it was, as at its admission.
    pub holder: String,
    /// What it says about the source.
    pub verdict: CallResult,
    /// The code of its failure.
    pub error: Option<&'static str>,
    /// How long the source took to answer, when it did.
    pub latency: Option<Duration>,
    /// When it ended.
    pub at: Timestamp,
    /// How long the source is left alone when this opens its breaker.
    pub rests_for: Duration,
}

impl SourceState {
    /// The record after a call.
    #[must_use]
    pub fn after(&self, report: &Report) -> Self {
        let failed = report.error.is_some();
        let mut next = Self {
            version: self.version + 1,
            breaker: self.breaker.heard(
                &report.holder,
                report.verdict,
                report.at,
                report.rests_for,
            ),
            failures: (self.failures << 1 | u64::from(failed)) & ((1 << RECENT) - 1),
            calls: (self.calls + 1).min(RECENT),
            ..self.clone()
        };
        if let Some(latency) = report.latency {
            let newest = latency.as_secs_f64() * 1_000.0;
            let known = self.latency_ms.unwrap_or(newest);
            next.latency_ms = Some(known + WEIGHT * (newest - known));
        }
        match report.error {
            Some(code) => {
                next.last_error = Some(LastError { code: code.to_owned(), at: report.at });
            }
            None => next.last_success = Some(report.at),
        }
        next
    }

    /// The record with another breaker.
    #[must_use]
    pub fn with_breaker(&self, breaker: Breaker) -> Self {
        Self { version: self.version + 1, breaker, ..self.clone() }
    }
}

/// The breaker as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// Calls pass.
    Closed,
    /// No call passes.
    Open,
    /// The next call passes, or one is on its way.
    HalfOpen,
}

/// How a source fares, as people see it (F-094).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SourceHealth")]
pub struct HealthView {
    /// The breaker.
    pub breaker: BreakerState,
    /// When it lets a call through again, unless it does now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// Failures in a row; while it is open, those that opened it.
    pub failures_in_a_row: u32,
    /// The last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<LastError>,
    /// When a call last succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_success_at: Option<Timestamp>,
    /// How long it takes to answer, in milliseconds; the newest calls count most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// How many of the last calls failed, from 0 to 1; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_rate: Option<f64>,
    /// How many calls that rate is made of.
    pub recent_calls: u32,
    /// What is left of its budget.
    pub budget: Vec<BudgetLeft>,
}

impl HealthView {
    /// How a source of this record, budget and counters fares at `now`.
    #[must_use]
    pub fn of(record: &SourceState, budget: &Budget, counters: &Counters, now: Timestamp) -> Self {
        let (breaker, retry_at, failures_in_a_row) = match &record.breaker {
            Breaker::Closed { failures } => (BreakerState::Closed, None, *failures),
            Breaker::Open { until } if now < *until => {
                (BreakerState::Open, Some(*until), OPENS_AFTER)
            }
            Breaker::Open { .. } => (BreakerState::HalfOpen, None, OPENS_AFTER),
            Breaker::HalfOpen { until, .. } => {
                (BreakerState::HalfOpen, Some(*until).filter(|until| now < *until), OPENS_AFTER)
            }
        };
        let failed = f64::from(record.failures.count_ones());
        Self {
            breaker,
            retry_at,
            failures_in_a_row,
            last_error: record.last_error.clone(),
            last_success_at: record.last_success,
            latency_ms: record.latency_ms,
            error_rate: (record.calls > 0).then(|| failed / f64::from(record.calls)),
            recent_calls: record.calls,
            budget: budget.left(counters, now),
        }
    }
}
