//! `countersign bench run`: what runs cost.

mod chain;
mod logs;
mod processes;
mod processor;
mod signed;
mod spread;
mod write_log;

pub(super) use logs::{Logs, Served, field};
pub(super) use processes::{of_function, processor_times};
pub(super) use spread::{Spread, spread};
pub(super) use write_log::WriteLog;

use std::time::{Duration, Instant};

use clap::Args;
use countersign_identity::{Scopes, UserId};
use serde_json::{Value, json};

use self::processor::Peer;
use super::own_stack::{Own, OwnStack};
use super::{Figure, Figures};
use crate::commands::{FACTORY, operator, text, user};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::{Place, Profile, Stack, UpOptions, peers};
use crate::token::login;

const PATIENCE: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
pub(crate) struct Run {}

impl Run {
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let own = Own::of(place, ".countersign/bench")?;
        let Own { project, state } = &own;
        let options = UpOptions {
            name: Some("countersign-bench".to_owned()),
            profile: Profile::Release,
            ..UpOptions::default()
        };
        let peer = Peer {
            python: peers(project, &place.state()?, console).await?,
            script: project.join("infra/local/langgraph_peer.py"),
            folder: state.join("langgraph"),
        };
        let measure = async |own: &OwnStack<'_>| measure(own, &peer, console).await;
        let measured = own.measured(options, console, measure).await?;
        let Measured { ten, pairs, signed, processor } = measured;
        let machine = machine(project)?;
        let mut figures = vec![
            Figure::at_most(
                "state transitions per ungated tool step, by the definition",
                transitions(&machine, false),
                "count",
                3.0,
            ),
            Figure::at_most(
                "state transitions per gated tool step, by the definition",
                transitions(&machine, true),
                "count",
                5.0,
            ),
            Figure::plain(
                "state transitions of a run of 10 steps that follow each other, by the definition",
                following(&machine),
                "count",
            ),
            Figure::plain("Lambda invocations of that run", ten.invocations as f64, "count"),
            Figure::plain("DynamoDB reads of that run", ten.reads as f64, "requests"),
            Figure::plain("DynamoDB writes of that run", ten.writes as f64, "requests"),
            Figure::at_most(
                "DynamoDB requests per step of that run",
                ten.per_step(),
                "requests",
                2.0,
            ),
            Figure::plain(
                "Lambda invocations of a run of 10 steps, two side by side",
                pairs.invocations as f64,
                "count",
            ),
            Figure::at_most(
                "DynamoDB requests of such a step that changes nothing, its plan known",
                pairs.usual() as f64,
                "requests",
                2.0,
            ),
            Figure::at_most(
                "DynamoDB requests per reversible step, at most",
                pairs.dearest() as f64,
                "requests",
                3.0,
            ),
            Figure::at_most(
                "DynamoDB requests of an irreversible step behind a gate, with a credential",
                signed.one as f64,
                "requests",
                8.0,
            ),
            Figure::at_most(
                "DynamoDB requests of a step with 40 such calls, 4 side by side",
                signed.list as f64,
                "requests",
                list_goal(signed.invocations) as f64,
            ),
            Figure::plain("invocations of that step", signed.invocations as f64, "count"),
            Figure::plain(
                "from the signature to the end, 40 calls of one step",
                signed.list_took.as_secs_f64(),
                "s",
            ),
            Figure::plain(
                "from the signature to the end, 40 steps of one call",
                signed.steps_took.as_secs_f64(),
                "s",
            ),
        ];
        figures.extend(processor);
        Ok(figures)
    }
}

/// Two requests for each wave and seven for each invocation.
fn list_goal(invocations: usize) -> usize {
    2 * signed::CALLS.div_ceil(signed::PARALLEL) + 7 * invocations
}

struct Measured {
    ten: chain::Cost,
    pairs: chain::Cost,
    signed: signed::Cost,
    processor: Vec<Figure>,
}

async fn measure(own: &OwnStack<'_>, peer: &Peer, console: &Console) -> Result<Measured, CliError> {
    let bench = Bench::open(&own.stack, own.logs()).await?;
    Ok(Measured {
        ten: chain::following(&bench).await?,
        pairs: chain::side_by_side(&bench).await?,
        signed: signed::cost(&bench).await?,
        processor: processor::figures(&bench, peer, console).await?,
    })
}

/// Two people and an agent.
pub(super) struct Bench<'b> {
    pub(super) owner: Door,
    approver: Door,
    pub(super) agent: String,
    pub(super) logs: Logs<'b>,
}

impl<'b> Bench<'b> {
    pub(super) async fn open(stack: &Stack, logs: Logs<'b>) -> Result<Self, CliError> {
        let mark = uuid::Uuid::now_v7().simple().to_string().split_off(20);
        let (owner, approver) = (format!("bench-{mark}"), format!("approver-{mark}"));
        let approves = person(stack, &approver, &["global:analyst", "decide"]).await?;
        let door = person(stack, &owner, &["global:analyst"]).await?;
        let agent = json!({ "name": "Bench", "handle": owner, "approvers": [approver] });
        let agent = door.post(&format!("{FACTORY}/profiles"), &agent).await?;
        let agent = text(&agent, "id").unwrap_or_default();
        Ok(Self { owner: door, approver: approves, agent, logs })
    }

    /// Enters a playbook under an id of its own; that id.
    pub(super) async fn enter(
        &self,
        name: &str,
        written: impl FnOnce(&str) -> String,
    ) -> Result<String, CliError> {
        let id = format!("bench-{name}-{}", uuid::Uuid::now_v7().simple());
        let yaml = json!({ "yaml": written(&id) });
        self.owner.post(&format!("{FACTORY}/playbooks"), &yaml).await?;
        Ok(id)
    }

