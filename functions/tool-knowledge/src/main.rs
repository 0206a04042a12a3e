//! The Lambda of `tool-knowledge`.

use std::process::ExitCode;

use countersign_step_entry::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    countersign_step_entry::serve(|boot| Box::pin(async move { tool_knowledge::context(&boot) }))
}
