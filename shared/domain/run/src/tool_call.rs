//! The tools that a model asked for in a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::warnings::within;
use crate::{FoundPage, StepStatus};

/// A tool that a model asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAsk {
    /// Its name, as the model wrote it.
    pub tool: String,
    /// The arguments, as the model wrote them: JSON, if it kept to that. A table would not keep all of its numbers as they are.
    pub arguments: String,
}

impl ToolAsk {
    /// The arguments, if they are an object.
    #[must_use]
    pub fn object(&self) -> Option<Map<String, Value>> {
        serde_json::from_str(&self.arguments).ok()
    }
}

/// A call of a tool that is over, as it is told. Of what the tool answered it holds what it found on the web, cut short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The turn in which the model asked for it, from 1.
    pub turn: u32,
    /// Which of that turn's calls it is, from 1.
    pub call: u32,
    /// The tool, as the model named it.
    pub tool: String,
    /// The arguments, as the model wrote them: JSON, cut when it is long.
    pub arguments: String,
    /// `done`, or `failed`.
    pub status: StepStatus,
    /// The stable code of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The same for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How long it took, milliseconds.
    #[serde(default)]
    pub took_ms: u64,
    /// The pages that a search found, the best first, or the page that was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<FoundPage>,
}

/// Arguments are told up to so many characters.
const MAX_ARGUMENTS: usize = 2_000;

impl ToolCall {
    /// The number of its event among those of the step in an attempt.
    #[must_use]
    pub fn event_number(&self) -> u32 {
        100 + self.turn.saturating_sub(1).min(20) * 40 + self.call.min(39)
    }

    /// Arguments as they are told.
    #[must_use]
    pub fn told(arguments: &str) -> String {
        within(arguments, MAX_ARGUMENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_057_arguments_are_told_up_to_a_length_and_read_only_when_they_are_an_object() {
        assert_eq!(ToolCall::told("{}"), "{}");
        let long = ToolCall::told(&"é".repeat(MAX_ARGUMENTS + 1));
        assert_eq!(long.chars().count(), MAX_ARGUMENTS);
        let object = |text: &str| {
            ToolAsk { tool: String::new(), arguments: text.to_owned() }.object().is_some()
        };
        assert!(object("{\"a\": 1}"));
        for text in ["", "{", "[1]", "null", "{}{}"] {
            assert!(!object(text), "{text}");
        }
    }
}
