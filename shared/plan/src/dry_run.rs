//! Plans of tests: whatever would have an effect is replaced by something that stands in for it (K-46).

use countersign_playbook::Bindings;
use countersign_registry::{CALL_CONNECTOR, Contract, DataType, Registry, Slot, nearest};
use countersign_run::DryRun;
use countersign_wiring::coerce;
use serde_json::{Map, Value, json};

use crate::model::{Plan, PlanStep, StandIn, StandInSource, StepKind};

/// The Lambda that hosts what only computes: it has no rights but those of every step, so it stands in for all others.
const COMPUTING: &str = "tool-data";

/// What a test is made with.
#[derive(Debug, Clone, Copy)]
pub struct Rehearsal<'a> {
    /// How much of it happens.
    pub mode: DryRun,
    /// The contracts.
    pub registry: &'a Registry,
    /// The connectors' endpoints, as far as they are known.
    pub endpoints: &'a Bindings,
    /// Outputs of steps, by the step's name.
    pub samples: &'a Map<String, Value>,
}

/// A sample that cannot stand in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` {problem}")]
pub struct SampleProblem {
    /// The step, or `step.slot`.
    pub path: String,
    /// What is wrong.
    pub problem: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl Rehearsal<'_> {
    /// Makes the plan one of a test. Gates keep their place and ask nobody.
    ///
    /// # Errors
    /// Every [`SampleProblem`]; the plan is then left as it was.
    pub fn apply(&self, plan: &mut Plan) -> Result<(), Vec<SampleProblem>> {
        let mut problems = self.unknown(plan);
        let mut stand_ins = Vec::with_capacity(plan.steps.len());
        for step in &plan.steps {
            stand_ins.push(self.stand_in(step).unwrap_or_else(|found| {
                problems.extend(found);
                None
            }));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        plan.dry_run = Some(self.mode);
        for (step, stand_in) in plan.steps.iter_mut().zip(stand_ins) {
            replace(step, stand_in);
        }
        Ok(())
    }

    /// Samples of steps the plan does not have, and of gates.
    fn unknown(&self, plan: &Plan) -> Vec<SampleProblem> {
        let named = |name: &String| match plan.step(name) {
            Some(step) if step.kind == StepKind::Gate => {
                Some(problem(name, "is a gate: a test asks nobody and goes on behind it", None))
            }
            Some(_) => None,
            None => {
                let near = nearest(name, plan.steps.iter().map(|step| step.name.as_str()));
                Some(problem(name, "is no step of this playbook", near))
            }
        };
        self.samples.keys().filter_map(named).collect()
    }

    fn stand_in(&self, step: &PlanStep) -> Result<Option<StandIn>, Vec<SampleProblem>> {
        let contract = self.registry.get(&step.action);
        let slots = self.outputs(step, contract);
        let blank = || slots.iter().map(|slot| (slot.name.clone(), empty(&slot.data_type)));
        if step.kind == StepKind::Gate {
            return Ok(None);
        }
        if let Some(sample) = self.samples.get(&step.name) {
            let mut output: Map<String, Value> = blank().collect();
            output.extend(fitting(step, sample, slots, contract.is_none_or(Contract::is_open))?);
            return Ok(Some(StandIn { source: StandInSource::Sample, output }));
        }
        let output = || StandIn { source: StandInSource::Blank, output: blank().collect() };
        Ok(self.acts(step, contract).then(output))
    }

    /// Whether the step does what a test of this kind must not.
    fn acts(&self, step: &PlanStep, contract: Option<&Contract>) -> bool {
        let effect = |contract: &Contract| contract.writes || contract.irreversible;
        step.irreversible
            || contract.is_none_or(effect)
            || (self.mode == DryRun::Samples && step.function != COMPUTING)
    }

    fn outputs<'s>(&'s self, step: &PlanStep, contract: Option<&'s Contract>) -> &'s [Slot] {
        let param = |name: &str| step.params.get(name).and_then(Value::as_str).unwrap_or_default();
        let endpoint = self
            .endpoints
            .endpoint(param("connector"), param("endpoint"))
            .filter(|_| step.action == CALL_CONNECTOR);
        match (endpoint, contract) {
            (Some(endpoint), _) => &endpoint.outputs,
            (None, Some(contract)) => &contract.outputs,
            (None, None) => &[],
        }
    }
}

/// Nobody signs in a test, so nothing waits for a signature of its own.
fn replace(step: &mut PlanStep, stand_in: Option<StandIn>) {
    if let Some(gate) = &mut step.gate {
        gate.covers.clear();
    }
    if stand_in.is_some() {
        step.kind = StepKind::Tool;
        COMPUTING.clone_into(&mut step.function);
        step.irreversible = false;
        step.covered_by = None;
    }
    step.stand_in = stand_in;
}

/// The slots of a sample, each with its type. What an endpoint answers beside its schema is taken as it is.
fn fitting(
    step: &PlanStep,
    sample: &Value,
    slots: &[Slot],
    open: bool,
) -> Result<Map<String, Value>, Vec<SampleProblem>> {
    let Value::Object(given) = sample else {
        return Err(vec![problem(&step.name, "must be an object: the output of the step", None)]);
    };
    let mut fitted = Map::new();
    let mut problems = Vec::new();
    for (name, value) in given {
        let path = format!("{}.{name}", step.name);
        match slots.iter().find(|slot| slot.name == *name) {
            Some(slot) => match coerce(value.clone(), &slot.data_type) {
                Ok(value) => drop(fitted.insert(name.clone(), value)),
                Err(error) => problems.push(problem(&path, &error.to_string(), None)),
            },
            None if open => drop(fitted.insert(name.clone(), value.clone())),
            None => {
                let near = nearest(name, slots.iter().map(|slot| slot.name.as_str()));
                problems.push(problem(&path, "is no output of the step's action", near));
            }
        }
    }
    if problems.is_empty() { Ok(fitted) } else { Err(problems) }
}

/// The value of a type that says least.
fn empty(data_type: &DataType) -> Value {
    match data_type {
        DataType::String => json!(""),
        DataType::Number | DataType::Integer => json!(0),
        DataType::Boolean => json!(false),
        DataType::Array(_) => json!([]),
        DataType::Object => json!({}),
        DataType::Record(fields) => {
            fields.iter().map(|field| (field.name.clone(), empty(&field.data_type))).collect()
        }
        DataType::Date | DataType::Any => Value::Null,
    }
}

fn problem(path: &str, problem: &str, near: Option<&str>) -> SampleProblem {
    SampleProblem {
        path: path.chars().take(200).collect(),
        problem: problem.to_owned(),
        hint: near.map(|near| format!("did you mean `{near}`?")),
    }
}
