//! Asking: at most two turns, each within the budgets and the step's time. A turn in which the model asks for tools ends it.

use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use countersign_failure::Failure as _;
use countersign_model::{
    ChatRequest, Message, Model, ModelError, Provider, Reply, ToolSpec, ToolUse, Turn, Usage,
};
use countersign_model_list::{Cost, Temperature, Terms};
use countersign_registry::OutputSchema;
use countersign_registry::action::Call;
use countersign_run::{ModelCall, ModelCallStatus, ModelUse, ToolAsk};
use futures::future::{Either, select};
use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;

use crate::Deps;
use crate::answer;
use crate::drafts::{FollowEnd, Followed, shown_fields};
use crate::error::{LlmError, advice};
use crate::prompt::repair;

/// The most that a model is shown, bytes.
pub(crate) const MAX_INPUT: usize = 1024 * 1024;
/// How much an answer may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// The longest answer, tokens.
    pub(crate) tokens: u32,
    /// Turns: the first, and those to repair.
    pub(crate) turns: u32,
}

/// Those of the answer of a step.
pub(crate) const OF_STEP: Limits = Limits { tokens: 8_192, turns: 2 };

/// What is kept of a step's time to record a turn.
const RECORDING: Duration = Duration::from_secs(1);

/// From an answer of the declared form to the output of the step, or to what is wrong with it.
pub(crate) type Fits<'c> = dyn Fn(Value, Turns) -> Result<Value, String> + Send + Sync + 'c;

/// Whether an answer that is wrong is asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turns {
    /// The model is asked to repair it.
    Left,
    /// This was the last one.
    Over,
}

/// A conversation about one answer.
pub(crate) struct Conversation<'c> {
    pub(crate) client: &'c Provider,
    /// What it costs, and what may be spent.
    pub(crate) terms: &'c Terms,
    pub(crate) deps: &'c Deps,
    pub(crate) call: &'c Call,
    pub(crate) schema: &'c OutputSchema,
    /// What becomes of an answer that fits the schema, or what is wrong with it.
    pub(crate) fits: &'c Fits<'c>,
    /// The tools that it is about.
    pub(crate) tools: &'c [ToolSpec],
    /// Whether the model may ask for them in its first turn.
    pub(crate) may_ask: bool,
    /// How many turns were before.
    pub(crate) before: u32,
    pub(crate) limits: Limits,
    /// How freely the model chooses its words; none, as its provider has it.
    pub(crate) temperature: Option<f64>,
}

/// How freely the model of a step chooses its words, where its agent or the step says so.
pub(crate) fn temperature_of(call: &Call) -> Option<f64> {
    call.model.as_ref()?.temperature.map(Temperature::get)
}

/// How a conversation ends.
pub(crate) enum TurnEnd {
    /// With the output.
    Output(Value),
    /// The model asks for tools.
    Asks(Vec<ToolAsk>),
}

