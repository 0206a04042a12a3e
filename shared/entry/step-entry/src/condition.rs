//! Whether the condition of a step holds, and why it does not.

use countersign_plan::PlanStep;
use countersign_run::{CONDITION_FALSE, StepStatus};
use countersign_wiring::{Condition, Scope};

use crate::step_end::StepEnd;

/// A condition that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unmet {
    /// Which one, and why.
    pub(crate) message: String,
    /// Whether it hangs on values that cannot be compared: it may have been meant to hold.
    pub(crate) is_undecided: bool,
}

impl Unmet {
    /// How a step ends that is not done for it.
    pub(crate) fn ending(self, step: &PlanStep) -> StepEnd {
        if self.is_undecided {
            return StepEnd::undecided(step, self.message);
        }
        StepEnd::without_output(StepStatus::Skipped, CONDITION_FALSE, self.message)
    }
}

/// Why the step's condition is false, if it is. A condition that does not parse is false: it can only do less.
pub(crate) fn unmet(step: &PlanStep, scope: &Scope) -> Option<Unmet> {
    let text = step.condition.as_deref()?;
    let condition = Condition::parse(text).ok();
    if condition.as_ref().is_some_and(|condition| condition.holds(scope)) {
        return None;
    }
    let undecided = condition.and_then(|condition| condition.undecided(scope));
    let is_undecided = undecided.is_some();
    let why = undecided.map_or_else(String::new, |why| format!(": {why}"));
    Some(Unmet { message: format!("`{text}` does not hold{why}"), is_undecided })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn step(on_warning: &str) -> PlanStep {
        let step = json!({
            "name": "pay", "kind": "tool", "on_error": "stop", "after": [],
            "condition": "{bill.amount} > {limit}", "on_warning": on_warning,
        });
        serde_json::from_value(step).unwrap()
    }

    #[track_caller]
    fn check(amount: &str, expect: Option<&str>) {
        let step = step("gate");
        let bill = json!({ "amount": amount });
        let scope = Scope::new().with("bill", bill).with("limit", json!("10000.00"));
        let unmet = unmet(&step, &scope);
        assert_eq!(unmet.as_ref().map(|unmet| unmet.message.as_str()), expect);
        let Some(unmet) = unmet else { return };
        let is_undecided = unmet.is_undecided;
        let ending = unmet.ending(&step);
        assert_eq!(
            (ending.code.as_deref(), ending.warnings.is_some()),
            (Some(CONDITION_FALSE), is_undecided)
        );
        assert_eq!(is_undecided, amount.contains(','));
    }

    #[test]
    fn f_311_what_cannot_be_decided_asks_again_or_ends_the_run_as_its_author_says() {
        let ended = |on_warning: &str| {
            let unmet = Unmet { message: "why".to_owned(), is_undecided: true };
            unmet.ending(&step(on_warning))
        };
        let asks = |ending: &StepEnd| ending.warnings.as_ref().map(|warnings| warnings.asks);
        let gate = ended("gate");
        assert_eq!((gate.status, asks(&gate)), (StepStatus::Skipped, Some(true)));
        assert_eq!(gate.output["warnings"][0]["message"], "why");
        assert_eq!(asks(&ended("continue")), Some(false));
        let stop = ended("stop");
        assert_eq!(
            (stop.status, stop.code.as_deref()),
            (StepStatus::Failed, Some("WARNINGS_FOUND"))
        );
        assert!(stop.stops.is_some());
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
