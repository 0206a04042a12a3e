//! Converse, as Amazon Bedrock documents it: `POST {base}/model/{model}/converse`. The answer is the input of a tool that the model has
//! to use; one that cannot be made to use a tool answers in its own words. Requests are signed with the role of the function.

mod frames;

use countersign_aws::{AwsConfig, signed};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer_tool::{StreamedUses, TOOL, rules_and_said, tools, words};
use crate::chat::{ChatRequest, Message, Reply, Role, Usage};
use crate::error::ModelError;
use crate::protocol::{Asked, Protocol, StreamedAnswer, Tokens, broke_off, replied, unreadable};

pub(crate) use frames::{KIND, events};

/// The name under which requests are signed.
const SERVICE: &str = "bedrock";
const CONFIG: &str = "toolConfig";
const CHOICE: &str = "toolChoice";
/// What stands in a path as it is; a model's name may have colons, and that of a profile slashes.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where the service is in a region.
pub(crate) fn home(region: &str) -> String {
    let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("https://bedrock-runtime.{region}.{suffix}/")
}

/// Whether an address is one of the service in this region: its own, a FIPS one, or that of an endpoint in a VPC.
pub(crate) fn is_of_region(host: &str, region: &str) -> bool {
    let is_aws = host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
    let names = ["bedrock-runtime", "bedrock-runtime-fips"];
    is_aws && names.iter().any(|name| format!(".{host}").contains(&format!(".{name}.{region}.")))
}

/// The interface.
pub(crate) struct Converse;

impl Protocol for Converse {
    fn path(&self, model: &str, streams: bool) -> String {
        let model = utf8_percent_encode(model, IN_PATH);
        format!("model/{model}/converse{}", if streams { "-stream" } else { "" })
    }

    fn ask(&self, _model: &str, _base: &str, request: &ChatRequest<'_>) -> Asked {
        Asked { body: body(request), streams: request.follower.is_some() }
    }

    /// Not every model streams, streams with tools, can be told which tool to use, or knows tools at all.
    fn simpler(&self, asked: &Asked, complaint: &str) -> Option<Asked> {
        let mut simpler = asked.clone();
        if complaint.contains("stream") && asked.streams {
            simpler.streams = false;
            return Some(simpler);
        }
        let config = simpler.body.get_mut(CONFIG)?.as_object_mut()?;
        let is_told = complaint.contains(CHOICE) || complaint.contains("tool_choice");
        if is_told && config.remove(CHOICE).is_some() {
            return Some(simpler);
        }
        let has_none = complaint.contains("tool use");
        (has_none && simpler.body.as_object_mut()?.remove(CONFIG).is_some()).then_some(simpler)
    }

    fn reply(&self, answer: &[u8], max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
        replied(answer, "an answer of Converse", |Answer { output, stop_reason, usage }| {
            let (mut uses, mut texts) = (Vec::new(), String::new());
            for block in output.message.content {
                texts.extend(block.text);
                uses.extend(block.tool_use.map(|used| (used.name, used.input)));
            }
            (said(uses, texts, stop_reason.as_deref(), max_tokens), usage.into())
        })
    }

    fn streamed(&self) -> Box<dyn StreamedAnswer> {
        Box::<Streamed>::default()
    }
}

