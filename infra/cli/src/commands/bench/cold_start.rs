//! `countersign bench cold-start`.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use super::{Figure, Figures};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::{Aws, Place, Profile, Stack, build_functions, peers};

const GOAL_MS: f64 = 12.0;
const GOAL_MB: f64 = 14.0;
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug, Args)]
pub(crate) struct ColdStart {
    /// How often each process is started; the median counts.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    samples: u16,
}

/// A program that asks the Runtime API for its first event.
struct Measured {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    environment: HashMap<String, String>,
}

/// What one start took.
#[derive(Clone, Copy)]
struct Start {
    milliseconds: f64,
    megabytes: f64,
}

impl ColdStart {
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let (project, state, stack) = (place.project()?, place.state()?, place.running()?);
        let aws = Aws::of(&stack, &project);
        let mut subjects = Vec::new();
        for (name, program) in build_functions(&project, &state, Profile::Release, console).await? {
            let environment = environment(&stack, &aws, &state, &name).await?;
            subjects.push(Measured { name, program, arguments: Vec::new(), environment });
        }
        let python = peers(&project, &state, console).await?;
        let script = project.join("infra/local/peer.py").display().to_string();
        let peer = |name: &str, modules: &[&str]| Measured {
            name: name.to_owned(),
            program: python.clone(),
            arguments: [script.as_str()]
                .iter()
                .chain(modules)
                .map(|argument| (*argument).to_owned())
                .collect(),
            environment: HashMap::from([
                ("AWS_REGION".to_owned(), "us-east-1".to_owned()),
                ("AWS_DEFAULT_REGION".to_owned(), "us-east-1".to_owned()),
            ]),
        };
        let peers = [
            peer("Python, boto3", &["boto3"]),
            peer("Python, langgraph and boto3", &["langgraph.graph", "boto3"]),
        ];
        let step = console.step("starting every process");
        let mut peer_starts = Vec::new();
        for peer in &peers {
            step.detail(&peer.name);
            peer_starts.push((peer.name.clone(), median(peer, self.samples)?));
        }
        let mut figures = Vec::new();
        for subject in &subjects {
            step.detail(&subject.name);
            figures.extend(rows(&subject.name, median(subject, self.samples)?, &peer_starts));
        }
        step.done(&format!(
            "{} processes, {} starts each",
            subjects.len() + peers.len(),
            self.samples
        ));
        for (name, start) in peer_starts {
            figures.push(Figure::plain(format!("{name}: first request"), start.milliseconds, "ms"));
            figures.push(Figure::plain(format!("{name}: peak memory"), start.megabytes, "MB"));
        }
        Ok(figures)
    }
}

fn rows(name: &str, start: Start, peers: &[(String, Start)]) -> [Figure; 2] {
    let told = |of: fn(&Start) -> f64| {
        peers.iter().map(|(_, peer)| format!("{:.0}", of(peer))).collect::<Vec<_>>().join(" / ")
    };
    let mut time =
        Figure::at_most(format!("{name}: first request"), start.milliseconds, "ms", GOAL_MS);
    time.peer = Some(told(|peer| peer.milliseconds));
    let mut memory =
        Figure::at_most(format!("{name}: peak memory"), start.megabytes, "MB", GOAL_MB);
    memory.peer = Some(told(|peer| peer.megabytes));
    [time, memory]
}

/// What the deployed function finds in its environment. One that this stack has no use for, such as the user pool's, gets
/// what `api` has, which is more.
async fn environment(
    stack: &Stack,
    aws: &Aws,
    folder: &Path,
    name: &str,
) -> Result<HashMap<String, String>, CliError> {
    let function = format!("{}-{name}", stack.name);
    let found = match configured(aws, folder, &function).await {
        Ok(found) => found,
        Err(_) => configured(aws, folder, &format!("{}-api", stack.name)).await?,
    };
    let mut variables: HashMap<String, String> = found
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), Value::as_str(value)?.to_owned())))
        .collect();
    let given = [
        ("AWS_LAMBDA_FUNCTION_NAME", function.as_str()),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "bench"),
        ("AWS_LAMBDA_LOG_GROUP_NAME", "bench"),
    ];
    variables.extend(given.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Ok(variables)
}