    /// Starts a run of a playbook.
    pub(super) async fn start(&self, playbook: &str, inputs: &Value) -> Result<String, CliError> {
        let body = json!({ "profile": self.agent, "playbook": playbook, "inputs": inputs, "run_context": "interactive" });
        let run = self.owner.post(&format!("{FACTORY}/executions"), &body).await?;
        Ok(text(&run, "id").unwrap_or_default())
    }

    /// Waits until a run is in this state.
    pub(super) async fn reaches(&self, run: &str, state: &str) -> Result<(), CliError> {
        self.reaches_within(run, state, PAUSE).await
    }

    /// Waits until a run is in this state, and looks this often.
    async fn reaches_within(
        &self,
        run: &str,
        state: &str,
        pause: Duration,
    ) -> Result<(), CliError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let now = self.owner.get(&format!("{FACTORY}/executions/{run}")).await?;
            match now["state"].as_str() {
                Some(now) if now == state => return Ok(()),
                Some("running" | "awaiting_approval") if Instant::now() < deadline => {
                    tokio::time::sleep(pause).await;
                }
                other => {
                    return Err(CliError::Found(format!("the benchmark's run ended as {other:?}")));
                }
            }
        }
    }
}

/// Adds somebody with these grants.
async fn person(stack: &Stack, name: &str, grants: &[&str]) -> Result<Door, CliError> {
    let admin = operator(stack)?;
    let body = json!({ "username": name, "email": format!("{name}@example.org"), "email_verified": true, "display_name": name });
    let added = admin.post("/api/admin/users", &body).await?;
    for grant in grants {
        user::give(&admin, name, grant).await?;
    }
    let id = UserId::parse(&text(&added, "id").unwrap_or_default())
        .map_err(|error| CliError::Found(error.to_string()))?;
    let scopes = Scopes::parse(grants.iter().copied().filter(|grant| grant.contains(':')));
    Door::with(&stack.url(), login(stack, &id, scopes)?)
}

pub(super) fn machine(project: &std::path::Path) -> Result<Value, CliError> {
    let file = project.join("statemachines/run.asl.json");
    let text = std::fs::read_to_string(&file)
        .map_err(|source| CliError::io("reading the machine", source))?;
    serde_json::from_str(&text).map_err(|error| CliError::Found(error.to_string()))
}

/// The states a tool step enters, by the machine's definition: the Map of its stage, then state after state inside it. The
/// local stack's history does not name states inside a Map, so they cannot be counted there.
pub(super) fn transitions(machine: &Value, gated: bool) -> f64 {
    let inner = &machine["States"]["Stages"]["ItemProcessor"]["States"]["Steps"]["ItemProcessor"];
    let next = |state: &Value| {
        // The first choice of a Choice is the way of a signed step, its default that of others.
        let chosen = if gated { &state["Choices"][0]["Next"] } else { &state["Default"] };
        chosen.as_str().or_else(|| state["Next"].as_str()).map(str::to_owned)
    };
    1.0 + entered(&inner["States"], inner["StartAt"].as_str(), next)
}

/// How many of these states are entered from the first on; `next` says which one follows.
pub(super) fn entered(
    states: &Value,
    first: Option<&str>,
    next: impl Fn(&Value) -> Option<String>,
) -> f64 {
    let mut entered = 0;
    let mut at = first.map(str::to_owned);
    while let Some(state) = at.map(|name| &states[name]).filter(|state| state.is_object()) {
        entered += 1;
        at = next(state);
    }
    f64::from(entered)
}

/// The state after one: what it names, else the default of a Choice.
pub(super) fn default_way(state: &Value) -> Option<String> {
    state["Next"].as_str().or_else(|| state["Default"].as_str()).map(str::to_owned)
}

/// The states that a run enters whose steps follow each other in one invocation: those of the main path, the Map of their stage, and
/// those inside it up to the end.
fn following(machine: &Value) -> f64 {
    let inner = &machine["States"]["Stages"]["ItemProcessor"]["States"]["Steps"]["ItemProcessor"];
    // `Begin`, `Stages`, `Steps`, `Kind` and `Finish`.
    entered(&inner["States"], Some("Chain"), default_way) + 5.0
}

#[cfg(test)]
mod tests {
    use super::{following, transitions};

    #[test]
    fn the_machine_enters_three_states_for_a_tool_and_five_for_a_signed_one() {
        let text = include_str!("../../../../../../statemachines/run.asl.json");
        let machine = serde_json::from_str(text).unwrap();
        assert_eq!((transitions(&machine, false), transitions(&machine, true)), (3.0, 5.0));
        assert_eq!(following(&machine), 8.0);
    }

    #[test]
    fn f_057_a_turn_of_a_model_enters_three_states_and_a_tool_one() {
        let text = include_str!("../../../../../../statemachines/run.asl.json");
        let machine: serde_json::Value = serde_json::from_str(text).unwrap();
        let step =
            &machine["States"]["Stages"]["ItemProcessor"]["States"]["Steps"]["ItemProcessor"];
        let states = &step["States"];
        let next = |name: &str| states[name]["Next"].as_str();
        assert_eq!(next("Ask"), Some("Asked"));
        assert_eq!(states["Asked"]["Choices"][0]["Next"], "ToolCalls");
        assert_eq!(next("ToolCalls"), Some("Ask"));
        let call = &states["ToolCalls"]["ItemProcessor"];
        assert_eq!(call["States"][call["StartAt"].as_str().unwrap()]["End"], true);
    }
}
