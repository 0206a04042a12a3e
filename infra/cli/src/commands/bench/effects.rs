//! `countersign bench effects`: how many random requests a server received exactly as they were shown.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use serde::Deserialize;

use super::tested::{Test, report};
use super::{Figure, Figures};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

/// The test that compares them, in `shared/actions/actions-connect`.
const TEST: &str = "tests::effects::what_a_server_receives_is_what_was_shown";

#[derive(Debug, Args)]
pub(crate) struct Effects {
    /// How many requests to compare.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(500..=1_000_000))]
    cases: u32,
}

/// What the test writes.
#[derive(Debug, Deserialize)]
struct Report {
    compared: Vec<Row>,
    refused: BTreeMap<String, u32>,
}

#[derive(Debug, Deserialize)]
struct Row {
    auth: String,
    body: String,
    cases: u32,
}

impl Effects {
    #[expect(clippy::unused_async, reason = "every benchmark is asked the same way")]
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let (project, state) = (place.project()?, place.state()?);
        let doing = "reading what was compared";
        std::fs::create_dir_all(&state).map_err(|source| CliError::io(doing, source))?;
        let file = state.join("bench-effects.json");
        let step = console.step("comparing what is shown with what is received");
        self.test(&project, &file)?;
        let report: Report = report(&file, doing)?;
        step.done("compared");
        Ok(rows(&report, self.cases))
    }

    fn test(&self, project: &Path, file: &Path) -> Result<(), CliError> {
        let test = Test {
            of: &["--package", "countersign-actions-connect", "--lib"],
            name: TEST,
            told: &[("COUNTERSIGN_EFFECT_CASES", self.cases.to_string())],
            report: "COUNTERSIGN_EFFECT_REPORT",
            doing: "running the comparison",
            failed: "shown and received differ",
        };
        test.run(project, file)
    }
}

fn rows(report: &Report, asked: u32) -> Vec<Figure> {
    let row = |row: &Row| {
        Figure::plain(format!("{}, {}", row.auth, row.body), f64::from(row.cases), "requests")
    };
    let mut figures: Vec<Figure> = report.compared.iter().map(row).collect();
    let total: u32 = report.compared.iter().map(|row| row.cases).sum();
    let refused: u32 = report.refused.values().sum();
    figures.push(Figure::plain("refused before anything was sent", f64::from(refused), "requests"));
    figures.push(Figure::at_least(
        "received as shown",
        f64::from(total),
        "requests",
        f64::from(asked),
    ));
    figures
}

#[cfg(test)]
mod tests {
    use super::{Report, rows};

    #[test]
    fn every_pair_has_a_row_and_the_sum_has_the_goal() {
        let text = r#"{"compared":[{"auth":"basic","body":"none","cases":7},{"auth":"none","body":"graphql","cases":5}],"refused":{"CONNECTOR_ARGUMENT":2}}"#;
        let report: Report = serde_json::from_str(text).unwrap();
        let figures = rows(&report, 12);
        assert_eq!(figures.len(), 4);
        assert_eq!((figures[3].value, figures[3].holds), (12.0, Some(true)));
        assert_eq!(rows(&report, 13)[3].holds, Some(false));
    }
}
