//! Steps with `for_each` in plans of tests: nothing is called, so nothing is called once for each item.

use countersign_playbook::ForEach;
use countersign_wiring::{Reference, map_references};
use serde_json::{Map, Value};

use crate::model::PlanStep;

/// Makes the step one that stands in for all its calls: what is wired to a field of the item is wired to that field of
/// every item, so that the test shows what would be sent.
pub(crate) fn projected(step: &mut PlanStep) {
    let Some(each) = step.for_each.take() else { return };
    let every = |reference: &Reference| every(&each, reference).unwrap_or(reference.clone());
    for value in step.inputs.values_mut() {
        if let Ok(wired) = map_references(value, &every) {
            *value = wired;
        }
    }
}

/// `{item.amount}` as `{vendors.data[*].amount}`; nothing when the reference does not start from the item.
fn every(each: &ForEach, reference: &Reference) -> Option<Reference> {
    let written = reference.to_string();
    let below = written.strip_prefix(&each.item).filter(|_| reference.root() == each.item)?;
    Reference::parse(&format!("{}[*]{below}", each.list)).ok()
}

/// How many results of a sample have each status, where the sample does not say so itself.
pub(crate) fn statuses(given: &Map<String, Value>) -> Vec<(String, Value)> {
    let results = given.get("results").and_then(Value::as_array);
    let of = |status: &str| {
        let same = |one: &&Value| one.get("status").and_then(Value::as_str) == Some(status);
        results.map_or(0, |results| results.iter().filter(same).count())
    };
    ForEach::STATUSES.iter().map(|status| ((*status).to_owned(), of(status).into())).collect()
}
