//! The Lambda of `tool-web`.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_reader::child().unwrap_or_else(start)
}

fn start() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_web::context(&boot) }))
}
