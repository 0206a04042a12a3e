use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::{at, seconds};
use crate::{Budget, Counter, Counters, Decision, Spent, Window};

const NOW: &str = "2026-02-28T23:59:58.250Z";

fn check(budget: &Budget, used: &[(Window, u32)], patience: u64, expect: &Decision) {
    let now = at(NOW);
    let mut counters = Counters::default();
    for (window, used) in used {
        counters.set(*window, Counter { start: window.start(now), used: *used });
    }
    let decided = budget.decide(&counters, now, Duration::from_secs(patience));
    match (&decided, expect) {
        (Decision::Go(_), Decision::Go(_)) => {}
        _ => assert_eq!(&decided, expect, "{used:?}"),
    }
}

fn go() -> Decision {
    Decision::Go(Counters::default())
}

fn exhausted(window: Window, limit: u32, resets_at: &str) -> Decision {
    Decision::Exhausted(Spent { window, limit, resets_at: at(resets_at) })
}

#[test]
fn f_105_a_window_that_is_used_up_is_waited_for_or_named() {
    let limits = Budget { second: Some(2), day: Some(10), month: Some(100), ..Budget::default() };
    check(&Budget::default(), &[(Window::Second, 1_000)], 0, &go());
    check(&limits, &[], 0, &go());
    check(&limits, &[(Window::Second, 1), (Window::Day, 9), (Window::Month, 99)], 0, &go());
    let wait = Decision::Wait(Duration::from_millis(750));
    check(&limits, &[(Window::Second, 2)], 5, &wait);
    let second = exhausted(Window::Second, 2, "2026-02-28T23:59:59Z");
    check(&limits, &[(Window::Second, 2)], 0, &second);
    // Midnight is near: a day is waited for as well.
    let midnight = Decision::Wait(Duration::from_millis(1_750));
    check(&limits, &[(Window::Second, 2), (Window::Day, 10)], 5, &midnight);
    let day = exhausted(Window::Day, 10, "2026-03-01T00:00:00Z");
    check(&limits, &[(Window::Day, 10)], 1, &day);
    check(
        &limits,
        &[(Window::Month, 100)],
        1,
        &exhausted(Window::Month, 100, "2026-03-01T00:00:00Z"),
    );
    check(
        &Budget { hour: Some(0), ..Budget::default() },
        &[],
        0,
        &exhausted(Window::Hour, 0, "2026-03-01T00:00:00Z"),
    );
}

