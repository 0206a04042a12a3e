//! Stages: Kahn's algorithm over the edges of a plan (R-038…R-040).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::PlanError;
use crate::model::{Plan, PlanStep, StepKind};

/// What the machine sees of a step: ids only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor {
    /// The step's name.
    pub id: String,
    /// How to treat it.
    pub kind: StepKind,
    /// The full name of the Lambda; empty for a gate.
    pub function: String,
    /// The plan's seal.
    pub seal: String,
    /// Whether it makes one call for each item of a list, over as many invocations as that takes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each: bool,
    /// Steps that the same Lambda carries out behind it, one after the other: each is the only one of its stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<String>,
    /// Of a step whose model may ask for tools: the full names of the Lambdas that host them, by action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<BTreeMap<String, String>>,
}

/// The stage of each step by its name, from 1; empty for a plan that has none.
#[must_use]
pub fn stage_numbers(plan: &Plan) -> BTreeMap<String, usize> {
    // A plan that was sealed has stages.
    let stages = stages(plan).unwrap_or_default();
    let of_stage = |(n, steps): (usize, Vec<&PlanStep>)| {
        steps.into_iter().map(|step| (step.name.clone(), n)).collect::<Vec<_>>()
    };
    (1..).zip(stages).flat_map(of_stage).collect()
}

/// Groups the steps into stages: a step is in the stage after the last of the steps it waits for. Listed order is kept
/// inside a stage.
///
/// # Errors
/// [`PlanError::UnknownStep`] for an edge to nowhere, [`PlanError::Cycle`] for what is left when no step is free.
pub fn stages(plan: &Plan) -> Result<Vec<Vec<&PlanStep>>, PlanError> {
    let place: BTreeMap<&str, usize> =
        plan.steps.iter().enumerate().map(|(i, step)| (step.name.as_str(), i)).collect();
    let mut waiting: Vec<usize> = Vec::with_capacity(plan.steps.len());
    let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); plan.steps.len()];
    for (i, step) in plan.steps.iter().enumerate() {
        for name in &step.after {
            let unknown =
                || PlanError::UnknownStep { step: step.name.clone(), named: name.clone() };
            dependents[*place.get(name.as_str()).ok_or_else(unknown)?].push(i);
        }
        waiting.push(step.after.len());
    }
    let mut stages = Vec::new();
    let mut free: Vec<usize> = (0..plan.steps.len()).filter(|&i| waiting[i] == 0).collect();
    let mut placed = 0;
    while !free.is_empty() {
        placed += free.len();
        let mut next = Vec::new();
        for &i in &free {
            for &dependent in &dependents[i] {
                waiting[dependent] -= 1;
                if waiting[dependent] == 0 {
                    next.push(dependent);
                }
            }
        }
        next.sort_unstable();
        stages.push(free.iter().map(|&i| &plan.steps[i]).collect());
        free = next;
    }
    if placed < plan.steps.len() {
        let left = (0..plan.steps.len())
            .filter(|&i| waiting[i] > 0)
            .map(|i| plan.steps[i].name.clone())
            .collect();
        return Err(PlanError::Cycle { steps: left });
    }
    Ok(stages)
}

/// The stages as the machine gets them; `prefix` completes a function's folder to its name.
///
/// # Errors
/// As [`stages`].
pub fn descriptors(
    plan: &Plan,
    seal: &str,
    prefix: &str,
) -> Result<Vec<Vec<Descriptor>>, PlanError> {
    let describe = |step: &&PlanStep| Descriptor {
        id: step.name.clone(),
        kind: step.kind,
        function: if step.function.is_empty() {
            String::new()
        } else {
            format!("{prefix}{}", step.function)
        },
        seal: seal.to_owned(),
        each: step.for_each.is_some(),
        then: Vec::new(),
        tools: step.tools.as_ref().map(|tools| {
            let allowed = tools.allowed.iter();
            allowed
                .map(|tool| (tool.name().into_owned(), format!("{prefix}{}", tool.function)))
                .collect()
        }),
    };
    Ok(stages(plan)?.iter().map(|stage| stage.iter().map(describe).collect()).collect())
}

/// So many steps follow another in one invocation at most.
const MAX_THEN: usize = 24;

/// The same stages where those of one step each that the same function carries out are one, if there are such. `follows` says of an
/// action whether its steps may be part of that.
#[must_use]
pub fn chained(
    plan: &Plan,
    stages: &[Vec<Descriptor>],
    follows: impl Fn(&str) -> bool,
) -> Option<Vec<Vec<Descriptor>>> {
    let single = |stage: &[Descriptor]| {
        let [only] = stage else { return false };
        plan.step(&only.id).is_some_and(|step| step.is_chained() && follows(&step.action))
    };
    let mut joined: Vec<Vec<Descriptor>> = Vec::new();
    let mut is_open = false;
    for stage in stages {
        let is_single = single(stage);
        let before = joined.last_mut().and_then(|stage| stage.first_mut());
        let before = before.filter(|before| {
            let is_same = stage.first().is_some_and(|own| own.function == before.function);
            is_open && is_single && is_same && before.then.len() < MAX_THEN
        });
        match before {
            Some(before) => before.then.extend(stage.iter().map(|own| own.id.clone())),
            None => joined.push(stage.clone()),
        }
        is_open = is_single;
    }
    (joined.len() < stages.len()).then_some(joined)
}

impl PlanStep {
    /// Whether it may be carried out in one invocation with those before and behind it: one call, which can be taken back, and which
    /// nobody is asked about.
    #[must_use]
    pub const fn is_chained(&self) -> bool {
        matches!(self.kind, StepKind::Tool)
            && !self.irreversible
            && self.for_each.is_none()
            && self.tools.is_none()
    }
}
