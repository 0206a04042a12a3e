//! The Lambda of `tool-data`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_data::context(&boot) }))
}
