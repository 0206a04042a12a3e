use std::time::Duration;

use proptest::prelude::*;

use super::{at, seconds};
use crate::{Admission, Breaker, CallResult, OPENS_AFTER, STAYS_OPEN};

const NOW: &str = "2026-03-04T05:06:07Z";
const LEASE: Duration = Duration::from_secs(60);

fn after(from: &Breaker, verdicts: &[CallResult]) -> Breaker {
    let heard =
        |breaker: Breaker, verdict: &CallResult| breaker.heard("a", *verdict, at(NOW), STAYS_OPEN);
    verdicts.iter().fold(from.clone(), heard)
}

#[test]
fn f_315_five_failures_in_a_row_open_it() {
    use CallResult::{Failure as F, Neutral as N, Success as S};
    let closed = Breaker::default();
    assert_eq!(after(&closed, &[F; 4]), Breaker::Closed { failures: 4 });
    assert_eq!(after(&closed, &[F; 5]), Breaker::Open { until: at("2026-03-04T05:11:07Z") });
    // K-74: a success starts the count again; what the source merely refuses does neither.
    assert_eq!(after(&closed, &[F, F, F, F, S, F]), Breaker::Closed { failures: 1 });
    assert_eq!(after(&closed, &[F, F, N, N, N, N, N, F]), Breaker::Closed { failures: 3 });
    assert_eq!((OPENS_AFTER, STAYS_OPEN), (5, Duration::from_secs(300)));
}

#[test]
fn f_315_an_open_one_lets_one_probe_through_when_its_time_is_over() {
    let open = Breaker::Open { until: at(NOW) };
    let before = seconds(at(NOW).as_second() - 1);
    assert_eq!(open.admit("a", before, LEASE), (Admission::Refused { until: at(NOW) }, None));
    let (admission, probing) = open.admit("a", at(NOW), LEASE);
    let probing = probing.unwrap();
    let until = at("2026-03-04T05:07:07Z");
    assert_eq!(admission, Admission::Probe);
    assert_eq!(probing.admit("b", at(NOW), LEASE), (Admission::Refused { until }, None));
    assert_eq!(probing.admit("b", until, LEASE).0, Admission::Probe, "a lost probe is replaced");
    assert_eq!(probing.heard("a", CallResult::Success, at(NOW), STAYS_OPEN), Breaker::default());
    let again = Breaker::Open { until: at("2026-03-04T05:11:07Z") };
    assert_eq!(probing.heard("a", CallResult::Failure, at(NOW), STAYS_OPEN), again);
    let sooner = probing.heard("a", CallResult::Failure, at(NOW), Duration::from_secs(2));
    assert_eq!(sooner, Breaker::Open { until: at("2026-03-04T05:06:09Z") });
    let undecided = probing.heard("a", CallResult::Neutral, at(NOW), STAYS_OPEN);
    assert_eq!(undecided.admit("b", at(NOW), LEASE).0, Admission::Probe, "429 frees the probe");
}

#[test]
fn k_74_only_the_probe_is_heard_while_it_is_not_closed() {
    let open = Breaker::Open { until: at(NOW) };
    let probing = Breaker::HalfOpen { holder: "a".to_owned(), until: at(NOW) };
    for verdict in [CallResult::Success, CallResult::Failure, CallResult::Neutral] {
        assert_eq!(open.heard("late", verdict, at(NOW), STAYS_OPEN), open);
        assert_eq!(probing.heard("late", verdict, at(NOW), STAYS_OPEN), probing);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any interleaving of instances that read, store with a version, and report: no two probes share any moment.
    #[test]
    fn k_74_there_is_never_a_second_probe(moves in prop::collection::vec((0..5_usize, 0..4_u8, 0..90_i64), 1..300)) {
        let mut shared = (0_u64, Breaker::Open { until: seconds(0) });
        let mut seen: [Option<(u64, Breaker)>; 5] = Default::default();
        let mut probes: Vec<(usize, i64)> = Vec::new();
        let mut clock = 0;
        for (number, (who, what, step)) in moves.into_iter().enumerate() {
            clock += step / 3;
            let (now, holder) = (seconds(clock), who.to_string());
            match what {
                0 => seen[who] = match shared.1.admit(&holder, now, LEASE) {
                    (Admission::Probe, Some(next)) => Some((shared.0, next)),
                    _ => None,
                },
                1 => if let Some((from, next)) = seen[who].take() && from == shared.0 {
                    let Breaker::HalfOpen { until, .. } = &next else { panic!("no probe") };
                    let until = until.as_second();
                    prop_assert!(probes.iter().all(|(_, end)| *end <= clock), "a second probe at move {number}");
                    probes.push((who, until));
                    shared = (shared.0 + 1, next);
                },
                _ => {
                    let verdict = [CallResult::Failure, CallResult::Neutral][usize::from(what - 2)];
                    shared = (shared.0 + 1, shared.1.heard(&holder, verdict, now, STAYS_OPEN));
                    probes.retain(|(prober, _)| *prober != who);
                }
            }
        }
    }

    #[test]
    fn f_315_it_is_open_exactly_after_five_failures_without_a_success(verdicts in prop::collection::vec(0..3_u8, 0..30)) {
        let (mut breaker, mut row) = (Breaker::default(), 0);
        for verdict in verdicts {
            let (verdict, next) = match verdict {
                0 => (CallResult::Success, 0),
                1 => (CallResult::Failure, row + 1),
                _ => (CallResult::Neutral, row),
            };
            if row < OPENS_AFTER { row = next; }
            breaker = breaker.heard("a", verdict, at(NOW), STAYS_OPEN);
            prop_assert_eq!(matches!(breaker, Breaker::Open { .. }), row >= OPENS_AFTER);
        }
    }
}
