//! Why a message cannot be sent as it stands.

use countersign_failure::Failure;

/// Why a message cannot be sent as it stands. Nobody is asked to sign it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum ChannelError {
    /// There is nothing to say.
    #[error("the message is empty")]
    #[failure(code = "CHANNEL_MESSAGE", help = "say something")]
    Empty,
    /// It is longer than the service takes.
    #[error("the message has {length} characters as {channel} counts them, which takes {most}")]
    #[failure(
        code = "CHANNEL_MESSAGE",
        help = "say less, or send several messages: nothing is cut"
    )]
    TooLong {
        /// The service.
        channel: &'static str,
        /// Its length.
        length: usize,
        /// The most there may be.
        most: usize,
    },
    /// It is longer than what is read of one, whatever its marks become.
    #[error(
        "the message has {length} characters with its marks; {channel} is sent none of more than {most}"
    )]
    #[failure(
        code = "CHANNEL_MESSAGE",
        help = "say less, or send several messages: nothing is cut"
    )]
    TooMarked {
        /// The service.
        channel: &'static str,
        /// Its length.
        length: usize,
        /// The most that is read.
        most: usize,
    },
    /// The service has no such thing.
    #[error("{0}")]
    #[failure(code = "CHANNEL_UNSUPPORTED", help = "leave it out, or name a channel that has it")]
    Unsupported(&'static str),
    /// The agent has no connector of a service.
    #[error("the agent has no connector of a channel: telegram, discord or slack")]
    #[failure(
        code = "CHANNEL_UNDECIDED",
        help = "bind the connector of one of them to the agent, with its credential"
    )]
    NoChannel,
    /// The agent has no connector of the service that is named.
    #[error("the agent has no connector `{0}` with an endpoint `send_message` that it may call")]
    #[failure(
        code = "CHANNEL_UNDECIDED",
        help = "bind the connector of the channel to the agent, or name a channel that it has"
    )]
    NotBound(&'static str),
    /// The agent has several.
    #[error("the agent has several channels, and the step does not say which: {0}")]
    #[failure(code = "CHANNEL_UNDECIDED", help = "name one with `channel`")]
    Ambiguous(String),
    /// A variable holds `default`: which one that is was decided when the run was planned.
    #[error("a channel that a variable fills in has to be named: telegram, discord or slack")]
    #[failure(code = "CHANNEL_UNDECIDED", help = "give the run the name of a channel")]
    Unnamed,
    /// The arguments have another form than the action declares.
    #[error("the arguments are not those of a message: {0}")]
    #[failure(code = "CHANNEL_ARGUMENT", help = "correct the step's inputs and params")]
    Argument(String),
}