impl Conversation<'_> {
    /// The output, where there are no tools to ask for, and what is kept of how it came about.
    pub(crate) async fn answer(
        &self,
        messages: Vec<Message>,
    ) -> Result<(Value, ModelUse), LlmError> {
        match self.hold(messages).await? {
            (TurnEnd::Output(output), used) => Ok((output, used)),
            (TurnEnd::Asks(_), _) => Err(LlmError::ChoosesNoTools),
        }
    }

    /// How it ends, and what is kept of how it came about.
    pub(crate) async fn hold(
        &self,
        mut messages: Vec<Message>,
    ) -> Result<(TurnEnd, ModelUse), LlmError> {
        let begun = Instant::now();
        let mut used = record(self.client.name(), &messages);
        loop {
            let may_ask = self.may_ask && used.turns == 0;
            let (reply, usage) = self.turn(&messages, may_ask, used.turns + 1, begun).await?;
            used.turns += 1;
            let (input, output) = usage.tokens().unzip();
            used.add_tokens(input, output);
            let turns = if used.turns < self.limits.turns { Turns::Left } else { Turns::Over };
            let (said, problems) = match self.ends(reply, may_ask, turns) {
                Ok((outcome, answer_sha256)) => {
                    let latency_ms = millis(begun.elapsed());
                    let prompt_sha256 = hash_of(&messages);
                    let used = ModelUse { latency_ms, prompt_sha256, answer_sha256, ..used };
                    return Ok((outcome, used));
                }
                Err(wrong) => wrong,
            };
            tracing::info!(run = self.call.run, step = self.call.step, problems, "not the schema");
            if turns == Turns::Over {
                let (model, advice) = (self.client.name(), advice(self.call));
                return Err(LlmError::Invalid { model, problems, advice });
            }
            messages.extend(repair(said, &problems));
        }
    }

    /// How a reply ends the conversation, and its hash; or what was said, and what is wrong with it.
    fn ends(
        &self,
        reply: Reply,
        may_ask: bool,
        turns: Turns,
    ) -> Result<(TurnEnd, String), (String, String)> {
        let answer_sha256 = hash_of_reply(&reply);
        let fits = |said| (self.fits)(said, turns);
        match reply {
            Reply::Asks(asks) if may_ask => {
                Ok((TurnEnd::Asks(asks.into_iter().map(ask).collect()), answer_sha256))
            }
            Reply::Asks(_) => Err(("(I asked for a tool.)".to_owned(), NO_TOOLS.to_owned())),
            Reply::Text(text) => match answer::read(&text, self.schema).and_then(fits) {
                Ok(output) => Ok((TurnEnd::Output(output), answer_sha256)),
                Err(problems) => Err((text, problems)),
            },
        }
    }

    /// One turn: its record is written before the model is asked, and again when it has answered.
    async fn turn(
        &self,
        messages: &[Message],
        may_ask: bool,
        number: u32,
        begun: Instant,
    ) -> Result<(Reply, Usage), LlmError> {
        let schema = self.schema.json_schema();
        let most = most(messages, &schema, self.tools, self.limits);
        let reserved = self.asked(messages, self.before + number, most);
        self.deps.budget.reserve(self.call, &reserved, self.terms).await?;
        let fields = &shown_fields(self.call, self.schema);
        let (follower, parts) = unbounded_channel();
        let asked = Instant::now();
        let answered = async move {
            let request = ChatRequest {
                messages,
                schema: &schema,
                tools: self.tools,
                may_ask,
                is_strict: self.schema.is_closed(),
                temperature: self.temperature,
                max_tokens: self.limits.tokens,
                timeout: answered_within(self.call.remaining.saturating_sub(begun.elapsed())),
                follower: (!fields.is_empty()).then_some(&follower),
            };
            let turn = self.client.chat(&request).await;
            (turn, asked.elapsed())
        };
        let is_shown = AtomicBool::new(false);
        let (turn, took) = {
            let drafts = self.deps.drafts.as_ref();
            let (call, turn) = (self.call, self.before + number);
            let followed = Followed { drafts, call, turn, fields, is_shown: &is_shown };
            // An answer does not wait for the part that is being shown.
            let follow = pin!(followed.follow(parts));
            match select(pin!(answered), follow).await {
                Either::Left((answered, _)) => answered,
                Either::Right((FollowEnd::Over, answered)) => answered.await,
                // The request ends with it; what the model had written is paid for.
                Either::Right((FollowEnd::Cancelled, _)) => {
                    let reply = Err(ModelError::Stopped);
                    (Turn { reply, usage: Usage::Unknown, requests: 1 }, asked.elapsed())
                }
            }
        };
        let ended = self.ended(reserved.clone(), &turn, took);
        self.deps.budget.settle(self.call, &reserved, &ended, is_shown.into_inner()).await;
        Ok((turn.reply?, turn.usage))
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

    /// The record of a turn that is over.
    fn ended(&self, mut record: ModelCall, turn: &Turn, took: Duration) -> ModelCall {
        if let Usage::Said { input, output } = turn.usage {
            (record.input_tokens, record.output_tokens) = (Some(input), Some(output));
        }
        let used = turn.usage.tokens();
        let (input, output) =
            used.unwrap_or_else(|| self.at_most(record.counted_tokens, &turn.reply));
        record.counted_tokens = input.saturating_add(output);
        record.counted_cost = self.cost(input, output);
        record.latency_ms = Some(millis(took));
        record.requests = turn.requests;
        match &turn.reply {
            Ok(reply) => {
                record.status = ModelCallStatus::Answered;
                record.answer_sha256 = Some(hash_of_reply(reply));
            }
            Err(error) => {
                record.status = ModelCallStatus::Failed;
                record.code = Some(error.code().to_owned());
            }
        }
        record
    }

    /// What a turn may have used of what was reserved, when nobody can say: all of it, and more where the answer is longer than was
    /// asked for.
    fn at_most(&self, reserved: u64, reply: &Result<Reply, ModelError>) -> (u64, u64) {
        let limit = u64::from(self.limits.tokens);
        let said = match reply {
            Ok(Reply::Text(text)) => tokens(text.len()),
            Ok(Reply::Asks(asks)) => tokens(serde_json::json!(asks).to_string().len()),
            Err(_) => 0,
        };
        (reserved.saturating_sub(limit), said.max(limit))
    }
}

