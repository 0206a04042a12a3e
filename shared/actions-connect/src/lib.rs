//! The action `call_connector` (F-042): an endpoint of a bound connector, called as its definition says.
//!
//! One handler serves two functions: [`Mode::Read`] calls what only reads, [`Mode::Write`] what has an effect; each
//! refuses the other's endpoints, so that the function without signatures can never change anything outside.

mod binding;
mod calling;
mod error;
mod feed;
mod file;
mod handler;
mod output;
mod rest;
mod scraper;
mod stream;

pub use error::ConnectError;
pub use handler::{Deps, Mode, actions};

#[cfg(test)]
mod tests;
