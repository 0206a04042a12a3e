//! Whether the condition of a step holds, and why it does not.

use countersign_plan::PlanStep;
use countersign_wiring::{Condition, Scope};

/// Why the step's condition is false, if it is. A condition that does not parse is false: it can only do less.
pub(crate) fn why_false(step: &PlanStep, scope: &Scope) -> Option<String> {
    let text = step.condition.as_deref()?;
    let condition = Condition::parse(text).ok();
    if condition.as_ref().is_some_and(|condition| condition.holds(scope)) {
        return None;
    }
    let undecided = condition.and_then(|condition| condition.undecided(scope));
    let why = undecided.map_or_else(String::new, |why| format!(": {why}"));
    Some(format!("`{text}` does not hold{why}"))
}

#[cfg(test)]
mod tests {
    use countersign_plan::PlanStep;
    use countersign_wiring::Scope;
    use serde_json::json;

    use super::why_false;

    #[track_caller]
    fn check(amount: &str, expect: Option<&str>) {
        let step: PlanStep = serde_json::from_value(json!({
            "name": "pay", "kind": "tool", "on_error": "stop", "after": [],
            "condition": "{bill.amount} > {limit}",
        }))
        .unwrap();
        let bill = json!({ "amount": amount });
        let scope = Scope::new().with("bill", bill).with("limit", json!("10000.00"));
        assert_eq!(why_false(&step, &scope).as_deref(), expect);
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        check("10000.01", None);
        check("10.00", Some("`{bill.amount} > {limit}` does not hold"));
        check(
            "90,000.00",
            Some(
                "`{bill.amount} > {limit}` does not hold: `90,000.00` cannot be compared with `10000.00`",
            ),
        );
    }
}
