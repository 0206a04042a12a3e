//! The Lambda of `tool-notify`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_notify::context(&boot) }))
}
