//! Idle looks: invoked one after the other, measured from outside and by what the function's logs say of them.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::run::{Bench, Spread, of_function, processor_times, spread};
use crate::commands::{FACTORY, text};
use crate::console::Step;
use crate::error::CliError;
use crate::waiting::answered;

const FUNCTION: &str = "cron-monitor";
/// How often each monitor is measured, in turns.
const ROUNDS: usize = 5;
/// Looks whose requests are counted.
const COUNTED: usize = 4;
/// Looks before anything is measured: the first finds where the monitor begins.
const WARM: usize = 5;
const PATIENCE: Duration = Duration::from_secs(60);

/// What an idle look of one monitor needs.
pub(super) struct Idle {
    pub(super) invocations: f64,
    /// Executions of the run machine that were started meanwhile.
    pub(super) executions: usize,
    pub(super) reads: u64,
    pub(super) writes: u64,
    /// Those of them that belong to the questions to the source.
    pub(super) asked_reads: u64,
    pub(super) asked_writes: u64,
    /// Milliseconds of processor time, without and of the questions.
    pub(super) own_ms: Spread,
    pub(super) asked_ms: Spread,
}

struct Monitor {
    playbook: String,
    steps: usize,
    id: String,
    event: Value,
}

/// What the questions of one look cost, by its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    reads: u64,
    writes: u64,
    micros: u64,
}

pub(super) struct Looks<'b> {
    bench: &'b Bench<'b>,
    script: PathBuf,
    looks: usize,
    monitors: Vec<Monitor>,
}

impl<'b> Looks<'b> {
    pub(super) fn new(bench: &'b Bench<'b>, script: PathBuf, looks: u16) -> Self {
        Self { bench, script, looks: usize::from(looks), monitors: Vec::new() }
    }

    pub(super) fn playbooks(&self) -> impl Iterator<Item = (&str, usize)> {
        self.monitors.iter().map(|monitor| (monitor.playbook.as_str(), monitor.steps))
    }

    /// A monitor of this playbook, which has looked. Its own clock does not come while it is measured.
    pub(super) async fn add(&mut self, playbook: &str, steps: usize) -> Result<(), CliError> {
        let monitor = json!({
            "name": "Bench", "profile_id": self.bench.agent, "playbook_id": playbook, "interval": "24h",
        });
        let made = self.bench.owner.post(&format!("{FACTORY}/monitors"), &monitor).await?;
        let id = text(&made, "id").unwrap_or_default();
        let event = json!({ "owner": made["user_id"], "monitor": id, "asked_for": true });
        let monitor = Monitor { playbook: playbook.to_owned(), steps, id, event };
        self.look(&monitor, WARM, false).await?;
        self.monitors.push(monitor);
        Ok(())
    }

    /// So many looks of a monitor.
    async fn look(&self, monitor: &Monitor, times: usize, idle: bool) -> Result<(), CliError> {
        let logs = &self.bench.logs;
        let name = format!("{}-{FUNCTION}", logs.stack.name);
        let events = vec![monitor.event.clone(); times];
        for said in logs.aws.invoke(&self.script, &name, &events, logs.folder).await? {
            if idle && said["outcome"] != "suppressed" {
                return Err(CliError::Found(format!("a look was not idle: {said}")));
            }
        }
        Ok(())
    }

    /// Measures every monitor, in turns.
    pub(super) async fn measured(
        &self,
        with_time: bool,
        step: &Step,
    ) -> Result<Vec<Idle>, CliError> {
        let mut idle = Vec::new();
        for monitor in &self.monitors {
            idle.push(self.counted(monitor).await?);
        }
        if !with_time {
            return Ok(idle);
        }
        let mut used = vec![Vec::new(); self.monitors.len()];
        for round in 0..ROUNDS {
            step.detail(&format!("round {} of {ROUNDS}", round + 1));
            for (monitor, used) in self.monitors.iter().zip(&mut used) {
                used.push(self.timed(monitor).await?);
            }
        }
        for ((monitor, used), idle) in self.monitors.iter().zip(used).zip(&mut idle) {
            let asked = self.asked(monitor, ROUNDS * self.looks).await?;
            let asked: Vec<f64> = asked.chunks(self.looks).map(milliseconds).collect();
            let own = used.iter().zip(&asked).map(|(used, asked)| used - asked);
            (idle.own_ms, idle.asked_ms) = (spread(own), spread(asked.iter().copied()));
        }
        Ok(idle)
    }

