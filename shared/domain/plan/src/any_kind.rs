//! What every step of a playbook says, whatever its kind.

use countersign_playbook as playbook;
use serde_json::Map;

use crate::model::{OnError, PlanStep, StepKind};

/// What every kind of step says alike; nothing of what it does, and of where in the plan it is.
pub(crate) fn of_any_kind(step: &playbook::Step) -> PlanStep {
    let skips = step.on_error == playbook::OnError::Skip;
    PlanStep {
        name: step.name.clone(),
        description: step.description.clone(),
        kind: StepKind::Tool,
        action: String::new(),
        function: String::new(),
        inputs: Map::new(),
        params: Map::new(),
        condition: None,
        on_error: if skips { OnError::Skip } else { OnError::Stop },
        on_warning: step.on_warning.unwrap_or_default(),
        retries: step.retry_count,
        backoff_multiplier: step.backoff_multiplier,
        timeout_seconds: step.timeout_seconds,
        output_schema: None,
        model: None,
        irreversible: false,
        for_each: step.for_each.clone(),
        tools: None,
        after: Vec::new(),
        guard: None,
        covered_by: None,
        reads: Vec::new(),
        ahead: None,
        gate: None,
        stand_in: None,
        allows_gaps: false,
    }
}
