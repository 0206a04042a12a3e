//! What every Lambda starts with: settings, AWS configuration, tracing and the run loop.
//!
//! The loop is compiled here, once: a binary hands over a boxed handler, so one more function costs seconds to build.
//! A `main.rs` reads
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     countersign_lambda_entry::run(Context::new, |context, event, invocation| {
//!         Box::pin(async move { handle(context, event, &invocation).await })
//!     })
//! }
//! ```

mod boot;
mod handler;
mod settings;
mod streams;

pub use boot::{Boot, Main, StartError, start};
pub use handler::{
    Answer, Build, Fault, Handler, Invocation, decode, handler, run, serve, serve_with,
};
pub use settings::{MissingSetting, Setting, Settings, runtime_api};
pub use streams::{Parts, StreamHandler, StreamedAnswer, serve_streams};
