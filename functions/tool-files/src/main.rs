//! The Lambda of `tool-files`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_files::context(&boot) }))
}
