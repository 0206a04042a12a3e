//! The local stack: a virtual environment, built and packed functions, an emulator, a deployment.
//!
//! Everything it makes lives in one state folder: `stack.json` (this module's record), `stage/` (what is deployed),
//! `aws/` (what the emulator keeps, with its write log), logs. The virtual environment is shared by all state folders of a project.

mod aws;
mod deploy;
mod down;
mod emulator;
mod folder;
mod functions;
mod library;
mod process;
mod python;
mod stored_state;
mod up;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

pub(crate) use aws::last_line;
pub use aws::{Aws, Session};
pub use down::down;
pub use emulator::is_running;
pub use functions::Profile;
pub use functions::build_functions;
pub use process::Process;
pub(crate) use process::piped;
pub use python::peers;
pub use stored_state::{EmulatorStatus, Recovered};
pub use up::{UpOptions, up};

use crate::error::CliError;

/// Which project and which state folder a command is about.
#[derive(Debug, Clone, Default, Args)]
pub struct Place {
    /// The folder of the project; COUNTERSIGN_PROJECT, or found from the current folder upwards.
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The folder of the local stack's state; COUNTERSIGN_STATE, or `.countersign` in the project.
    #[arg(long, global = true, value_name = "DIR")]
    pub state: Option<PathBuf>,
}

/// An option or, without it, a variable of the environment. clap's own `env` would write the option into every usage
/// line as if it were required.
fn given(option: Option<&PathBuf>, variable: &str) -> Option<PathBuf> {
    let set = || std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    option.cloned().or_else(set)
}

impl Place {
    /// The project's folder.
    ///
    /// # Errors
    /// [`CliError::NoProject`] when no folder upwards holds a `template.yaml` beside a `Cargo.toml`.
    pub fn project(&self) -> Result<PathBuf, CliError> {
        let start = match given(self.project.as_ref(), "COUNTERSIGN_PROJECT") {
            Some(folder) => folder,
            None => std::env::current_dir()
                .map_err(|source| CliError::io("reading the current folder", source))?,
        };
        let start = start.canonicalize().map_err(|_| CliError::NoProject(start))?;
        let is_project = |folder: &&Path| {
            folder.join("template.yaml").is_file() && folder.join("Cargo.toml").is_file()
        };
        match start.ancestors().find(is_project) {
            Some(folder) => Ok(folder.to_owned()),
            None => Err(CliError::NoProject(start)),
        }
    }

    /// The state folder, made if need be.
    ///
    /// # Errors
    /// [`CliError::NoProject`] when it is not given and there is no project; [`CliError::Io`] when it cannot be made.
    pub fn state(&self) -> Result<PathBuf, CliError> {
        let folder = match self.chosen_state() {
            Some(folder) => folder,
            None => self.project()?.join(".countersign"),
        };
        fs::create_dir_all(&folder)
            .map_err(|source| CliError::io(format!("making `{}`", folder.display()), source))?;
        folder
            .canonicalize()
            .map_err(|source| CliError::io(format!("opening `{}`", folder.display()), source))
    }

    /// The state folder that was asked for, by option or environment.
    pub(crate) fn chosen_state(&self) -> Option<PathBuf> {
        given(self.state.as_ref(), "COUNTERSIGN_STATE")
    }

    /// The record of the local stack that runs here.
    ///
    /// # Errors
    /// [`CliError::NotUp`] when none was started or it has ended.
    pub fn running(&self) -> Result<Stack, CliError> {
        match Stack::load(&self.state()?)? {
            Some(stack) if is_running(&stack) => Ok(stack),
            _ => Err(CliError::NotUp),
        }
    }
}

