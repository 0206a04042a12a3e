//! Processor time and memory of functions, in pairs with the same work in LangGraph with its SQLite checkpointer.

use std::process::Output;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::Figure;
use super::cold_start::peak_megabytes;
use super::run::{Bench, of_function, processor_times, spread};
use crate::error::CliError;
use crate::stack::last_line;

/// The most of the peer's memory.
const GOAL_MEMORY: f64 = 0.2;

/// What a side used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Used {
    /// Milliseconds of processor time for one of what is counted, such as a step.
    pub(super) ms: f64,
    pub(super) peak_mb: f64,
}

impl Used {
    /// What was used for so many.
    pub(super) fn of(time: Duration, many: usize, peak_mb: f64) -> Self {
        Self { ms: time.as_secs_f64() * 1000.0 / many as f64, peak_mb }
    }

    /// What these functions use for `work`, which does so many.
    ///
    /// # Errors
    /// [`CliError::Found`] when the functions' processes change meanwhile.
    pub(super) async fn by(
        bench: &Bench<'_>,
        functions: &[&str],
        many: usize,
        work: impl AsyncFnOnce() -> Result<(), CliError>,
    ) -> Result<Self, CliError> {
        let name = |function: &&str| format!("{}-{function}", bench.logs.stack.name);
        let processes = || -> Vec<u32> {
            functions.iter().map(name).flat_map(|function| of_function(&function)).collect()
        };
        let before = processes();
        let began = processor_times(&before)?;
        work().await?;
        let after = processes();
        if before != after || after.is_empty() {
            let what = "the functions' processes changed while they were measured".to_owned();
            return Err(CliError::Found(what));
        }
        let peak_mb = after.iter().map(|process| peak_megabytes(*process)).fold(0.0, f64::max);
        Ok(Self::of(processor_times(&after)?.saturating_sub(began), many, peak_mb))
    }
}

/// What the peer says of itself.
///
/// # Errors
/// [`CliError::Found`] with the last line of its errors when it failed.
pub(super) fn said<T: DeserializeOwned>(output: &Output) -> Result<T, CliError> {
    if !output.status.success() {
        let reason = last_line(&output.stderr, "it said nothing");
        return Err(CliError::Found(format!("LangGraph's side failed: {reason}")));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| CliError::Found(error.to_string()))
}

/// The figures of pairs of ours and the peer's: medians with least and most. `time` and `memory` say of what.
pub(super) fn table(
    pairs: &[[Used; 2]],
    (time, goal_ms): (&str, f64),
    memory: &str,
) -> Vec<Figure> {
    let ours = spread(pairs.iter().map(|[ours, _]| ours.ms));
    let peer = spread(pairs.iter().map(|[_, peer]| peer.ms));
    let ratio = spread(pairs.iter().map(|[ours, peer]| ours.ms / peer.ms));
    let peak = spread(pairs.iter().map(|[ours, _]| ours.peak_mb));
    let of_peer = spread(pairs.iter().map(|[_, peer]| peer.peak_mb));
    let share = spread(pairs.iter().map(|[ours, peer]| ours.peak_mb / peer.peak_mb));
    let row = |figure: Figure, peer: String| Figure { peer: Some(peer), ..figure };
    vec![
        row(
            Figure::at_most(format!("{time}, {}", ours.range(2)), ours.median, "ms", goal_ms),
            format!("LangGraph {:.2}, {}", peer.median, peer.range(2)),
        ),
        Figure::at_most(
            format!("share of LangGraph's processor time, {}", ratio.range(2)),
            ratio.median,
            "×",
            1.0,
        ),
        row(
            Figure::plain(format!("{memory}, {}", peak.range(1)), peak.median, "MB"),
            format!("LangGraph {:.1}, {}", of_peer.median, of_peer.range(1)),
        ),
        Figure::at_most(
            format!("share of LangGraph's memory, {}", share.range(2)),
            share.median,
            "×",
            GOAL_MEMORY,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use serde_json::Value;

    use super::*;

    fn used(ms: f64, peak_mb: f64) -> Used {
        Used { ms, peak_mb }
    }

    #[test]
    fn the_middle_pair_counts_and_the_spread_is_shown() {
        let pairs = [
            [used(1.0, 10.0), used(2.0, 100.0)],
            [used(3.0, 12.0), used(2.0, 50.0)],
            [used(1.2, 11.0), used(1.5, 80.0)],
        ];
        let figures = table(&pairs, ("time", 1.5), "memory");
        let found: Vec<_> = figures.iter().map(|row| (row.value, row.holds)).collect();
        assert_eq!(found, [(1.2, Some(true)), (0.8, Some(true)), (11.0, None), (0.14, Some(true))]);
        assert_eq!(figures[0].figure, "time, 1.00 to 3.00");
        assert_eq!(figures[0].peer.as_deref(), Some("LangGraph 2.00, 1.50 to 2.00"));
    }

    #[test]
    fn a_peer_that_fails_says_why() {
        let failed = Output {
            status: ExitStatus::from_raw(256),
            stdout: Vec::new(),
            stderr: b"Traceback\nModuleNotFoundError: langgraph\n".to_vec(),
        };
        let error = said::<Value>(&failed).unwrap_err().to_string();
        let expect = "LangGraph's side failed: ModuleNotFoundError: langgraph";
        assert!(error.ends_with(expect), "{error}");
    }
}
