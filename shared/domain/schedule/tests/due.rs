//! Due times against another implementation: Python's zone data, minute by minute.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

use std::io::Write as _;
use std::process::{Command, Stdio};

use countersign_schedule::Timetable;
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::json;

type Case = (String, &'static str, i64, u32);

const ZONES: [(&str, &[&str]); 4] = [
    ("Europe/Berlin", &["2026-03-28", "2026-10-24"]),
    ("America/New_York", &["2026-03-07", "2026-10-31"]),
    ("Australia/Lord_Howe", &["2026-04-03", "2026-10-02"]),
    ("UTC", &["2026-02-27"]),
];

/// Expressions whose due times meet the changes of clocks, and others.
const EXPRESSIONS: [&str; 12] = [
    "30 2 * * *",
    "0 2 * * *",
    "15 1,2 * * *",
    "*/20 * * * *",
    "45 */2 * * *",
    "0 0 * * SUN",
    "59 23 * * 1-5/2",
    "10-50/20 1-3 * * *",
    "0 3 29 2,3,10 *",
    "5 2 * * 0,7",
    "0 12 31 * *",
    "* 2 * * *",
];

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }

    fn expression(&mut self) -> String {
        let minute = match self.below(3) {
            0 => format!("*/{}", self.below(29) + 1),
            _ => self.below(60).to_string(),
        };
        let hour = match self.below(4) {
            0 => "*".to_owned(),
            1 => format!("0-{}", self.below(23) + 1),
            _ => self.below(5).to_string(),
        };
        let weekday = if self.below(3) == 0 { self.below(8).to_string() } else { "*".to_owned() };
        format!("{minute} {hour} * * {weekday}")
    }
}

fn cases() -> Vec<Case> {
    let mut dice = Dice(14);
    let mut cases = Vec::new();
    for (zone, days) in ZONES {
        for day in days {
            let begin: Date = day.parse().unwrap();
            let begin = begin.in_tz(zone).unwrap().timestamp().as_second();
            let own = EXPRESSIONS.map(str::to_owned).into_iter();
            let all: Vec<String> = own.chain((0..20).map(|_| dice.expression())).collect();
            cases.extend(all.into_iter().map(|cron| (cron, zone, begin, 3 * 1440)));
        }
    }
    cases
}

fn by_minutes(cases: &[Case]) -> Vec<Vec<i64>> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/due.py");
    let mut python = Command::new("python3");
    let python = python.arg(program).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().unwrap();
    child.stdin.take().unwrap().write_all(json!(cases).to_string().as_bytes()).unwrap();
    serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn k_64_due_times_are_those_of_clocks_that_change() {
    let cases = cases();
    for ((cron, zone, begin, minutes), expect) in cases.iter().zip(by_minutes(&cases)) {
        let times = Timetable::new(&cron.parse().unwrap(), &zone.parse().unwrap()).unwrap();
        let after = Timestamp::from_second(*begin).unwrap();
        let until = Timestamp::from_second(begin + 60 * i64::from(*minutes)).unwrap();
        let next = std::iter::successors(times.next(after), |due| times.next(*due));
        let found: Vec<i64> =
            next.take_while(|due| *due <= until).map(Timestamp::as_second).collect();
        assert_eq!(found, expect, "{cron} in {zone}");
        let due = times.due(after, until, 10_000);
        let due: Vec<i64> = due.into_iter().map(Timestamp::as_second).collect();
        assert_eq!(due, expect, "{cron} in {zone}");
    }
}
