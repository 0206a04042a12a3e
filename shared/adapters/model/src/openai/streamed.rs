//! A chat completion that is streamed.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{CalledTool, Choice, Function, Said, words};
use crate::chat::{Reply, Usage};
use crate::error::ModelError;
use crate::protocol::{StreamedAnswer, Tokens, broke_off, unreadable};

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Part>,
    usage: Option<Tokens>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallPart>>,
}

/// A part of a call. Not every server numbers calls, and some give all of them one number.
#[derive(Deserialize)]
struct CallPart {
    index: Option<u32>,
    id: Option<String>,
    function: Option<FunctionPart>,
}

#[derive(Deserialize)]
struct FunctionPart {
    name: Option<String>,
    arguments: Option<Value>,
}

/// A call as far as it has come.
struct Call {
    index: Option<u32>,
    id: Option<String>,
    name: String,
    arguments: String,
}

#[derive(Default)]
pub(super) struct Streamed {
    said: Said,
    calls: Vec<Call>,
    finish_reason: Option<String>,
    usage: Option<Tokens>,
    is_over: bool,
}

impl StreamedAnswer for Streamed {
    fn take(&mut self, data: &str) -> Result<Option<String>, ModelError> {
        if data == "[DONE]" {
            self.is_over = true;
            return Ok(None);
        }
        let chunk: Chunk = serde_json::from_str(data)
            .map_err(|error| unreadable("a chunk of a chat completion", &error))?;
        if let Some(error) = chunk.error {
            return Err(broke_off(&json!({ "error": error })));
        }
        self.usage = chunk.usage.or(self.usage);
        let Some(part) = chunk.choices.into_iter().next() else { return Ok(None) };
        self.finish_reason = part.finish_reason.or(self.finish_reason.take());
        part.delta.tool_calls.into_iter().flatten().for_each(|call| self.add_call(call));
        add(&mut self.said.refusal, part.delta.refusal.as_deref());
        add(&mut self.said.content, part.delta.content.as_deref());
        Ok(part.delta.content)
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn is_complete(&self) -> bool {
        self.is_over || self.finish_reason.is_some()
    }

    fn end(self: Box<Self>, max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
        let Self { said, calls, finish_reason, usage, is_over: _ } = *self;
        let calls = calls.into_iter().map(|Call { name, arguments, .. }| CalledTool {
            function: Function { name, arguments: Value::String(arguments) },
        });
        let message = Said { tool_calls: Some(calls.collect()), ..said };
        (words(vec![Choice { message, finish_reason }], max_tokens), usage.into())
    }
}

impl Streamed {
    fn add_call(&mut self, CallPart { index, id, function }: CallPart) {
        let Some(FunctionPart { name, arguments }) = function else { return };
        let id = id.filter(|id| !id.is_empty());
        let name = name.filter(|name| !name.is_empty());
        let call = match self.begun(index, id.as_deref(), name.is_some()) {
            Some(at) => &mut self.calls[at],
            None => {
                let (name, arguments) = (String::new(), String::new());
                self.calls.push(Call { index, id, name, arguments });
                let last = self.calls.len() - 1;
                &mut self.calls[last]
            }
        };
        if call.name.is_empty() {
            call.name = name.unwrap_or_default();
        }
        match arguments {
            Some(Value::String(part)) => call.arguments.push_str(&part),
            None | Some(Value::Null) => {}
            // Some servers give the object at once.
            Some(whole) => call.arguments = whole.to_string(),
        }
    }

    /// Which call a part belongs to: that of its id, else of its number, else the last one. None when it begins a call.
    fn begun(&self, index: Option<u32>, id: Option<&str>, is_named: bool) -> Option<usize> {
        if let Some(id) = id {
            return self.calls.iter().position(|call| call.id.as_deref() == Some(id));
        }
        let at = self.calls.iter().rposition(|call| index.is_none() || call.index == index)?;
        let begins_again = is_named && is_complete(&self.calls[at]);
        (!begins_again).then_some(at)
    }
}

fn is_complete(call: &Call) -> bool {
    !call.name.is_empty() && serde_json::from_str::<Value>(&call.arguments).is_ok()
}

fn add(to: &mut Option<String>, part: Option<&str>) {
    if let Some(part) = part {
        to.get_or_insert_default().push_str(part);
    }
}