    /// Requests and invocations of one look; of several, the dearest counts.
    async fn counted(&self, monitor: &Monitor) -> Result<Idle, CliError> {
        let logs = &self.bench.logs;
        let (before, executions) = (logs.all().await?, self.executions().await?);
        self.look(monitor, COUNTED, true).await?;
        // On a busy machine, the last line of a process is read with its next invocation.
        let mine = logs.since(&before, &[FUNCTION], COUNTED - 1).await?;
        let asked = self.asked(monitor, COUNTED - 1).await?;
        let (one, asked) = (
            dearest(mine.iter().map(|line| (line.reads, line.writes))),
            dearest(asked.iter().map(|asked| (asked.reads, asked.writes))),
        );
        // The sweeper comes each minute, whoever looks.
        let others = [FUNCTION, "cron-sweep", "-api", "authorizer"];
        let new = logs.since(&before, &[""], COUNTED - 1).await?;
        let is_other = |name: &str| !others.iter().any(|other| name.ends_with(other));
        let others = new.iter().filter(|line| is_other(&line.function)).count();
        let nothing = || spread(std::iter::empty());
        Ok(Idle {
            invocations: 1.0 + others as f64 / COUNTED as f64,
            executions: self.executions().await?.abs_diff(executions),
            reads: one.0,
            writes: one.1,
            asked_reads: asked.0,
            asked_writes: asked.1,
            own_ms: nothing(),
            asked_ms: nothing(),
        })
    }

    /// How many executions of the run machine there are.
    async fn executions(&self) -> Result<usize, CliError> {
        let logs = &self.bench.logs;
        let machine = logs.stack.output("RunMachineArn").unwrap_or_default();
        let ask = ["stepfunctions", "list-executions", "--state-machine-arn", machine];
        let said = logs.aws.json(&ask, logs.folder).await?;
        Ok(said["executions"].as_array().map_or(0, Vec::len))
    }

    /// Milliseconds of the function's processor time per look.
    async fn timed(&self, monitor: &Monitor) -> Result<f64, CliError> {
        let function = format!("{}-{FUNCTION}", self.bench.logs.stack.name);
        let before = of_function(&function);
        let began = processor_times(&before)?;
        self.look(monitor, self.looks, true).await?;
        let after = of_function(&function);
        if before != after || after.is_empty() {
            let what = "the function's processes changed while it was measured".to_owned();
            return Err(CliError::Found(what));
        }
        let used = processor_times(&after)?.saturating_sub(began);
        Ok(used.as_secs_f64() * 1_000.0 / self.looks as f64)
    }

    /// What the last looks of a monitor say of their questions, once they say it.
    async fn asked(&self, monitor: &Monitor, last: usize) -> Result<Vec<Asked>, CliError> {
        let late = "the function's logs do not say what its questions cost";
        answered(PATIENCE, Duration::from_millis(500), late, async || {
            let said = self.bench.logs.messages("asked").await?;
            let mine = said.iter().filter(|line| line.contains(&monitor.id));
            let asked: Vec<Asked> = mine.filter_map(|line| asked_line(line)).collect();
            Ok((asked.len() >= last + WARM).then(|| asked[asked.len() - last..].to_vec()))
        })
        .await
    }
}

/// The most reads and the most writes.
fn dearest(of: impl Iterator<Item = (u64, u64)>) -> (u64, u64) {
    of.fold((0, 0), |most, one| (most.0.max(one.0), most.1.max(one.1)))
}

fn milliseconds(asked: &[Asked]) -> f64 {
    let micros: u64 = asked.iter().map(|asked| asked.micros).sum();
    micros as f64 / 1_000.0 / asked.len() as f64
}

/// One line `asked` of the function.
fn asked_line(message: &str) -> Option<Asked> {
    let part = |name: &str| super::super::run::field(message, name)?.parse().ok();
    Some(Asked { reads: part("reads")?, writes: part("writes")?, micros: part("micros")? })
}

#[cfg(test)]
mod tests {
    use super::{Asked, asked_line, milliseconds};

    #[test]
    fn a_line_says_what_the_questions_cost() {
        let text =
            r#" INFO invoke{requestId="1"}: asked monitor=mon_1 reads=3 writes=2 micros=1500"#;
        let json = r#"{"fields":{"message":"asked","monitor":"mon_1","reads":3,"writes":2,"micros":1500}}"#;
        let expect = Asked { reads: 3, writes: 2, micros: 1_500 };
        assert_eq!((asked_line(text), asked_line(json)), (Some(expect), Some(expect)));
        assert_eq!(asked_line("START RequestId: 1"), None);
        assert!((milliseconds(&[expect, Asked { micros: 500, ..expect }]) - 1.0).abs() < 1e-9);
    }
}
