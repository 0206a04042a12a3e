//! `countersign schema`: the published schemas, for editors and programs. Needs no stack.

use clap::{Args, ValueEnum};
use countersign_profile::ProfileFile;
use countersign_schedule::ScheduleSpec;
use serde_json::Value;

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
    /// Profiles.
    Profile,
    /// Schedules.
    Schedule,
}

impl Schema {
    pub(crate) fn run(&self, console: &Console) -> Result<(), CliError> {
        console.line(pretty(&self.of.schema()));
        Ok(())
    }
}

impl Of {
    fn schema(self) -> Value {
        match self {
            Self::Connector => countersign_connector::schema::schema(),
            Self::Profile => countersign_document::schema::<ProfileFile>(),
            Self::Schedule => countersign_document::schema::<ScheduleSpec>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::{Of, pretty};

    #[test]
    fn f_107_every_published_schema_is_what_the_command_prints() {
        for of in Of::value_variants() {
            let name = of.to_possible_value().unwrap().get_name().to_owned();
            let path = format!("{}/../../docs/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
            let printed = format!("{}\n", pretty(&of.schema()));
            let published = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                published == printed,
                "{path} is not what is read: run `cargo countersign schema {name} > docs/schema/{name}.json`"
            );
        }
    }
}
