//! What profiles, schedules, monitors and triggers name of the documents that are given with them.

use std::collections::{BTreeMap, BTreeSet};

use countersign_document::{
    Limits, Problem, Rules, Severity, Tree, did_you_mean, escaped, nearest,
};
use countersign_monitor::MonitorSpec;
use countersign_plan::InputProblem;
use countersign_playbook::{CompileContext, PlaybookSource, ValidPlaybook, compile};
use countersign_profile::{ProfileFile, SkillType};
use countersign_schedule::ScheduleSpec;
use countersign_trigger::{TriggerEvent, TriggerSpec, fitting};
use serde_json::{Map, Value};

use super::kind::Kind;

/// The connectors and playbooks among some documents.
#[derive(Debug, Default)]
pub(super) struct Beside {
    connectors: BTreeSet<String>,
    /// By id; none for one with errors, which are reported of itself.
    playbooks: BTreeMap<String, Option<ValidPlaybook>>,
}

impl Beside {
    pub(super) fn of(texts: &[String], world: &CompileContext<'_>) -> Self {
        let mut beside = Self::default();
        for text in texts {
            match Kind::of(text).kind {
                Kind::Connector => beside.connectors.extend(id_of(text, "connector")),
                Kind::Playbook => {
                    let Some(id) = id_of(text, "playbook") else { continue };
                    let compiled = compile(&PlaybookSource::new("", text), world);
                    beside.playbooks.insert(id, compiled.playbook);
                }
                _ => {}
            }
        }
        beside
    }

    pub(super) fn profile(&self, profile: &ProfileFile, rules: &mut Rules<'_>) {
        for (n, id) in profile.data_sources().enumerate() {
            self.connector(id, &format!("/data_sources/{n}"), rules);
        }
        let skills = profile.skills().iter().enumerate();
        for (n, skill) in skills.filter(|(_, skill)| skill.skill_type == SkillType::Playbook) {
            let (id, at) = (skill.reference.as_str(), format!("/skills/{n}"));
            self.playbook(id, &format!("{at}/reference"), rules);
            self.inputs(id, &skill.parameters, &format!("{at}/parameters"), rules);
        }
    }

    pub(super) fn schedule(&self, schedule: &ScheduleSpec, rules: &mut Rules<'_>) {
        self.run(schedule.playbook_id.as_deref(), &schedule.inputs, rules);
    }

    pub(super) fn monitor(&self, monitor: &MonitorSpec, rules: &mut Rules<'_>) {
        self.run(monitor.playbook_id.as_deref(), &monitor.inputs, rules);
    }

    pub(super) fn trigger(&self, trigger: &TriggerSpec, rules: &mut Rules<'_>) {
        if let TriggerEvent::After { playbook, .. } = &trigger.on {
            self.playbook(playbook, "/on/playbook", rules);
        }
        let Some(id) = trigger.playbook_id.as_deref() else { return };
        self.playbook(id, "/playbook_id", rules);
        let Some(Some(playbook)) = self.playbooks.get(id) else { return };
        let problems = fitting(&trigger.on, &trigger.inputs, None, playbook).err();
        misfits(playbook, &trigger.inputs, problems.unwrap_or_default(), "/inputs", rules);
    }

    /// What a clock starts.
    fn run(&self, playbook: Option<&str>, inputs: &Map<String, Value>, rules: &mut Rules<'_>) {
        let Some(id) = playbook else { return };
        self.playbook(id, "/playbook_id", rules);
        self.inputs(id, inputs, "/inputs", rules);
    }

    fn connector(&self, id: &str, at: &str, rules: &mut Rules<'_>) {
        among("connector", id, &self.connectors, at, rules);
    }

    fn playbook(&self, id: &str, at: &str, rules: &mut Rules<'_>) {
        among("playbook", id, self.playbooks.keys(), at, rules);
    }

    fn inputs(&self, id: &str, given: &Map<String, Value>, at: &str, rules: &mut Rules<'_>) {
        let Some(Some(playbook)) = self.playbooks.get(id) else { return };
        let problems = countersign_plan::inputs(playbook, given).err().unwrap_or_default();
        misfits(playbook, given, problems, at, rules);
    }
}

/// Warns of an id that none of the files has, where there are some of that kind: it may be stored all the same.
fn among<'k>(
    what: &str,
    id: &str,
    known: impl IntoIterator<Item = &'k String>,
    at: &str,
    rules: &mut Rules<'_>,
) {
    let known: Vec<&str> = known.into_iter().map(String::as_str).collect();
    if known.is_empty() || known.contains(&id) {
        return;
    }
    let near = nearest(id, known).map(did_you_mean);
    let hint = near.unwrap_or_else(|| "it has to be stored already, or in the library".to_owned());
    let message = format!("none of these files is the {what} `{id}`");
    let problem = Problem::error("beside", at, message).hint(hint);
    rules.report(Problem { severity: Severity::Warning, ..problem });
}

