//! From a valid playbook to a plan.
//!
//! A playbook is a chain in listed order (F-151); only `parallel` makes a stage wider than one. A gate is an edge to
//! every later step up to the next gate, and signs every irreversible step behind it whose arguments are known when it
//! opens; the others sign for themselves.

use std::collections::{BTreeMap, BTreeSet};

use countersign_identity::UserId;
use countersign_playbook::{self as playbook, Bindings, OnWarning, ValidPlaybook};
use countersign_registry::BackoffMultiplier;
use countersign_run::{RunContext, RunId};
use countersign_wiring::{Condition, Reference, Template, references};
use serde_json::{Map, Value};

use crate::any_kind::of_any_kind;
use crate::confirm::{self, Asked};
use crate::model::{Gate, OnReject, Origin, Plan, PlanStep, StepKind};
use crate::spare::spare;
use crate::tools;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The deployment.
    pub tenant: String,
    /// The run.
    pub run: RunId,
    /// Whose records.
    pub owner: UserId,
    /// The profile.
    pub profile: String,
    /// How the run came about.
    pub context: RunContext,
    /// The playbook's variables with their values.
    pub inputs: Map<String, Value>,
}

/// Makes the plan of a run that follows `playbook`.
#[must_use]
pub fn plan(playbook: &ValidPlaybook, request: Request) -> Plan {
    let mut chain = Chain::of(playbook, &request.inputs);
    for step in &playbook.steps {
        chain.add(step);
    }
    let composed = chain.used(playbook.output.as_ref());
    let mut steps = chain.steps;
    sign(&mut steps);
    heed(&mut steps, &chain.unsaid);
    spare(&mut steps);
    Plan {
        version: 1,
        tenant: request.tenant,
        run: request.run,
        owner: request.owner,
        profile: request.profile,
        playbook: Origin {
            id: playbook.id.clone(),
            version: playbook.version.clone(),
            digest: playbook.digest.clone(),
        },
        context: request.context,
        dry_run: None,
        always_asks: playbook.always_asks(),
        inputs: request.inputs,
        composed,
        steps,
        output: playbook.output.clone(),
    }
}

/// The chain while it grows.
struct Chain<'p> {
    /// What the playbook's variables are worth.
    inputs: &'p Map<String, Value>,
    /// The names of the playbook's steps.
    names: BTreeSet<&'p str>,
    /// Values of several results, by name.
    composed: Map<String, Value>,
    steps: Vec<PlanStep>,
    /// The steps the next one waits for.
    last: Vec<String>,
    /// The gate the next one lies behind.
    gate: Option<String>,
    /// The steps whose author does not say what their warnings mean.
    unsaid: BTreeSet<String>,
}

impl<'p> Chain<'p> {
    fn of(playbook: &'p ValidPlaybook, inputs: &'p Map<String, Value>) -> Self {
        let parallel = |step: &playbook::Step| match &step.kind {
            playbook::StepKind::Parallel { steps, .. } => Some((step.name.clone(), results(steps))),
            _ => None,
        };
        Self {
            inputs,
            names: playbook.all_steps().map(|step| step.name.as_str()).collect(),
            composed: playbook.all_steps().filter_map(parallel).collect(),
            steps: Vec::new(),
            last: Vec::new(),
            gate: None,
            unsaid: BTreeSet::new(),
        }
    }

