//! `countersign schema`: the published schemas, for editors and programs. Needs no stack.

use clap::{Args, ValueEnum};

use super::pretty;
use crate::console::Console;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Of what.
    of: Of,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Of {
    /// Connectors.
    Connector,
}

impl Schema {
    pub(crate) fn run(&self, console: &Console) -> Result<(), CliError> {
        let schema = match self.of {
            Of::Connector => countersign_connector::schema::schema(),
        };
        console.line(pretty(&schema));
        Ok(())
    }
}
