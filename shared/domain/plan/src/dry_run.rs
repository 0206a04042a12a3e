//! Plans of tests: whatever would have an effect is replaced by something that stands in for it (K-46).

use std::borrow::Cow;

use countersign_playbook::{Bindings, ForEach};
use countersign_registry::{
    CALL_CONNECTOR, Contract, DataType, OutputSchema, Registry, Slot, nearest, record_of,
};
use countersign_run::DryRun;
use countersign_wiring::coerce;
use serde_json::{Map, Value, json};

use crate::check::MAX_STEPS;
use crate::for_each;
use crate::model::{Plan, PlanStep, StandIn, StandInSource, StepKind};

/// The Lambda that hosts what only computes: it has no rights but those of every step, so it stands in for all others.
pub(crate) const COMPUTING: &str = "tool-data";

/// Problems told of one kind; more help nobody.
const MAX_TOLD: usize = 20;

/// Outputs a sample may have.
const MAX_SLOTS: usize = 500;

/// What a test is made with.
#[derive(Debug, Clone, Copy)]
pub struct DryRunContext<'a> {
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
#[error("`{path}`: {problem}")]
pub struct SampleProblem {
    /// The step, or `step.slot`.
    pub path: String,
    /// What is wrong.
    pub problem: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl DryRunContext<'_> {
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
            let asks = self.registry.get(&step.action).is_some_and(|contract| contract.uses_llm);
            replace(step, stand_in, asks);
        }
        Ok(())
    }

    /// Samples of steps the plan does not have.
    fn unknown(&self, plan: &Plan) -> Vec<SampleProblem> {
        if self.samples.len() > MAX_STEPS {
            let message = format!("are {}, more than a playbook has steps", self.samples.len());
            return vec![problem("", &message, None)];
        }
        let names = || plan.steps.iter().map(|step| step.name.as_str());
        let unknown = self.samples.keys().filter(|name| plan.step(name).is_none());
        let told = unknown.take(MAX_TOLD).map(|name| {
            let near = nearest(name, names());
            problem(name, "is not a step of this playbook that can have a sample", near)
        });
        told.collect()
    }

    fn stand_in(&self, step: &PlanStep) -> Result<Option<StandIn>, Vec<SampleProblem>> {
        let sample = self.samples.get(&step.name);
        if step.kind == StepKind::Gate {
            return gate(&step.name, sample).map(Some).map_err(|problem| vec![problem]);
        }
        let contract = self.registry.get(&step.action);
        let slots = &*self.outputs(step, contract);
        let blank = || slots.iter().map(|slot| (slot.name.clone(), empty(&slot.data_type)));
        if let Some(sample) = sample {
            let open = contract.is_none_or(Contract::is_open) && step.for_each.is_none();
            let given = fitting(&step.name, sample, slots, open)?;
            let mut output: Map<String, Value> = blank().collect();
            output.extend(counted(slots, &given));
            if step.for_each.is_some() {
                output.extend(for_each::statuses(&given));
            }
            output.extend(given);
            return Ok(Some(StandIn { source: StandInSource::Sample, output }));
        }
        if !self.acts(step, contract) {
            return Ok(None);
        }
        if self.is_nowhere(step) {
            let message = "has no sample, and there is no connector of its name";
            return Err(vec![problem(&step.name, message, None)]);
        }
        Ok(Some(StandIn { source: StandInSource::Blank, output: blank().collect() }))
    }

    /// Whether the step does what a test of this kind must not: an effect, or asking a model, which costs and sends the data away.
    fn acts(&self, step: &PlanStep, contract: Option<&Contract>) -> bool {
        let rehearses = |contract: &Contract| contract.rehearses && self.mode == DryRun::Reads;
        let effect = |contract: &Contract| contract.writes && !rehearses(contract);
        step.irreversible
            || contract.is_none_or(|of| of.irreversible || of.uses_llm || effect(of))
            || (self.mode == DryRun::Samples && step.function != COMPUTING)
    }

    /// Whether a call goes to a connector that nobody has. Where an agent is tested, compiling has asked that.
    fn is_nowhere(&self, step: &PlanStep) -> bool {
        let connector = step.params.get("connector").and_then(Value::as_str).unwrap_or_default();
        self.mode == DryRun::Samples
            && step.action == CALL_CONNECTOR
            && self.endpoints.endpoints(connector).is_none()
    }

    fn outputs<'s>(&'s self, step: &PlanStep, contract: Option<&'s Contract>) -> Cow<'s, [Slot]> {
        let declared = step.output_schema.as_ref().map(OutputSchema::data_type);
        if let Some(DataType::Record(fields)) = declared {
            return Cow::Owned(fields.into_iter().map(Slot::from).collect());
        }
        let of_call = self.outputs_of_call(step, contract);
        if step.for_each.is_none() {
            return Cow::Borrowed(of_call);
        }
        // What is not known of an answer can be anything, also nothing.
        let known = !of_call.is_empty();
        Cow::Owned(ForEach::outputs(if known { record_of(of_call) } else { DataType::Any }))
    }

    fn outputs_of_call<'s>(
        &'s self,
        step: &PlanStep,
        contract: Option<&'s Contract>,
    ) -> &'s [Slot] {
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
/// Whoever would ask a model (`asks`) says what it would ask.
fn replace(step: &mut PlanStep, stand_in: Option<StandIn>, asks: bool) {
    if let Some(gate) = &mut step.gate {
        gate.covers.clear();
    }
    if stand_in.is_some() && step.kind != StepKind::Gate {
        step.kind = StepKind::Tool;
        if !asks {
            COMPUTING.clone_into(&mut step.function);
        }
        step.irreversible = false;
        step.covered_by = None;
    }
    step.stand_in = stand_in;
}

