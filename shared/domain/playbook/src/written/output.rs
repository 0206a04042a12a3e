//! What a run gives back.

use countersign_document::{List, Rules};
use countersign_wiring::{Reference, Template};
use schemars::JsonSchema;
use serde::Deserialize;

use super::report::report;
use super::{Filled, Setting};
use crate::diagnostic::Code;
use crate::model::{ExecutionMode, OutputFormat, SECTIONS, SaveTo};

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
    /// How a model should sum up; never in deterministic mode.
    pub(crate) summary_prompt: Option<Setting>,
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
}

/// How a part is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
        match self {
            Self::Auto => None,
            Self::Text => Some("text"),
            Self::List => Some("list"),
            Self::Table => Some("table"),
            Self::Facts => Some("facts"),
            Self::Json => Some("json"),
        }
    }
}

impl Output {
    pub(super) fn rules(&self, mode: ExecutionMode, rules: &mut Rules<'_>) {
        if self.summary_prompt.is_some() {
            let (message, hint) = if mode == ExecutionMode::Deterministic {
                (
                    "a summary is written by a model, but `execution_mode` is `deterministic`",
                    "use `template` or `sections`",
                )
            } else {
                (
                    "models work in steps only, where their answer is checked and can be signed, and not at the end of a run",
                    "write an `llm_task` step with `action: synthesize_report`, and show its result in `sections`",
                )
            };
            let hint = hint.to_owned();
            report(rules, Code::ModelForbidden, "/summary_prompt", message, hint);
        }
        self.form_rules(rules);
        self.section_rules(rules);
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
