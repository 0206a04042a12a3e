//! Starting the emulator, and telling whether the one that answers is ours.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::RangeInclusive;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::aws::LOCAL;
use super::python::Environment;
use super::{EmulatorStatus, Process, Stack, UpOptions};
use crate::error::CliError;

const PATIENCE: Duration = Duration::from_secs(60);

/// What of this process's environment the emulator, and with it every function, may see.
const KEPT: [&str; 12] = [
    "PATH",
    "HOME",
    "LANG",
    "RUST_LOG",
    "RUST_BACKTRACE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SMTP_HOST",
    "SMTP_PORT",
    "LD_LIBRARY_PATH",
    "TZ",
    "COUNTERSIGN_DIE_WITH_PARENT",
];

/// Whether the emulator of this record runs.
#[must_use]
pub fn is_running(stack: &Stack) -> bool {
    stack.process.as_ref().is_some_and(Process::is_alive)
}

/// Ports below those that systems give to connections that go out (from 32,768 on Linux): functions are built between choosing a
/// port and listening on it, and one of those may be taken meanwhile.
const CHOSEN: RangeInclusive<u16> = 18_000..=31_999;

/// So many of them are tried.
const TRIES: usize = 50;

/// A port nobody listens on: the one asked for, or any when that is 0.
///
/// # Errors
/// [`CliError::PortInUse`] when the port is taken.
pub(super) fn free_port(wanted: u16) -> Result<u16, CliError> {
    if let Some(chosen) = (wanted == 0).then(unused).flatten() {
        return Ok(chosen);
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, wanted))
        .map_err(|_| CliError::PortInUse { port: wanted, is_kept: false })?;
    listener
        .local_addr()
        .map(|address| address.port())
        .map_err(|source| CliError::io("choosing a port", source))
}

fn unused() -> Option<u16> {
    let any = std::iter::repeat_with(|| rand::random_range(CHOSEN));
    any.take(TRIES).find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
}

/// Starts the emulator of a stack on the loopback address and waits until it answers.
///
/// # Errors
/// [`CliError::Emulator`] with the last line of its log when it ends or does not answer in time.
pub(super) async fn start(
    stack: &Stack,
    project: &Path,
    state: &Path,
    python: &Environment,
    options: &UpOptions,
) -> Result<(Process, EmulatorStatus), CliError> {
    let log = state.join("emulator.log");
    let child = command(stack, project, state, python, &log)
        .and_then(|mut command| {
            if options.bound {
                command.env("COUNTERSIGN_DIE_WITH_PARENT", "1");
            }
            if options.log_can_be_switched {
                command.env("COUNTERSIGN_LOG_CAN_BE_SWITCHED", "1");
            }
            if let Some(address) = &options.dynamodb {
                command.env("AWS_ENDPOINT_URL_DYNAMODB", address);
            }
            command.spawn()
        })
        .map_err(|source| CliError::io("starting the local stack", source))?;
    let failed = |reason: String| CliError::Emulator { reason, log: log.clone() };
    let process = Process::of(child.id()).ok_or_else(|| failed("it ended at once".to_owned()))?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        // Another program may have taken the port meanwhile, even another local stack.
        if let Some(kept) = EmulatorStatus::of(stack).await.filter(|kept| kept.pid == process.pid) {
            return Ok((process, kept));
        }
        if !process.is_alive() {
            return Err(failed(last_line(&log)));
        }
        if Instant::now() > deadline {
            process.stop(Duration::from_secs(10)).await?;
            return Err(failed(format!(
                "`{}` did not answer within {} seconds",
                stack.endpoint(),
                PATIENCE.as_secs()
            )));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn command(
    stack: &Stack,
    project: &Path,
    state: &Path,
    python: &Environment,
    log: &Path,
) -> std::io::Result<Command> {
    let folder = |name: &str| -> std::io::Result<_> {
        let folder = state.join("aws").join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    };
    super::private_file(log)?;
    let said = fs::OpenOptions::new().append(true).open(log)?;
    let mut command = Command::new(python.program("python"));
    command.arg(project.join("infra/local/launch.py")).current_dir(state);
    command
        .env_clear()
        .envs(KEPT.iter().filter_map(|name| std::env::var_os(name).map(|value| (name, value))));
    command
        .env("GATEWAY_PORT", stack.port.to_string())
        .env("BIND_HOST", "127.0.0.1")
        .env("AWS_ENDPOINT_URL", stack.endpoint())
        .envs(LOCAL)
        .env("IOT_MTLS_ENABLED", "0")
        .env("SFTP_ENABLED", "0")
        .env("AUTH", "true")
        // As in AWS, a trigger of a user pool that fails means no token.
        .env("MINISTACK_COGNITO_PRETOKEN_STRICT", "1")
        .env("PERSIST_STATE", "1")
        .env("S3_PERSIST", "1")
        .env("STATE_DIR", folder("state")?)
        .env("S3_DATA_DIR", folder("s3")?)
        .env("TMPDIR", folder("tmp")?)
        .env("PYTHONUNBUFFERED", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    // A group of its own: an interrupt at the terminal ends the command, not the stack it has started.
    command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said).process_group(0);
    Ok(command)
}

fn last_line(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_default();
    text.lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it ended without a word")
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{CHOSEN, free_port};
    use crate::error::CliError;
    use std::net::TcpListener;

    #[test]
    fn a_port_in_use_is_refused_and_zero_finds_a_free_one() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        assert!(
            matches!(free_port(port), Err(CliError::PortInUse { port: refused, .. }) if refused == port)
        );
        assert!(CHOSEN.contains(&free_port(0).unwrap()));
    }
}
