//! From a clone to a running, seeded, healthy stack.

use std::path::Path;
use std::time::{Duration, Instant};

use super::functions::{self, Profile};
use super::python::Environment;
use super::{Aws, Place, Stack, deploy, emulator, folder, library, stored_state};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::token;

const DEFAULT_PORT: u16 = 4566;
const HEALTHY_WITHIN: Duration = Duration::from_secs(60);

/// What can be chosen for a start.
#[derive(Debug, Clone, Default)]
pub struct UpOptions {
    /// The port; 0 takes a free one. Without it the port of the last time, at first 4566.
    pub port: Option<u16>,
    /// The name of the CloudFormation stack, at first `countersign`.
    pub name: Option<String>,
    /// How the functions are compiled.
    pub profile: Profile,
    /// Whether the emulator ends with this process and takes the state folder along, as it does for tests.
    pub bound: bool,
    /// Another address at which functions find DynamoDB: a proxy before the emulator.
    pub dynamodb: Option<String>,
    /// Whether the write log can be switched off, to measure what it costs.
    pub log_can_be_switched: bool,
    /// Parameters of the template as `NAME=VALUE`, beside those that make the stack a local one.
    pub parameters: Vec<String>,
}

/// Starts the local stack, or brings the running one up to date with the project.
///
/// # Errors
/// Whatever stood in the way, each as one sentence (see [`CliError`]).
pub async fn up(place: &Place, options: &UpOptions, console: &Console) -> Result<Stack, CliError> {
    let (project, state) = (place.project()?, place.state()?);
    deploy::check_parameters(&options.parameters, &project)?;
    let _held = folder::hold(&state)?;
    folder::settled(&state, Stack::load(&state)?.as_ref()).await;
    let mut stack = record(&state, options)?.with_socket();
    let python = Environment::ready(&project, &state, console).await?;
    let functions = functions::build(&project, &state, options.profile, console).await?;
    let stage = state.join("stage");
    deploy::stage(&project, &stage, &functions)?;
    functions::pack(&project, &functions, &python, console).await?;
    if !emulator::is_running(&stack) {
        let step = console.step("starting the local AWS");
        let (process, kept) = emulator::start(&stack, &project, &state, &python, options).await?;
        stack.process = Some(process);
        stack.save(&state)?;
        step.done(&format!("the local AWS listens on 127.0.0.1:{}", stack.port));
        if let Some(sentence) = kept.sentence() {
            console.note(sentence);
        }
    }
    let (aws, parameters) = (Aws::of(&stack, &project), &options.parameters);
    stack.outputs = deploy::deploy(&stack, &aws, &state, parameters, console).await?;
    // From here on a kill finds the deployment as it is now; the tables have their log.
    stored_state::save(&stack).await?;
    stack.save(&state)?;
    healthy(&stack, console).await?;
    library::seed(&project, &Door::with(&stack.url(), token::operator(&stack)?)?, console).await?;
    Ok(stack)
}

/// The record of the last time, with what was chosen now.
fn record(state: &Path, options: &UpOptions) -> Result<Stack, CliError> {
    let known = Stack::load(state)?;
    if let Some(stack) = &known
        && emulator::is_running(stack)
    {
        if options.port.is_some_and(|port| port != 0 && port != stack.port) {
            return Err(CliError::Argument(format!(
                "the local stack already runs on port {}; stop it first to change the port",
                stack.port
            )));
        }
        return Ok(stack.clone());
    }
    folder::require_unused(state)?;
    let port = port(options.port, known.as_ref().map(|stack| stack.port))?;
    let name = options.name.as_deref();
    let mut stack = known.unwrap_or_else(|| Stack::new(name.unwrap_or("countersign"), port));
    if let Some(name) = name
        && stack.name != name
    {
        return Err(CliError::Argument(format!(
            "this state folder holds the stack `{}`; name another folder with `--state` for `{name}`",
            stack.name
        )));
    }
    stack.port = port;
    stack.process = None;
    Ok(stack)
}

/// The port asked for, else that of the last time: what the emulator keeps, queues and links among it, names its address.
/// Any port will do only for a stack that had none: elsewhere mails and receipts would not find their queues.
fn port(asked: Option<u16>, known: Option<u16>) -> Result<u16, CliError> {
    match (asked, known) {
        (Some(asked), Some(known)) if asked != 0 && asked != known => {
            Err(CliError::Argument(format!(
                "this state folder holds a stack of port {known}, and what it keeps names that port; name another folder with `--state` for port {asked}"
            )))
        }
        (_, Some(port)) => {
            emulator::free_port(port).map_err(|_| CliError::PortInUse { port, is_kept: true })
        }
        (Some(asked), None) => emulator::free_port(asked),
        (None, None) => emulator::free_port(DEFAULT_PORT),
    }
}

/// Waits until the door answers.
async fn healthy(stack: &Stack, console: &Console) -> Result<(), CliError> {
    let step = console.step("waiting until the doors answer");
    let door = Door::open(&stack.url())?;
    let deadline = Instant::now() + HEALTHY_WITHIN;
    loop {
        match door.get("/health").await {
            Ok(_) => break,
            Err(error) if Instant::now() > deadline => {
                return Err(CliError::Unhealthy {
                    url: format!("{}/health", stack.url()),
                    reason: error.to_string(),
                });
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
    step.done("the doors answer");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{UpOptions, record};
    use crate::error::CliError;
    use crate::stack::{Process, Stack};

    fn options(port: u16) -> UpOptions {
        UpOptions { port: Some(port), ..UpOptions::default() }
    }

    #[test]
    fn the_port_and_secret_of_the_last_time_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let first = record(folder.path(), &options(0)).unwrap();
        first.save(folder.path()).unwrap();
        let second = record(folder.path(), &UpOptions::default()).unwrap();
        assert_eq!(
            (first.port, first.jwt_secret, first.api_id),
            (second.port, second.jwt_secret, second.api_id)
        );
    }

    #[test]
    fn a_stopped_stack_does_not_move_to_another_port() {
        let folder = tempfile::tempdir().unwrap();
        let known = record(folder.path(), &options(0)).unwrap();
        known.save(folder.path()).unwrap();
        let other = if known.port == 4001 { 4002 } else { 4001 };
        assert!(matches!(record(folder.path(), &options(other)), Err(CliError::Argument(_))));
        assert_eq!(record(folder.path(), &options(known.port)).unwrap().port, known.port);
    }

    #[test]
    fn a_running_stack_does_not_move_to_another_port() {
        let folder = tempfile::tempdir().unwrap();
        let mut stack = Stack::new("countersign", 4000);
        stack.process = Process::of(std::process::id());
        stack.save(folder.path()).unwrap();
        assert!(matches!(record(folder.path(), &options(4001)), Err(CliError::Argument(_))));
        assert_eq!(record(folder.path(), &options(4000)).unwrap().port, 4000);
    }

    #[test]
    fn a_state_folder_holds_one_stack() {
        let folder = tempfile::tempdir().unwrap();
        Stack::new("one", 4000).save(folder.path()).unwrap();
        let other =
            UpOptions { name: Some("two".to_owned()), port: Some(0), ..UpOptions::default() };
        assert!(matches!(record(folder.path(), &other), Err(CliError::Argument(_))));
    }
}
