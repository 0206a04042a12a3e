//! From messages to calls of a connector.

use countersign_registry::CALL_CONNECTOR;
use countersign_registry::SEND_CHANNEL_MESSAGE;
use countersign_registry::action::{ActionError, CallOf, EffectsOf};
use countersign_registry::actions::send_channel_message::{Channel, Params};
use serde_json::{Map, Value, json};

use crate::error::ChannelError;
use crate::message::arguments;

/// The endpoint that every connector of a service has.
pub const ENDPOINT: &str = "send_message";

/// Calls of a connector that stand for messages.
#[derive(Debug)]
pub struct ConnectorCalls {
    /// Connector and endpoint.
    pub params: Map<String, Value>,
    inputs: Vec<Map<String, Value>>,
}

impl ConnectorCalls {
    /// What the calls of `send_channel_message` are calls of; none of another action.
    ///
    /// # Errors
    /// A terminal error when a message cannot be sent as it stands.
    pub fn of(of: &EffectsOf<'_>) -> Result<Option<Self>, ActionError> {
        if of.action != SEND_CHANNEL_MESSAGE {
            return Ok(None);
        }
        let refused = |error: &ChannelError| ActionError::from_failure(error);
        let params = read(of.params).map_err(|error| refused(&error))?;
        let inputs = of.each(|call| {
            let made = message(call.inputs).and_then(|text| arguments(text, &params));
            made.map_err(|error| refused(&error))
        })?;
        Ok(Some(Self { params: named(params.channel), inputs }))
    }

    /// The same effects, as those of a connector's endpoint.
    #[must_use]
    pub fn calls<'a>(&'a self, of: &EffectsOf<'a>) -> Vec<CallOf<'a>> {
        let call = |(inputs, call): (&'a Map<String, Value>, &CallOf<'a>)| CallOf {
            inputs,
            key: call.key,
        };
        self.inputs.iter().zip(of.calls).map(call).collect()
    }

    /// What is described in place of the messages.
    #[must_use]
    pub fn effects<'a>(&'a self, of: &EffectsOf<'a>, calls: &'a [CallOf<'a>]) -> EffectsOf<'a> {
        EffectsOf { action: CALL_CONNECTOR, params: &self.params, calls, ..*of }
    }
}

/// The params of `call_connector` for a message through a service.
#[must_use]
pub fn named(channel: Channel) -> Map<String, Value> {
    let named = json!({ "connector": channel.as_str(), "endpoint": ENDPOINT });
    named.as_object().cloned().unwrap_or_default()
}

fn read(params: &Map<String, Value>) -> Result<Params, ChannelError> {
    let given = params.iter().filter(|(_, value)| !value.is_null());
    let given = given.map(|(name, value)| (name.clone(), value.clone())).collect();
    serde_json::from_value(Value::Object(given))
        .map_err(|_| ChannelError::Argument("`params` have another form".to_owned()))
}

fn message(inputs: &Map<String, Value>) -> Result<&str, ChannelError> {
    let text = inputs.get("message").and_then(Value::as_str);
    text.ok_or_else(|| ChannelError::Argument("`message` is not a text".to_owned()))
}
