//! What the runner of a step must be allowed to do, and whoever signs it.

use countersign_identity::{Requirement, Role};
use countersign_registry::{Contract, Registry};

use crate::model::{Plan, PlanStep, StepKind};

/// What a step asks of whoever started the run, at the moment it acts. A contract speaks of its action in general;
/// whether a call of a connector can be taken back depends on its endpoint, so an irreversible step asks at least for
/// the role `analyst`.
#[must_use]
pub fn requirement_of(step: &PlanStep, contract: &Contract) -> Requirement {
    let own = contract.requirement.clone();
    if step.irreversible || contract.irreversible { for_effect(own) } else { own }
}

impl Plan {
    /// What signing takes where `step` asks people: at least what doing takes, of every irreversible step behind the gate, also
    /// of one whose arguments are known only later; of a step that asks for itself, of that step. The role `reader` where
    /// nothing is irreversible. The start of a run asks this of those it names, and the request of whoever votes.
    #[must_use]
    pub fn requirement_to_sign(&self, step: &PlanStep, registry: &Registry) -> Requirement {
        let of_gate = |other: &&PlanStep| {
            let covers = step.gate.as_ref().is_some_and(|gate| gate.covers.contains(&other.name));
            covers || (other.irreversible && other.guard.as_ref() == Some(&step.name))
        };
        if step.kind != StepKind::Gate {
            return requirement_of_effect(step, registry);
        }
        let behind = self.steps.iter().filter(of_gate);
        behind
            .map(|step| requirement_of_effect(step, registry))
            .max_by_key(|requirement| requirement.required_role)
            .unwrap_or_else(|| Requirement::role(Role::Reader))
    }
}

/// As [`requirement_of`] of a step that is signed, and so is irreversible; also of an action that the registry does not have.
fn requirement_of_effect(step: &PlanStep, registry: &Registry) -> Requirement {
    match registry.get(&step.action) {
        Some(contract) => for_effect(contract.requirement.clone()),
        None => Requirement::role(Role::Analyst),
    }
}

fn for_effect(own: Requirement) -> Requirement {
    Requirement { required_role: own.required_role.max(Role::Analyst), ..own }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(action: &str, irreversible: bool, expect: Role) {
        let step = json!({
            "name": "a", "kind": "tool", "action": action, "on_error": "stop", "irreversible": irreversible, "after": [],
        });
        let step: PlanStep = serde_json::from_value(step).unwrap();
        let registry = Registry::builtin();
        let found = requirement_of(&step, registry.get(action).unwrap());
        assert_eq!(found.required_role, expect, "{action}, irreversible: {irreversible}");
    }

    #[test]
    fn k_25_an_irreversible_endpoint_asks_for_an_analyst() {
        let own = |action: &str| Registry::builtin().get(action).unwrap().requirement.required_role;
        assert!(own("call_connector") < Role::Analyst);
        check("call_connector", false, own("call_connector"));
        check("call_connector", true, Role::Analyst);
    }

    #[test]
    fn a_step_never_asks_for_less_than_its_contract() {
        for contract in Registry::builtin().iter() {
            let own = contract.requirement.required_role;
            check(&contract.name, false, own);
            check(&contract.name, true, own.max(Role::Analyst));
        }
    }
    fn step(value: serde_json::Value) -> PlanStep {
        serde_json::from_value(value).unwrap()
    }

    /// A plan of a gate `ask`, one step behind it and one before.
    fn plan(behind: &serde_json::Value) -> Plan {
        let mut gate =
            json!({ "prompt": "?", "preview_limit": 10, "on_reject": "stop", "quorum": 1 });
        if behind["kind"] == "tool" && behind["irreversible"] == true {
            gate["covers"] = json!([behind["name"]]);
        }
        let steps = json!([
            { "name": "look", "kind": "tool", "action": "call_connector", "on_error": "stop", "after": [] },
            { "name": "ask", "kind": "gate", "on_error": "stop", "after": ["look"], "gate": gate },
            behind,
        ]);
        let user = countersign_identity::UserId::from_bytes([1; 16]);
        serde_json::from_value(json!({
            "version": 1, "tenant": "acme", "run": countersign_run::RunId::from_bytes([1; 16]), "owner": user,
            "profile": "p", "playbook": { "id": "a", "version": "1.0.0", "digest": "" }, "context": "interactive",
            "inputs": {}, "steps": steps,
        }))
        .unwrap()
    }

    fn behind(kind: &str, action: &str, irreversible: bool) -> serde_json::Value {
        json!({
            "name": "act", "kind": kind, "action": action, "on_error": "stop", "irreversible": irreversible,
            "after": ["ask"], "guard": "ask",
        })
    }

    fn check_signing(asks: &str, behind: &serde_json::Value, expect: Role) {
        let plan = plan(behind);
        let found = plan.requirement_to_sign(plan.step(asks).unwrap(), &Registry::builtin());
        assert_eq!(found.required_role, expect, "{asks}: {behind}");
    }

    #[test]
    fn k_25_signing_a_call_takes_the_role_that_making_it_takes() {
        check_signing("ask", &behind("tool", "call_connector", true), Role::Analyst);
        // Its arguments are known later: it will ask for itself, and the gate's people are asked then.
        check_signing("ask", &behind("gated_tool", "call_connector", true), Role::Analyst);
        check_signing("act", &behind("gated_tool", "call_connector", true), Role::Analyst);
        check_signing("ask", &behind("gated_tool", "of_a_plugin", true), Role::Analyst);
        check_signing("ask", &behind("tool", "call_connector", false), Role::Reader);
        check_signing("ask", &behind("tool", "save_to_workspace", false), Role::Reader);
    }

    #[test]
    fn k_25_nobody_signs_with_less_than_any_step_that_is_signed_asks_for() {
        for contract in Registry::builtin().iter() {
            let own = contract.requirement.required_role.max(Role::Analyst);
            check_signing("ask", &behind("tool", &contract.name, true), own);
            let step = step(behind("gated_tool", &contract.name, true));
            assert!(requirement_of(&step, contract).required_role <= own, "{}", contract.name);
        }
    }
}