async fn configured(aws: &Aws, folder: &Path, function: &str) -> Result<Value, CliError> {
    let asked = ["lambda", "get-function-configuration", "--function-name", function];
    aws.json(&[&asked[..], &["--query", "Environment.Variables"]].concat(), folder).await
}

fn median(subject: &Measured, samples: u16) -> Result<Start, CliError> {
    let starts: Vec<Start> = (0..samples).map(|_| start(subject)).collect::<Result<_, _>>()?;
    let middle = |of: fn(&Start) -> f64| {
        let mut values: Vec<f64> = starts.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Ok(Start {
        milliseconds: middle(|start| start.milliseconds),
        megabytes: middle(|start| start.megabytes),
    })
}

/// Starts the process once and waits until it asks for its first event.
fn start(subject: &Measured) -> Result<Start, CliError> {
    let doing = |source| CliError::io(format!("starting `{}`", subject.name), source);
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(doing)?;
    let address = listener.local_addr().map_err(doing)?;
    let mut command = Command::new(&subject.program);
    command.args(&subject.arguments).env_clear().envs(&subject.environment);
    // Not this machine's certificates: Lambda names none either.
    for name in ["PATH", "HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    command
        .env("AWS_LAMBDA_RUNTIME_API", address.to_string())
        .env("AWS_ACCESS_KEY_ID", "test")
        .env("AWS_SECRET_ACCESS_KEY", "test");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let mut child = command.spawn().map_err(doing)?;
    let asked = first_request(&listener, &mut child, started);
    let megabytes = peak_megabytes(child.id());
    // It may have ended by itself; either way it is gone after this.
    let _gone = child.kill();
    child.wait().map_err(doing)?;
    let milliseconds = asked.map_err(doing)?.as_secs_f64() * 1000.0;
    Ok(Start { milliseconds, megabytes })
}

fn first_request(
    listener: &TcpListener,
    child: &mut std::process::Child,
    started: Instant,
) -> std::io::Result<Duration> {
    listener.set_nonblocking(true)?;
    let mut open = Vec::new();
    loop {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(false)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            let mut line = String::new();
            BufReader::new(stream.try_clone()?).read_line(&mut line)?;
            open.push(stream);
            if line.contains("/invocation/next") {
                return Ok(started.elapsed());
            }
            if line.contains("/init/error") {
                return Err(std::io::Error::other(
                    "it reported an error instead of asking for an event",
                ));
            }
        }
        if child.try_wait()?.is_some() {
            return Err(std::io::Error::other("it ended before its first request"));
        }
        if started.elapsed() > PATIENCE {
            return Err(std::io::Error::other(format!(
                "no request within {} seconds",
                PATIENCE.as_secs()
            )));
        }
        std::thread::yield_now();
    }
}

/// The most memory a living process has had, in MB; 0 where the system does not say.
pub(super) fn peak_megabytes(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}

#[cfg(test)]
mod tests {
    use super::{Measured, start};
    use std::collections::HashMap;
    use std::path::PathBuf;

    fn shell(script: &str) -> Measured {
        let arguments = vec!["-c".to_owned(), script.to_owned()];
        Measured {
            name: "shell".to_owned(),
            program: PathBuf::from("/bin/bash"),
            arguments,
            environment: HashMap::new(),
        }
    }

    #[test]
    fn a_process_is_measured_when_it_asks_for_its_first_event() {
        let ask = r#"exec 3<>"/dev/tcp/${AWS_LAMBDA_RUNTIME_API%:*}/${AWS_LAMBDA_RUNTIME_API#*:}"; printf 'GET /2018-06-01/runtime/invocation/next HTTP/1.1\r\n\r\n' >&3; read -r <&3"#;
        let start = start(&shell(ask)).unwrap();
        assert!(start.milliseconds > 0.0);
    }

    #[test]
    fn a_process_that_ends_first_is_an_error() {
        assert!(start(&shell("exit 0")).is_err());
    }
}
