//! Language models of providers. Every request leaves through the guarded way out (K-38): public HTTPS only, bounded in size and
//! time, tried again where that can help. No error, log or answer holds the key.

mod answer_tool;
mod anthropic;
mod bedrock;
mod chat;
mod error;
mod openai;
mod protocol;
mod provider;
mod setup;
mod stream;

pub use chat::{ChatRequest, Message, Reply, Role, ToolSpec, ToolUse, Turn, Usage};
pub use error::ModelError;
pub use provider::{Interface, Provider};
pub use setup::{Model, ModelConfig, ModelSetting, ModelSetupError, Models};

#[cfg(test)]
mod tests;