/// What is wrong with a turn that may ask for no tools and does.
const NO_TOOLS: &str = "it asks for a tool, and there are no more";

/// What a model asks for, as it is kept.
fn ask(of: ToolUse) -> ToolAsk {
    let arguments = match of.arguments {
        Value::String(text) => text,
        object => object.to_string(),
    };
    ToolAsk { tool: of.tool, arguments }
}

fn hash_of_reply(reply: &Reply) -> String {
    match reply {
        Reply::Text(text) => hash(text),
        Reply::Asks(asks) => hash(&serde_json::json!(asks).to_string()),
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

/// What a turn is expected to use at most: text that people write has fewer tokens than a third of its bytes, by a wide margin.
/// Rows of digits or signs may have more; what they used is counted afterwards.
fn most(messages: &[Message], schema: &Value, tools: &[ToolSpec], limits: Limits) -> Most {
    let shown = if tools.is_empty() { 0 } else { serde_json::json!(tools).to_string().len() };
    let bytes = bytes(messages) + schema.to_string().len() + shown;
    Most { input: tokens(bytes + 300), output: limits.tokens.into() }
}

/// The tokens of so many bytes of text, more rather than fewer.
fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes / 3).unwrap_or(u64::MAX)
}

/// What a test says of a turn that it does not take: who would be asked what, and how many tokens that could use.
pub(crate) fn foreseen(
    model: &str,
    messages: &[Message],
    schema: &OutputSchema,
    (tools, limits): (&[ToolSpec], Limits),
) -> Value {
    let schema = schema.json_schema();
    let is_built_in = model == Model::Extractive.name();
    let tokens = if is_built_in { 0 } else { most(messages, &schema, tools, limits).tokens() };
    serde_json::json!({
        "model": model, "messages": messages, "answer": schema, "max_tokens": tokens,
        "prompt_sha256": hash_of(messages),
    })
}

/// What the model is shown of messages, bytes.
pub(crate) fn bytes(messages: &[Message]) -> usize {
    let asked = |message: &Message| match message.asks.as_slice() {
        [] => 0,
        asks => serde_json::json!(asks).to_string().len(),
    };
    messages.iter().map(|message| message.content.len() + asked(message)).sum()
}

/// The record of a conversation that has not begun.
pub(crate) fn record(model_used: String, messages: &[Message]) -> ModelUse {
    ModelUse {
        model_used,
        input_tokens: Some(0),
        output_tokens: Some(0),
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
