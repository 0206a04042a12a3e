//! What people are asked.

use countersign_approval::Subject;
use countersign_identity::Requirement;
use countersign_plan::{Gate, PlanStep, StepKind};
use countersign_run::Head;
use countersign_store_runs::StepView;
use countersign_wiring::{Scope, Template, render};
use serde_json::Value;

/// What people are to be asked.
#[derive(Debug, Clone)]
pub struct GateAsk {
    /// The head of the run.
    pub head: Head,
    /// The step: a gate, or a tool that needs a signature of its own.
    pub step: PlanStep,
    /// Zero at first; one more each time the step was in doubt, or somebody asked a gate for changes.
    pub round: u32,
    /// The rules it is decided by: the gate's own, or of a step that asks for itself those of the gate that guards it.
    pub gate: Option<Gate>,
    /// Whether something behind it cannot be taken back.
    pub irreversible: bool,
    /// What signing takes.
    pub requirement: Requirement,
    /// What the system has to say to those who sign.
    pub remarks: Vec<String>,
    /// The question.
    pub prompt: String,
    /// All that `preview_from` names; null when it names nothing.
    pub preview: Value,
    /// What is signed.
    pub subject: Subject,
    /// The steps of the run's plan with their stages, for the picture: (name, kind) per stage.
    pub stages: Vec<Vec<(String, StepKind)>>,
}

impl GateAsk {
    /// Whether it is a gate that asks, and not a step for itself.
    #[must_use]
    pub fn is_gate(&self) -> bool {
        self.step.kind == StepKind::Gate
    }
}

/// The rules a step that asks for itself is decided by: those of the gate that guards it. It may ask nobody else, and no
/// less surely, than the gate would have.
pub(crate) fn guarding(view: &StepView, step: &PlanStep) -> Option<Gate> {
    let name = step.covered_by.as_ref().or(step.guard.as_ref())?;
    let gate = view.plan.step(name)?.gate.clone()?;
    Some(Gate { preview_from: None, ..gate })
}

/// The prompt with its references filled in; one that leads nowhere reads as a dash.
pub(crate) fn filled(prompt: &str, scope: &Scope) -> String {
    let Ok(template) = Template::parse(prompt) else { return prompt.to_owned() };
    template
        .parts()
        .iter()
        .map(|part| match part {
            countersign_wiring::Part::Text(text) => text.clone(),
            countersign_wiring::Part::Reference(reference, _) => {
                reference.value(scope).map_or_else(|| "–".to_owned(), |value| render(&value))
            }
        })
        .collect()
}

pub(crate) fn picture(view: &StepView) -> Vec<Vec<(String, StepKind)>> {
    let stages = countersign_plan::stages(&view.plan).unwrap_or_default();
    stages
        .iter()
        .map(|stage| stage.iter().map(|step| (step.name.clone(), step.kind)).collect())
        .collect()
}
