//! Sends a message to a chat of Telegram, Discord or Slack, through a connector of the person.

use countersign_identity::{Requirement, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::{Path, Problem, ProblemKind};
use crate::{Action, Contract, SEND_CHANNEL_MESSAGE, TOOL_CONNECT_WRITE};

/// The declaration.
#[derive(Debug)]
pub struct SendChannelMessage;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What to say.
    #[schemars(length(min = 1, max = 40_000))]
    pub message: String,
}

/// Settings.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct Params {
    /// The service; `default` is the only one whose connector the agent has.
    #[serde(default)]
    pub channel: Channel,
    /// The chat, as the service names it; left out, the one that the connector has as default.
    #[schemars(length(min = 1, max = 128))]
    pub chat_id: Option<String>,
    /// How the message is marked up; `plain` is shown as it is written.
    #[serde(default)]
    pub format: Format,
    /// Whether nobody is alerted.
    #[serde(default)]
    pub silent: bool,
}

/// A service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Channel {
    Telegram,
    Discord,
    Slack,
    #[default]
    Default,
}

/// How a message is marked up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Format {
    Markdown,
    #[default]
    Plain,
    Html,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// What the service calls the message.
    pub message_id: String,
    /// The service.
    pub channel: Channel,
    /// Always true: a message that was not accepted fails the step, and one of which nobody knows is asked about.
    pub success: bool,
}

impl Channel {
    /// The services.
    pub const ALL: [Self; 3] = [Self::Telegram, Self::Discord, Self::Slack];

    /// Its word, which is the id of its connector too.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The service of this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == word)
    }

    /// Why it has no messages of this format.
    #[must_use]
    pub fn refuses(self, format: Format) -> Option<&'static str> {
        match (self, format) {
            (Self::Discord, Format::Html) => Some("discord has no messages in HTML"),
            (Self::Slack, Format::Html) => Some("slack has no messages in HTML"),
            _ => None,
        }
    }

    /// Why it cannot be told to alert nobody.
    #[must_use]
    pub fn refuses_silence(self) -> Option<&'static str> {
        (self == Self::Slack).then_some("slack has no silent messages")
    }
}

impl Action for SendChannelMessage {
    const NAME: &'static str = SEND_CHANNEL_MESSAGE;
    const FUNCTION: &'static str = TOOL_CONNECT_WRITE;
    const DESCRIPTION: &'static str =
        "Sends a message to a chat of Telegram, Discord or Slack, once somebody has signed it.";
    const REFUSED: [&'static str; 3] = ["CHANNEL_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract {
            requirement: Requirement::role(Role::Analyst),
            writes: true,
            irreversible: true,
            ..contract
        }
    }

    fn rules(params: &Params) -> Vec<Problem> {
        let problem = |place: &str, message: &str| {
            Problem::new(Path::of(place), ProblemKind::NotAChoice, message)
        };
        let format = params.channel.refuses(params.format);
        let format = format.map(|why| problem("format", why));
        let silence = params.channel.refuses_silence().filter(|_| params.silent);
        format.into_iter().chain(silence.map(|why| problem("silent", why))).collect()
    }
}
