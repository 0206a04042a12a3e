//! What a run answers: what its playbook's `output` names, else the result of its last step.

mod calls;
mod left_out;

use std::borrow::Cow;

use countersign_plan::{Plan, PlanStep, StepKind, scope};
use countersign_playbook::{OutputDecl, OutputFormat, SECTIONS, SUMMARY};
use countersign_report::{Column, Format, Layout, Section, SectionFormat};
use countersign_run::{Head, RunState, StepState, StepStatus};
use countersign_store_runs::Seen;
use countersign_wiring::{Part, Reference, Scope, Template, references as wired};
use serde_json::{Map, Value};

use crate::outcomes::Outcomes;

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
    /// Whether a result is missing that should be there; one that its author's condition left out is not.
    pub(crate) is_incomplete: bool,
}

/// The steps of a run that is over.
#[derive(Clone, Copy)]
pub(crate) struct Results<'a> {
    pub(crate) head: &'a Head,
    pub(crate) plan: &'a Plan,
    pub(crate) state: &'a RunState,
    /// Those of the steps that [`needed`] names have their outputs.
    pub(crate) outcomes: &'a Outcomes,
}

/// The steps whose outputs an answer is made of.
pub(crate) fn needed(plan: &Plan, state: &RunState) -> Vec<String> {
    let named = plan.output.as_ref().map(OutputDecl::references).unwrap_or_default();
    let named = named.iter().flat_map(|reference| match plan.composed.get(reference.root()) {
        Some(value) => members(value),
        None => vec![reference.root().to_owned()],
    });
    named.chain(last(plan, state).map(|step| step.name.clone())).collect()
}

/// The steps whose results a value is put together of.
fn members(composed: &Value) -> Vec<String> {
    wired(composed).iter().map(|reference| reference.root().to_owned()).collect()
}

/// The last step that found something.
fn last<'p>(plan: &'p Plan, state: &RunState) -> Option<&'p PlanStep> {
    finders(plan).find(|step| {
        status(state, &step.name).is_some_and(|state| state.status == StepStatus::Done)
    })
}

/// The steps whose results are something that was found, the last first.
fn finders(plan: &Plan) -> impl Iterator<Item = &PlanStep> {
    let finds =
        |step: &&PlanStep| step.kind != StepKind::Gate && !WRITERS.contains(&step.action.as_str());
    plan.steps.iter().rev().filter(finds)
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
            if section.optional && results.is_left_out(&section.source) {
                continue;
            }
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
            let is_text = made.format == Format::Markdown;
            let value = if is_text { results.for_people(&section.source, value) } else { value };
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
        let has_sections = !output.sections.is_empty();
        made.data = if has_sections { Value::Object(data) } else { results.of_last() };
        let missed = results.missed();
        made.is_incomplete = !missed.is_empty();
        let is_told = |step: &String| {
            made.problems.iter().any(|problem| problem.contains(&format!("“{step}”")))
        };
        let untold: Vec<&String> = missed.iter().filter(|step| !is_told(step)).collect();
        made.problems.extend(untold.into_iter().map(|step| results.ended(step)));
        made.shown = if made.format == Format::Json { made.data.clone() } else { shown.into() };
        made
    }

    fn of_last(results: Results<'_>, format: Format) -> Self {
        let data = results.of_last();
        let shown = match last(results.plan, results.state) {
            Some(step) if format == Format::Markdown => {
                results.for_people(&step.name, data.clone())
            }
            _ => data.clone(),
        };
        let layout =
            Layout { sections: sections_of(&data, format == Format::Csv), ..Layout::default() };
        let problems: Vec<String> = results.not_last().into_iter().collect();
        let is_incomplete = !problems.is_empty();
        Self { format, layout, shown, data, problems, is_incomplete, ..Self::default() }
    }
}

