//! The Lambda of `tool-knowledge`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_knowledge::context(&boot) }))
}
