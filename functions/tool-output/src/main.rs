//! The Lambda of `tool-output`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_output::context(&boot) }))
}
