//! What every plan must satisfy before it is sealed, wherever it came from.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::error::PlanError;
use crate::model::{Plan, PlanStep, StepKind};
use crate::stages::stages;
use crate::tools::Tools;

/// The most steps a plan may have.
pub const MAX_STEPS: usize = 500;
/// The most tools that the models of a plan may have together: the machine carries their names, and its state has a bound.
pub const MAX_TOOLS: usize = 500;
/// The most history events a plan may be estimated to need; an execution ends at 25,000.
pub const MAX_EVENTS: usize = 20_000;

/// Checks a plan: size, names, edges, and that no irreversible step can be reached around its signature.
///
/// # Errors
/// Every problem at once.
pub fn check(plan: &Plan) -> Result<(), Vec<PlanError>> {
    let mut problems = Vec::new();
    sizes(plan, &mut problems);
    names(plan, &mut problems);
    problems.extend(plan.steps.iter().filter_map(no_tool));
    if let Err(problem) = stages(plan) {
        problems.push(problem);
    }
    if problems.is_empty() {
        signatures(plan, &mut problems);
        effects(plan, &mut problems);
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// How many history events an execution of the plan is estimated to need: 15 per tool, 20 per gate, 8 for each further
/// invocation that the calls of a list may take, and for the tools of a model what all its rounds may take.
#[must_use]
pub fn estimated_events(plan: &Plan) -> usize {
    let of = |step: &PlanStep| match step.kind {
        StepKind::Tool => 15,
        StepKind::Gate => 20,
        StepKind::GatedTool => 35,
    };
    20 + plan.steps.iter().map(|step| of(step) + further(step)).sum::<usize>()
}

/// Events of the invocations that a list of the greatest length takes when every call takes its whole time; or of the rounds of a
/// model with tools.
fn further(step: &PlanStep) -> usize {
    let Some(each) = &step.for_each else { return step.tools.as_ref().map_or(0, Tools::events) };
    let seconds = u64::from(step.timeout_seconds.unwrap_or(CALL_SECONDS)) * u64::from(each.max);
    let invocations = seconds.div_ceil(SECONDS_OF_CALLS * u64::from(each.parallel.max(1)));
    8 * usize::try_from(invocations).unwrap_or(usize::MAX / 8)
}

/// How long one call of a list may take when its step does not say, seconds.
pub const CALL_SECONDS: u32 = 60;

/// What an invocation has for calls, seconds: its own time without what it keeps back.
const SECONDS_OF_CALLS: u64 = 240;

/// A model is never given fewer tools than its step names.
fn no_tool(step: &PlanStep) -> Option<PlanError> {
    let tool = step.tools.as_ref()?.missing(&step.params)?;
    Some(PlanError::NoTool { step: step.name.clone(), tool })
}

fn sizes(plan: &Plan, problems: &mut Vec<PlanError>) {
    if plan.steps.is_empty() {
        problems.push(PlanError::Empty);
    }
    if plan.steps.len() > MAX_STEPS {
        problems.push(PlanError::TooManySteps { steps: plan.steps.len() });
    }
    let tools = plan.steps.iter().filter_map(|step| step.tools.as_ref());
    let tools: usize = tools.map(|tools| tools.allowed.len()).sum();
    if tools > MAX_TOOLS {
        problems.push(PlanError::TooManyTools { tools });
    }
    let events = estimated_events(plan);
    if events > MAX_EVENTS {
        problems.push(PlanError::TooManyEvents { events });
    }
}

fn names(plan: &Plan, problems: &mut Vec<PlanError>) {
    let mut seen = BTreeSet::new();
    for step in &plan.steps {
        if !seen.insert(step.name.as_str()) {
            problems.push(PlanError::DuplicateStep { step: step.name.clone() });
        }
        if step.kind != StepKind::Gate && step.function.is_empty() {
            problems.push(PlanError::NoFunction {
                step: step.name.clone(),
                action: step.action.clone(),
            });
        }
    }
}

/// Every irreversible step signs for itself, or lies behind a gate on every path (the gate dominates it), and that gate
/// covers it.
fn signatures(plan: &Plan, problems: &mut Vec<PlanError>) {
    let (graph, root, nodes) = graph(plan);
    let dominators = simple_fast(&graph, root);
    for step in
        plan.steps.iter().filter(|step| step.irreversible && step.kind != StepKind::GatedTool)
    {
        let unsigned = || PlanError::Unsigned { step: step.name.clone() };
        let Some(gate) = step.covered_by.as_deref().and_then(|gate| plan.step(gate)) else {
            problems.push(unsigned());
            continue;
        };
        let covers = gate.kind == StepKind::Gate
            && gate.gate.as_ref().is_some_and(|asked| asked.covers.contains(&step.name));
        let (step_node, gate_node) = (nodes[step.name.as_str()], nodes[gate.name.as_str()]);
        let dominates = dominators
            .strict_dominators(step_node)
            .is_some_and(|mut all| all.any(|node| node == gate_node));
        if !covers || !dominates {
            problems.push(unsigned());
        }
    }
}

/// Nothing in a test can be irreversible: what is, has something that stands in for it (K-46).
fn effects(plan: &Plan, problems: &mut Vec<PlanError>) {
    let acting = plan.steps.iter().filter(|step| step.irreversible && plan.dry_run.is_some());
    problems.extend(acting.map(|step| PlanError::ActsInDryRun { step: step.name.clone() }));
}

fn graph(plan: &Plan) -> (DiGraph<(), ()>, NodeIndex, BTreeMap<&str, NodeIndex>) {
    let mut graph = DiGraph::new();
    let root = graph.add_node(());
    let nodes: BTreeMap<&str, NodeIndex> =
        plan.steps.iter().map(|step| (step.name.as_str(), graph.add_node(()))).collect();
    for step in &plan.steps {
        let to = nodes[step.name.as_str()];
        if step.after.is_empty() {
            graph.add_edge(root, to, ());
        }
        for name in &step.after {
            graph.add_edge(nodes[name.as_str()], to, ());
        }
    }
    (graph, root, nodes)
}
