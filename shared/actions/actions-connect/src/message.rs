//! The action `send_channel_message` (F-073): the call of a connector, whose answer is read as a message's.

use countersign_channel::{arguments, named};
use countersign_registry::action::{ActionError, Call, Handler as _};
use countersign_registry::actions::send_channel_message::{
    Channel, Inputs, Output, Params, SendChannelMessage,
};
use countersign_registry::{CALL_CONNECTOR, Perform};
use serde_json::Value;

use crate::deps::Deps;
use crate::error::ConnectError;
use crate::handler::CallConnector;
use crate::mode::Mode;

/// Sends messages that were signed.
pub(crate) struct SendMessage(CallConnector);

impl SendMessage {
    pub(crate) fn new(deps: Deps) -> Self {
        Self(CallConnector { deps, mode: Mode::Write })
    }
}

impl Perform for SendMessage {
    type Action = SendChannelMessage;

    async fn perform(
        &self,
        call: &Call,
        inputs: Inputs,
        params: Params,
    ) -> Result<Output, ActionError> {
        let made = arguments(&inputs.message, &params);
        let made = made.map_err(|error| ActionError::from_failure(&error))?;
        let call = Call {
            action: CALL_CONNECTOR.to_owned(),
            inputs: made,
            params: named(params.channel),
            ..call.clone()
        };
        let answer = self.0.run(&call).await?;
        let message_id = answer.get("message_id").and_then(Value::as_str).map(str::to_owned);
        // Each of the services names the message that it has taken.
        let message_id = message_id.ok_or_else(|| unnamed(params.channel))?;
        Ok(Output { message_id, channel: params.channel, success: true })
    }
}

/// The answer was none of those that the service documents for a message that it has taken, nor one for a refusal.
fn unnamed(channel: Channel) -> ActionError {
    ActionError::from_failure(&ConnectError::InDoubt {
        connector: channel.as_str().to_owned(),
        cause: "its answer names no message".to_owned(),
    })
}