impl Results<'_> {
    fn output(&self, step: &str) -> Option<&Value> {
        let outcome = self.outcomes.all.iter().find(|outcome| outcome.step == step)?;
        Some(&outcome.output)
    }

    /// The steps that the answer names and that did not do what they should. What a missing summary would have summed up is there.
    fn missed(&self) -> Vec<String> {
        let is_missed = |step: &String| {
            let state = status(self.state, step);
            !self.is_summary(step)
                && (state.is_some_and(|state| !state.status.is_good())
                    || self.outcomes.too_large(step).is_some())
        };
        needed(self.plan, self.state).into_iter().filter(is_missed).collect()
    }

    /// Whether a step only sums up what others found: it goes on without some of that.
    fn is_summary(&self, step: &str) -> bool {
        self.plan.step(step).is_some_and(|step| step.allows_gaps && step.name == SUMMARY)
    }

    /// That a step has a result all the same: a list of which a part was sent.
    fn ended(&self, step: &str) -> String {
        let state = status(self.state, step);
        let why = state.and_then(|state| state.message.as_deref()).unwrap_or("see its status");
        format!("the step “{step}” did not end as it should ({why}); what it gave is shown")
    }

    /// That a later step should have found more, or that the result of the last one is not here.
    fn not_last(&self) -> Option<String> {
        let last = last(self.plan, self.state);
        if let Some(too_large) = last.and_then(|step| self.outcomes.too_large(&step.name)) {
            return Some(too_large);
        }
        let later =
            finders(self.plan).take_while(|step| last.is_none_or(|last| last.name != step.name));
        let failed = later.filter_map(|step| {
            let state = status(self.state, &step.name)?;
            // A step that its author's condition skips is not missed.
            (state.status != StepStatus::Skipped).then_some((step, state))
        });
        let (step, state) = failed.last()?;
        let why = state.message.as_deref().unwrap_or("it was not done");
        let shown = last
            .map_or_else(String::new, |last| format!("; this is the result of “{}”", last.name));
        Some(format!("the step “{}” has no result ({why}){shown}", step.name))
    }

    fn of_last(&self) -> Value {
        let last = last(self.plan, self.state);
        last.and_then(|step| self.output(&step.name)).cloned().unwrap_or_default()
    }

    fn scope(&self) -> Scope<'_> {
        let mut scope = scope(self.head, self.plan);
        for outcome in &self.outcomes.all {
            match outcome.seen() {
                Seen::Decision(value) => scope.insert(&outcome.step, value),
                // What was skipped has nothing to show, and a list of which a part was sent has a result all the same.
                Seen::Output | Seen::Skipped(_) | Seen::Nothing => {
                    scope.lend(&outcome.step, &outcome.output);
                }
            }
        }
        scope
    }

    /// The value of a reference, or why there is none: a step that was not done has no result.
    fn value(&self, scope: &Scope<'_>, reference: &Reference) -> Result<Value, String> {
        let name = reference.root();
        if let Some(composed) = self.plan.composed.get(name) {
            return self.composed(scope, name, &members(composed));
        }
        if let Some(why) = self.undone(name) {
            return Err(why);
        }
        if scope.get(name).is_none() {
            return Err(format!("“{name}” has no value"));
        }
        Ok(reference.value(scope).map(Cow::into_owned).unwrap_or_default())
    }

    /// Why a step has no result, if it has none.
    fn undone(&self, name: &str) -> Option<String> {
        if let Some(too_large) = self.outcomes.too_large(name) {
            return Some(too_large);
        }
        self.plan.step(name)?;
        let state = status(self.state, name).filter(|state| {
            state.status != StepStatus::Done && self.output(name).is_none_or(Value::is_null)
        })?;
        let why = state.message.as_deref().unwrap_or("it was not done");
        Some(format!("the step “{name}” has no result ({why})"))
    }

    /// The results of several steps as one value; those that there are not are null. Without any there is no value.
    fn composed(&self, scope: &Scope<'_>, name: &str, members: &[String]) -> Result<Value, String> {
        let undone: Vec<String> = members.iter().filter_map(|step| self.undone(step)).collect();
        if !members.is_empty() && undone.len() == members.len() {
            return Err(undone.join("; "));
        }
        self.plan.composed(name, scope).ok_or_else(|| format!("“{name}” has no value"))
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

/// A result without an author's layout: its fields, then a section for each list. Where one of them is chosen, that is the
/// first, also when it is empty: another list is another figure.
fn sections_of(data: &Value, is_chosen_from: bool) -> Vec<Section> {
    let Some(fields) = data.as_object() else { return Vec::new() };
    let is_list =
        |value: &Value| value.as_array().is_some_and(|items| is_chosen_from || !items.is_empty());
    let is_fact = |value: &Value| match value {
        Value::Null | Value::Array(_) => false,
        Value::Object(inner) => !inner.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    };
    let facts = fields.values().any(is_fact).then(|| Section {
        title: "Result".to_owned(),
        format: SectionFormat::Facts,
        columns: facts_of(fields, is_list),
        ..Section::default()
    });
    let lists = fields.iter().filter(|(_, value)| is_list(value)).map(|(name, _)| Section {
        title: name.replace('_', " "),
        source: name.clone(),
        ..Section::default()
    });
    facts.into_iter().chain(lists).collect()
}

/// A column for each field that has no section of its own. Fields that begin with an underscore were added by actions: they are
/// shown only when there are no others.
fn facts_of(fields: &Map<String, Value>, is_list: impl Fn(&Value) -> bool) -> Vec<Column> {
    let facts = fields.iter().filter(|(_, value)| !is_list(value)).map(|(name, _)| name.as_str());
    let (added, own): (Vec<&str>, Vec<&str>) = facts.partition(|name| name.starts_with('_'));
    let shown = if own.is_empty() { added } else { own };
    shown.into_iter().map(Column::plain).collect()
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