/// What is known of a local stack between commands; holds its secret, so only its owner may read the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Stack {
    /// The name of the CloudFormation stack.
    pub name: String,
    /// The port of the emulator on the loopback address.
    pub port: u16,
    /// The fixed id of the HTTP API.
    pub api_id: String,
    /// The fixed id of the WebSocket API; empty in records of earlier versions.
    #[serde(default)]
    pub socket_id: String,
    /// The secret of the tokens this stack accepts.
    pub jwt_secret: String,
    /// The emulator, while it runs.
    pub process: Option<Process>,
    /// The outputs of the deployment, name → value.
    #[serde(default)]
    pub outputs: serde_json::Map<String, serde_json::Value>,
}

impl Stack {
    /// A stack that does not run yet.
    #[must_use]
    pub fn new(name: &str, port: u16) -> Self {
        Self {
            name: name.to_owned(),
            port,
            api_id: hex::encode(rand::random::<[u8; 4]>()),
            socket_id: hex::encode(rand::random::<[u8; 4]>()),
            jwt_secret: hex::encode(rand::random::<[u8; 32]>()),
            process: None,
            outputs: serde_json::Map::new(),
        }
    }

    /// The same with an id of the WebSocket API, which stacks of earlier versions have not.
    #[must_use]
    pub(crate) fn with_socket(mut self) -> Self {
        if self.socket_id.is_empty() {
            self.socket_id = hex::encode(rand::random::<[u8; 4]>());
        }
        self
    }

    /// The emulator's address.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Where the doors are reached: the base of API and links.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/_aws/execute-api/{}", self.endpoint(), self.api_id)
    }

    /// Where connections are opened to which what happens is pushed.
    #[must_use]
    pub fn socket_url(&self) -> String {
        format!("ws://127.0.0.1:{}/_aws/execute-api/{}/live", self.port, self.socket_id)
    }

    /// Where the mail that was sent can be read.
    #[must_use]
    pub fn mails(&self) -> String {
        format!("{}/_ministack/ses/messages", self.endpoint())
    }

    /// One output of the deployment.
    #[must_use]
    pub fn output(&self, name: &str) -> Option<&str> {
        self.outputs.get(name)?.as_str()
    }

    /// Reads the record in a state folder, if there is one.
    ///
    /// # Errors
    /// [`CliError::Io`] when it cannot be read or is not a record.
    pub fn load(state: &Path) -> Result<Option<Self>, CliError> {
        let file = state.join("stack.json");
        let doing = || format!("reading `{}`", file.display());
        match fs::read(&file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| {
                CliError::io(doing(), std::io::Error::new(ErrorKind::InvalidData, error))
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CliError::io(doing(), error)),
        }
    }

    /// Writes the record so that a crash leaves the old one or the new one.
    ///
    /// # Errors
    /// [`CliError::Io`] when it cannot be written.
    pub fn save(&self, state: &Path) -> Result<(), CliError> {
        let file = state.join("stack.json");
        let write = || -> std::io::Result<()> {
            let part = state.join("stack.json.part");
            private_file(&part)?;
            fs::write(&part, serde_json::to_vec_pretty(self)?)?;
            fs::rename(&part, &file)
        };
        write().map_err(|source| CliError::io(format!("writing `{}`", file.display()), source))
    }
}

/// Makes an empty file that only its owner may read.
fn private_file(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Place, Stack};
    use crate::error::CliError;

    #[test]
    fn a_record_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let stack = Stack::new("one", 4566);
        stack.save(folder.path()).unwrap();
        let back = Stack::load(folder.path()).unwrap().unwrap();
        assert_eq!(
            (back.port, back.api_id, back.jwt_secret),
            (4566, stack.api_id, stack.jwt_secret)
        );
    }

    #[test]
    fn only_the_owner_may_read_the_record() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        Stack::new("one", 1).save(folder.path()).unwrap();
        let mode =
            std::fs::metadata(folder.path().join("stack.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_folder_without_a_record_has_no_running_stack() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { project: None, state: Some(folder.path().to_owned()) };
        assert!(matches!(place.running(), Err(CliError::NotUp)));
    }

    #[test]
    fn a_folder_outside_a_project_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { project: Some(folder.path().to_owned()), state: None };
        assert!(matches!(place.project(), Err(CliError::NoProject(_))));
    }
}
