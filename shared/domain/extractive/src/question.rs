//! Data that are about a question: the question says what is looked for, and is not quoted itself.

use countersign_registry::actions::research_with_tools::CONFIDENCE;
use countersign_wiring::is_gap;
use serde_json::{Map, Value};

/// The field that holds the question.
const QUESTION: &str = "question";

/// What stands beside a question and answers nothing: the day, who asks, and what was said before.
const BESIDE: [&str; 4] = [QUESTION, "today", "about_user", "conversation"];

/// What somebody has answered, and what they say of that, where it comes from and how sure they are: only the first is quoted.
const ANSWER: &str = "answer";
const OF_ANSWER: [&str; 2] = ["sources", CONFIDENCE];

/// The question that data are about, if they say one.
pub(crate) fn question(data: &Value) -> Option<&str> {
    let asked = data.get(QUESTION)?.as_str()?.trim();
    (!asked.is_empty()).then_some(asked)
}

/// The data without the question, wherever it stands, what belongs to it, and why results are missing: none of that answers it.
pub(crate) fn without(data: &Value, question: &str) -> Value {
    let Value::Object(fields) = data else { return data.clone() };
    let rest = fields.iter().filter(|(name, _)| !BESIDE.contains(&name.as_str()));
    Value::Object(kept(rest, question))
}

fn kept<'v>(
    fields: impl Iterator<Item = (&'v String, &'v Value)> + Clone,
    question: &str,
) -> Map<String, Value> {
    let has_answer = fields.clone().any(|(name, _)| name == ANSWER);
    let fields = fields.filter(|(name, value)| {
        let is_repeated = value.as_str().map(str::trim) == Some(question);
        !(is_repeated || is_gap(value) || has_answer && OF_ANSWER.contains(&name.as_str()))
    });
    fields.map(|(name, value)| (name.clone(), pruned(value, question))).collect()
}

fn pruned(value: &Value, question: &str) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| pruned(item, question)).collect(),
        Value::Object(fields) => Value::Object(kept(fields.iter(), question)),
        value => value.clone(),
    }
}
