//! Asking: at most two turns, each within the budgets and the step's time.

use std::time::Duration;

use countersign_failure::Failure as _;
use countersign_model::{ChatRequest, Message, Provider, Turn, Usage};
use countersign_model_list::{Cost, Temperature, Terms};
use countersign_registry::OutputSchema;
use countersign_registry::action::Call;
use countersign_run::{ModelCall, ModelCallStatus, ModelUse};
use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use crate::answer;
use crate::budget::ModelBudget;
use crate::error::LlmError;
use crate::prompt::repair;

/// The longest answer, tokens.
const MAX_TOKENS: u32 = 8_192;
/// Turns: the first, and one to repair.
const MAX_TURNS: u32 = 2;

/// What is kept of a step's time to record a turn.
const RECORDING: Duration = Duration::from_secs(1);

/// A conversation about one answer.
pub(crate) struct Conversation<'c> {
    pub(crate) client: &'c Provider,
    /// What it costs, and what may be spent.
    pub(crate) terms: &'c Terms,
    pub(crate) budget: &'c dyn ModelBudget,
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
        let mut used = record(self.client.name(), &messages);
        loop {
            let (reply, usage) = self.turn(&messages, used.turns + 1, begun).await?;
            used.turns += 1;
            if let Usage::Said { input, output } = usage {
                used.input_tokens += input;
                used.output_tokens += output;
            }
            let problems = match answer::read(&reply, self.schema) {
                Ok(output) => {
                    let took = millis(begun.elapsed());
                    let prompt_sha256 = hash_of(&messages);
                    let answer_sha256 = hash(&reply);
                    let used = ModelUse { latency_ms: took, prompt_sha256, answer_sha256, ..used };
                    return Ok((output, used));
                }
                Err(problems) => problems,
            };
            tracing::info!(run = self.call.run, step = self.call.step, problems, "not the schema");
            if used.turns == MAX_TURNS {
                return Err(LlmError::Invalid { model: self.client.name(), problems });
            }
            messages.extend(repair(reply, &problems));
        }
    }

    /// One turn: its record is written before the model is asked, and again when it has answered.
    async fn turn(
        &self,
        messages: &[Message],
        number: u32,
        begun: Instant,
    ) -> Result<(String, Usage), LlmError> {
        let schema = self.schema.json_schema();
        let reserved = self.asked(messages, number, most(messages, &schema));
        self.budget.reserve(self.call, &reserved, self.terms).await?;
        let request = ChatRequest {
            messages,
            schema: &schema,
            is_strict: self.schema.is_closed(),
            temperature: self.temperature(),
            max_tokens: MAX_TOKENS,
            timeout: answered_within(self.call.remaining.saturating_sub(begun.elapsed())),
        };
        let asked = Instant::now();
        let turn = self.client.chat(&request).await;
        let ended = self.ended(reserved.clone(), &turn, asked.elapsed());
        self.budget.settle(self.call, &reserved, &ended).await;
        Ok((turn.reply?, turn.usage))
    }

    fn temperature(&self) -> Option<f64> {
        self.call.model.as_ref()?.temperature.map(Temperature::get)
    }

    fn asked(&self, messages: &[Message], turn: u32, most: Most) -> ModelCall {
        ModelCall {
            step: self.call.step.clone(),
            turn,
            model: self.client.name(),
            status: ModelCallStatus::Asked,
            code: None,
            asked_at: Timestamp::now(),
            latency_ms: None,
            requests: 0,
            input_tokens: None,
            output_tokens: None,
            counted_tokens: most.tokens(),
            counted_cost: self.cost(most.input, most.output),
            prompt_sha256: hash_of(messages),
            answer_sha256: None,
        }
    }

    fn cost(&self, input: u64, output: u64) -> Option<Cost> {
        self.terms.price.as_ref().map(|price| price.of(input, output))
    }

    /// The record of a turn that is over. All that was reserved counts when nobody can say how much of it was used.
    fn ended(&self, mut record: ModelCall, turn: &Turn, took: Duration) -> ModelCall {
        if let Usage::Said { input, output } = turn.usage {
            (record.input_tokens, record.output_tokens) = (Some(input), Some(output));
        }
        if let Some((input, output)) = used(turn.usage) {
            record.counted_tokens = input.saturating_add(output);
            record.counted_cost = self.cost(input, output);
        }
        record.latency_ms = Some(millis(took));
        record.requests = turn.requests;
        match &turn.reply {
            Ok(text) => {
                record.status = ModelCallStatus::Answered;
                record.answer_sha256 = Some(hash(text));
            }
            Err(error) => {
                record.status = ModelCallStatus::Failed;
                record.code = Some(error.code().to_owned());
            }
        }
        record
    }
}

/// How long the model may take of what is left of a step: the rest is for recording what came of it.
fn answered_within(left: Duration) -> Duration {
    left.saturating_sub(RECORDING.min(left / 4))
}

/// Whole milliseconds.
pub(crate) fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

/// The most that a turn can use, tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    input: u64,
    output: u64,
}

impl Most {
    pub(crate) fn tokens(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// No text has more tokens than a third of its bytes, by a wide margin for what people write.
pub(crate) fn most(messages: &[Message], schema: &Value) -> Most {
    let bytes: usize = messages.iter().map(|message| message.content.len()).sum();
    let bytes = bytes + schema.to_string().len();
    let input = u64::try_from(bytes / 3 + 100).unwrap_or(u64::MAX);
    Most { input, output: MAX_TOKENS.into() }
}

/// Tokens that a turn used; none when nobody can say.
fn used(usage: Usage) -> Option<(u64, u64)> {
    match usage {
        Usage::Nothing => Some((0, 0)),
        Usage::Said { input, output } => Some((input, output)),
        Usage::Unknown => None,
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
