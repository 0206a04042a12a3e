use std::time::Duration;

use serde_json::json;

use super::at;
use crate::{Breaker, Budget, CallResult, Counters, HealthView, Report, STAYS_OPEN, SourceState};

const NOW: &str = "2026-03-04T05:06:07Z";

fn report(verdict: CallResult, error: Option<&'static str>, millis: Option<u64>) -> Report {
    let latency = millis.map(Duration::from_millis);
    Report { holder: "a".to_owned(), verdict, error, latency, at: at(NOW), rests_for: STAYS_OPEN }
}

fn view(record: &SourceState, now: &str) -> HealthView {
    HealthView::of(record, &Budget::default(), &Counters::default(), at(now))
}

#[test]
fn f_094_health_tells_latency_errors_and_the_breaker() {
    let failed = report(CallResult::Failure, Some("CONNECTOR_UNAVAILABLE"), None);
    let record = SourceState::default()
        .after(&report(CallResult::Success, None, Some(100)))
        .after(&report(CallResult::Success, None, Some(200)))
        .after(&report(CallResult::Neutral, Some("CONNECTOR_THROTTLED"), Some(120)))
        .after(&failed);
    assert_eq!(
        serde_json::to_value(view(&record, NOW)).unwrap(),
        json!({
            "breaker": "closed",
            "failures_in_a_row": 1,
            "last_error": { "code": "CONNECTOR_UNAVAILABLE", "at": NOW },
            "last_success_at": NOW,
            "latency_ms": 120.0,
            "error_rate": 0.5,
            "recent_calls": 4,
            "budget": [],
        })
    );
    assert_eq!((record.version, view(&SourceState::default(), NOW).error_rate), (4, None));
    let open = (0..4).fold(record, |record, _| record.after(&failed));
    let seen = serde_json::to_value(view(&open, NOW)).unwrap();
    assert_eq!(
        (&seen["breaker"], &seen["retry_at"], &seen["failures_in_a_row"]),
        (&json!("open"), &json!("2026-03-04T05:11:07Z"), &json!(5))
    );
    assert_eq!(
        serde_json::to_value(view(&open, "2026-03-04T05:11:07Z")).unwrap()["breaker"],
        "half_open"
    );
}

#[test]
fn f_094_the_error_rate_forgets_old_calls() {
    let failed = report(CallResult::Failure, Some("X"), None);
    let good = report(CallResult::Success, None, None);
    let record = (0..70).fold(SourceState::default(), |record, _| record.after(&failed));
    assert_eq!(view(&record, NOW).error_rate, Some(1.0));
    let record = (0..25).fold(record, |record, _| record.after(&good));
    assert_eq!((view(&record, NOW).error_rate, view(&record, NOW).recent_calls), (Some(0.5), 50));
    let record = (0..25).fold(record, |record, _| record.after(&good));
    assert_eq!(view(&record, NOW).error_rate, Some(0.0));
}

#[test]
fn f_094_a_record_survives_its_json() {
    let record = SourceState::default()
        .after(&report(CallResult::Failure, Some("X"), Some(7)))
        .with_breaker(Breaker::HalfOpen { holder: "a".to_owned(), until: at(NOW) });
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<SourceState>(&text).unwrap(), record);
    assert_eq!(serde_json::from_str::<SourceState>("{}").unwrap(), SourceState::default());
}
