//! When the run of a batch that could not be started is tried again.

use std::collections::BTreeMap;

use countersign_run::MonitorId;
use jiff::Timestamp;

use crate::{Batch, Due, Interval, StartBlocker, State, TickOutcome, Timing, tick};

/// So many minutes after eight in the evening.
fn at(minute: i64) -> Timestamp {
    let start: Timestamp = "2026-11-24T20:00:00Z".parse().unwrap();
    start + jiff::SignedDuration::from_mins(minute)
}

fn timing(interval: Interval) -> Timing {
    Timing { interval, hours: None, suppress_if_empty: true }
}

fn opened() -> State {
    let monitor = MonitorId::from_bytes([1; 16]);
    let batch = Batch::found(&monitor, &State::default(), 1, BTreeMap::new(), at(0));
    State::default().opened(&batch, at(0))
}

/// The minutes at which its own clock, or the sweeper, tries to start a run that is never started.
fn tries(interval: Interval, why: StartBlocker, minutes: i64) -> Vec<i64> {
    let timing = timing(interval);
    let mut state = opened().not_started("off", why, &timing, at(0));
    let mut tries = vec![0];
    for minute in 1..=minutes {
        let is_own = minute % i64::from(interval.minutes()) == 0;
        let last = at(*tries.last().unwrap());
        if !is_own && state.overdue_at(&timing, last) > at(minute) {
            continue;
        }
        match tick(&state, &timing, false, at(minute)) {
            Due::Resume(_) => {
                tries.push(minute);
                let began = state.ticked(TickOutcome::Started, at(minute));
                state = began.not_started("off", why, &timing, at(minute));
            }
            due => assert_eq!(due, Due::Nothing),
        }
    }
    tries
}

#[test]
fn f_218_what_is_refused_keeps_to_the_interval_of_its_monitor() {
    let days = tries(Interval::Day, StartBlocker::Refused, 3 * 1_440);
    assert_eq!(days, [0, 1_440, 2_880, 4_320]);
    assert_eq!(tries(Interval::Minutes5, StartBlocker::Refused, 15), [0, 5, 10, 15]);
    let state = opened().not_started("off", StartBlocker::Refused, &timing(Interval::Day), at(0));
    let due = |asked_for| tick(&state, &timing(Interval::Day), asked_for, at(3));
    assert_eq!(due(false), Due::Nothing);
    assert!(matches!(due(true), Due::Resume(_)), "whoever asks for it is answered at once");
}

#[test]
fn f_218_what_the_quota_holds_up_is_tried_when_that_begins_anew() {
    let used_up = StartBlocker::UsedUp { until: at(240) };
    assert_eq!(tries(Interval::Day, used_up, 240), [0, 240]);
    assert_eq!(tries(Interval::Minutes15, used_up, 60), [0, 15, 30, 45, 60]);
}

#[test]
fn f_218_what_did_not_answer_is_tried_each_minute() {
    assert_eq!(tries(Interval::Day, StartBlocker::Unanswered, 4), [0, 1, 2, 3, 4]);
}

#[test]
fn f_218_a_tick_that_died_before_it_tried_is_repaired_by_the_next_one() {
    let timing = timing(Interval::Day);
    let refused = opened().not_started("off", StartBlocker::Refused, &timing, at(0));
    let died = refused.ticked(TickOutcome::Started, at(1_440));
    assert!(matches!(tick(&died, &timing, false, at(1_441)), Due::Resume(_)));
    assert!(matches!(tick(&opened(), &timing, false, at(1)), Due::Resume(_)));
}
