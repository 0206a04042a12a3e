//! The Lambda of `tool-code`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_sandbox::child().unwrap_or_else(start)
}

fn start() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_code::context(&boot) }))
}