    /// The values of several results that a gate shows or the output names.
    fn used(&self, output: Option<&playbook::OutputDecl>) -> Map<String, Value> {
        let gates =
            self.steps.iter().filter_map(|step| step.gate.as_ref()?.preview_from.as_deref());
        let sections = output.iter().flat_map(|output| &output.sections);
        let named: BTreeSet<&str> =
            gates.chain(sections.map(|section| section.source.as_str())).collect();
        let composed = self.composed.iter().filter(|(name, _)| named.contains(name.as_str()));
        composed.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn add(&mut self, step: &playbook::Step) {
        let members = leaves(step);
        let after = self.last.clone();
        let condition = if matches!(step.kind, playbook::StepKind::Parallel { .. }) {
            step.condition.clone()
        } else {
            None
        };
        for member in &members {
            if member.on_warning.is_none() {
                self.unsaid.insert(member.name.clone());
            }
            let mut planned = self.planned(member, &after, condition.as_deref());
            if let Some(asked) = confirm::asked(&planned, self.inputs) {
                let gate = self.asks_first(&mut planned, asked);
                self.steps.push(gate);
            }
            self.steps.push(planned);
        }
        self.last = members.iter().map(|member| member.name.clone()).collect();
        if matches!(step.kind, playbook::StepKind::Approval { .. }) {
            self.gate = Some(step.name.clone());
        }
    }

    fn planned(
        &self,
        step: &playbook::Step,
        after: &[String],
        group_condition: Option<&str>,
    ) -> PlanStep {
        let mut planned = PlanStep {
            condition: both(group_condition, step.condition.as_deref()),
            after: after.to_vec(),
            guard: self.gate.clone(),
            ..of_any_kind(step)
        };
        match &step.kind {
            playbook::StepKind::Action {
                action,
                inputs,
                params,
                irreversible,
                function,
                output_schema,
                allow_missing,
                model,
                ..
            } => {
                planned.action.clone_from(action);
                planned.function.clone_from(function);
                planned.inputs.clone_from(inputs);
                planned.params.clone_from(params);
                planned.irreversible = *irreversible;
                planned.output_schema.clone_from(output_schema);
                planned.allows_gaps = *allow_missing;
                planned.model.clone_from(model);
                planned.tools = tools::of(action, params, &Bindings::none());
            }
            playbook::StepKind::Approval { .. } => {
                planned.kind = StepKind::Gate;
                // A gate is never behind another: refusing one leaves the next to ask for itself.
                planned.guard = None;
                planned.gate = gate(&step.kind);
            }
            playbook::StepKind::Parallel { .. } => {}
        }
        planned.reads = self.reads(&planned);
        planned
    }

    /// Puts a gate before a step that writes only what people have confirmed, and before nothing else: whoever denies it
    /// leaves out this step.
    fn asks_first(&mut self, step: &mut PlanStep, asked: Asked) -> PlanStep {
        let name = self.free_name(&format!("{}_confirm", step.name));
        let preview_from = asked.reference.unwrap_or_else(|| {
            self.composed.insert(name.clone(), asked.data);
            name.clone()
        });
        let mut gate = PlanStep {
            name: name.clone(),
            description: format!("Asks before `{}` writes.", step.name),
            kind: StepKind::Gate,
            action: String::new(),
            function: String::new(),
            inputs: Map::new(),
            params: Map::new(),
            on_warning: OnWarning::default(),
            retries: 0,
            backoff_multiplier: BackoffMultiplier::default(),
            timeout_seconds: None,
            output_schema: None,
            model: None,
            tools: None,
            gate: Some(confirm::gate(asked.prompt, preview_from)),
            ..step.clone()
        };
        gate.reads = self.reads(&gate);
        step.after = vec![name.clone()];
        step.guard = Some(name);
        gate
    }

    fn free_name(&self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.names.contains(name.as_str()) {
            name.push('_');
        }
        name
    }

    /// The earlier steps that the references of a step name.
    fn reads(&self, step: &PlanStep) -> Vec<String> {
        let known: BTreeSet<&str> = self.steps.iter().map(|step| step.name.as_str()).collect();
        let named = named(step).into_iter().flat_map(|root| match self.composed.get(&root) {
            Some(value) => roots(value),
            None => vec![root],
        });
        let roots: BTreeSet<String> = named.filter(|root| known.contains(root.as_str())).collect();
        roots.into_iter().collect()
    }
}

/// The results of sub-steps as one object, by their keys.
fn results(steps: &[playbook::Step]) -> Value {
    let result = |step: &playbook::Step| match &step.kind {
        playbook::StepKind::Parallel { steps, output_key } => {
            (key(step, output_key), results(steps))
        }
        playbook::StepKind::Action { output_key, .. } => (key(step, output_key), whole(step)),
        playbook::StepKind::Approval { .. } => (step.name.clone(), whole(step)),
    };
    steps.iter().map(result).collect::<Map<_, _>>().into()
}

fn key(step: &playbook::Step, output_key: &Option<String>) -> String {
    output_key.clone().unwrap_or_else(|| step.name.clone())
}

fn whole(step: &playbook::Step) -> Value {
    format!("{{{}}}", step.name).into()
}

/// A step itself, or the members of a parallel one.
fn leaves(step: &playbook::Step) -> Vec<&playbook::Step> {
    match &step.kind {
        playbook::StepKind::Parallel { steps, .. } => steps.iter().flat_map(leaves).collect(),
        _ => vec![step],
    }
}

fn both(group: Option<&str>, own: Option<&str>) -> Option<String> {
    match (group, own) {
        (Some(group), Some(own)) => Some(format!("({group}) AND ({own})")),
        (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
        (None, None) => None,
    }
}

fn gate(kind: &playbook::StepKind) -> Option<Gate> {
    let playbook::StepKind::Approval {
        preview_from,
        preview_limit,
        preview_columns,
        prompt,
        timeout_minutes,
        escalation,
        on_reject,
        approvers,
        quorum,
        assurance,
        revise,
    } = kind
    else {
        return None;
    };
    Some(Gate {
        prompt: prompt.clone(),
        preview_from: preview_from.clone(),
        preview_limit: *preview_limit,
        preview_columns: preview_columns.clone(),
        timeout_minutes: *timeout_minutes,
        escalation: escalation.clone(),
        on_reject: match on_reject {
            playbook::OnReject::Stop => OnReject::Stop,
            playbook::OnReject::Skip => OnReject::Skip,
        },
        approvers: approvers.clone(),
        quorum: *quorum,
        assurance: assurance.map(|assurance| <&str>::from(assurance).to_owned()),
        covers: Vec::new(),
        revise: revise.clone(),
    })
}

/// The roots of every reference in a step. What does not parse names nothing; compiling has refused it long before.
fn named(step: &PlanStep) -> Vec<String> {
    let mut found = roots(&Value::Object(step.inputs.clone()));
    found.extend(roots(&Value::Object(step.params.clone())));
    if let Some(Ok(condition)) = step.condition.as_deref().map(Condition::parse) {
        found.extend(
            condition.references().into_iter().map(|reference| reference.root().to_owned()),
        );
    }
    if let Some(each) = &step.for_each {
        found.extend(Reference::parse(&each.list).ok().map(|list| list.root().to_owned()));
        found.extend(each.key.iter().flat_map(|key| roots(&Value::String(key.clone()))));
    }
    if let Some(gate) = &step.gate {
        if let Ok(prompt) = Template::parse(&gate.prompt) {
            found.extend(prompt.references().map(|reference| reference.root().to_owned()));
        }
        if let Some(Ok(preview)) = gate.preview_from.as_deref().map(Reference::parse) {
            found.push(preview.root().to_owned());
        }
    }
    found
}

fn roots(value: &Value) -> Vec<String> {
    references(value).iter().map(|reference| reference.root().to_owned()).collect()
}

/// Warnings of a step with an irreversible one behind it have to be signed, unless its author says otherwise.
fn heed(steps: &mut [PlanStep], unsaid: &BTreeSet<String>) {
    let Some(last) = steps.iter().rfind(|step| step.irreversible) else { return };
    let stage = last.after.clone();
    let before = steps.iter_mut().take_while(|step| step.after != stage);
    for step in before.filter(|step| step.kind != StepKind::Gate && unsaid.contains(&step.name)) {
        step.on_warning = OnWarning::Gate;
    }
}

/// Decides who signs each irreversible step: its gate, if what it reads is all known when the gate opens, else itself.
fn sign(steps: &mut [PlanStep]) {
    let place: BTreeMap<String, usize> =
        steps.iter().enumerate().map(|(i, step)| (step.name.clone(), i)).collect();
    let mut covers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for step in steps.iter_mut().filter(|step| step.irreversible) {
        let known = |gate: &String| step.reads.iter().all(|read| place.get(read) < place.get(gate));
        match step.guard.clone().filter(known) {
            Some(gate) => {
                covers.entry(gate.clone()).or_default().push(step.name.clone());
                step.covered_by = Some(gate);
            }
            None => step.kind = StepKind::GatedTool,
        }
    }
    for step in steps.iter_mut() {
        if let (Some(gate), Some(covered)) = (&mut step.gate, covers.remove(&step.name)) {
            gate.covers = covered;
        }
    }
}
