//! What can go wrong at the command line: one sentence, and what to do about it.

use std::io;
use std::path::PathBuf;

/// A failure of a command.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A file or process could not be used.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// The operating system's reason.
        source: io::Error,
    },
    /// No project around the current folder.
    #[error("there is no Countersign project in `{}` or above it", .0.display())]
    NoProject(PathBuf),
    /// No Python that is new enough.
    #[error("Python 3.10 or newer is needed for the local stack and none was found ({0})")]
    NoPython(String),
    /// The virtual environment could not be made.
    #[error("the Python environment of the local stack could not be made: {reason}")]
    Environment {
        /// The last line of what was said.
        reason: String,
        /// Where everything that was said stands.
        log: PathBuf,
    },
    /// `cargo build` failed.
    #[error("the functions do not build:\n{errors}")]
    Build {
        /// The compiler's errors.
        errors: String,
        /// Where everything the compiler said stands.
        log: PathBuf,
    },
    /// The template names a function that is not a crate, or the reverse.
    #[error("`template.yaml` deploys `{0}` but there is no crate `functions/{0}`")]
    NoFunction(String),
    /// Something else listens on the port.
    #[error("port {port} is in use by another program")]
    PortInUse {
        /// The port.
        port: u16,
        /// Whether the stack was up on it before, and keeps it.
        is_kept: bool,
    },
    /// Another command changes the same state folder.
    #[error("another `countersign` command is at work in `{}`", .0.display())]
    Busy(PathBuf),
    /// An emulator uses the state folder and no record names it.
    #[error("another local stack (process {process}) uses `{}`", folder.display())]
    FolderInUse {
        /// What it uses.
        folder: PathBuf,
        /// Its process.
        process: String,
    },
    /// The emulator could not keep its state.
    #[error("the local stack cannot keep its state: {0}")]
    NotKept(String),
    /// The emulator ended or did not answer.
    #[error("the local stack did not start: {reason}")]
    Emulator {
        /// The last line of its log, or that it did not answer.
        reason: String,
        /// Where its log stands.
        log: PathBuf,
    },
    /// CloudFormation refused, or a resource could not be made.
    #[error("the deployment failed: {reason}")]
    Deploy {
        /// The first reasons CloudFormation gave.
        reason: String,
        /// Where everything it said stands.
        log: PathBuf,
    },
    /// The stack is deployed but its door does not answer.
    #[error("the stack is deployed but `{url}` does not answer: {reason}")]
    Unhealthy {
        /// What was asked.
        url: String,
        /// What came back.
        reason: String,
    },
    /// No local stack is running.
    #[error("the local stack is not running")]
    NotUp,
    /// The emulator would not stop.
    #[error("process {0} of the local stack did not stop within {1} seconds")]
    WouldNotStop(u32, u64),
    /// A door refused, with its reason.
    #[error("{title}{}", code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default())]
    Refused {
        /// HTTP status.
        status: u16,
        /// The stable code of the failure.
        code: Option<String>,
        /// What the door said.
        title: String,
        /// What the door advises.
        help: Option<String>,
        /// The fields it found wrong, as paths; the empty path is the whole body.
        fields: Vec<String>,
    },
    /// A door could not be reached or answered something that is not JSON.
    #[error("`{url}` did not answer as expected: {reason}")]
    Door {
        /// What was asked.
        url: String,
        /// What happened.
        reason: String,
    },
    /// An argument is not right in a way the parser cannot see.
    #[error("{0}")]
    Argument(String),
    /// The command has shown what it found, and what it found is a failure.
    #[error("{0}")]
    Found(String),
}

impl CliError {
    /// An operating system failure, with what was being done.
    #[must_use]
    pub fn io(doing: impl Into<String>, source: io::Error) -> Self {
        Self::Io { doing: doing.into(), source }
    }

    /// What the reader can do about it, where that can be said.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::NoProject(_) => {
                Some("change into a clone of Countersign, or name it with `--project`".to_owned())
            }
            Self::NoPython(_) => {
                Some("install Python 3.10 or newer, or name one with COUNTERSIGN_PYTHON".to_owned())
            }
            Self::Environment { log, .. } => Some(format!(
                "the first start needs the network and the `venv` module (`apt install python3-venv` on Debian); the output is in `{}`",
                log.display()
            )),
            Self::Build { log, .. } => {
                Some(format!("the compiler's output is in `{}`", log.display()))
            }
            Self::NoFunction(_) => {
                Some("add the crate, or take the resource out of the template".to_owned())
            }
            Self::PortInUse { is_kept: true, .. } => Some(
                "stop that program: this stack keeps the port on which it was up before, as its mails and queues name it; another stack, with nothing of this one, starts with `countersign up --port 0 --state FOLDER`".to_owned(),
            ),
            Self::PortInUse { .. } => Some(
                "stop that program, or start on a free port: `countersign up --port 0`".to_owned(),
            ),
            Self::Busy(_) => Some("wait until it has ended, or name another folder with `--state`".to_owned()),
            Self::FolderInUse { process, .. } => Some(format!(
                "stop it with `kill {process}`, which keeps its state, or name another folder with `--state`"
            )),
            Self::NotKept(_) => {
                Some("make room on the disk, then run `countersign up` again; what was acknowledged before is kept".to_owned())
            }
            Self::Emulator { log, .. } => Some(format!("its log is in `{}`", log.display())),
            Self::Deploy { log, .. } => {
                Some(format!("the output is in `{}`", log.display()))
            }
            Self::Unhealthy { .. } => {
                Some("the log of the local stack says more: `countersign status`".to_owned())
            }
            Self::NotUp => Some("start it with `countersign up`".to_owned()),
            Self::WouldNotStop(..) => {
                Some("look at its log, then stop the process yourself".to_owned())
            }
            Self::Refused { help, status, code, .. } => {
                help.clone().or_else(|| advice(*status, code.as_deref()).map(str::to_owned))
            }
            Self::Io { .. } | Self::Door { .. } | Self::Argument(_) | Self::Found(_) => None,
        }
    }

    /// 1 when something failed, 2 when the arguments were wrong.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        if matches!(self, Self::Argument(_)) { 2 } else { 1 }
    }
}

/// What to do about a refusal that brings no advice. A gateway refuses a token without a code of ours.
fn advice(status: u16, code: Option<&str>) -> Option<&'static str> {
    match (status, code) {
        (401, _) | (403, None) => Some("make a new token with `countersign token`"),
        (404, _) => Some(
            "check the id, and who acts: what somebody may not see looks like what is not there",
        ),
        _ => None,
    }
}
