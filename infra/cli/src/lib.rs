//! The command line of Countersign, as a library, so that the end-to-end tests start the same stack people do.
//!
//! One command per file in `commands`; `stack` is the local stack (environment, build, packing, emulator, deployment);
//! `door` is the one client of the public REST door. Nothing here knows a table's keys or speaks to AWS by itself:
//! AWS is reached through the pinned awscli of the stack's own virtual environment.

pub mod approver;
pub mod commands;
pub mod console;
pub mod door;
pub mod error;
pub mod mailbox;
pub mod requests;
pub mod stack;
pub mod token;

use std::process::ExitCode;

use clap::Parser;

use crate::console::Console;
pub use crate::error::CliError;

/// Agents that stop until the right people have signed.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, about, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    place: stack::Place,
    #[command(subcommand)]
    command: commands::Command,
}

/// Reads the arguments, does what they ask, and says in one sentence what went wrong if it did.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let console = Console::new();
    match run(&cli, &console) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console.error(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(cli: &Cli, console: &Console) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| CliError::io("cannot start", source))?;
    runtime.block_on(cli.command.run(&cli.place, console))
}
