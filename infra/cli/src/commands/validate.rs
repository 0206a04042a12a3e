//! `countersign validate`: the problems of a playbook or connector with line, column and hint. Needs no stack.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use countersign_connector::{Parsed, Severity, parse, parse_template};
use countersign_playbook::{PlaybookSource, World, compile, render};
use countersign_registry::Registry;
use serde_json::json;

use super::pretty;
use crate::console::Console;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Playbooks and connectors, YAML.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The connectors are templates of a deployment, which may name its environment in `auth_fields`.
    #[arg(long)]
    template: bool,
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
            let valid = if is_connector(&text) {
                self.connector(console, &origin, &text)
            } else {
                self.playbook(console, &PlaybookSource::new(origin, text), &world)
            };
            wrong += usize::from(!valid);
        }
        match wrong {
            0 => Ok(()),
            1 => Err(CliError::Found("one file cannot be used".to_owned())),
            many => Err(CliError::Found(format!("{many} files cannot be used"))),
        }
    }

    fn playbook(&self, console: &Console, source: &PlaybookSource, world: &World<'_>) -> bool {
        let compiled = compile(source, world);
        if self.json {
            console.line(pretty(&render::json(&compiled)));
            return compiled.is_valid();
        }
        let colour = std::io::stdout().is_terminal();
        console.line(render::text(source, &compiled.diagnostics, colour).trim_end());
        if let (true, Some(playbook)) = (self.graph, &compiled.playbook) {
            console.line(render::stages(playbook).trim_end());
        }
        compiled.is_valid()
    }

    fn connector(&self, console: &Console, origin: &str, text: &str) -> bool {
        let Parsed { definition, diagnostics } =
            if self.template { parse_template(text) } else { parse(text) };
        let valid = definition.is_some();
        if self.json {
            console.line(pretty(&json!({ "valid": valid, "diagnostics": diagnostics })));
            return valid;
        }
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
        for diagnostic in &diagnostics {
            console.line(format!("{origin}:{diagnostic}"));
        }
        let warnings = diagnostics.len() - errors;
        console.line(format!("{origin}: {}, {}", many(errors, "error"), many(warnings, "warning")));
        valid
    }
}

/// Only a connector has endpoints at its top level; `connector:` may enclose it.
fn is_connector(text: &str) -> bool {
    let keys = ["connector:", "connection:", "endpoints:"];
    text.lines().any(|line| keys.iter().any(|key| line.starts_with(key)))
}

fn many(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
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
        let command = Validate { files: vec![file], template: false, graph: true, json: false };
        assert_eq!(command.run(&Console::new()).is_ok(), passes);
    }

    #[test]
    fn f_166_a_playbook_with_errors_fails_the_command() {
        check("name: x\nsteps: [{ name: a, action: no_such_action }]\n", false);
        check("not: [a, playbook", false);
    }

    #[test]
    fn f_107_a_connector_is_told_from_a_playbook() {
        let connector = "id: a\nname: A\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\n";
        let endpoint = "endpoints: { read: { description: reads, path: /a } }\n";
        check(&format!("{connector}{endpoint}"), true);
        check(&format!("{connector}{}", endpoint.replace("path", "paht")), false);
        check("endpoints: [", false);
    }
}
