//! The virtual environment: the pinned emulator and awscli, made once, never needing the network again.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use crate::console::Console;
use crate::error::CliError;

/// A ready virtual environment.
#[derive(Debug, Clone)]
pub(super) struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// One of the environment's programs.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    /// The environment of a project as it stands, whether or not it has been made.
    pub(super) fn of(project: &Path) -> Self {
        let folder = std::env::var_os("COUNTERSIGN_VENV").map(PathBuf::from);
        Self { folder: folder.unwrap_or_else(|| project.join(".countersign").join("venv")) }
    }

    /// Makes the environment, unless it is there and made from the same list of packages.
    ///
    /// # Errors
    /// [`CliError::NoPython`] without a fitting interpreter, [`CliError::Environment`] when packages cannot be installed.
    pub(super) async fn ready(
        project: &Path,
        state: &Path,
        console: &Console,
    ) -> Result<Self, CliError> {
        let this = Self::of(project);
        let list = project.join("infra/local/requirements.txt");
        this.made_from(&list, "the Python environment of the local stack", state, console).await?;
        Ok(this)
    }

    async fn made_from(
        &self,
        list: &Path,
        what: &str,
        state: &Path,
        console: &Console,
    ) -> Result<(), CliError> {
        let wanted = fs::read_to_string(list)
            .map_err(|source| CliError::io(format!("reading `{}`", list.display()), source))?;
        let stamp = self.folder.join("countersign-requirements.txt");
        let is_ready = || fs::read_to_string(&stamp).is_ok_and(|made| made == wanted);
        if is_ready() {
            return Ok(());
        }
        let _lock = lock(&self.folder)?;
        if is_ready() {
            return Ok(());
        }
        let python = interpreter().await?;
        let log = state.join("environment.log");
        let step = console.step(&format!("making {what} (once)"));
        let folder = self.folder.display().to_string();
        said(Command::new(&python).args(["-m", "venv", "--clear", &folder]), &log).await?;
        let mut pip = Command::new(self.program("python"));
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
            "-r",
        ]);
        said(pip.arg(list), &log).await?;
        fs::write(&stamp, wanted)
            .map_err(|source| CliError::io("marking the Python environment as ready", source))?;
        step.done(&format!("{what} is ready"));
        Ok(())
    }
}

/// The interpreter of the environment that benchmarks compare with, made if need be.
///
/// # Errors
/// As for the environment of the local stack.
pub async fn peers(project: &Path, state: &Path, console: &Console) -> Result<PathBuf, CliError> {
    let this = Environment { folder: state.join("peers") };
    let list = project.join("infra/local/peers.txt");
    this.made_from(&list, "the Python environment of the peers", state, console).await?;
    Ok(this.program("python"))
}

/// Two commands at once make the environment one after the other.
fn lock(folder: &Path) -> Result<File, CliError> {
    let doing = |source| {
        CliError::io("waiting for another command that makes the Python environment", source)
    };
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(doing)?;
    let file = File::create(parent.join("venv.lock")).map_err(doing)?;
    file.lock().map_err(doing)?;
    Ok(file)
}

/// The first interpreter that is new enough.
async fn interpreter() -> Result<PathBuf, CliError> {
    let named = std::env::var("COUNTERSIGN_PYTHON").ok();
    let candidates: Vec<String> = match &named {
        Some(path) => vec![path.clone()],
        None => [
            "python3",
            "python3.14",
            "python3.13",
            "python3.12",
            "python3.11",
            "python3.10",
            "python",
        ]
        .map(str::to_owned)
        .to_vec(),
    };
    let mut seen = Vec::new();
    for candidate in candidates {
        let check = "import sys; print('%d.%d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 10))";
        let Ok(output) = Command::new(&candidate).args(["-c", check]).output().await else {
            if named.is_some() {
                seen.push(format!("`{candidate}` cannot be run"));
            }
            continue;
        };
        if output.status.success() {
            return Ok(PathBuf::from(candidate));
        }
        seen.push(format!("`{candidate}` is {}", String::from_utf8_lossy(&output.stdout).trim()));
    }
    Err(CliError::NoPython(if seen.is_empty() {
        "no interpreter on the path".to_owned()
    } else {
        seen.join(", ")
    }))
}

/// Runs a command; all it says goes to the log, its last line into the failure.
async fn said(command: &mut Command, log: &Path) -> Result<(), CliError> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .await
        .map_err(|source| CliError::io("running Python", source))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    fs::write(log, &text)
        .map_err(|source| CliError::io(format!("writing `{}`", log.display()), source))?;
    if output.status.success() {
        return Ok(());
    }
    let reason = text
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("it said nothing")
        .trim()
        .to_owned();
    Err(CliError::Environment { reason, log: log.to_owned() })
}
