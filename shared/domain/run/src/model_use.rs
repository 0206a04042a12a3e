//! What is kept of a model that wrote the result of a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The model that wrote the result of a step, what it cost, and the hashes of what was said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelUse {
    /// `extractive`, or provider and model, such as `openai/gpt-5-mini`.
    pub model_used: String,
    /// Tokens of what the model was asked, all turns together; null when the provider does not say it of each turn.
    #[serde(default)]
    pub input_tokens: Option<u64>,
    /// Tokens of what it answered, all turns together; null when the provider does not say it of each turn.
    #[serde(default)]
    pub output_tokens: Option<u64>,
    /// How often it was asked: 1, one more for each round of tools, and one more when its answer did not fit.
    pub turns: u32,
    /// How long it took, milliseconds.
    pub latency_ms: u64,
    /// SHA-256, hex, of the messages of the last turn, as JSON.
    pub prompt_sha256: String,
    /// SHA-256, hex, of the text of the last answer.
    pub answer_sha256: String,
}

/// What the sentence about each step that a model has answered says.
pub const WRITTEN_BY_A_MODEL: &str = "written by the model";

/// The built-in model, as it is recorded.
const BUILT_IN: &str = "extractive";

impl ModelUse {
    /// Whether it can be told what to change of what it has written: the built-in model only quotes.
    #[must_use]
    pub fn follows_instructions(&self) -> bool {
        self.model_used != BUILT_IN
    }

    /// Adds what the provider says of a turn; the sum is not known any more where it says nothing.
    pub fn add_tokens(&mut self, input: Option<u64>, output: Option<u64>) {
        self.input_tokens = sum(self.input_tokens, input);
        self.output_tokens = sum(self.output_tokens, output);
    }

    /// The same, with the turns that were before.
    #[must_use]
    pub fn after(self, before: &[Self]) -> Self {
        before.iter().fold(self, |all, one| Self {
            input_tokens: sum(all.input_tokens, one.input_tokens),
            output_tokens: sum(all.output_tokens, one.output_tokens),
            turns: all.turns.saturating_add(one.turns),
            latency_ms: all.latency_ms.saturating_add(one.latency_ms),
            ..all
        })
    }

    /// What whoever relies on the result has to know.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{WRITTEN_BY_A_MODEL} `{}`; nobody has checked it", self.model_used)
    }
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    Some(a?.saturating_add(b?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ModelUse;

    fn used(input: Option<u64>, output: Option<u64>) -> ModelUse {
        ModelUse {
            model_used: "openai/a".to_owned(),
            input_tokens: input,
            output_tokens: output,
            turns: 1,
            latency_ms: 1,
            prompt_sha256: String::new(),
            answer_sha256: String::new(),
        }
    }

    #[test]
    fn tokens_of_all_turns_are_known_only_if_those_of_each_are() {
        let all = used(Some(5), Some(2)).after(&[used(Some(7), Some(1))]);
        assert_eq!((all.input_tokens, all.output_tokens, all.turns), (Some(12), Some(3), 2));
        let all = used(Some(5), Some(2)).after(&[used(None, Some(1)), used(Some(7), Some(1))]);
        assert_eq!((all.input_tokens, all.output_tokens, all.turns), (None, Some(4), 3));
        let mut one = used(Some(0), Some(0));
        one.add_tokens(Some(3), Some(1));
        assert_eq!((one.input_tokens, one.output_tokens), (Some(3), Some(1)));
        one.add_tokens(None, None);
        assert_eq!((one.input_tokens, one.output_tokens), (None, None));
    }

    #[test]
    fn what_is_not_known_is_null_and_earlier_records_are_read() {
        let said = serde_json::to_value(used(None, None)).unwrap();
        assert_eq!((&said["input_tokens"], &said["output_tokens"]), (&json!(null), &json!(null)));
        let mut earlier = said;
        (earlier["input_tokens"], earlier["output_tokens"]) = (json!(9), json!(4));
        let read: ModelUse = serde_json::from_value(earlier).unwrap();
        assert_eq!(read, used(Some(9), Some(4)));
    }
}
