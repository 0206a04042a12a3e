//! `countersign bench monitors`: what an idle look costs, beside the same playbook run as a whole.

mod compare;
mod cost;
mod look;
mod source;

use clap::Args;
use serde_json::json;

use self::cost::{Needs, OWN_WRITE_UNITS, own_read_units};
use self::look::{Idle, Looks};
use super::own_stack::{Own, OwnStack};
use super::run::{Bench, default_way, entered, machine, transitions};
use super::{Figure, Figures};
use crate::commands::FACTORY;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::{Place, Profile, UpOptions};

/// With how many detection steps it is measured.
const STEPS: [usize; 3] = [1, 5, 20];
const GOAL_MS: f64 = 3.0;
const GOAL_MS_FURTHER: f64 = 0.5;

#[derive(Debug, Args)]
pub(crate) struct Monitors {
    /// How many looks a measurement has.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    looks: u16,
    /// With functions built for development: requests are the same, processor time is not given.
    #[arg(long)]
    dev: bool,
}

/// What was measured of a playbook with so many detection steps.
struct Measured {
    steps: usize,
    idle: Idle,
    run: Whole,
}

/// A run of the whole playbook.
struct Whole {
    transitions: f64,
    invocations: usize,
    reads: u64,
    writes: u64,
}

impl Monitors {
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let own = Own::of(place, ".countersign/bench")?;
        let options = UpOptions {
            name: Some("countersign-bench".to_owned()),
            profile: if self.dev { Profile::Dev } else { Profile::Release },
            ..UpOptions::default()
        };
        let measure = async |stack: &OwnStack<'_>| {
            let bench = Bench::open(&stack.stack, stack.logs()).await?;
            self.measure(&bench, &own.project, console).await
        };
        Ok(self.table(&own.measured(options, console, measure).await?))
    }

    async fn measure(
        &self,
        bench: &Bench<'_>,
        project: &std::path::Path,
        console: &Console,
    ) -> Result<Vec<Measured>, CliError> {
        let (door, agent) = (&bench.owner, &bench.agent);
        let connector = source::connector(source::serve().await?);
        door.post(&format!("{FACTORY}/connectors"), &json!({ "yaml": connector })).await?;
        let bind = format!("{FACTORY}/profiles/{agent}/data-sources");
        door.post(&bind, &json!({ "connector_id": source::CONNECTOR })).await?;
        let step = console.step("looking and finding nothing");
        let mut looks = Looks::new(bench, project.join("infra/local/invoke.py"), self.looks);
        for steps in STEPS {
            step.detail(&format!("a monitor with {steps} detection steps"));
            let id = format!("bench-look-{steps}-{}", uuid::Uuid::now_v7().simple());
            let playbook = source::playbook(&id, steps);
            door.post(&format!("{FACTORY}/playbooks"), &json!({ "yaml": playbook })).await?;
            looks.add(&id, steps).await?;
        }
        let idle = looks.measured(!self.dev, &step).await?;
        step.done("looked");
        let step = console.step("running the whole playbooks");
        let machine = machine(project)?;
        let mut measured = Vec::new();
        for (idle, (id, steps)) in idle.into_iter().zip(looks.playbooks()) {
            let (invocations, reads, writes) = run(bench, id, steps).await?;
            // The detection steps are one stage, what follows them another.
            let transitions = whole_run(&machine, 2, steps + 1);
            let run = Whole { transitions, invocations, reads, writes };
            measured.push(Measured { steps, idle, run });
        }
        step.done("ran");
        Ok(measured)
    }

    fn table(&self, measured: &[Measured]) -> Vec<Figure> {
        let mut figures: Vec<Figure> = measured.iter().flat_map(Measured::requests).collect();
        if !self.dev {
            figures.extend(processor(measured));
        }
        figures.extend(measured.iter().flat_map(Measured::months));
        figures
    }
}

/// Runs the whole playbook: invocations, reads and writes, without those of the door that starts it.
async fn run(bench: &Bench<'_>, id: &str, steps: usize) -> Result<(usize, u64, u64), CliError> {
    let before = bench.logs.all().await?;
    let run = bench.start(id, &json!({})).await?;
    bench.reaches(&run, "complete").await?;
    let functions = ["run-begin", "run-finish", "tool-connect", "tool-data"];
    let new = bench.logs.since(&before, &functions, steps + 3).await?;
    let sum = |count: fn(&super::run::Served) -> u64| new.iter().map(count).sum();
    Ok((new.len(), sum(|line| line.reads), sum(|line| line.writes)))
}

