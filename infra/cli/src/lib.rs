//! The command line of Countersign, as a library, so that the end-to-end tests start the same stack people do.
//!
//! One command per file in `commands`; `stack` is the local stack (environment, build, packing, emulator, deployment);
//! `door` is the one client of the public REST door. Nothing here knows a table's keys or speaks to AWS by itself:
//! AWS is reached through the pinned awscli of the stack's own virtual environment.

pub mod approver;
pub mod commands;
pub mod connection;
pub mod console;
pub mod door;
pub mod error;
pub mod mailbox;
pub mod requests;
pub mod stack;
pub mod token;
mod visible;
mod waiting;
mod wrap;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser};

use crate::console::Console;
pub use crate::error::CliError;

/// Agents that stop until the right people have signed.
#[derive(Debug, Parser)]
#[command(name = "countersign", version, about)]
struct Cli {
    #[command(flatten)]
    place: stack::Place,
    #[command(subcommand)]
    command: commands::Command,
}

/// Reads the arguments, does what they ask, and says in one sentence what went wrong if it did.
#[must_use]
pub fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let console = Console::new();
    match cli(&matches).and_then(|cli| run(&cli, &console)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            console.error(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// The arguments, read.
fn cli(matches: &ArgMatches) -> Result<Cli, CliError> {
    if let Some(word) = filter(matches, &Cli::command()) {
        return Err(CliError::Argument(format!(
            "`--state` is the folder of the local stack's state, and there is no folder `{word}`; this list is narrowed by `--in-state {word}`"
        )));
    }
    Ok(Cli::from_arg_matches(matches).unwrap_or_else(|error| error.exit()))
}

/// The word behind `--state` where somebody probably means `--in-state`: no folder, for a command that has the other option.
fn filter(matches: &ArgMatches, command: &clap::Command) -> Option<String> {
    let is_narrowed = command.get_arguments().any(|one| one.get_id() == "in_state");
    let state = matches.try_get_one::<PathBuf>("state").ok().flatten().filter(|_| is_narrowed);
    let is_word = |path: &&PathBuf| path.components().count() == 1 && !path.exists();
    if let Some(word) = state.filter(is_word) {
        return Some(word.display().to_string());
    }
    let (name, below) = matches.subcommand()?;
    filter(below, command.find_subcommand(name)?)
}

/// What the command line takes, for whoever checks what documents say of it.
#[must_use]
pub fn command_line() -> clap::Command {
    Cli::command()
}

fn run(cli: &Cli, console: &Console) -> Result<(), CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| CliError::io("cannot start", source))?;
    runtime.block_on(cli.command.run(&cli.place, console))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::Cli;

    #[test]
    fn help_is_a_command_and_shows_no_option_as_required() {
        let usage = Cli::try_parse_from(["countersign", "help"]).unwrap_err();
        assert_eq!(usage.kind(), clap::error::ErrorKind::DisplayHelp);
        let text = usage.to_string();
        assert!(text.contains("Usage: countersign [OPTIONS] <COMMAND>"), "{text}");
    }

    #[test]
    fn what_narrows_the_list_of_approvals_is_refused_where_one_is_shown() {
        fn check(words: &[&str], expect: bool) {
            let parsed = Cli::try_parse_from(["countersign", "approvals"].iter().chain(words));
            assert_eq!(parsed.is_ok(), expect, "{words:?}");
        }
        for good in [&["--mine", "--closed"][..], &["appr_1"], &["appr_1", "--rounds"]] {
            check(good, true);
        }
        for option in ["--mine", "--closed"] {
            check(&["appr_1", option], false);
            check(&["appr_1", "--rounds", option], false);
        }
        check(&["--rounds"], false);
    }

    #[test]
    fn whoever_narrows_a_list_by_the_state_folder_is_told_the_other_option() {
        fn check(words: &[&str], expect: Option<&str>) {
            let matches = Cli::command().get_matches_from(["countersign"].iter().chain(words));
            let found = super::filter(&matches, &Cli::command());
            assert_eq!(found.as_deref(), expect, "{words:?}");
        }
        check(&["occurrences", "--state", "finished"], Some("finished"));
        check(&["--state", "finished", "occurrences"], Some("finished"));
        check(&["occurrences", "--in-state", "finished"], None);
        check(&["occurrences", "--state", "src"], None);
        check(&["occurrences", "--state", "./finished"], None);
        check(&["schedules", "--state", "finished"], None);
        check(&["todos", "--state", "DONE"], Some("DONE"));
    }

    /// In a build that is not for release clap checks the same when a command is used.
    #[test]
    fn no_command_has_an_argument_twice() {
        Cli::command().debug_assert();
    }

    /// What a command has under the id of a global option is taken for that option.
    #[test]
    fn no_argument_of_a_command_is_taken_for_a_global_option() {
        fn check(command: &clap::Command, global: &[String]) {
            let own = |is_global: bool| {
                let all =
                    command.get_arguments().filter(move |one| one.is_global_set() == is_global);
                all.map(|one| one.get_id().to_string())
            };
            let global: Vec<String> = global.iter().cloned().chain(own(true)).collect();
            let taken: Vec<String> = own(false).filter(|id| global.contains(id)).collect();
            assert!(taken.is_empty(), "{}: {taken:?}", command.get_name());
            command.get_subcommands().for_each(|below| check(below, &global));
        }
        check(&Cli::command(), &[]);
    }

    /// An option that is set by the environment appears in every usage line.
    #[test]
    fn options_of_every_command_are_not_bound_to_the_environment() {
        let command = Cli::command();
        let global = command.get_arguments().filter(|option| option.is_global_set());
        let bound: Vec<_> = global.filter(|option| option.get_env().is_some()).collect();
        assert!(bound.is_empty(), "{bound:?}");
    }
}
