//! Whoever has hours in which it may look, does look.

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::json;

use crate::{ActiveHours, Due, Interval, State, TickOutcome, Timing, tick};

/// The moments of its looks within some days: a native schedule ticks at its rate since `saved`, the sweeper when it is overdue.
fn looks(timing: &Timing, saved: Timestamp) -> Vec<Timestamp> {
    let (mut state, mut looked) = (State::default(), Vec::new());
    let (end, length) = (saved + SignedDuration::from_hours(24 * 4), timing.interval.length());
    let (mut native, mut overdue) = (saved, saved + SignedDuration::from_mins(1));
    while native.min(overdue) < end {
        let now = native.min(overdue);
        if now == native {
            native += length;
        }
        match tick(&state, timing, false, now) {
            Due::Look => {
                looked.push(now);
                state = state.ticked(TickOutcome::Suppressed, now);
            }
            Due::OutsideHours => state = state.ticked(TickOutcome::OutsideActiveHours, now),
            _ => {
                overdue =
                    (state.last_tick_at.unwrap() + length).max(now + SignedDuration::from_mins(1));
                continue;
            }
        }
        overdue = state.overdue_at(timing, now);
    }
    looked
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn f_211_a_monitor_with_hours_looks_every_day(
        interval in prop::sample::select(Interval::ALL.to_vec()),
        start in 0_u32..24 * 4,
        length in 1_u32..24 * 4,
        zone in prop::sample::select(vec!["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
        saved in 0_i64..365 * 24 * 60,
    ) {
        let clock = |quarter: u32| format!("{:02}:{:02}", quarter / 4 % 24, quarter % 4 * 15);
        let hours = json!({ "start": clock(start), "end": clock(start + length), "timezone": zone });
        let hours: ActiveHours = serde_json::from_value(hours).unwrap();
        let timing = Timing { interval, hours: Some(hours.clone()), suppress_if_empty: true };
        let saved = Timestamp::from_second(1_767_225_600 + saved * 60).unwrap();
        let looked = looks(&timing, saved);
        prop_assert!(looked.iter().all(|at| hours.contain(*at)));
        // At the first moment in the hours at which it is due, or two minutes after it.
        let minute = SignedDuration::from_mins(1);
        let mut due = saved;
        for at in &looked {
            let mut latest = due;
            while !hours.contain(latest) {
                latest += minute;
            }
            prop_assert!(*at <= latest + minute * 2, "{at} where {latest} was due");
            due = *at + interval.length() + minute;
        }
        prop_assert!(looked.len() >= 2, "{looked:?}");
    }
}
