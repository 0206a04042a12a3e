//! What a run gives back.

use countersign_document::{List, Rules, Text};
use countersign_wiring::{Reference, Template, references};
use schemars::JsonSchema;
use serde::Deserialize;

use super::report::report;
use super::{Filled, Setting};
use crate::diagnostic::Code;
use crate::model::{ExecutionMode, OutputFormat, SECTIONS, SaveTo};
use crate::summary::{MAX_PROMPT, TITLE};

/// What a run gives back.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Output {
    /// Its form.
    #[serde(default)]
    pub(crate) format: OutputFormat,
    /// A text with references, resolved when the run is finished.
    pub(crate) template: Option<Setting>,
    /// Parts of the document, in order.
    #[serde(default)]
    pub(crate) sections: List<Section, 0, 50>,
    /// Whether what was found goes into the knowledge graph.
    #[serde(default)]
    pub(crate) auto_enrich_graph: bool,
    /// Where the result is kept.
    #[serde(default)]
    pub(crate) save_to: SaveTo,
    /// The task of the model that sums up the sections, in a step after all others; not in deterministic mode.
    pub(crate) summary_prompt: Option<Text<MAX_PROMPT>>,
}

/// A part of the output document.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Section {
    /// Its heading.
    pub(crate) title: Filled,
    /// The result it shows, such as `matches.matches`.
    pub(crate) source: Filled,
    /// How it is shown.
    #[serde(default)]
    pub(crate) format: SectionFormat,
    /// Whether it is left out when the condition of the step that it shows does not hold. Otherwise it says that it is not known. A step without a condition is always shown.
    #[serde(default)]
    pub(crate) optional: bool,
}

/// How a part is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum SectionFormat {
    /// A table for records, a list for a list, facts for an object, a paragraph for a text.
    #[default]
    Auto,
    /// A paragraph per line.
    Text,
    /// One bullet per item.
    List,
    /// One row per record.
    Table,
    /// One labelled line per field.
    Facts,
    /// A block of JSON.
    Json,
}

impl SectionFormat {
    /// As it is stored; the default is left out.
    pub(crate) fn stored(self) -> Option<&'static str> {
        (self != Self::Auto).then(|| self.into())
    }
}

impl Output {
    pub(super) fn rules(&self, mode: ExecutionMode, rules: &mut Rules<'_>) {
        if let Some(prompt) = &self.summary_prompt {
            self.summary_rules(prompt, mode, rules);
        }
        self.form_rules(rules);
        self.section_rules(rules);
        self.optional_rules(rules);
    }

    /// A model sums up what the sections show, and its task is the author's word alone (K-44).
    fn summary_rules(&self, prompt: &str, mode: ExecutionMode, rules: &mut Rules<'_>) {
        let mut wrong = |code, message: &str, hint: &str| {
            report(rules, code, "/summary_prompt", message, hint.to_owned());
        };
        if mode == ExecutionMode::Deterministic {
            let message =
                "a summary is written by a model, but `execution_mode` is `deterministic`";
            wrong(Code::ModelForbidden, message, "use `template` or `sections`");
        }
        if !references(&prompt.into()).is_empty() {
            let message = "`summary_prompt` holds a reference: a model would take what it leads to as its task";
            wrong(Code::Misplaced, message, "what is summed up is what the sections show");
        }
        if self.sections.is_empty() {
            let message = "`summary_prompt` has nothing to sum up: there are no `sections`";
            wrong(
                Code::MissingInput,
                message,
                "write `sections: [{title: …, source: step.results}]`",
            );
        }
        if self.format == OutputFormat::Csv {
            let message = "CSV is one table, and has no place for a summary";
            wrong(Code::Misplaced, message, "use `format: markdown`, `json` or `structured`");
        }
        let is_named = |section: &Section| section.title.trim().eq_ignore_ascii_case(TITLE);
        if self.sections.iter().any(is_named) {
            let message =
                format!("`summary_prompt` adds a section `{TITLE}`, and one has that title");
            wrong(Code::Ambiguous, &message, "give the section another title");
        }
    }

    /// A part has a form of its own in Markdown, and as the table of CSV.
    fn section_rules(&self, rules: &mut Rules<'_>) {
        let (what, hint) = match self.format {
            OutputFormat::Markdown => return,
            OutputFormat::Json => ("JSON", "leave it out"),
            OutputFormat::Structured => ("`structured`", "leave it out"),
            OutputFormat::Csv => ("CSV", "leave it out, or write `table`"),
        };
        let is_table = |format| self.format == OutputFormat::Csv && format == SectionFormat::Table;
        for (n, section) in self.sections.iter().enumerate() {
            if section.format != SectionFormat::Auto && !is_table(section.format) {
                let place = format!("/sections/{n}/format");
                let message = format!("{what} is data, and has no `format` of a section");
                report(rules, Code::NoEffect, &place, message, hint.to_owned());
            }
        }
    }

    /// Something is always shown, and the table that is kept is always the same one.
    fn optional_rules(&self, rules: &mut Rules<'_>) {
        let hint = || "leave `optional` out".to_owned();
        if !self.sections.is_empty() && self.sections.iter().all(|section| section.optional) {
            let message = "all sections are optional, so that there may be none to show";
            report(rules, Code::Misplaced, "/sections", message, hint());
        }
        if !matches!(self.save_to, SaveTo::Workspace | SaveTo::Both) {
            return;
        }
        for (n, _) in self.sections.iter().enumerate().filter(|(_, section)| section.optional) {
            let message = "the first list of records is kept as a table, and without this section another one would be";
            report(rules, Code::Misplaced, &format!("/sections/{n}/optional"), message, hint());
        }
    }

    /// What belongs to one form only.
    fn form_rules(&self, rules: &mut Rules<'_>) {
        if self.template.is_some() && self.format != OutputFormat::Markdown {
            let message = "a template is Markdown, and `format` is another";
            let hint = "use `sections`, or `format: markdown`".to_owned();
            report(rules, Code::Misplaced, "/template", message, hint);
        }
        let place = format!("{{{SECTIONS}}}");
        if self.template.as_ref().is_some_and(|text| !has_place(text)) && !self.sections.is_empty()
        {
            let message =
                format!("the template has no `{place}`, so nobody would see the sections");
            let hint = format!("write `{place}` where they shall be, or leave them out");
            report(rules, Code::Misplaced, "/template", message, hint);
        }
        if self.format == OutputFormat::Csv && self.sections.len() > 1 {
            let message = "CSV is one table, and there are several sections";
            let hint = "keep one section, or use `format: structured`".to_owned();
            report(rules, Code::Misplaced, "/sections", message, hint);
        }
    }
}

/// Whether a template says where the sections are. What is wrong with the template itself is reported elsewhere.
fn has_place(template: &str) -> bool {
    let is_place = |reference: &Reference| reference.to_string() == SECTIONS;
    Template::parse(template).map_or(true, |template| template.references().any(is_place))
}
