use std::time::Duration;

use proptest::prelude::*;

use super::at;
use crate::{CallFailure, Fallback, Remedy, Tried, retry_after};

const LONG: Duration = Duration::from_secs(600);
const THROTTLED: CallFailure = CallFailure::Throttled { retry_after: None };

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Sends the same failure until it is given up: the waits between, and the timeout of the last try.
fn tries(fault: CallFailure, effect: bool) -> (Vec<Duration>, u32, Remedy) {
    let (mut tried, mut waits) = (Tried::default(), Vec::new());
    loop {
        match tried.remedy(fault, effect, LONG) {
            Remedy::Again(wait) => waits.push(wait),
            end => return (waits, tried.timeouts(), end),
        }
    }
}

fn check(fault: CallFailure, waits: &[Duration], timeouts: u32, counts: bool, fallback: Fallback) {
    assert_eq!(tries(fault, false), (waits.to_vec(), timeouts, Remedy::GiveUp), "{fault:?}");
    assert_eq!((fault.row().counts, fault.row().fallback), (counts, fallback), "{fault:?}");
}

#[test]
fn f_306_a_refused_credential_is_not_tried_again() {
    check(CallFailure::AuthRefused, &[], 1, false, Fallback::Reenter);
}

#[test]
fn f_307_a_throttled_call_is_tried_three_times_more() {
    check(THROTTLED, &[secs(1), secs(2), secs(4)], 1, false, Fallback::Stale);
    let asked = CallFailure::Throttled { retry_after: Some(secs(7)) };
    check(asked, &[secs(7); 3], 1, false, Fallback::Stale);
}

#[test]
fn f_308_to_f_310_a_failure_is_tried_once_more() {
    let pause = Duration::from_millis(250);
    check(CallFailure::Unavailable, &[pause], 1, true, Fallback::Stale);
    check(CallFailure::Timeout, &[pause], 2, true, Fallback::Stale);
    check(CallFailure::Network, &[pause], 1, true, Fallback::Stale);
}

#[test]
fn f_308_two_kinds_of_failure_share_the_one_retry() {
    let mut tried = Tried::default();
    assert!(matches!(tried.remedy(CallFailure::Unavailable, false, LONG), Remedy::Again(_)));
    assert_eq!(tried.remedy(CallFailure::Timeout, false, LONG), Remedy::GiveUp);
    assert!(matches!(tried.remedy(THROTTLED, false, LONG), Remedy::Again(_)));
}

#[test]
fn f_311_what_cannot_be_read_is_empty_and_what_is_wrong_stays_wrong() {
    check(CallFailure::Malformed, &[], 1, false, Fallback::Empty);
    check(CallFailure::Refused, &[], 1, false, Fallback::Error);
}

#[test]
fn k_25_an_effect_is_repeated_only_after_429() {
    assert_eq!(tries(THROTTLED, true).2, Remedy::GiveUp);
    assert_eq!(tries(THROTTLED, true).0.len(), 3);
    for fault in [CallFailure::Unavailable, CallFailure::Timeout, CallFailure::Network] {
        assert_eq!(tries(fault, true), (Vec::new(), 1, Remedy::InDoubt));
    }
    for fault in [CallFailure::AuthRefused, CallFailure::Malformed, CallFailure::Refused] {
        assert_eq!(tries(fault, true).2, Remedy::GiveUp);
    }
}

#[test]
fn f_307_retry_after_is_seconds_or_a_moment() {
    let now = at("2026-03-04T05:06:07Z");
    let check = |header: &str, expect: Option<u64>| {
        assert_eq!(retry_after(header, now), expect.map(secs), "{header}");
    };
    check("0", Some(0));
    check(" 120 ", Some(120));
    check("Wed, 04 Mar 2026 05:07:07 GMT", Some(60));
    check("Wed, 04 Mar 2026 05:00:00 GMT", Some(0));
    check("Tue, 01 Jan 2036 00:00:00 GMT", Some(310_157_633));
    check("-5", None);
    check("1.5", None);
    check("soon", None);
    check("", None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn k_75_no_retry_outlives_the_step(left in 0..20_000_u64, asked in prop::option::of(0..40_u64), kinds in prop::collection::vec(0..7_u8, 1..12)) {
        let (mut tried, mut left) = (Tried::default(), Duration::from_millis(left));
        let mut again = 0;
        for kind in kinds {
            let fault = match kind {
                0 => CallFailure::AuthRefused,
                1 => CallFailure::Throttled { retry_after: asked.map(secs) },
                2 => CallFailure::Unavailable,
                3 => CallFailure::Timeout,
                4 => CallFailure::Network,
                5 => CallFailure::Malformed,
                _ => CallFailure::Refused,
            };
            if let Remedy::Again(wait) = tried.remedy(fault, false, left) {
                prop_assert!(wait < left);
                left -= wait;
                again += 1;
            }
        }
        prop_assert!(again <= 4, "three for 429, one for failures");
    }

    #[test]
    fn f_307_no_header_is_a_danger(header in ".{0,60}") {
        let _ = retry_after(&header, at("2026-03-04T05:06:07Z"));
    }
}
