//! Plans of random playbooks: stages respect edges, gates dominate, tests have no effect.

use countersign_playbook as playbook;
use countersign_run::DryRun;
use proptest::prelude::*;
use serde_json::json;

use super::{action, approval, planned, rehearsed, step};
use crate::{Plan, StepKind, check, stages};

/// What a random step is: an action (reversible or not, reading an earlier step or nothing), a gate, or two side by side.
#[derive(Debug, Clone)]
enum Shape {
    Action { irreversible: bool, reads: Option<prop::sample::Index> },
    Gate,
    Both { first: bool, second: bool },
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        4 => (any::<bool>(), proptest::option::of(any::<prop::sample::Index>())).prop_map(|(irreversible, reads)| Shape::Action { irreversible, reads }),
        2 => Just(Shape::Gate),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(first, second)| Shape::Both { first, second }),
    ]
}

fn build(shapes: &[Shape]) -> Plan {
    let mut names: Vec<String> = Vec::new();
    let mut steps = Vec::new();
    for (i, shape) in shapes.iter().enumerate() {
        let name = format!("s{i}");
        match shape {
            Shape::Action { irreversible, reads } => {
                let read =
                    reads.filter(|_| !names.is_empty()).map(|reads| reads.get(&names).clone());
                steps.push(step(&name, action(*irreversible, read.as_deref())));
                names.push(name);
            }
            Shape::Gate => steps.push(step(&name, approval())),
            Shape::Both { first, second } => {
                let (a, b) = (format!("{name}a"), format!("{name}b"));
                let members = vec![step(&a, action(*first, None)), step(&b, action(*second, None))];
                steps.push(step(
                    &name,
                    playbook::StepKind::Parallel { steps: members, output_key: None },
                ));
                names.extend([a, b]);
            }
        }
    }
    planned(steps)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_plan_of_a_playbook_is_accepted_and_signs_for_every_effect(shapes in prop::collection::vec(shape(), 1..20)) {
        let plan = build(&shapes);
        prop_assert_eq!(check(&plan), Ok(()));
        for step in plan.steps.iter().filter(|step| step.irreversible) {
            prop_assert!(step.kind == StepKind::GatedTool || step.covered_by.is_some());
        }
    }

    #[test]
    fn k_46_a_test_of_any_plan_has_no_effect_and_asks_nobody(shapes in prop::collection::vec(shape(), 1..20), reads in any::<bool>()) {
        let plan = build(&shapes);
        let mode = if reads { DryRun::Reads } else { DryRun::Samples };
        let tested = rehearsed(&plan, mode, &json!({})).unwrap();
        prop_assert_eq!(check(&tested), Ok(()));
        prop_assert_eq!(tested.order(), plan.order());
        for (step, before) in tested.steps.iter().zip(&plan.steps) {
            prop_assert!(!step.irreversible && step.kind != StepKind::GatedTool && step.covered_by.is_none());
            let is_gate = before.kind == StepKind::Gate;
            prop_assert_eq!(step.stand_in.is_some(), before.irreversible || is_gate);
            prop_assert!(step.kind == StepKind::Gate || step.function == "tool-data");
        }
    }

    #[test]
    fn a_step_comes_in_a_later_stage_than_what_it_waits_for(shapes in prop::collection::vec(shape(), 1..20)) {
        let plan = build(&shapes);
        let stages = stages(&plan).unwrap();
        let stage_of = |name: &str| stages.iter().position(|stage| stage.iter().any(|step| step.name == name)).unwrap();
        for step in &plan.steps {
            for before in &step.after {
                prop_assert!(stage_of(before) < stage_of(&step.name));
            }
        }
        prop_assert_eq!(stages.iter().map(Vec::len).sum::<usize>(), plan.steps.len());
    }

    #[test]
    fn cutting_an_edge_behind_a_gate_never_frees_an_effect(shapes in prop::collection::vec(shape(), 2..16), cut in any::<prop::sample::Index>()) {
        let mut plan = build(&shapes);
        let at = cut.index(plan.steps.len());
        plan.steps[at].after.clear();
        // Whatever was cut: either every covered effect is still behind its gate on every path, or the plan is refused.
        if check(&plan).is_ok() {
            for step in plan.steps.iter().filter(|step| step.irreversible && step.kind == StepKind::Tool) {
                let gate = step.covered_by.clone().unwrap();
                prop_assert!(reachable_only_through(&plan, &gate, &step.name));
            }
        }
    }
}

/// Whether every path from a first step to `to` passes `gate`: a plain search with the gate taken out.
fn reachable_only_through(plan: &Plan, gate: &str, to: &str) -> bool {
    let mut open: Vec<&str> = plan
        .steps
        .iter()
        .filter(|step| step.after.is_empty() && step.name != gate)
        .map(|step| step.name.as_str())
        .collect();
    let mut seen = open.clone();
    while let Some(name) = open.pop() {
        if name == to {
            return false;
        }
        for next in plan
            .steps
            .iter()
            .filter(|step| step.after.iter().any(|before| before == name) && step.name != gate)
        {
            if !seen.contains(&next.name.as_str()) {
                seen.push(&next.name);
                open.push(&next.name);
            }
        }
    }
    true
}
