//! Asking: at most two turns, each within the budgets and the step's time.

use countersign_model::{ChatRequest, Message, ModelError, Provider, Reply};
use countersign_registry::OutputSchema;
use countersign_registry::action::Call;
use countersign_run::ModelUse;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::answer;
use crate::budget::TokenBudget;
use crate::error::LlmError;
use crate::prompt::repair;

/// The longest answer, tokens.
const MAX_TOKENS: u32 = 8_192;
/// Turns: the first, and one to repair.
const MAX_TURNS: u32 = 2;

/// A conversation about one answer.
pub(crate) struct Conversation<'c> {
    pub(crate) client: &'c Provider,
    /// Whom the record names.
    pub(crate) model: String,
    pub(crate) budget: &'c dyn TokenBudget,
    pub(crate) call: &'c Call,
    pub(crate) schema: &'c OutputSchema,
}

impl Conversation<'_> {
    /// The output, and what is kept of how it came about.
    pub(crate) async fn hold(
        &self,
        mut messages: Vec<Message>,
    ) -> Result<(Value, ModelUse), LlmError> {
        let begun = Instant::now();
        let mut used = record(self.model.clone(), &messages);
        loop {
            let reply = self.turn(&messages, begun).await?;
            used.turns += 1;
            used.input_tokens += reply.input_tokens.unwrap_or_default();
            used.output_tokens += reply.output_tokens.unwrap_or_default();
            let problems = match answer::read(&reply.text, self.schema) {
                Ok(output) => {
                    let took = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
                    let prompt_sha256 = hash_of(&messages);
                    let answer_sha256 = hash(&reply.text);
                    let used = ModelUse { latency_ms: took, prompt_sha256, answer_sha256, ..used };
                    return Ok((output, used));
                }
                Err(problems) => problems,
            };
            tracing::info!(run = self.call.run, step = self.call.step, problems, "not the schema");
            if used.turns == MAX_TURNS {
                return Err(LlmError::Invalid { model: self.model.clone(), problems });
            }
            messages.extend(repair(reply.text, &problems));
        }
    }

    async fn turn(&self, messages: &[Message], begun: Instant) -> Result<Reply, LlmError> {
        let schema = self.schema.json_schema();
        let reserved = most(messages, &schema);
        self.budget.reserve(self.call, reserved).await?;
        let request = ChatRequest {
            messages,
            schema: &schema,
            is_strict: self.schema.is_closed(),
            max_tokens: MAX_TOKENS,
            timeout: self.call.remaining.saturating_sub(begun.elapsed()),
        };
        let answered = self.client.chat(&request).await;
        self.budget.settle(self.call, reserved, used(&answered, reserved)).await;
        Ok(answered?)
    }
}

/// The most that a turn can use: no text has more tokens than a third of its bytes, by a wide margin for what people write.
fn most(messages: &[Message], schema: &Value) -> u64 {
    let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
    let bytes = bytes + schema.to_string().len();
    u64::try_from(bytes / 3 + 100).unwrap_or(u64::MAX).saturating_add(MAX_TOKENS.into())
}

/// What a turn used: what the provider says; all that was reserved when it does not say, or may have worked for nothing.
fn used(answered: &Result<Reply, ModelError>, reserved: u64) -> u64 {
    match answered {
        Ok(Reply { input_tokens: Some(input), output_tokens: Some(output), .. }) => input + output,
        Err(
            ModelError::KeyRejected { .. }
            | ModelError::Throttled
            | ModelError::Rejected { .. }
            | ModelError::Key(_),
        ) => 0,
        Ok(_) | Err(_) => reserved,
    }
}

/// The record of a conversation that has not begun.
pub(crate) fn record(model_used: String, messages: &[Message]) -> ModelUse {
    ModelUse {
        model_used,
        input_tokens: 0,
        output_tokens: 0,
        turns: 0,
        latency_ms: 0,
        prompt_sha256: hash_of(messages),
        answer_sha256: String::new(),
    }
}

fn hash_of(messages: &[Message]) -> String {
    hash(&serde_json::json!(messages).to_string())
}

/// SHA-256, hex.
pub(crate) fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}
