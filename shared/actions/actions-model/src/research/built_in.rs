//! How the built-in model looks with tools: it asks those that take the words of the question or the names in it, once, and quotes what
//! they gave.

use countersign_extractive::{Task, answer as quoted};
use countersign_model::Message;
use countersign_question::names_in;
use countersign_registry::action::{Answered, Call};
use countersign_registry::actions::research_with_tools::{CONFIDENCE, Inputs, MAX_CALLS};
use countersign_registry::talk::{PriorTurns, Said, ToolResult};
use countersign_registry::{Contract, DataType, OutputSchema};
use countersign_run::{ModelUse, ToolAsk};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::confidence;
use crate::answer;
use crate::conversation::{hash, millis, record};
use crate::error::{LlmError, advice};

/// The longest text that is asked for, characters.
const MAX_QUERY: usize = 300;

/// The inputs by which a tool is asked for names, several or one, or for words.
const NAMES: &str = "entity_names";
const NAME: &str = "entity_name";
const QUERY: &str = "query";

/// What it says in a turn.
pub(super) fn say(
    call: &Call,
    model: &str,
    inputs: &Inputs,
    talk: &PriorTurns<'_>,
    schema: &OutputSchema,
    messages: &[Message],
) -> Result<Said, LlmError> {
    let begun = Instant::now();
    let used = |answer: &str| ModelUse {
        turns: 1,
        latency_ms: millis(begun.elapsed()),
        answer_sha256: hash(answer),
        ..record(model.to_owned(), messages)
    };
    let question = question(inputs).ok_or(LlmError::ChoosesNoTools)?;
    if talk.turns.is_empty() {
        let asks = asks(&question, talk);
        if asks.is_empty() {
            return Err(LlmError::ChoosesNoTools);
        }
        let used = used(&json!(asks).to_string());
        return Ok(Said::Asks { asks, used });
    }
    if let Some(failed) = none_answered(talk) {
        return Err(failed);
    }
    let mut data = Value::Object(found(talk));
    // The name under which the built-in model takes a text for the question.
    data["question"] = question.into();
    let said = quote(&data, confidence::is_asked(inputs, schema), schema)?;
    let (used, advice) = (used(&said.to_string()), advice(call));
    let output = answer::output(said, schema).and_then(|said| answer::whole(said, schema));
    let output = output.map_err(|problems| LlmError::Invalid {
        model: model.to_owned(),
        problems,
        advice,
    })?;
    Ok(Said::Answers(Answered { output, model: Some(used) }))
}

/// The answer that quotes these data.
fn quote(data: &Value, is_scored: bool, schema: &OutputSchema) -> Result<Value, LlmError> {
    let quotable = is_scored.then(|| confidence::quotable(schema));
    let schema = quotable.as_ref().unwrap_or(schema);
    let task = Task { instructions: None, template: None, data, schema };
    let mut said = quoted(&task)?;
    if is_scored {
        said[CONFIDENCE] = Value::Null;
    }
    Ok(said)
}

/// What is to be found out: the task of whoever planned the work, else the question.
fn question(inputs: &Inputs) -> Option<String> {
    let task = inputs.assignment.as_ref().and_then(|assigned| assigned.get("task"));
    let said = task.or_else(|| inputs.data.get("question")).and_then(Value::as_str)?;
    Some(said.trim().to_owned()).filter(|said| !said.is_empty())
}

/// A call of each tool that it can ask; of one that takes a single name, a call for each.
fn asks(question: &str, talk: &PriorTurns<'_>) -> Vec<ToolAsk> {
    if !talk.may_ask {
        return Vec::new();
    }
    let names = names_in(question);
    let asks = talk.tools.iter().flat_map(|tool| {
        let arguments = arguments(tool, question, &names).into_iter();
        arguments.map(|given| ToolAsk { tool: tool.name.clone(), arguments: given.to_string() })
    });
    asks.take(MAX_CALLS).collect()
}

fn arguments(tool: &Contract, question: &str, names: &[String]) -> Vec<Value> {
    let takes = |name: &str, of: &DataType| {
        tool.inputs.iter().any(|slot| slot.name == name && slot.data_type == *of)
            && tool.arguments().iter().all(|slot| !slot.required || slot.name == name)
    };
    if takes(NAMES, &DataType::array(DataType::String)) {
        return (!names.is_empty()).then(|| json!({ NAMES: names })).into_iter().collect();
    }
    if takes(NAME, &DataType::String) {
        return names.iter().map(|name| json!({ NAME: name })).collect();
    }
    if takes(QUERY, &DataType::String) {
        let words: String = question.chars().take(MAX_QUERY).collect();
        return vec![json!({ QUERY: words })];
    }
    Vec::new()
}

/// Why nothing was found, when every call failed.
fn none_answered(talk: &PriorTurns<'_>) -> Option<LlmError> {
    let mut results = talk.turns.iter().flat_map(|turn| &turn.asks);
    if results.clone().any(|(_, result)| matches!(result, ToolResult::Output(_))) {
        return None;
    }
    let (ask, result) = results.next()?;
    let ToolResult::Failed(code, _) = result else { return None };
    Some(LlmError::NothingAnswered { tool: ask.tool.clone(), code: code.clone() })
}

/// What tools gave, by their names; of one that was asked twice, a list.
fn found(talk: &PriorTurns<'_>) -> Map<String, Value> {
    let mut found = Map::new();
    for (ask, result) in talk.turns.iter().flat_map(|turn| &turn.asks) {
        let ToolResult::Output(output) = result else { continue };
        match found.get_mut(&ask.tool) {
            Some(Value::Array(several)) => several.push(output.clone()),
            Some(one) => *one = json!([one.take(), output]),
            None => {
                found.insert(ask.tool.clone(), output.clone());
            }
        }
    }
    found
}
