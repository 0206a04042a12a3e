//! `countersign validate`: a playbook's problems with line, column and hint. Needs no stack.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use countersign_playbook::{PlaybookSource, World, compile, render};
use countersign_registry::Registry;

use super::pretty;
use crate::console::Console;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// The playbooks, YAML.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Show the stages of playbooks without errors.
    #[arg(long)]
    graph: bool,
    /// Print JSON.
    #[arg(long, conflicts_with = "graph")]
    json: bool,
}

impl Validate {
    pub(crate) fn run(&self, console: &Console) -> Result<(), CliError> {
        let contracts = Registry::builtin();
        let world = World::of(&contracts);
        let mut wrong = 0;
        for file in &self.files {
            let origin = file.display().to_string();
            let text = std::fs::read_to_string(file)
                .map_err(|source| CliError::io(format!("reading `{origin}`"), source))?;
            let source = PlaybookSource::new(origin, text);
            let compiled = compile(&source, &world);
            wrong += usize::from(!compiled.is_valid());
            if self.json {
                console.line(pretty(&render::json(&compiled)));
                continue;
            }
            console.line(
                render::text(&source, &compiled.diagnostics, std::io::stdout().is_terminal())
                    .trim_end(),
            );
            if let (true, Some(playbook)) = (self.graph, &compiled.playbook) {
                console.line(render::stages(playbook).trim_end());
            }
        }
        match wrong {
            0 => Ok(()),
            1 => Err(CliError::Found("the playbook cannot run".to_owned())),
            many => Err(CliError::Found(format!("{many} playbooks cannot run"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Validate;
    use crate::console::Console;

    #[track_caller]
    fn check(text: &str, passes: bool) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("playbook.yaml");
        std::fs::write(&file, text).unwrap();
        let command = Validate { files: vec![file], graph: true, json: false };
        assert_eq!(command.run(&Console::new()).is_ok(), passes);
    }

    #[test]
    fn f_166_a_playbook_with_errors_fails_the_command() {
        check("name: x\nsteps: [{ name: a, action: no_such_action }]\n", false);
        check("not: [a, playbook", false);
    }
}
