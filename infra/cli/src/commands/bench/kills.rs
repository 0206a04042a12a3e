//! `countersign bench kills`: how many times the local stack was killed, and that nothing acknowledged was lost.

use std::path::Path;

use clap::Args;
use serde::Deserialize;

use super::tested::{Test, report};
use super::{Figure, Figures};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

/// The test that kills it, in `tests/e2e`.
const TEST: &str = "kills::r_058_what_was_acknowledged_survives_kills";

#[derive(Debug, Args)]
pub(crate) struct Kills {
    /// How many times to kill it.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    cases: u32,
    /// When to kill it; the same seed draws the same moments.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What the test writes.
#[derive(Debug, Deserialize)]
struct Report {
    people: u32,
    runs: u32,
    decisions: u32,
    recovered: u32,
}

impl Kills {
    #[expect(clippy::unused_async, reason = "every benchmark is asked the same way")]
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let (project, state) = (place.project()?, place.state()?);
        let file = state.join("bench-kills.json");
        let step = console.step("killing a local stack of its own");
        self.test(&project, &file)?;
        let report: Report = report(&file, "reading what survived")?;
        step.done("all that was acknowledged is there");
        Ok(self.rows(&report))
    }

    fn rows(&self, report: &Report) -> Vec<Figure> {
        let row = |what: &str, count: u32| Figure::plain(what, f64::from(count), "count");
        vec![
            row("kills within 50 ms of an acknowledged write", self.cases),
            row("people acknowledged and there afterwards", report.people),
            row("runs acknowledged and there afterwards", report.runs),
            row("decisions acknowledged and never pending again", report.decisions),
            row("writes recovered from the log", report.recovered),
        ]
    }

    fn test(&self, project: &Path, file: &Path) -> Result<(), CliError> {
        let test = Test {
            of: &["--workspace", "--test", "e2e"],
            name: TEST,
            told: &[
                ("COUNTERSIGN_KILLS", self.cases.to_string()),
                ("COUNTERSIGN_KILL_SEED", self.seed.to_string()),
            ],
            report: "COUNTERSIGN_KILL_REPORT",
            doing: "running the test",
            failed: "something acknowledged was lost",
        };
        test.run(project, file)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kills, Report};

    #[test]
    fn every_count_has_a_row() {
        let report = r#"{"people":7,"runs":5,"decisions":3,"recovered":90}"#;
        let report: Report = serde_json::from_str(report).unwrap();
        let rows = Kills { cases: 20, seed: 1 }.rows(&report);
        let values: Vec<f64> = rows.iter().map(|row| row.value).collect();
        assert_eq!(values, [20.0, 7.0, 5.0, 3.0, 90.0]);
    }
}
