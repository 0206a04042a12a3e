//! `countersign schema`: the published schemas, for editors and programs. Needs no stack.

use clap::Args;

use super::kind::Kind;
use super::pretty;
use crate::console::Console;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Schema {
    /// Of what.
    of: Kind,
}

impl Schema {
    pub(crate) fn run(&self, console: &Console) -> Result<(), CliError> {
        console.line(pretty(&self.of.schema()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::{Kind, pretty};

    #[test]
    fn f_107_every_published_schema_is_what_the_command_prints() {
        for of in Kind::value_variants() {
            let name = of.name();
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
