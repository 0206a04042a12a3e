//! `countersign validate`: the problems of a document with line, column and hint. Needs no stack.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use countersign_connector::{Parsed, parse, parse_template};
use countersign_document::{Document, Problem, Reading, Rules, Verdict};
use countersign_model_list::ModelList;
use countersign_playbook::{CompileContext, PlaybookSource, compile, render};
use countersign_profile::DestinationFile;
use countersign_registry::Registry;
use serde_json::{Value, json};

use super::kind::{Guess, Kind};
use super::pretty;
use super::siblings::SiblingConnectors;
use super::side_by_side::Beside;
use crate::console::Console;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// Playbooks, connectors, profiles, schedules, monitors, triggers, lists of models and destinations, YAML. Playbooks are checked against
    /// the connectors that are given with them; profiles, schedules, monitors and triggers against the playbooks, profiles against the
    /// connectors too.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The connectors are templates of a deployment, which may name its environment in `auth_fields`.
    #[arg(long)]
    template: bool,
    /// Show the stages of playbooks without errors.
    #[arg(long)]
    graph: bool,
    /// Print JSON: one object, or a list for several files.
    #[arg(long, conflicts_with = "graph")]
    json: bool,
}

impl Validate {
    pub(crate) fn run(&self, console: &Console) -> Result<(), CliError> {
        let contracts = Registry::builtin();
        let texts = self.files.iter().map(|file| text(file)).collect::<Result<Vec<_>, _>>()?;
        let connectors = SiblingConnectors::of(&texts, self.template);
        let world = CompileContext::of(&contracts).knowing(&connectors.endpoints);
        let beside = Beside::of(&texts, &world);
        let (mut reports, mut wrong) = (Vec::new(), Vec::new());
        for (file, text) in self.files.iter().zip(&texts) {
            let origin = file.display().to_string();
            let guess = Kind::of(text);
            let one = self.report(guess.kind, (&origin, text), &world, &beside);
            if !self.json {
                console.line(one.text.trim_end());
                if !one.valid && !text.trim().is_empty() {
                    console.line(read_as(&origin, guess));
                }
            }
            wrong.extend((!one.valid).then_some(origin));
            reports.push(one.json);
        }
        if self.json {
            console.line(pretty(&printed(reports)));
        }
        if let Some(id) = connectors.twice {
            let message = format!("two of these files have the id `{id}`: which of them counts?");
            return Err(CliError::Argument(message));
        }
        match wrong.as_slice() {
            [] => Ok(()),
            [one] => Err(CliError::Found(format!("`{one}` cannot be used"))),
            many => {
                let named = many.join("`, `");
                Err(CliError::Found(format!("{} files cannot be used: `{named}`", many.len())))
            }
        }
    }

    fn report(
        &self,
        kind: Kind,
        (origin, text): (&str, &str),
        world: &CompileContext<'_>,
        beside: &Beside,
    ) -> FileReport {
        let file = (origin, text);
        match kind {
            Kind::Connector => self.connector(origin, text),
            Kind::Profile => document(file, |read, rules| beside.profile(read, rules)),
            Kind::Schedule => document(file, |read, rules| beside.schedule(read, rules)),
            Kind::Monitor => document(file, |read, rules| beside.monitor(read, rules)),
            Kind::Trigger => document(file, |read, rules| beside.trigger(read, rules)),
            Kind::ModelList => document(file, |_: &ModelList, _| {}),
            Kind::Destination => document(file, |_: &DestinationFile, _| {}),
            Kind::Playbook => self.playbook(&PlaybookSource::new(origin, text), world),
        }
    }

    fn playbook(&self, source: &PlaybookSource, world: &CompileContext<'_>) -> FileReport {
        let compiled = compile(source, world);
        let mut text = render::text(source, &compiled.diagnostics, in_colour());
        if let (true, Some(playbook)) = (self.graph, &compiled.playbook) {
            text = format!("{}\n{}", text.trim_end(), render::stages(playbook));
        }
        let valid = compiled.is_valid();
        let mut json = json!(render::Judgement::from(compiled));
        json["file"] = source.origin.as_str().into();
        json["kind"] = Kind::Playbook.name().into();
        FileReport { valid, text, json }
    }

    fn connector(&self, origin: &str, text: &str) -> FileReport {
        let Parsed { definition, diagnostics } =
            if self.template { parse_template(text) } else { parse(text) };
        FileReport::of(&Kind::Connector.name(), definition.is_some(), (origin, text), &diagnostics)
    }
}