#[test]
fn f_105_windows_begin_and_end_where_utc_says() {
    let cases = [
        (Window::Second, "2026-02-28T23:59:58Z", "2026-02-28T23:59:59Z"),
        (Window::Minute, "2026-02-28T23:59:00Z", "2026-03-01T00:00:00Z"),
        (Window::Hour, "2026-02-28T23:00:00Z", "2026-03-01T00:00:00Z"),
        (Window::Day, "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"),
        (Window::Month, "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
    ];
    for (window, start, end) in cases {
        assert_eq!(seconds(window.start(at(NOW))), at(start), "{}", window.as_str());
        assert_eq!(window.end(at(start).as_second()), at(end), "{}", window.as_str());
    }
    assert_eq!(
        Window::Month.end(at("2026-12-01T00:00:00Z").as_second()),
        at("2027-01-01T00:00:00Z")
    );
}

#[test]
fn f_008_the_lower_limit_of_each_window_holds() {
    let own = Budget { second: Some(5), day: Some(100), ..Budget::default() };
    let lower = Budget { second: Some(9), day: Some(10), month: Some(50), ..Budget::default() };
    let both = own.stricter(lower);
    assert_eq!(
        (both.second, both.minute, both.day, both.month),
        (Some(5), None, Some(10), Some(50))
    );
    assert!(!both.is_unlimited() && Budget::default().is_unlimited());
}

#[test]
fn f_094_what_is_left_is_told_per_window() {
    let budget = Budget { minute: Some(10), day: Some(100), ..Budget::default() };
    let mut counters = Counters::default();
    let now = at(NOW);
    counters.set(Window::Minute, Counter { start: Window::Minute.start(now), used: 12 });
    counters.set(Window::Day, Counter { start: Window::Day.start(now) - 86_400, used: 99 });
    let left: Vec<_> =
        budget.left(&counters, now).iter().map(|left| (left.window, left.left)).collect();
    assert_eq!(left, [(Window::Minute, 0), (Window::Day, 100)]);
}

/// What one instance does next.
#[derive(Debug, Clone, Copy)]
enum Move {
    /// Reads the shared counters and decides.
    Read,
    /// Stores its decision, unless somebody else stored one since.
    Store,
    /// Counts in one request, when the window it sees is the one that is stored.
    Count,
}

fn moves() -> impl Strategy<Value = Vec<(usize, Move, i64)>> {
    let one = prop_oneof![Just(Move::Read), Just(Move::Store), Just(Move::Count)];
    prop::collection::vec((0..4_usize, one, 0..40_i64), 1..300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Four instances whose clocks differ by up to three seconds, any order of reading and storing, as `store-egress` does
    /// it: with a version, or in one request on a window that is still the stored one.
    #[test]
    fn f_105_no_window_passes_more_than_its_limit(moves in moves(), second in 1..4_u32, minute in 1..12_u32) {
        let budget = Budget { second: Some(second), minute: Some(minute), ..Budget::default() };
        let (mut version, mut stored) = (0_u64, Counters::default());
        let mut seen: [Option<(u64, Counters)>; 4] = Default::default();
        let mut passed: BTreeMap<(Window, i64), u32> = BTreeMap::new();
        let mut clock = at("2026-03-04T05:06:50Z").as_millisecond();
        for (who, what, step) in moves {
            clock += step * 10;
            let now = jiff::Timestamp::from_millisecond(clock + who as i64 * 1_000).unwrap();
            let mut go = false;
            match what {
                Move::Read => {
                    seen[who] = match budget.decide(&stored, now, Duration::ZERO) {
                        Decision::Go(next) => Some((version, next)),
                        _ => None,
                    };
                }
                Move::Store => if let Some((from, next)) = seen[who].take() && from == version {
                    (stored, version, go) = (next, version + 1, true);
                },
                Move::Count => {
                    let current = |(window, limit): (Window, u32)| {
                        stored.get(window).filter(|known| known.start == window.start(now) && known.used < limit)
                    };
                    if budget.limits().all(|limit| current(limit).is_some()) {
                        for (window, _) in budget.limits() {
                            let known = stored.get(window).unwrap();
                            stored.set(window, Counter { used: known.used + 1, ..known });
                        }
                        (version, go) = (version + 1, true);
                    }
                }
            }
            if go {
                for (window, _) in budget.limits() {
                    *passed.entry((window, stored.get(window).unwrap().start)).or_default() += 1;
                }
            }
        }
        for ((window, start), count) in passed {
            prop_assert!(count <= budget.limit(window).unwrap(), "{window:?} {start}: {count}");
        }
    }

    #[test]
    fn f_105_a_call_that_may_be_made_is_counted_once_in_every_window(used in 0..5_u32, limit in 1..5_u32) {
        let now = at(NOW);
        let budget = Budget { minute: Some(limit), month: Some(10), ..Budget::default() };
        let mut counters = Counters::default();
        counters.set(Window::Minute, Counter { start: Window::Minute.start(now), used });
        match budget.decide(&counters, now, Duration::ZERO) {
            Decision::Go(next) => {
                prop_assert!(used < limit);
                prop_assert_eq!(next.get(Window::Minute).unwrap().used, used + 1);
                prop_assert_eq!(next.get(Window::Month).unwrap().used, 1);
            }
            other => prop_assert!(used >= limit, "{:?}", other),
        }
    }
}
