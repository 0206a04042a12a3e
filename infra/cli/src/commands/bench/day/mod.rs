//! `countersign bench day`: a simulated day of schedules and monitors whose ticks are lost, come twice or late, and break off
//! between any two requests. Nothing of it needs a stack: the rules and the limits are those of the functions, the tables are in
//! memory and write under the same conditions. A request takes one to nine milliseconds, which decides how much a sweep has time for.

mod batches;
mod catalog;
mod clock;
mod follow;
mod ledger;
mod monitor_store;
mod monitors;
mod runs;
mod schedules;
mod sweep;
mod tables;
mod timeline;
mod watcher;

use std::time::Instant;

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{Figure, Figures};
use crate::console::Console;

/// Sweeps come each minute.
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

#[derive(Debug, Args)]
pub(crate) struct Simulation {
    /// How many monitors look.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    monitors: u32,
    /// How many due times the schedules have at least.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    due: u32,
    /// What happens is drawn from it; the same seed draws the same day.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The day: 24 hours, in which clocks in Berlin are set back, and half an hour without any tick.
#[derive(Debug, Clone, Copy)]
struct Day {
    start: Timestamp,
    due: usize,
    seed: u64,
}

impl Day {
    fn new(due: usize, seed: u64) -> Self {
        // 24 October 2026, noon UTC.
        let start = Timestamp::from_second(1_792_843_200).unwrap_or(Timestamp::UNIX_EPOCH);
        Self { start, due, seed }
    }

    /// Randomness of its own for each part.
    fn random(&self, part: u64) -> StdRng {
        StdRng::seed_from_u64(self.seed.wrapping_mul(1_000_003).wrapping_add(part))
    }

    fn minutes(&self) -> usize {
        24 * 60
    }

    fn at(&self, minute: usize) -> Timestamp {
        self.start + SignedDuration::from_mins(i64::try_from(minute).unwrap_or(i64::MAX / 120))
    }

    fn end(&self) -> Timestamp {
        self.at(self.minutes())
    }

    /// Whether nothing ticks.
    fn is_down(&self, at: Timestamp) -> bool {
        (self.at(600)..self.at(630)).contains(&at)
    }
}

/// The bytes of the id with this number.
fn id_bytes(nth: usize) -> [u8; 16] {
    (nth as u128).to_be_bytes()
}

fn pick<T: Copy>(random: &mut StdRng, from: &[T]) -> T {
    from[random.random_range(0..from.len())]
}

impl Simulation {
    #[expect(clippy::unused_async, reason = "every benchmark is asked the same way")]
    pub(crate) async fn figures(&self, console: &Console) -> Figures {
        let size = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let day = Day::new(size(self.due), self.seed);
        let began = Instant::now();
        let step = console.step("a day of schedules");
        let schedules = schedules::pass(&day)?;
        step.done("the day of the schedules is over");
        let step = console.step("a day of monitors");
        let monitors = monitors::pass(&day, size(self.monitors));
        step.done("the day of the monitors is over");
        let mut figures = of_schedules(&schedules);
        figures.extend(of_monitors(&monitors));
        figures.push(Figure::plain("time", began.elapsed().as_secs_f64(), "s"));
        Ok(figures)
    }
}

fn count(figure: &str, value: usize) -> Figure {
    Figure::plain(figure, value as f64, "count")
}

fn none(figure: &str, value: usize) -> Figure {
    Figure::at_most(figure, value as f64, "count", 0.0)
}

fn of_schedules(of: &schedules::ScheduleDay) -> Vec<Figure> {
    vec![
        count("schedules", of.schedules),
        count("due times", of.due),
        count("ticks of schedules that were lost", of.lost),
        count("… that came twice", of.doubled),
        count("… that came late", of.late),
        count("ticks and sweeps that broke off", of.broken),
        count("parts of sweeps that had no time for all", of.left),
        count("occurrences with a run", of.finished),
        count("… skipped, with the reason", of.skipped),
        count("… missed: nobody came in time", of.missed),
        count("… missed: no run could be started", of.not_started),
        count("runs, repetitions among them", of.runs),
        count("… asked for more than once", of.asked_again),
        count("… ended because they took too long", of.overlong),
        none("due times without exactly one occurrence", of.wrong),
        none("occurrences without their end, reason or runs", of.untrue),
        none("runs without an occurrence", of.stray),
        none("occurrences that are to be told of and were not", of.unsaid),
    ]
}

fn of_monitors(of: &monitors::MonitorDay) -> Vec<Figure> {
    vec![
        count("monitors", of.monitors),
        count("ticks of monitors", of.ticks),
        count("… that were lost", of.lost),
        count("… that came twice", of.doubled),
        count("ticks, sweeps and ends of runs that broke off", of.broken),
        count("looks", of.looks),
        count("items", of.items),
        count("batches committed", of.committed),
        count("batches parked", of.parked),
        count("… because their run was refused", of.refused),
        count("runs of batches", of.runs),
        count("… that could not be started at once", of.not_started),
        none("items that are not in exactly one closed batch", of.wrong),
        none("batches without their end, or with other runs than their tries", of.untrue),
        none("writes after which a monitor had two open batches", of.two_open),
    ]
}

#[cfg(test)]
mod tests {
    use super::{Day, monitors, schedules};

    #[test]
    fn p_003_each_due_time_of_a_day_has_one_occurrence() {
        let mut became = [0; 7];
        for seed in 1..=3 {
            let outcome = schedules::pass(&Day::new(600, seed)).unwrap();
            assert_eq!((outcome.wrong, outcome.untrue, outcome.stray), (0, 0, 0), "{outcome:?}");
            let happened = [outcome.lost, outcome.doubled, outcome.late, outcome.broken];
            let ended = [outcome.finished, outcome.skipped, outcome.missed];
            for (sum, count) in became.iter_mut().zip(happened.into_iter().chain(ended)) {
                *sum += count;
            }
        }
        assert!(became.iter().all(|count| *count > 0), "{became:?}");
    }

    #[test]
    fn f_214_each_item_of_a_day_is_in_one_batch() {
        let outcome = monitors::pass(&Day::new(1, 1), 40);
        assert_eq!((outcome.wrong, outcome.untrue, outcome.two_open), (0, 0, 0), "{outcome:?}");
        let happened = [outcome.lost, outcome.doubled, outcome.broken];
        let became = [outcome.items, outcome.committed, outcome.parked];
        assert!(happened.iter().chain(&became).all(|count| *count > 0), "{outcome:?}");
    }
}
