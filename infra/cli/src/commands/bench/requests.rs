//! `countersign bench requests`: generated requests, and that every answer is one the OpenAPI document knows.

use std::time::Duration;

use clap::Args;

use super::{Figure, Figures};
use crate::console::Console;
use crate::requests::{Options, Report, send};
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Requests {
    /// How many requests to send.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    cases: u32,
    /// What they are drawn from; the same seed draws the same requests.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many are under way at a time.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    at_once: u8,
    /// The most seconds an answer may take.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u64).range(1..=60))]
    seconds: u64,
}

impl Requests {
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let options = Options {
            cases: usize::try_from(self.cases).unwrap_or(usize::MAX),
            seed: self.seed,
            at_once: usize::from(self.at_once),
            bound: Duration::from_secs(self.seconds),
        };
        let step = console.step("sending requests as throwaway people");
        let report = send(&place.running()?, options).await?;
        step.done("every answer was looked at");
        if report.wrong > 0 {
            console.line(report.told());
        }
        Ok(rows(&report))
    }
}

fn rows(report: &Report) -> Vec<Figure> {
    let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let mut rows = vec![
        Figure::plain("requests sent", count(report.sent), "count"),
        Figure::plain("operations", count(report.operations), "count"),
        Figure::plain("operations that succeeded at least once", count(report.succeeded), "count"),
    ];
    let statuses = report.statuses.iter();
    rows.extend(statuses.map(|(status, found)| {
        Figure::plain(format!("answered with {status}"), count(*found), "count")
    }));
    rows.push(Figure::plain("slowest answer", report.slowest.as_secs_f64() * 1_000.0, "ms"));
    rows.push(Figure::at_most(
        "answers that are not documented",
        count(report.wrong),
        "count",
        0.0,
    ));
    rows
}

#[cfg(test)]
mod tests {
    use super::rows;
    use crate::requests::Report;

    #[test]
    fn one_wrong_answer_misses_the_goal() {
        let holds = |wrong| {
            let report = Report { wrong, ..Report::default() };
            rows(&report).last().and_then(|row| row.holds)
        };
        assert_eq!((holds(0), holds(1)), (Some(true), Some(false)));
    }
}
