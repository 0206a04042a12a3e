//! Building the functions and packing them as Lambda code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use cargo_metadata::MetadataCommand;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::python::Environment;
use crate::console::{Console, Step};
use crate::error::CliError;

/// How the functions are compiled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// Quick to build.
    #[default]
    Dev,
    /// As deployed to AWS.
    Release,
}

/// One function and where its binary stands after a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    binary: PathBuf,
}

/// The functions of a project after a build.
#[derive(Debug)]
pub(super) struct Functions {
    pub(super) all: Vec<Function>,
    /// Where their archives lie, beside the binaries: stacks of one project share them.
    pub(super) dist: PathBuf,
}

/// Compiles every function of the project where Cargo itself would (`CARGO_TARGET_DIR` or `target/`).
///
/// # Errors
/// [`CliError::Build`] with the compiler's errors.
pub(super) async fn build(
    project: &Path,
    state: &Path,
    profile: Profile,
    console: &Console,
) -> Result<Functions, CliError> {
    let functions = list(project, profile)?;
    let step = console.step("building the functions");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(project).args(["build", "--workspace", "--bins", "--color", "never"]);
    if profile == Profile::Release {
        command.arg("--release");
    }
    let log = state.join("build.log");
    let (success, text) = watched(command, &step).await?;
    fs::write(&log, &text)
        .map_err(|source| CliError::io(format!("writing `{}`", log.display()), source))?;
    if !success {
        return Err(CliError::Build { errors: errors_of(&text), log });
    }
    step.done(&format!("{} functions are built", functions.all.len()));
    Ok(functions)
}

/// Compiles every function; returns names and binaries.
///
/// # Errors
/// [`CliError::Build`] with the compiler's errors.
pub async fn build_functions(
    project: &Path,
    state: &Path,
    profile: Profile,
    console: &Console,
) -> Result<Vec<(String, PathBuf)>, CliError> {
    let functions = build(project, state, profile, console).await?;
    Ok(functions.all.into_iter().map(|function| (function.name, function.binary)).collect())
}

/// Packs what has changed; returns the names of the functions packed.
///
/// # Errors
/// [`CliError::Io`] when a binary cannot be read or an archive cannot be written.
pub(super) async fn pack(
    project: &Path,
    functions: &Functions,
    python: &Environment,
    console: &Console,
) -> Result<Vec<String>, CliError> {
    let step = console.step("packing the functions");
    let mut command = Command::new(python.program("python"));
    command.arg(project.join("infra/local/pack.py")).arg(&functions.dist);
    command.args(
        functions
            .all
            .iter()
            .map(|function| format!("{}={}", function.name, function.binary.display())),
    );
    let output =
        command.output().await.map_err(|source| CliError::io("packing the functions", source))?;
    if !output.status.success() {
        let reason =
            String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
        return Err(CliError::io("packing the functions", std::io::Error::other(reason)));
    }
    let names: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    let outcome = match names.len() {
        0 => "no function has changed".to_owned(),
        1..=3 => format!("packed {}", names.join(", ")),
        count => format!("packed {count} functions"),
    };
    step.done(&outcome);
    Ok(names)
}

/// Every crate under `functions/`.
fn list(project: &Path, profile: Profile) -> Result<Functions, CliError> {
    let metadata = MetadataCommand::new().current_dir(project).no_deps().exec();
    let metadata = metadata.map_err(|error| {
        CliError::io("reading the workspace", std::io::Error::other(error.to_string()))
    })?;
    let folder = metadata.workspace_root.join("functions");
    let built = metadata.target_directory.join(if profile == Profile::Release {
        "release"
    } else {
        "debug"
    });
    let ours =
        metadata.packages.iter().filter(|package| package.manifest_path.starts_with(&folder));
    let mut all: Vec<Function> = ours
        .map(|package| Function {
            name: package.name.to_string(),
            binary: built.join(package.name.as_str()).into(),
        })
        .collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(Functions { all, dist: built.join("archives").into() })
}

/// Runs Cargo, showing what it compiles; returns whether it succeeded and all it said.
async fn watched(mut command: Command, step: &Step) -> Result<(bool, String), CliError> {
    let doing = |source| CliError::io("running cargo", source);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(doing)?;
    let mut text = String::new();
    if let Some(stderr) = child.stderr.take() {
        let mut lines = BufReader::new(stderr).lines();
        while let Some(line) = lines.next_line().await.map_err(doing)? {
            step.detail(line.trim());
            text.push_str(&line);
            text.push('\n');
        }
    }
    Ok((child.wait().await.map_err(doing)?.success(), text))
}

/// The compiler's errors without its progress, at most the first 60 lines.
fn errors_of(text: &str) -> String {
    let start = text.lines().position(|line| line.starts_with("error")).unwrap_or(0);
    let lines: Vec<&str> = text.lines().skip(start).take(60).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::errors_of;

    #[test]
    fn errors_come_without_progress() {
        let said = "   Compiling a v1\nerror[E0425]: cannot find value\n --> a.rs:1:1\n";
        assert_eq!(errors_of(said), "error[E0425]: cannot find value\n --> a.rs:1:1");
    }
}
