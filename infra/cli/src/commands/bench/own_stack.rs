//! A local stack of a benchmark's own.

use std::path::PathBuf;

use jiff::Timestamp;

use super::run::Logs;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::{Aws, Place, Stack, UpOptions, down, up};

/// Where a benchmark has a local stack of its own.
pub(super) struct Own {
    pub(super) project: PathBuf,
    pub(super) state: PathBuf,
}

/// The stack while it is up.
pub(super) struct OwnStack<'o> {
    pub(super) stack: Stack,
    pub(super) aws: Aws,
    place: &'o Own,
    /// When starting it began.
    from: Timestamp,
}

impl Own {
    /// With its state in this folder of the project.
    pub(super) fn of(place: &Place, folder: &str) -> Result<Self, CliError> {
        let project = place.project()?;
        let state = project.join(folder);
        Ok(Self { project, state })
    }

    /// Brings the stack up at a free port, measures, and takes it down again whatever came of that.
    pub(super) async fn measured<T>(
        &self,
        options: UpOptions,
        console: &Console,
        measure: impl AsyncFnOnce(&OwnStack<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let place = Place { project: Some(self.project.clone()), state: Some(self.state.clone()) };
        let from = Timestamp::now();
        let stack = up(&place, &UpOptions { port: Some(0), ..options }, console).await?;
        let aws = Aws::of(&stack, &self.project);
        let measured = measure(&OwnStack { stack, aws, place: self, from }).await;
        down(&self.state, console).await?;
        measured
    }
}

impl OwnStack<'_> {
    /// What its functions say.
    pub(super) fn logs(&self) -> Logs<'_> {
        Logs { aws: &self.aws, stack: &self.stack, folder: &self.place.state, from: self.from }
    }
}
