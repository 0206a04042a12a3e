//! `countersign bench build`.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use clap::Args;

use super::tested::cargo;
use super::{Figure, Figures};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Build {
    /// Build as for AWS.
    #[arg(long)]
    release: bool,
}

impl Build {
    #[expect(clippy::unused_async, reason = "every benchmark is asked the same way")]
    pub(crate) async fn figures(&self, place: &Place, console: &Console) -> Figures {
        let (project, state) = (place.project()?, place.state()?);
        let target = state.join("bench-target");
        if target.exists() {
            std::fs::remove_dir_all(&target).map_err(|source| {
                CliError::io("emptying the target folder of the benchmark", source)
            })?;
        }
        let step = console.step("building everything from nothing");
        let clean = self.seconds(&project, &target)?;
        step.done("built from nothing");
        let step = console.step("building again after touching `store-kit`");
        touch(&project.join("shared/adapters/store-kit/src/lib.rs"))?;
        let again = self.seconds(&project, &target)?;
        step.done("built again");
        Ok(vec![
            Figure::plain("cargo build from clean", clean, "s"),
            Figure::plain("cargo build after touching store-kit", again, "s"),
        ])
    }

    fn seconds(&self, project: &Path, target: &Path) -> Result<f64, CliError> {
        let mut command = cargo();
        command
            .args(["build", "--workspace", "--bins", "--locked", "--quiet"])
            .args(self.release.then_some("--release"));
        command.current_dir(project).env("CARGO_TARGET_DIR", target).stdin(Stdio::null());
        let started = Instant::now();
        let status = command.status().map_err(|source| CliError::io("running cargo", source))?;
        if !status.success() {
            return Err(CliError::Found("the project does not build".to_owned()));
        }
        Ok(started.elapsed().as_secs_f64())
    }
}

/// Makes a file look newly written, without changing it.
fn touch(file: &Path) -> Result<(), CliError> {
    let touched = std::fs::File::options()
        .append(true)
        .open(file)
        .and_then(|file| file.set_modified(std::time::SystemTime::now()));
    touched.map_err(|source| CliError::io(format!("touching `{}`", file.display()), source))
}
