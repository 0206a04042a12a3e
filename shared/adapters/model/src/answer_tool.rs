//! Answers that are the input of a tool, which the model has to use: so they have the form of a schema. While it may ask for other
//! tools, it has to use one of them or that one.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::chat::{ChatRequest, Message, Reply, Role, ToolSpec};
use crate::error::ModelError;

/// The tool.
pub(crate) const TOOL: &str = "answer";

/// The rules of a conversation, which stand beside it, and what is said in it.
pub(crate) fn rules_and_said<'r>(
    request: &ChatRequest<'r>,
) -> (Vec<&'r Message>, Vec<&'r Message>) {
    request.messages.iter().partition(|message| message.role == Role::System)
}

/// The tools, and the one whose input is the answer. A conversation in which tools were used has to name them to its end.
pub(crate) fn tools(
    request: &ChatRequest<'_>,
    tool: impl Fn(&str, &str, &Value) -> Value,
) -> Vec<Value> {
    let answer = tool(TOOL, "Gives the answer.", request.schema);
    let others = request.tools.iter().map(|one| {
        let ToolSpec { name, description, schema } = one;
        tool(name, description, schema)
    });
    others.chain([answer]).collect()
}

/// What a model says by its uses of tools, name and input each, and beside them in words of its own, if those count.
pub(crate) fn words(
    uses: impl IntoIterator<Item = (String, Value)>,
    own_words: Option<String>,
) -> Result<Reply, ModelError> {
    let mut asks = Vec::new();
    for (name, input) in uses {
        if name == TOOL {
            return Ok(Reply::Text(input.to_string()));
        }
        asks.push((name, input));
    }
    if !asks.is_empty() {
        return Ok(Reply::asks(asks));
    }
    let nothing = || ModelError::Unreadable("it uses no tool and says nothing".to_owned());
    own_words.map(Reply::Text).ok_or_else(nothing)
}

/// The uses of tools in a streamed answer, each with its input as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct StreamedUses(BTreeMap<u32, (String, String)>);

impl StreamedUses {
    pub(crate) fn begin(&mut self, index: u32, name: String) {
        self.0.insert(index, (name, String::new()));
    }

    /// Adds to an input; gives the part back if it is one of the answer.
    pub(crate) fn add(&mut self, index: u32, part: String) -> Result<Option<String>, ModelError> {
        let used = self.0.get_mut(&index);
        let (name, input) = used.ok_or_else(|| {
            ModelError::Unreadable("it goes on with what was not begun".to_owned())
        })?;
        input.push_str(&part);
        Ok((name == TOOL).then_some(part))
    }

    /// An input that cannot be read stays a text: the answer is then not of the schema, and a call not of its tool's.
    pub(crate) fn end(self) -> impl Iterator<Item = (String, Value)> {
        self.0.into_values().map(|(name, text)| {
            let text = if text.is_empty() { "{}".to_owned() } else { text };
            (name, serde_json::from_str(&text).unwrap_or(Value::String(text)))
        })
    }
}
