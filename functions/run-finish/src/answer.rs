//! What a run answers: what its playbook's `output` names, else the result of its last step.

use std::borrow::Cow;

use countersign_plan::{Plan, PlanStep, StepKind, runtime};
use countersign_playbook::{OutputDecl, OutputFormat, SECTIONS};
use countersign_report::{Format, Layout, Section, SectionFormat};
use countersign_run::{Head, RunState, StepState, StepStatus};
use countersign_store_runs::Outcome;
use countersign_wiring::{Part, Reference, Scope, Template};
use serde_json::{Map, Value, json};

/// Actions whose results say what they wrote, not what was found.
const WRITERS: [&str; 4] =
    ["route_output", "save_to_workspace", "send_notification", "write_journal_entry"];

/// An answer before it is written in its format.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Answer {
    pub(crate) format: Format,
    /// What the text shows, of `shown`.
    pub(crate) layout: Layout,
    pub(crate) shown: Value,
    /// The same as data: a field per section, else the result of the last step.
    pub(crate) data: Value,
    /// Whether the playbook says what it is, by a template or sections.
    pub(crate) is_declared: bool,
    /// What could not be known, a sentence each.
    pub(crate) problems: Vec<String>,
}

/// The steps of a run that is over.
#[derive(Clone, Copy)]
pub(crate) struct Results<'a> {
    pub(crate) head: &'a Head,
    pub(crate) plan: &'a Plan,
    pub(crate) state: &'a RunState,
    /// Those of the steps that [`needed`] names have their outputs.
    pub(crate) outcomes: &'a [Outcome],
}

/// The steps whose outputs an answer is made of.
pub(crate) fn needed(plan: &Plan, state: &RunState) -> Vec<String> {
    let named = plan.output.as_ref().map(references).unwrap_or_default();
    let named = named.iter().map(|reference| reference.root().to_owned());
    named.chain(last(plan, state).map(|step| step.name.clone())).collect()
}

fn references(output: &OutputDecl) -> Vec<Reference> {
    let template = output.template.as_deref().and_then(|text| Template::parse(text).ok());
    let in_template = template.iter().flat_map(Template::references).cloned();
    let sections = output.sections.iter().filter_map(|one| Reference::parse(&one.source).ok());
    in_template.chain(sections).collect()
}

/// The last step that found something.
fn last<'p>(plan: &'p Plan, state: &RunState) -> Option<&'p PlanStep> {
    let is_done = |step: &&PlanStep| {
        status(state, &step.name).is_some_and(|state| state.status == StepStatus::Done)
    };
    let found =
        |step: &&PlanStep| step.kind != StepKind::Gate && !WRITERS.contains(&step.action.as_str());
    plan.steps.iter().rev().filter(found).find(is_done)
}

fn status<'s>(state: &'s RunState, name: &str) -> Option<&'s StepState> {
    state.steps.iter().find(|(step, _)| step == name).map(|(_, state)| state)
}

impl Answer {
    /// What a run answers.
    pub(crate) fn of(results: Results<'_>) -> Self {
        match &results.plan.output {
            Some(output) if output.template.is_some() || !output.sections.is_empty() => {
                Self::declared(results, output)
            }
            Some(output) => Self::of_last(results, format(output.format)),
            None => Self::of_last(results, Format::default()),
        }
    }

    fn declared(results: Results<'_>, output: &OutputDecl) -> Self {
        let scope = results.scope();
        let mut made = Self { format: format(output.format), is_declared: true, ..Self::default() };
        let (mut shown, mut data) = (Map::new(), Map::new());
        for (n, section) in output.sections.iter().enumerate() {
            let found = match Reference::parse(&section.source) {
                Ok(reference) => results.value(&scope, &reference),
                Err(error) => Err(error.to_string()),
            };
            let empty = found.as_ref().err().map(|why| format!("Not known: {why}."));
            if let Err(why) = &found {
                made.problems.push(format!("the section “{}” is not known: {why}", section.title));
            }
            let (key, value) = (format!("s{n}"), found.unwrap_or_default());
            data.insert(free_key(&data, &section.title), value.clone());
            shown.insert(key.clone(), value);
            made.layout.sections.push(Section {
                title: section.title.clone(),
                source: key,
                format: section_format(section.format.as_deref()),
                empty,
                ..Section::default()
            });
        }
        let template = output.template.as_deref();
        made.layout.template =
            template.map(|text| results.filled(text, &scope, &mut shown, &mut made.problems));
        made.data = if data.is_empty() { results.of_last() } else { Value::Object(data) };
        made.shown = if made.format == Format::Json { made.data.clone() } else { shown.into() };
        made
    }