/// Reports the given inputs that the playbook does not take. What is missing, a question or another document may give.
fn misfits(
    playbook: &ValidPlaybook,
    given: &Map<String, Value>,
    problems: Vec<InputProblem>,
    at: &str,
    rules: &mut Rules<'_>,
) {
    let names = || playbook.inputs.iter().map(|input| input.name.as_str());
    for InputProblem { name, problem } in problems {
        if !given.contains_key(&name) {
            continue;
        }
        let near = nearest(&name, names()).filter(|near| *near != name).map(did_you_mean);
        let message = format!("`{name}` does not fit the playbook `{}`: {problem}", playbook.id);
        rules.at_key("inputs", &format!("{at}/{}", escaped(&name)), message, near);
    }
}

/// The id of a document, which may be broken, and may be written under the name of its kind.
fn id_of(text: &str, kind: &str) -> Option<String> {
    let tree = Tree::parse(text, kind, Limits::DEFAULT).ok()?;
    let id = tree.value.get("id").or_else(|| tree.value.get(kind)?.get("id"))?;
    id.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use countersign_document::{Document, read_with};
    use countersign_registry::Registry;

    use super::*;

    const PLAYBOOK: &str = "id: pay-grants\nname: P\ninputs: [{ name: since, type: date }, { name: most, type: number }]\nsteps: [{ name: s, step_type: tool, action: call_connector, connector: bank, endpoint: read }]\n";
    const CONNECTOR: &str = "id: bank\nname: B\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints: { read: { description: reads, path: /a } }\n";

    #[track_caller]
    fn check<D: Document>(text: &str, of: fn(&Beside, &D, &mut Rules<'_>), expect: &[&str]) {
        let contracts = Registry::builtin();
        let files = [PLAYBOOK.to_owned(), CONNECTOR.to_owned()];
        let beside = Beside::of(&files, &CompileContext::of(&contracts));
        let reading = read_with::<D>(text, |document, rules| of(&beside, document, rules));
        let found: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
        assert_eq!(found, expect, "{text}");
        let alone = read_with::<D>(text, |document, rules| of(&Beside::default(), document, rules));
        assert_eq!(alone.problems, [], "{text}");
    }

    #[test]
    fn f_393_a_profile_is_read_beside_its_files() {
        let skill = |reference: &str, parameters: &str| {
            format!(
                "name: A\nskills:\n  - {{ skill_type: playbook, reference: {reference}, parameters: {parameters} }}\n"
            )
        };
        check(&skill("pay-grants", "{ most: 5 }"), Beside::profile, &[]);
        check(
            &skill("pay-grant", "{}"),
            Beside::profile,
            &[
                "3:40: warning[beside]: none of these files is the playbook `pay-grant` (did you mean `pay-grants`?)",
            ],
        );
        check(
            &skill("pay-grants", "{ mots: 5 }"),
            Beside::profile,
            &[
                "3:66: error[inputs]: `mots` does not fit the playbook `pay-grants`: the playbook declares no such input (did you mean `most`?)",
            ],
        );
        check("name: A\ndata_sources: [bank]\n", Beside::profile, &[]);
        check(
            "name: A\ndata_sources: [bank, letters]\n",
            Beside::profile,
            &[
                "2:22: warning[beside]: none of these files is the connector `letters` (it has to be stored already, or in the library)",
            ],
        );
    }

    #[test]
    fn k_63_what_starts_runs_is_read_beside_the_playbook() {
        let head =
            format!("name: A\nprofile_id: prof_{}\nplaybook_id: pay-grants\n", "0".repeat(32));
        let schedule = format!("{head}cron_expression: 0 6 * * *\nquery_template: go\n");
        let other =
            "`other` does not fit the playbook `pay-grants`: the playbook declares no such input";
        check(&format!("{schedule}inputs: {{ most: 1 }}\n"), Beside::schedule, &[]);
        check(
            &format!("{schedule}inputs: {{ other: 1 }}\n"),
            Beside::schedule,
            &[&format!("6:11: error[inputs]: {other}")],
        );
        check(&format!("{head}inputs: {{ most: 1 }}\n"), Beside::monitor, &[]);
        check(
            &format!("{head}inputs: {{ other: 1 }}\n"),
            Beside::monitor,
            &[&format!("4:11: error[inputs]: {other}")],
        );
        let trigger = format!("{head}on: {{ type: after, playbook: pay-grants }}\n");
        check(
            &format!("{trigger}inputs: {{ since: '{{run.response.data}}' }}\n"),
            Beside::trigger,
            &[],
        );
        check(
            &format!("{trigger}inputs: {{ other: '{{run.id}}' }}\n"),
            Beside::trigger,
            &[&format!("5:11: error[inputs]: {other}")],
        );
        check(
            &trigger.replace("playbook: pay-grants }", "playbook: pay }"),
            Beside::trigger,
            &[
                "4:30: warning[beside]: none of these files is the playbook `pay` (did you mean `pay-grants`?)",
            ],
        );
    }
}
