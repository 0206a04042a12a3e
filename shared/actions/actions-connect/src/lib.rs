//! The actions `call_connector` (F-042), an endpoint of a bound connector, called as its definition says, and
//! `send_channel_message` (F-073), a message that becomes such a call.
//!
//! One handler serves two functions: [`Mode::Read`] calls what only reads, [`Mode::Write`] what has an effect; each
//! refuses the other's endpoints, so that the function without signatures can never change anything outside.

mod binding;
mod calling;
mod circuit_breaker;
mod credential;
mod database;
mod deps;
mod dispatch;
mod error;
mod fault;
mod feed;
mod file;
mod file_target;
mod gathered;
mod graphql;
mod handler;
mod message;
mod mode;
mod multi_source;
mod output;
mod pages;
mod rate_meter;
mod rest;
mod scraper;
mod token;
mod tool;
mod value_warnings;

pub use countersign_reader::Readers;
pub use countersign_robots::Robots;
pub use deps::Deps;
pub use error::ConnectError;
pub use handler::actions;
pub use mode::Mode;
pub use token::Tokens;
pub use tool::ActionTools;

#[cfg(test)]
mod tests;