/// What a gate of a test was decided: as its sample says, else approved. Nobody is asked and nothing is signed.
fn gate(name: &str, sample: Option<&Value>) -> Result<StandIn, SampleProblem> {
    let approved = json!({ "decision": "approved" });
    let source = if sample.is_some() { StandInSource::Sample } else { StandInSource::Blank };
    let decided = sample.unwrap_or(&approved);
    let word = decided.get("decision").and_then(Value::as_str);
    let known = matches!(word, Some("approved" | "denied" | "timed_out"));
    match decided {
        Value::Object(output) if known && output.len() == 1 => {
            Ok(StandIn { source, output: output.clone() })
        }
        _ => {
            let message =
                "is a gate: its sample is its `decision`, one of approved, denied, timed_out";
            Err(problem(name, message, None))
        }
    }
}

/// The slots of a sample, each with its type. What an endpoint answers beside its schema is taken as it is, unless it is
/// nearly the name of a slot.
fn fitting(
    step: &str,
    sample: &Value,
    slots: &[Slot],
    open: bool,
) -> Result<Map<String, Value>, Vec<SampleProblem>> {
    let Value::Object(given) = sample else {
        return Err(vec![problem(step, "must be an object: the output of the step", None)]);
    };
    if given.len() > MAX_SLOTS {
        return Err(vec![problem(step, "has more outputs than any step", None)]);
    }
    let mut fitted = Map::new();
    let mut problems = Vec::new();
    for (name, value) in given {
        let path = format!("{step}.{name}");
        if let Some(slot) = slots.iter().find(|slot| slot.name == *name) {
            match coerce(value.clone(), &slot.data_type) {
                Ok(value) => drop(fitted.insert(name.clone(), value)),
                Err(error) => problems.push(problem(&path, &error.to_string(), None)),
            }
            continue;
        }
        let near = nearest(name, slots.iter().map(|slot| slot.name.as_str()));
        if open && near.is_none() {
            fitted.insert(name.clone(), value.clone());
        } else {
            problems.push(problem(&path, "is not an output of this step", near));
        }
        if problems.len() >= MAX_TOLD {
            break;
        }
    }
    if problems.is_empty() { Ok(fitted) } else { Err(problems) }
}

/// The `count` of a sample that leaves it out: that of its records.
fn counted(slots: &[Slot], given: &Map<String, Value>) -> Option<(String, Value)> {
    slots.iter().find(|slot| slot.name == "count" && !given.contains_key("count"))?;
    let records = given.values().find_map(Value::as_array)?;
    Some(("count".to_owned(), records.len().into()))
}

/// The value of a type that says least.
fn empty(data_type: &DataType) -> Value {
    match data_type {
        DataType::String => json!(""),
        DataType::Number | DataType::Integer => json!(0),
        DataType::Decimal => json!("0"),
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
