//! Samples of steps with `for_each`.

use countersign_playbook::ForEach;
use serde_json::{Map, Value};

/// How many results of a sample have each status, where the sample does not say so itself.
pub(crate) fn statuses(given: &Map<String, Value>) -> Vec<(String, Value)> {
    let results = given.get("results").and_then(Value::as_array);
    let of = |status: &str| {
        let same = |one: &&Value| one.get("status").and_then(Value::as_str) == Some(status);
        results.map_or(0, |results| results.iter().filter(same).count())
    };
    ForEach::STATUSES.iter().map(|status| ((*status).to_owned(), of(status).into())).collect()
}
