//! The command line of Countersign.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_cli::main()
}