    fn of_last(results: Results<'_>, format: Format) -> Self {
        let data = results.of_last();
        let layout = Layout { sections: sections_of(&data), ..Layout::default() };
        Self { format, layout, shown: data.clone(), data, ..Self::default() }
    }
}

impl Results<'_> {
    fn output(&self, step: &str) -> Option<&Value> {
        let outcome = self.outcomes.iter().find(|outcome| outcome.step == step)?;
        Some(&outcome.output)
    }

    fn of_last(&self) -> Value {
        let last = last(self.plan, self.state);
        last.and_then(|step| self.output(&step.name)).cloned().unwrap_or_default()
    }

    fn scope(&self) -> Scope<'_> {
        let mut scope = Scope::of_run(runtime(self.head));
        for (name, value) in &self.plan.inputs {
            scope.lend(name, value);
        }
        for outcome in self.outcomes {
            match outcome.verdict {
                Some(verdict) => scope.insert(&outcome.step, json!({ "decision": verdict })),
                None => scope.lend(&outcome.step, &outcome.output),
            }
        }
        scope
    }

    /// The value of a reference, or why there is none: a step that was not done has no result.
    fn value(&self, scope: &Scope<'_>, reference: &Reference) -> Result<Value, String> {
        let name = reference.root();
        if self.plan.step(name).is_some() {
            let state = status(self.state, name);
            let undone = state.filter(|state| {
                state.status != StepStatus::Done && self.output(name).is_none_or(Value::is_null)
            });
            if let Some(state) = undone {
                let why = state.message.as_deref().unwrap_or("it was not done");
                return Err(format!("the step “{name}” has no result ({why})"));
            }
        }
        if scope.get(name).is_none() {
            return Err(format!("“{name}” has no value"));
        }
        Ok(reference.value(scope).map(Cow::into_owned).unwrap_or_default())
    }

    /// The template with a placeholder for every reference, whose values are added to `shown`.
    fn filled(
        &self,
        text: &str,
        scope: &Scope<'_>,
        shown: &mut Map<String, Value>,
        problems: &mut Vec<String>,
    ) -> String {
        // It was read when the playbook was compiled.
        let Ok(template) = Template::parse(text) else { return String::new() };
        let mut filled = String::new();
        for (n, part) in template.parts().iter().enumerate() {
            match part {
                Part::Text(text) => filled.push_str(&text.replace('{', "{{")),
                Part::Reference(reference, _) if reference.to_string() == SECTIONS => {
                    filled.push_str("{sections}");
                }
                Part::Reference(reference, _) => {
                    let value = self.value(scope, reference);
                    let value = value.unwrap_or_else(|why| {
                        problems.push(format!("“{reference}” in the template is not known: {why}"));
                        format!("(not known: {why})").into()
                    });
                    shown.insert(format!("v{n}"), value);
                    filled.push_str(&format!("{{v{n}}}"));
                }
            }
        }
        filled
    }
}

/// A result without an author's layout: its simple fields, then a section for each list.
fn sections_of(data: &Value) -> Vec<Section> {
    let Some(fields) = data.as_object() else { return Vec::new() };
    let is_simple = |value: &Value| !value.is_array() && !value.is_object() && !value.is_null();
    let facts = fields.values().any(is_simple).then(|| Section {
        title: "Result".to_owned(),
        format: SectionFormat::Facts,
        ..Section::default()
    });
    let lists =
        fields.iter().filter(|(_, value)| value.as_array().is_some_and(|all| !all.is_empty()));
    let lists = lists.map(|(name, _)| Section {
        title: name.replace('_', " "),
        source: name.clone(),
        ..Section::default()
    });
    facts.into_iter().chain(lists).collect()
}

/// The name of a section as a field: `People in both` is `people_in_both`; a second one of the name gets a number.
fn free_key(taken: &Map<String, Value>, title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let key = words.map(str::to_lowercase).collect::<Vec<_>>().join("_");
    let key = if key.is_empty() { "section".to_owned() } else { key };
    let mut free = key.clone();
    let mut n = 2;
    while taken.contains_key(&free) {
        free = format!("{key}_{n}");
        n += 1;
    }
    free
}

fn format(declared: OutputFormat) -> Format {
    match declared {
        OutputFormat::Markdown => Format::Markdown,
        OutputFormat::Json => Format::Json,
        OutputFormat::Csv => Format::Csv,
        OutputFormat::Structured => Format::Structured,
    }
}

fn section_format(stored: Option<&str>) -> SectionFormat {
    match stored {
        Some("text") => SectionFormat::Text,
        Some("list") => SectionFormat::List,
        Some("table") => SectionFormat::Table,
        Some("facts") => SectionFormat::Facts,
        Some("json") => SectionFormat::Json,
        _ => SectionFormat::Auto,
    }
}

#[cfg(test)]
mod tests;
