//! Results that do not exist, and who has to know before they sign what is made without them.

use std::collections::BTreeSet;

use countersign_playbook::{OnWarning, SUMMARY};
use countersign_run::StepWarnings;
use countersign_wiring::{Condition, references};
use serde_json::Value;

use crate::model::{Plan, PlanStep, StepKind};

/// Steps that a warning names; more are counted.
const MAX_NAMED: usize = 5;

impl Plan {
    /// The steps of models that go on without the result of a step that failed, so that what they write is without it.
    pub fn going_on_without<'p>(
        &'p self,
        step: &'p PlanStep,
    ) -> impl Iterator<Item = &'p PlanStep> {
        self.readers(step).filter(|reader| reader.allows_gaps)
    }

    /// What is told of a step that failed and with which the run goes on; nothing where nobody misses its result: no model goes on
    /// without it, and people sign nothing in this plan, or no other step reads it. The summary of the output is not meant: the
    /// output itself says what is missing.
    #[must_use]
    pub fn told_of_failed(&self, step: &PlanStep, code: &str) -> Option<StepWarnings> {
        let is_signed = self.steps.iter().any(signs);
        let readers: Vec<&PlanStep> = self.readers(step).collect();
        let is_missed =
            !readers.is_empty() && (is_signed || self.going_on_without(step).next().is_some());
        let lacks = self.lacks(step, &readers);
        let said =
            format!("`{}` failed ({code}): what follows is without its result{lacks}", step.name);
        is_missed.then(|| warning(step, said))
    }

    /// The same of a step that was held back `by` its gate, or by itself, when people refused what it asked: `why` is a clause such as
    /// ``the gate `ask` was denied``. What is held back with it is not done, so that it misses nothing; neither is what cannot be done
    /// without the result because of its condition. Nobody has to know where nobody signs what is made without it.
    #[must_use]
    pub fn told_of_held_back(
        &self,
        step: &PlanStep,
        by: &PlanStep,
        why: &str,
    ) -> Option<StepWarnings> {
        let name = &step.name;
        let held: BTreeSet<&str> = self.held_by(by).map(|held| held.name.as_str()).collect();
        let before = self.before(&step.name);
        let is_over = |one: &PlanStep| before.contains(one.name.as_str()) || one.name == by.name;
        let is_held = |one: &PlanStep| held.contains(one.name.as_str());
        let misses = |one: &&PlanStep| !is_held(one) && !needs_to_begin(one, name);
        let readers: Vec<&PlanStep> = self.readers(step).filter(misses).collect();
        let asks = |one: &&PlanStep| signs(one) && !is_held(one) && !is_over(one);
        let is_signed = self.steps.iter().filter(asks).any(|one| self.concerns(one, &readers));
        let lacks = self.lacks(step, &readers);
        let said = format!(
            "the result of `{name}` is missing, because {why}: what follows is without it{lacks}"
        );
        is_signed.then(|| warning(step, said))
    }

    /// Whether what is signed at a step is one of these steps, lets one go on, or comes after one.
    fn concerns(&self, signed: &PlanStep, readers: &[&PlanStep]) -> bool {
        let before = self.before(&signed.name);
        readers.iter().any(|reader| {
            let lets_go_on = reader.guard.as_ref() == Some(&signed.name);
            reader.name == signed.name || lets_go_on || before.contains(reader.name.as_str())
        })
    }

    /// The other steps that read the result of one.
    fn readers<'p>(&'p self, of: &'p PlanStep) -> impl Iterator<Item = &'p PlanStep> {
        let others = self.steps.iter();
        let others = others.filter(move |other| other.name != SUMMARY && other.name != of.name);
        others.filter(move |other| other.reads.contains(&of.name))
    }

    /// Which arguments of these steps are left without a result: `` (`note` of `pay`, `tell`)``.
    fn lacks(&self, step: &PlanStep, readers: &[&PlanStep]) -> String {
        let named = readers.iter().take(MAX_NAMED).map(|reader| {
            let arguments = self.arguments_from(reader, &step.name).join(", ");
            match arguments.is_empty() {
                true => format!("`{}`", reader.name),
                false => format!("{arguments} of `{}`", reader.name),
            }
        });
        let more = readers.len().saturating_sub(MAX_NAMED);
        let more = (more > 0).then(|| format!("and {more} more"));
        let all: Vec<String> = named.chain(more).collect();
        if all.is_empty() { String::new() } else { format!(" ({})", all.join("; ")) }
    }

    /// The inputs and params of a step that are made of the result of another, each as it is quoted.
    fn arguments_from(&self, reader: &PlanStep, step: &str) -> Vec<String> {
        let given = reader.inputs.iter().chain(&reader.params);
        let made = given.filter(|(_, value)| self.names(value, step));
        made.map(|(name, _)| format!("`{name}`")).collect()
    }

    /// Whether a value has a reference to the result of a step, perhaps among results that are put together.
    fn names(&self, value: &Value, step: &str) -> bool {
        references(value).iter().any(|reference| self.leads_to(reference.root(), step))
    }

    /// Whether a name is that of a step, or of results that are put together of which its is one.
    fn leads_to(&self, root: &str, step: &str) -> bool {
        let composed = self.composed.get(root).map(references).unwrap_or_default();
        root == step || composed.iter().any(|of| of.root() == step)
    }
}

