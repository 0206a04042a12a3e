//! `countersign validate`: the problems of a document with line, column and hint. Needs no stack.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::Args;
use countersign_connector::{Parsed, parse, parse_template};
use countersign_document::{Document, Reading};
use countersign_playbook::{PlaybookSource, World, compile, render};
use countersign_profile::ProfileFile;
use countersign_registry::Registry;
use countersign_schedule::ScheduleSpec;
use serde_json::{Value, json};

use super::pretty;
use crate::console::Console;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Playbooks, connectors, profiles and schedules, YAML.
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
            let valid = match Kind::of(&text) {
                Kind::Connector => self.connector(console, &origin, &text),
                Kind::Profile => self.document::<ProfileFile>(console, &origin, &text),
                Kind::Schedule => self.document::<ScheduleSpec>(console, &origin, &text),
                Kind::Playbook => {
                    self.playbook(console, &PlaybookSource::new(origin, text), &world)
                }
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

    fn document<D: Document>(&self, console: &Console, origin: &str, text: &str) -> bool {
        let Reading { value, problems } = countersign_document::read::<D>(text);
        if self.json {
            console.line(pretty(&json!({ "valid": value.is_some(), "diagnostics": problems })));
            return value.is_some();
        }
        let colour = std::io::stdout().is_terminal();
        console.line(countersign_document::text(origin, text, &problems, colour).trim_end());
        value.is_some()
    }

    fn connector(&self, console: &Console, origin: &str, text: &str) -> bool {
        let Parsed { definition, diagnostics } =
            if self.template { parse_template(text) } else { parse(text) };
        let valid = definition.is_some();
        if self.json {
            console.line(pretty(&json!({ "valid": valid, "diagnostics": diagnostics })));
            return valid;
        }
        let colour = std::io::stdout().is_terminal();
        console.line(countersign_document::text(origin, text, &diagnostics, colour).trim_end());
        valid
    }
}

/// What a text is meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Connector,
    Playbook,
    Profile,
    Schedule,
}

/// Keys at the top level that tell a kind; `connector:` and `playbook:` may enclose one.
const CONNECTOR: [&str; 3] = ["connector", "connection", "endpoints"];
const PLAYBOOK: [&str; 2] = ["playbook", "steps"];
/// Keys that several kinds have.
const SHARED: [&str; 2] = ["name", "description"];

impl Kind {
    /// The schema that the text names for editors decides, else its keys. What has none of them is read as a playbook.
    fn of(text: &str) -> Self {
        Self::named(text).or_else(|| Self::by_keys(text)).unwrap_or(Self::Playbook)
    }

    fn named(text: &str) -> Option<Self> {
        let comments = text.lines().take_while(|line| line.starts_with('#'));
        let mut named =
            comments.filter_map(|line| line.split_once("yaml-language-server: $schema="));
        let (_, schema) = named.next()?;
        match schema.trim().rsplit('/').next()? {
            "connector.json" => Some(Self::Connector),
            "playbook.json" => Some(Self::Playbook),
            "profile.json" => Some(Self::Profile),
            "schedule.json" => Some(Self::Schedule),
            _ => None,
        }
    }

    fn by_keys(text: &str) -> Option<Self> {
        let has = |key: &str| {
            let begins =
                |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
            text.lines().any(begins)
        };
        let kinds = [(Self::Connector, &CONNECTOR[..]), (Self::Playbook, &PLAYBOOK[..])];
        if let Some((kind, _)) = kinds.iter().find(|(_, keys)| keys.iter().any(|key| has(key))) {
            return Some(*kind);
        }
        let own = |schema: Value| {
            let keys = schema["properties"].as_object().into_iter().flatten();
            keys.map(|(key, _)| key).any(|key| !SHARED.contains(&key.as_str()) && has(key))
        };
        if own(countersign_document::schema::<ProfileFile>()) {
            return Some(Self::Profile);
        }
        own(countersign_document::schema::<ScheduleSpec>()).then_some(Self::Schedule)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Validate};
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

    #[test]
    fn f_393_a_profile_is_told_from_a_playbook() {
        check("name: A\nskills: [{ skill_type: playbook, reference: review }]\n", true);
        check("name: A\nskills: [{ skill_type: playbok, reference: review }]\n", false);
        let named = "# yaml-language-server: $schema=../../docs/schema/profile.json\n";
        check(&format!("{named}name: A\n"), true);
        check(&format!("{named}name: A\nsteps: []\n"), false);
    }

    #[test]
    fn k_63_a_schedule_is_told_from_a_playbook() {
        let schedule = format!(
            "name: A\nprofile_id: prof_{}\ncron_expression: 0 6 * * *\nquery_template: What is new?\n",
            "0".repeat(32)
        );
        check(&schedule, true);
        check(&schedule.replace("0 6 * * *", "every morning"), false);
        check(&format!("{schedule}is_enabled: true\n"), false);
    }

    #[test]
    fn f_179_every_document_of_the_library_is_recognised() {
        for (folder, kind) in [
            ("connectors", Kind::Connector),
            ("playbooks", Kind::Playbook),
            ("profiles", Kind::Profile),
        ] {
            let path = format!("{}/../../library/{folder}", env!("CARGO_MANIFEST_DIR"));
            for file in std::fs::read_dir(path).unwrap() {
                let file = file.unwrap().path();
                let text = std::fs::read_to_string(&file).unwrap();
                assert_eq!(Kind::of(&text), kind, "{}", file.display());
            }
        }
    }
}