/// Reads a document, and what it says of those beside it.
fn document<D: Document>(
    (origin, text): (&str, &str),
    beside: impl FnOnce(&D, &mut Rules<'_>),
) -> FileReport {
    let Reading { value, problems } = countersign_document::read_with::<D>(text, beside);
    FileReport::of(D::KIND, value.is_some(), (origin, text), &problems)
}

/// What was found in a file, for people and for programs.
struct FileReport {
    valid: bool,
    text: String,
    json: Value,
}

impl FileReport {
    fn of(kind: &str, valid: bool, (origin, text): (&str, &str), problems: &[Problem]) -> Self {
        let verdict = Verdict::of(valid, problems.to_vec(), Problem::is_error);
        let mut json = json!(verdict);
        json["file"] = origin.into();
        json["kind"] = kind.into();
        let text = countersign_document::text(origin, text, problems, in_colour());
        Self { valid, text, json }
    }
}

/// One object for one file, a list for several.
fn printed(mut reports: Vec<Value>) -> Value {
    if reports.len() == 1 { reports.remove(0) } else { reports.into() }
}

fn in_colour() -> bool {
    std::io::stdout().is_terminal()
}

/// The text of a file, which is in UTF-8.
pub(crate) fn text(file: &Path) -> Result<String, CliError> {
    let origin = file.display();
    let bytes = std::fs::read(file)
        .map_err(|source| CliError::io(format!("reading `{origin}`"), source))?;
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        let wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        let looks = if wide { "; it is in UTF-16" } else { "" };
        let at = error.utf8_error().valid_up_to() + 1;
        CliError::Argument(format!(
            "`{origin}` is not text in UTF-8 (byte {at}){looks}: save it as UTF-8"
        ))
    })
}

/// The kind that a file with problems was read as, and how to name another one.
fn read_as(origin: &str, Guess { kind, is_named }: Guess) -> String {
    let name = kind.name();
    if is_named {
        return format!("{origin}: read as a {name}, because it names the schema of one");
    }
    format!(
        "{origin}: read as a {name}, because of its keys; a first line `# yaml-language-server: $schema=…/KIND.json` says what it is"
    )
}

#[cfg(test)]
mod tests {
    use countersign_playbook::CompileContext;
    use countersign_registry::Registry;
    use serde_json::json;

    use super::{Beside, Guess, Kind, Validate, printed, read_as};
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
    fn f_166_each_file_has_a_report_of_its_own() {
        let command = Validate { files: Vec::new(), template: false, graph: false, json: true };
        let contracts = Registry::builtin();
        let world = CompileContext::of(&contracts);
        let beside = Beside::default();
        let report =
            |kind, file: &str, text: &str| command.report(kind, (file, text), &world, &beside).json;
        let profile = report(Kind::Profile, "a.yaml", "name: A\n");
        assert_eq!(
            profile,
            json!({ "file": "a.yaml", "kind": "profile", "is_valid": true, "errors": [], "warnings": [] })
        );
        let playbook = report(Kind::Playbook, "p.yaml", "name: P\n");
        assert_eq!((&playbook["file"], &playbook["is_valid"]), (&json!("p.yaml"), &json!(false)));
        assert_eq!(printed(vec![profile.clone()]), profile);
        assert_eq!(printed(vec![profile.clone(), playbook.clone()]), json!([profile, playbook]));
    }

    #[test]
    fn f_166_a_playbook_with_errors_fails_the_command() {
        check("name: x\nsteps: [{ name: a, action: no_such_action }]\n", false);
        check("not: [a, playbook", false);
    }

    #[test]
    fn f_164_a_playbook_is_checked_against_the_connectors_beside_it() {
        let connector = "id: a\nname: A\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints: { read: { description: reads, path: /a } }\n";
        let playbook = |endpoint: &str| {
            format!(
                "id: p\nname: P\nsteps: [{{ name: s, step_type: tool, action: call_connector, connector: a, endpoint: {endpoint} }}]\n"
            )
        };
        let passes = |texts: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            let write = |(n, text): (usize, &&str)| {
                let file = folder.path().join(format!("{n}.yaml"));
                std::fs::write(&file, text).unwrap();
                file
            };
            let files = texts.iter().enumerate().map(write).collect();
            let command = Validate { files, template: false, graph: false, json: false };
            command.run(&Console::new()).is_ok()
        };
        let (good, bad) = (playbook("read"), playbook("raed"));
        assert!(passes(&[&good, connector]) && passes(&[connector, &good]));
        assert!(!passes(&[&bad, connector]), "the connector has no such endpoint");
        assert!(passes(&[&bad]), "the connector is not given");
        assert!(!passes(&[connector, connector]), "two of one id");
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
        check(&format!("{schedule}is_enabled: true\n"), true);
        check(&format!("{schedule}is_enabled: maybe\n"), false);
    }

    #[test]
    fn r_035_a_list_of_models_is_told_from_a_playbook() {
        let list = "currency: USD\nmodels: [{ model: openai/small, input_price: '1', output_price: '2' }]\n";
        check(list, true);
        check(&list.replace("output_price", "output_prise"), false);
        check(&list.replace(", output_price: '2'", ""), false);
    }

    #[test]
    fn k_63_what_a_file_was_taken_for_is_said() {
        let told = read_as("a.yaml", Guess { kind: Kind::Schedule, is_named: false });
        assert!(told.starts_with("a.yaml: read as a schedule, because of its keys"), "{told}");
        let told = read_as("a.yaml", Guess { kind: Kind::Playbook, is_named: true });
        assert_eq!(told, "a.yaml: read as a playbook, because it names the schema of one");
    }
}
