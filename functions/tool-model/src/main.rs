//! The Lambda of `tool-model`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_model::context(&boot) }))
}