/// Whether the condition of a step cannot hold without the result of another. Of results that are put together, one that there is
/// not is null, which is defined.
fn needs_to_begin(one: &PlanStep, step: &str) -> bool {
    let condition = one.condition.as_deref().and_then(|text| Condition::parse(text).ok());
    condition.is_some_and(|condition| condition.needs(&|reference| reference.root() == step))
}

/// Whether people sign at this step, or for it.
fn signs(step: &PlanStep) -> bool {
    step.kind != StepKind::Tool || step.irreversible
}

fn warning(step: &PlanStep, sentence: String) -> StepWarnings {
    StepWarnings::one(&step.name, sentence, step.on_warning == OnWarning::Gate)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn step(name: &str, kind: &str, guard: Option<&str>, reads: &[&str]) -> Value {
        let inputs: serde_json::Map<String, Value> = reads
            .iter()
            .map(|read| (format!("of_{read}"), json!(format!("{{{read}.data}}"))))
            .collect();
        json!({
            "name": name, "kind": kind, "on_error": "skip", "after": [], "guard": guard, "reads": reads,
            "inputs": inputs, "irreversible": kind == "gated_tool",
        })
    }

    /// A gate before two steps, and behind a second one a payment that reads both.
    fn plan(mut steps: Vec<Value>) -> Plan {
        for at in 1..steps.len() {
            steps[at]["after"] = json!([steps[at - 1]["name"]]);
        }
        serde_json::from_value(json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "2".repeat(32)), "profile": "prof", "context": "background", "inputs": {},
            "playbook": { "id": "pay", "version": "1.0.0", "digest": "" }, "steps": steps,
        }))
        .unwrap()
    }

    #[track_caller]
    fn check(plan: &Plan, name: &str, expect: Option<&str>) {
        let step = plan.step(name).unwrap();
        let by = step.guard.as_deref().and_then(|guard| plan.step(guard)).unwrap_or(step);
        let told = plan.told_of_held_back(step, by, "the gate `ask` was denied");
        let said = told.map(|told| told.first[0].clone());
        let expect = expect.map(|without| {
            format!("the result of `{name}` is missing, because the gate `ask` was denied: what follows is without it ({without})")
        });
        assert_eq!(said, expect, "{name}");
    }

    #[test]
    fn who_signs_later_is_told_what_a_gate_held_back_and_where_it_is_missing() {
        let held = [
            step("ask", "gate", None, &[]),
            step("look", "tool", Some("ask"), &[]),
            step("sum", "tool", Some("ask"), &["look"]),
        ];
        let later = [
            step("sure", "gate", None, &["sum"]),
            step("pay", "gated_tool", Some("sure"), &["look", "sum"]),
        ];
        let both = plan(held.iter().chain(&later).cloned().collect());
        check(&both, "look", Some("`of_look` of `pay`"));
        check(&both, "sum", Some("`of_sum` of `sure`; `of_sum` of `pay`"));
        // Steps that are held back themselves miss nothing, and without a later signature nobody has to know.
        check(&plan(held.to_vec()), "look", None);
        let unsigned = step("tell", "tool", None, &["look"]);
        check(&plan(held.iter().cloned().chain([unsigned]).collect()), "look", None);
        let unsigned = step("tell", "tool", None, &["look"]);
        let before = [held[0].clone(), held[1].clone(), step("sure", "gate", None, &[]), unsigned];
        check(&plan(before.to_vec()), "look", None);
        let mut knowing = step("sure", "gate", None, &["sum"]);
        knowing["condition"] = json!("{sum.data} is defined");
        check(&plan(held.iter().cloned().chain([knowing]).collect()), "sum", None);
        let unread = step("sure", "gate", None, &[]);
        check(&plan(held.iter().cloned().chain([unread]).collect()), "sum", None);
    }

    /// A payment that reads `notes`, which is held back, and has this condition: whether whoever signs it is told.
    #[track_caller]
    fn check_condition(condition: &str, is_told: bool) {
        let mut pay = step("pay", "gated_tool", None, &["notes"]);
        pay["condition"] = json!(condition);
        let held = [step("ask", "gate", None, &[]), step("notes", "tool", Some("ask"), &[])];
        let plan = plan(held.into_iter().chain([pay]).collect());
        check(&plan, "notes", is_told.then_some("`of_notes` of `pay`"));
    }

    #[test]
    fn a_condition_that_holds_without_a_result_does_not_hide_that_it_is_missing() {
        check_condition("NOT {notes.count} > 3", true);
        check_condition("{notes.data} is defined OR {amount} > 0", true);
        check_condition("{notes.x} is not defined", true);
        check_condition("{notes.data} is defined", false);
        check_condition("{notes.count} > 3 AND {amount} > 0", false);
    }

    #[test]
    fn a_step_that_asks_for_itself_and_is_denied_holds_only_itself_back() {
        let steps = vec![
            step("pay", "gated_tool", None, &[]),
            step("sure", "gate", None, &[]),
            step("tell", "gated_tool", Some("sure"), &["pay"]),
        ];
        check(&plan(steps.clone()), "pay", Some("`of_pay` of `tell`"));
        // Also where a gate before it was approved, and lets others go on.
        let mut steps = steps;
        steps.insert(0, step("ask", "gate", None, &[]));
        (steps[1]["guard"], steps[3]["guard"]) = (json!("ask"), json!("ask"));
        let plan = plan(steps);
        let pay = plan.step("pay").unwrap();
        let told = plan.told_of_held_back(pay, pay, "what it asked was denied").unwrap();
        let why =
            "because what it asked was denied: what follows is without it (`of_pay` of `tell`)";
        assert!(told.first[0].ends_with(why), "{told:?}");
    }

    #[test]
    fn a_failure_says_which_arguments_are_left_out() {
        let reader = step("pay", "gated_tool", None, &["notes"]);
        let plan = plan(vec![step("notes", "tool", None, &[]), reader]);
        let told = plan.told_of_failed(plan.step("notes").unwrap(), "HTTP_STATUS").unwrap();
        let expect = "`notes` failed (HTTP_STATUS): what follows is without its result (`of_notes` of `pay`)";
        assert_eq!(told.first, [expect]);
        assert_eq!(plan.told_of_failed(plan.step("pay").unwrap(), "HTTP_STATUS"), None);
        assert_eq!(plan.going_on_without(plan.step("notes").unwrap()).count(), 0);
    }

    #[test]
    fn r_027_a_model_that_allows_it_goes_on_without_a_result() {
        let mut tells = step("tell", "tool", None, &["notes"]);
        tells["allows_gaps"] = json!(true);
        let plan = plan(vec![step("notes", "tool", None, &[]), tells]);
        let notes = plan.step("notes").unwrap();
        assert_eq!(plan.going_on_without(notes).count(), 1);
        assert!(plan.told_of_failed(notes, "STEP_TIMEOUT").is_some());
        assert_eq!(plan.going_on_without(plan.step("tell").unwrap()).count(), 0);
    }
}
