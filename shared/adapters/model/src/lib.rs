//! Language models of providers. Every request leaves through the guarded way out (K-38): public HTTPS only, bounded in size and
//! time, tried again where that can help. No error, log or answer holds the key.

mod chat;
mod error;
mod openai;
mod setup;

pub use chat::{ChatRequest, Message, Reply, Role};
pub use error::ModelError;
pub use openai::OpenAi;
pub use setup::{Model, ModelConfig, ModelSetting, ModelSetupError};

#[cfg(test)]
mod tests;
