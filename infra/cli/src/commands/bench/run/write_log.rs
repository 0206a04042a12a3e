//! `countersign bench write-log`: what it costs a run that its writes are kept.

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::super::own_stack::{Own, OwnStack};
use super::super::{Figure, Figures};
use super::logs::Logs;
use super::{Bench, chain, processes};
use crate::console::Console;
use crate::door::plain;
use crate::error::CliError;
use crate::stack::{Place, Stack, UpOptions};

/// The most of a run's wall time that the log may cost.
const GOAL_PERCENT: f64 = 10.0;

#[derive(Debug, Args)]
pub(crate) struct WriteLog {
    /// How many pairs of runs, one with the log and one without, to compare.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    pairs: u32,
}

/// What one run cost.
#[derive(Debug, Clone, Copy)]
struct Cost {
    wall: Duration,
    /// Processor time of the emulator.
    processor: Duration,
}

impl WriteLog {
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let own = Own::of(place, ".countersign/bench-log")?;
        let options = UpOptions {
            name: Some("countersign-bench-log".to_owned()),
            log_can_be_switched: true,
            ..UpOptions::default()
        };
        let measure = async |own: &OwnStack<'_>| self.measure(&own.stack, own.logs()).await;
        Ok(rows(&own.measured(options, console, measure).await?))
    }

    /// Pairs of runs, now one kind first and now the other; the first pair warms up and is not counted.
    async fn measure(&self, stack: &Stack, logs: Logs<'_>) -> Result<Vec<[Cost; 2]>, CliError> {
        let bench = Bench::open(stack, logs).await?;
        let id = bench.enter("log", |id| chain::playbook(id, chain::STEPS)).await?;
        let mut pairs = Vec::new();
        for pair in 0..=self.pairs {
            let mut costs = [None; 2];
            for kept in if pair % 2 == 0 { [true, false] } else { [false, true] } {
                switch(stack, kept).await?;
                costs[usize::from(kept)] = Some(cost(stack, &bench, &id).await?);
            }
            if let (1.., [Some(without), Some(with)]) = (pair, costs) {
                pairs.push([without, with]);
            }
        }
        Ok(pairs)
    }
}

async fn cost(stack: &Stack, bench: &Bench<'_>, playbook: &str) -> Result<Cost, CliError> {
    let (began, used) = (Instant::now(), processor_time(stack)?);
    let run = bench.start(playbook, &json!({ "rows": [{ "a": 1 }] })).await?;
    bench.reaches_within(&run, "complete", Duration::from_millis(25)).await?;
    Ok(Cost { wall: began.elapsed(), processor: processor_time(stack)?.saturating_sub(used) })
}

/// Has the emulator keep its writes, or not.
async fn switch(stack: &Stack, kept: bool) -> Result<(), CliError> {
    let url = format!("{}/_countersign/log/{}", stack.endpoint(), if kept { "on" } else { "off" });
    let failed = |error: reqwest::Error| CliError::Door { url: url.clone(), reason: plain(&error) };
    let client = reqwest::Client::builder().no_proxy().build().map_err(failed)?;
    client.post(&url).send().await.and_then(reqwest::Response::error_for_status).map_err(failed)?;
    Ok(())
}

/// The processor time that the emulator's process has used.
fn processor_time(stack: &Stack) -> Result<Duration, CliError> {
    processes::processor_time(stack.process.as_ref().ok_or(CliError::NotUp)?.pid)
}

fn rows(pairs: &[[Cost; 2]]) -> Vec<Figure> {
    let mean = |of: &dyn Fn(&[Cost; 2]) -> f64| {
        pairs.iter().map(of).sum::<f64>() / f64::from(u32::try_from(pairs.len()).unwrap_or(1))
    };
    let wall = median(pairs.iter().map(|[without, _]| without.wall.as_secs_f64()));
    let ratio = median(
        pairs.iter().map(|[without, with]| with.wall.as_secs_f64() / without.wall.as_secs_f64()),
    );
    let more =
        mean(&|[without, with]| with.processor.as_secs_f64() - without.processor.as_secs_f64());
    vec![
        Figure::plain("pairs of runs of ten steps", pairs.len() as f64, "count"),
        Figure::plain("wall time of a run without the log, median", wall * 1000.0, "ms"),
        Figure::at_most(
            "wall time with the log, median of the pairs' ratios",
            ratio * 100.0,
            "%",
            100.0 + GOAL_PERCENT,
        ),
        Figure::plain("processor time for the log per run, mean", more * 1000.0, "ms"),
        Figure::at_most(
            "processor time for the log, of a run's wall time",
            more / wall * 100.0,
            "%",
            GOAL_PERCENT,
        ),
    ]
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Cost, rows};
    use std::time::Duration;

    #[test]
    fn the_log_costs_what_pairs_differ_in() {
        let cost = |wall, processor| Cost {
            wall: Duration::from_millis(wall),
            processor: Duration::from_millis(processor),
        };
        let pairs = [
            [cost(1000, 500), cost(1020, 520)],
            [cost(1000, 510), cost(1050, 530)],
            [cost(1000, 500), cost(1010, 520)],
        ];
        let values: Vec<f64> = rows(&pairs).iter().map(|row| row.value).collect();
        assert_eq!(values, [3.0, 1000.0, 102.0, 20.0, 2.0]);
    }
}
