//! The Lambda of `tool-connect`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_reader::child().unwrap_or_else(start)
}

fn start() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_connect::context(&boot) }))
}
