//! The Lambda of `tool-journal`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_journal::context(&boot) }))
}