/// The headers of a request, its signature among them.
pub(crate) async fn headers(
    aws: &AwsConfig,
    address: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<Vec<(String, String)>, ModelError> {
    let signed = signed(aws, SERVICE, address, headers, body).await;
    signed.map_err(|error| ModelError::Unsigned(error.to_string()))
}

/// The body of a request. Its rules stand beside the conversation.
fn body(request: &ChatRequest<'_>) -> Value {
    let (rules, said) = rules_and_said(request);
    let rules: Vec<Value> =
        rules.iter().map(|message| json!({ "text": message.content })).collect();
    let tool = |name: &str, description: &str, schema: &Value| {
        let schema = json!({ "json": schema });
        json!({ "toolSpec": { "name": name, "description": description, "inputSchema": schema } })
    };
    let told = json!({ "tool": { "name": TOOL } });
    let choice = if request.may_ask { json!({ "any": {} }) } else { told };
    let mut body = json!({
        "system": rules,
        "messages": messages(&said),
        "inferenceConfig": { "maxTokens": request.max_tokens },
        CONFIG: { "tools": tools(request, tool), CHOICE: choice },
    });
    if let Some(temperature) = request.temperature {
        body["inferenceConfig"]["temperature"] = temperature.into();
    }
    body
}

/// The messages. Those of the two sides have to take turns: what one says twice in a row is one message.
fn messages(said: &[&Message]) -> Vec<Value> {
    let mut all: Vec<(&str, Vec<Value>)> = Vec::with_capacity(said.len());
    for message in said {
        let side = if message.role == Role::Assistant { "assistant" } else { "user" };
        match all.last_mut() {
            Some((last, blocks)) if *last == side => blocks.extend(blocks_of(message)),
            _ => all.push((side, blocks_of(message))),
        }
    }
    all.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn blocks_of(message: &Message) -> Vec<Value> {
    let Message { content, asks, result_of, .. } = message;
    if let Some(id) = result_of {
        return vec![
            json!({ "toolResult": { "toolUseId": id, "content": [{ "text": content }] } }),
        ];
    }
    if asks.is_empty() {
        return vec![json!({ "text": content })];
    }
    let used = asks.iter().map(
        |ask| json!({ "toolUse": { "toolUseId": ask.id, "name": ask.tool, "input": ask.input() } }),
    );
    used.collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    output: Output,
    stop_reason: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Output {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Vec<Block>,
}

/// One of several kinds; those that are not known here are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block {
    text: Option<String>,
    tool_use: Option<Used>,
}

#[derive(Deserialize)]
struct Used {
    name: String,
    #[serde(default)]
    input: Value,
}

/// What a model says: by its uses of tools, or in words of its own when it cannot be told to use one.
fn said(
    uses: impl IntoIterator<Item = (String, Value)>,
    texts: String,
    stop_reason: Option<&str>,
    max_tokens: u32,
) -> Result<Reply, ModelError> {
    match stop_reason {
        Some("max_tokens" | "model_context_window_exceeded") => Err(ModelError::Cut { max_tokens }),
        Some("guardrail_intervened" | "content_filtered") => Err(ModelError::Declined),
        _ => words(uses, Some(texts).filter(|texts| !texts.is_empty())),
    }
}

/// An event of a streamed answer: one of these, or one that is not known here.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    content_block_start: Option<Start>,
    content_block_delta: Option<Delta>,
    message_stop: Option<Stop>,
    metadata: Option<Metadata>,
    exception: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Start {
    content_block_index: u32,
    start: Begun,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    tool_use: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta {
    content_block_index: u32,
    delta: Part,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    tool_use: Option<InputPart>,
}

#[derive(Deserialize)]
struct InputPart {
    input: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stop {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    usage: Option<Tokens>,
}

#[derive(Default)]
struct Streamed {
    uses: StreamedUses,
    texts: String,
    stop: Option<Stop>,
    usage: Option<Tokens>,
}

impl StreamedAnswer for Streamed {
    fn take(&mut self, data: &str) -> Result<Option<String>, ModelError> {
        let event = serde_json::from_str(data);
        let event: Event = event.map_err(|error| unreadable("an event of Converse", &error))?;
        if let Some(exception) = event.exception {
            return Err(broke_off(&exception));
        }
        if let Some(Start { content_block_index: index, start: Begun { tool_use: Some(tool) } }) =
            event.content_block_start
        {
            self.uses.begin(index, tool.name);
        }
        self.stop = event.message_stop.or(self.stop.take());
        self.usage = event.metadata.and_then(|metadata| metadata.usage).or(self.usage);
        event.content_block_delta.map_or(Ok(None), |delta| self.add(delta))
    }

    fn is_over(&self) -> bool {
        self.stop.is_some() && self.usage.is_some()
    }

    fn is_complete(&self) -> bool {
        self.stop.is_some()
    }

    fn end(self: Box<Self>, max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
        let Self { uses, texts, stop, usage } = *self;
        let reason = stop.and_then(|stop| stop.stop_reason);
        (said(uses.end(), texts, reason.as_deref(), max_tokens), usage.into())
    }
}

impl Streamed {
    fn add(&mut self, delta: Delta) -> Result<Option<String>, ModelError> {
        let Delta { content_block_index: index, delta: Part { text, tool_use } } = delta;
        if let Some(text) = text {
            self.texts.push_str(&text);
            return Ok(Some(text));
        }
        tool_use.map_or(Ok(None), |part| self.uses.add(index, part.input))
    }
}
