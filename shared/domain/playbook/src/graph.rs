//! Who uses whose results, with types (F-167).

use countersign_registry::{DataType, Field, record_of};
use countersign_wiring::{Condition, Reference, references, type_of_path};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::compile_context::CompileContext;
use crate::model::{ForEach, Step, StepKind, ValidPlaybook};

/// The dependency graph of a playbook.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PlaybookGraph")]
pub struct Graph {
    /// The steps, in listed order.
    pub nodes: Vec<GraphNode>,
    /// What flows between them.
    pub edges: Vec<GraphEdge>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PlaybookGraphNode")]
pub struct GraphNode {
    /// Its name.
    pub id: String,
    /// What it does.
    #[schemars(extend("enum" = ["action", "llm_task", "parallel", "approval"]))]
    pub kind: &'static str,
    /// The action; empty for gates.
    pub action: String,
    /// Steps of the same stage may run at the same time. From 0.
    pub stage: usize,
    /// Set when the step makes one call for each item of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_each: Option<ForEach>,
}

/// A use of a result.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "PlaybookGraphEdge")]
pub struct GraphEdge {
    /// The step whose result is used.
    pub from: String,
    /// The step that uses it.
    pub to: String,
    /// Which part, such as `results[*].name`; empty for all of it.
    pub field: String,
    /// The type of that part, as text.
    #[serde(rename = "type")]
    pub data_type: String,
}

/// The graph of a playbook, typed by the contracts of `world`. Types of connectors that are not bound are `any`.
#[must_use]
pub fn graph(playbook: &ValidPlaybook, world: &CompileContext<'_>) -> Graph {
    let mut graph = Graph { nodes: Vec::new(), edges: Vec::new() };
    for (stage, top) in playbook.steps.iter().enumerate() {
        for step in top.with_descendants() {
            graph.nodes.push(node(step, stage));
            for reference in uses(step) {
                add_edge(&mut graph, playbook, world, step, &reference);
            }
        }
    }
    graph
}

fn add_edge(
    graph: &mut Graph,
    playbook: &ValidPlaybook,
    world: &CompileContext<'_>,
    to: &Step,
    reference: &Reference,
) {
    let Some(from) = playbook.all_steps().find(|step| step.name == reference.root()) else {
        return;
    };
    let data_type =
        type_of_path(&result_type(from, world), reference.segments()).unwrap_or(DataType::Any);
    let path = reference.to_string();
    let field = path[reference.root().len()..].trim_start_matches('.').to_owned();
    let edge = GraphEdge {
        from: from.name.clone(),
        to: to.name.clone(),
        field,
        data_type: data_type.to_string(),
    };
    if !graph.edges.contains(&edge) {
        graph.edges.push(edge);
    }
}

fn node(step: &Step, stage: usize) -> GraphNode {
    let (kind, action) = match &step.kind {
        StepKind::Action { action, llm, .. } => {
            (if *llm { "llm_task" } else { "action" }, action.as_str())
        }
        StepKind::Parallel { .. } => ("parallel", countersign_registry::PARALLEL),
        StepKind::Approval { .. } => ("approval", ""),
    };
    GraphNode {
        id: step.name.clone(),
        kind,
        action: action.to_owned(),
        stage,
        for_each: step.for_each.clone(),
    }
}

fn uses(step: &Step) -> Vec<Reference> {
    let mut found = match &step.kind {
        StepKind::Action { inputs, .. } => references(&Value::Object(inputs.clone())),
        StepKind::Approval { preview_from, prompt, .. } => {
            let preview = preview_from.iter().filter_map(|text| Reference::parse(text).ok());
            preview.chain(references(&Value::String(prompt.clone()))).collect()
        }
        StepKind::Parallel { .. } => Vec::new(),
    };
    if let Some(each) = &step.for_each {
        found.extend(Reference::parse(&each.list).ok());
        found.extend(each.key.iter().flat_map(|key| references(&Value::String(key.clone()))));
    }
    let condition = step.condition.as_deref().and_then(|text| Condition::parse(text).ok());
    found.extend(condition.iter().flat_map(Condition::references).cloned());
    found
}

fn result_type(step: &Step, world: &CompileContext<'_>) -> DataType {
    let of_call = call_type(step, world);
    match &step.for_each {
        Some(_) => record_of(&ForEach::outputs(of_call)),
        None => of_call,
    }
}

/// The type of what the action of a step gives back when it is called once.
fn call_type(step: &Step, world: &CompileContext<'_>) -> DataType {
    match &step.kind {
        StepKind::Action { output_schema: Some(schema), .. } => schema.data_type(),
        StepKind::Action { action, params, .. } => match world.contracts.get(action) {
            Some(contract) if contract.is_open() => {
                let name = |key: &str| params.get(key).and_then(Value::as_str).unwrap_or_default();
                let endpoint = world
                    .bindings
                    .and_then(|bindings| bindings.endpoint(name("connector"), name("endpoint")));
                endpoint.map_or(DataType::Any, |endpoint| record_of(&endpoint.outputs))
            }
            Some(contract) => contract.output_type(),
            None => DataType::Any,
        },
        StepKind::Parallel { steps, .. } => DataType::Record(
            steps.iter().map(|step| Field::new(&step.name, result_type(step, world))).collect(),
        ),
        StepKind::Approval { .. } => DataType::Object,
    }
}
