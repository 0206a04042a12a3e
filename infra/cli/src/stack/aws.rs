//! AWS as the awscli of the stack's virtual environment sees it.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::Stack;
use super::process::piped;
use super::python::Environment;
use crate::error::CliError;

/// How the local stack is spoken to, whichever stack it is: with credentials of its own, and past every proxy.
pub(super) const LOCAL: [(&str, &str); 5] = [
    ("AWS_ACCESS_KEY_ID", "test"),
    ("AWS_SECRET_ACCESS_KEY", "test"),
    ("AWS_REGION", "us-east-1"),
    ("AWS_DEFAULT_REGION", "us-east-1"),
    ("NO_PROXY", "127.0.0.1,localhost"),
];

/// The awscli, aimed at one local stack.
#[derive(Debug, Clone)]
pub struct Aws {
    program: PathBuf,
    endpoint: String,
    session: Option<Session>,
}

/// Credentials of a role, for acting as somebody other than the account's owner.
#[derive(Clone)]
pub struct Session {
    /// The access key.
    pub key: String,
    /// The secret key.
    pub secret: String,
    /// The session's token.
    pub token: String,
}

// By hand: a derived one would print the secret.
impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session {{ key: {:?}, .. }}", self.key)
    }
}

impl Aws {
    /// The client of a stack that belongs to a project.
    #[must_use]
    pub fn of(stack: &Stack, project: &Path) -> Self {
        let program = Environment::of(project).program("aws");
        Self { program, endpoint: stack.endpoint(), session: None }
    }

    /// The same client, acting as a role.
    #[must_use]
    pub fn acting_as(self, session: Session) -> Self {
        Self { session: Some(session), ..self }
    }

    /// Runs one command and returns all it said.
    ///
    /// # Errors
    /// [`CliError::Io`] when the client cannot be started; its own failure is in the output.
    pub async fn output(&self, arguments: &[&str], folder: &Path) -> Result<Output, CliError> {
        let mut command = self.command(&self.program, folder);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .await
            .map_err(|source| CliError::io("running the AWS client", source))
    }

    /// Invokes a function with one event after the other, and returns what it answers to each. `script` is
    /// `infra/local/invoke.py`.
    ///
    /// # Errors
    /// [`CliError::Found`] when the function fails; [`CliError::Io`] when the script cannot be run.
    pub async fn invoke(
        &self,
        script: &Path,
        function: &str,
        events: &[serde_json::Value],
        folder: &Path,
    ) -> Result<Vec<serde_json::Value>, CliError> {
        let doing = |source| CliError::io("invoking a function", source);
        let mut command = self.command(&self.program.with_file_name("python"), folder);
        command.arg(script).arg(function);
        piped(command.as_std_mut());
        let mut child = command.spawn().map_err(doing)?;
        if let Some(mut input) = child.stdin.take() {
            let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
            input.write_all(lines.as_bytes()).await.map_err(doing)?;
        }
        let output = child.wait_with_output().await.map_err(doing)?;
        if !output.status.success() {
            return Err(CliError::Found(last_line(&output.stderr, "no reason given")));
        }
        let said = String::from_utf8_lossy(&output.stdout);
        let answers = said.lines().map(serde_json::from_str).collect::<Result<_, _>>();
        answers.map_err(|error| CliError::Found(format!("a function answered no JSON: {error}")))
    }

    /// A program aimed at the local stack.
    fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        // The owner's own profile must never be used by accident: nothing of it is passed on.
        command.current_dir(folder).env_clear();
        for name in ["PATH", "HOME", "LANG", "TMPDIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("AWS_ENDPOINT_URL", &self.endpoint)
            .envs(LOCAL)
            .env("AWS_PAGER", "")
            .env("AWS_CONFIG_FILE", "/dev/null")
            .env("AWS_SHARED_CREDENTIALS_FILE", "/dev/null");
        if let Some(Session { key, secret, token }) = &self.session {
            command
                .env("AWS_ACCESS_KEY_ID", key)
                .env("AWS_SECRET_ACCESS_KEY", secret)
                .env("AWS_SESSION_TOKEN", token);
        }
        command
    }

    /// Runs one command that must succeed and answers in JSON.
    ///
    /// # Errors
    /// [`CliError::Found`] with the client's last words.
    pub async fn json(
        &self,
        arguments: &[&str],
        folder: &Path,
    ) -> Result<serde_json::Value, CliError> {
        let output = self.output(&[arguments, &["--output", "json"]].concat(), folder).await?;
        if !output.status.success() {
            return Err(CliError::Found(format!(
                "the local AWS rejected `{}`: {}",
                arguments.join(" "),
                last_line(&output.stderr, "no reason given").trim()
            )));
        }
        if output.stdout.iter().all(u8::is_ascii_whitespace) {
            return Ok(serde_json::Value::Null);
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|error| CliError::Found(format!("the local AWS answered no JSON: {error}")))
    }
}

/// The last line of what a program says, or something else when it says nothing.
pub(crate) fn last_line(said: &[u8], otherwise: &str) -> String {
    let said = String::from_utf8_lossy(said);
    said.trim().lines().last().unwrap_or(otherwise).to_owned()
}
