//! `countersign down`.

use clap::Args;

use crate::console::Console;
use crate::error::CliError;
use crate::stack::{Place, down};

#[derive(Debug, Args)]
pub(crate) struct Down {}

impl Down {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        down(&place.state()?, console).await
    }
}
