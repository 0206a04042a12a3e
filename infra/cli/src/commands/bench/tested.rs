//! Tests of the project that measure: run by cargo, they leave a report.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::de::DeserializeOwned;

use crate::error::CliError;

/// One test of the project.
pub(super) struct Test<'t> {
    /// Where cargo finds it.
    pub(super) of: &'t [&'t str],
    /// Its name.
    pub(super) name: &'t str,
    /// What it is told by variables of the environment, by their names.
    pub(super) told: &'t [(&'t str, String)],
    /// The variable that says where it writes its report.
    pub(super) report: &'t str,
    /// What an error says was tried.
    pub(super) doing: &'static str,
    /// What it means when it fails.
    pub(super) failed: &'static str,
}

/// Cargo: the one that runs this, or the installed one.
pub(super) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

impl Test<'_> {
    /// Runs it; its report is in `file`.
    ///
    /// # Errors
    /// [`CliError::Found`] with what it printed when it fails.
    pub(super) fn run(&self, project: &Path, file: &Path) -> Result<(), CliError> {
        let mut command = cargo();
        command.args(["test", "--quiet"]).args(self.of).args(["--", "--exact", self.name]);
        command.current_dir(project).stdin(Stdio::null());
        command.envs(self.told.iter().map(|(name, value)| (name, value))).env(self.report, file);
        let output = command.output().map_err(|source| CliError::io(self.doing, source))?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Err(CliError::Found(format!("{}, or the test does not build:\n{text}", self.failed)))
    }
}

/// Reads a report; `doing` is what an error says was tried.
pub(super) fn report<T: DeserializeOwned>(file: &Path, doing: &'static str) -> Result<T, CliError> {
    let report = std::fs::read(file).map_err(|source| CliError::io(doing, source))?;
    serde_json::from_slice(&report).map_err(|error| CliError::Found(error.to_string()))
}
