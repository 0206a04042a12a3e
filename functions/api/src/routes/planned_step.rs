//! What the plan of a run says of a step, for people.

use countersign_plan::{Plan, PlanStep, stage_numbers};
use schemars::JsonSchema;
use serde::Serialize;

/// A step as its author described it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlannedStep {
    name: String,
    /// In which stage of the plan it is, from 1: the steps of a stage are carried out side by side.
    stage: usize,
    /// What it does, in the words of the playbook's author.
    description: Option<String>,
    /// What must hold for it to be carried out, as its author wrote it.
    condition: Option<String>,
    /// Whether its effect cannot be taken back.
    irreversible: bool,
}

/// The steps of a plan, in its order.
pub(super) fn planned(plan: &Plan) -> Vec<PlannedStep> {
    let stages = stage_numbers(plan);
    let steps = plan.steps.iter().map(|step| PlannedStep {
        name: step.name.clone(),
        stage: stages.get(&step.name).copied().unwrap_or_default(),
        description: description(step),
        condition: step.condition.clone(),
        irreversible: step.irreversible,
    });
    steps.collect()
}

/// What a step does, where its author says it.
pub(super) fn description(step: &PlanStep) -> Option<String> {
    Some(step.description.clone()).filter(|text| !text.is_empty())
}
