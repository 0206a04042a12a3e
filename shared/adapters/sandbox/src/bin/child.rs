//! The child by itself, for tests: what they run in is not a function.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_sandbox::child().unwrap_or(ExitCode::FAILURE)
}
