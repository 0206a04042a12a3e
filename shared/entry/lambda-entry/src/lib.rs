//! What every Lambda starts with: settings, AWS configuration, tracing and the run loop.
//!
//! The loop is compiled here, once: a binary hands over a boxed handler, so one more function costs seconds to build.
//! A `main.rs` reads
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     countersign_lambda_entry::serve(|boot| Box::pin(async move {
//!         let context = Arc::new(Context::new(&boot)?);
//!         Ok(countersign_lambda_entry::handler(move |event, invocation| handle(context.clone(), event, invocation)))
//!     }))
//! }
//! ```

mod boot;
mod handler;
mod settings;

pub use boot::{Boot, Main, StartError, start};
pub use handler::{Build, Fault, Handler, Invocation, decode, handler, serve, serve_with};
pub use settings::{MissingSetting, Setting, Settings, runtime_api};
