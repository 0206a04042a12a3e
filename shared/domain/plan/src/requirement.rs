//! What the runner of a step must be allowed to do.

use countersign_identity::{Requirement, Role};
use countersign_registry::Contract;

use crate::model::PlanStep;

/// What a step asks of whoever started the run, at the moment it acts. A contract speaks of its action in general;
/// whether a call of a connector can be taken back depends on its endpoint, so an irreversible step asks at least for
/// the role `analyst`.
#[must_use]
pub fn requirement_of(step: &PlanStep, contract: &Contract) -> Requirement {
    let own = contract.requirement.clone();
    if !(step.irreversible || contract.irreversible) {
        return own;
    }
    Requirement { required_role: own.required_role.max(Role::Analyst), ..own }
}

#[cfg(test)]
mod tests {
    use countersign_registry::Registry;
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
}
