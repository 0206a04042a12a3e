//! Messages to Telegram, Discord and Slack (F-073): each becomes the call of one endpoint of the service's connector, so that
//! credentials, signatures, rates and records are those of any other call.
//!
//! The text is made here, before anybody is asked: what people sign is the text that is sent. Nothing in a message becomes
//! a link that hides its address, or a mention.

mod calls;
mod choice;
mod error;
pub mod markup;
mod message;

pub use calls::{ConnectorCalls, ENDPOINT, named};
pub use choice::choose;
pub use error::ChannelError;
pub use message::arguments;