/// The states that a run enters: those of the machine's main path, a map for each stage, and those of each step in it.
fn whole_run(machine: &serde_json::Value, stages: usize, steps: usize) -> f64 {
    let main = entered(&machine["States"], machine["StartAt"].as_str(), default_way);
    main + stages as f64 + steps as f64 * (transitions(machine, false) - 1.0)
}

impl Measured {
    fn requests(&self) -> Vec<Figure> {
        let Self { steps, idle, run } = self;
        let of = |what: &str| format!("{what}, {steps} detection steps");
        let (reads, writes) = (idle.reads - idle.asked_reads, idle.writes - idle.asked_writes);
        let peer = |figure: Figure, value: f64| Figure {
            peer: Some(format!("whole run {value}")),
            ..figure
        };
        let at_most = |what: &str, value: u64, goal: usize| {
            Figure::at_most(of(what), value as f64, "requests", goal as f64)
        };
        let transitions =
            Figure::at_most(of("state transitions"), idle.executions as f64, "count", 0.0);
        let invocations = Figure::at_most(of("invocations"), idle.invocations, "count", 1.0);
        vec![
            peer(transitions, run.transitions),
            peer(invocations, run.invocations as f64),
            at_most("DynamoDB reads of its own", reads, 3 + steps),
            at_most("DynamoDB writes of its own", writes, 1),
            peer(
                Figure::plain(
                    of("all DynamoDB reads, those of connector calls among them"),
                    idle.reads as f64,
                    "requests",
                ),
                run.reads as f64,
            ),
            peer(
                Figure::plain(of("all DynamoDB writes"), idle.writes as f64, "requests"),
                run.writes as f64,
            ),
        ]
    }

    /// A month of a thousand monitors, and of as many runs of the whole playbook.
    fn months(&self) -> Vec<Figure> {
        let Self { steps, idle, run } = self;
        let look = Needs {
            transitions: 0.0,
            asking: 1.0,
            other: 0.0,
            read_units: own_read_units(*steps, source::RECORDS) + idle.asked_reads as f64,
            write_units: OWN_WRITE_UNITS + idle.asked_writes as f64,
        };
        let whole = Needs {
            transitions: run.transitions,
            asking: *steps as f64,
            other: run.invocations as f64 - *steps as f64,
            read_units: run.reads as f64,
            write_units: run.writes as f64,
        };
        let figure = format!("a month of 1,000 monitors, each 5 minutes, {steps} detection steps");
        let peer = Some(format!("whole runs {:.0}", whole.month()));
        vec![Figure { peer, ..Figure::plain(figure, look.month(), "$") }]
    }
}

fn processor(measured: &[Measured]) -> Vec<Figure> {
    let compared = compare::milliseconds(source::RECORDS);
    let own = |of: &Measured| of.idle.own_ms.median + of.steps as f64 * compared;
    let mut figures = vec![Figure::plain(
        format!("of this, comparing {} records, per step", source::RECORDS),
        compared,
        "ms",
    )];
    for of in measured {
        let range = of.idle.own_ms.range(2);
        let figure = format!("own processor time, {} detection steps, {range}", of.steps);
        let asked = of.idle.asked_ms.median;
        let peer = Some(format!("connector calls {asked:.2}"));
        let figure = match of.steps {
            1 => Figure::at_most(figure, own(of), "ms", GOAL_MS),
            _ => Figure::plain(figure, own(of), "ms"),
        };
        figures.push(Figure { peer, ..figure });
    }
    if let [one, .., most] = measured {
        let further = (own(most) - own(one)) / (most.steps - one.steps) as f64;
        let figure = "own processor time of each further step";
        figures.push(Figure::at_most(figure, further, "ms", GOAL_MS_FURTHER));
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::whole_run;

    #[test]
    fn a_whole_run_enters_its_main_path_a_map_a_stage_and_two_states_a_step() {
        let text = include_str!("../../../../../../statemachines/run.asl.json");
        let machine = serde_json::from_str(text).unwrap();
        let (two, three) = (whole_run(&machine, 2, 2), whole_run(&machine, 2, 3));
        assert!((three - two - 2.0).abs() < f64::EPSILON, "{two} {three}");
        assert!(
            (two - 9.0).abs() < f64::EPSILON,
            "begin, stages, finish; two maps; four states: {two}"
        );
    }
}
