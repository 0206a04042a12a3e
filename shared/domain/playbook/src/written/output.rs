//! What a run gives back.

use countersign_document::{List, Rules};
use schemars::JsonSchema;
use serde::Deserialize;

use super::report::report;
use super::{Filled, Setting};
use crate::diagnostic::Code;
use crate::model::{ExecutionMode, OutputFormat, SaveTo};

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
    /// How it is shown; left out, as the whole output.
    pub(crate) format: Option<Setting>,
}

impl Output {
    pub(super) fn rules(&self, mode: ExecutionMode, rules: &mut Rules<'_>) {
        if self.summary_prompt.is_some() && mode == ExecutionMode::Deterministic {
            let message =
                "a summary is written by a model, but `execution_mode` is `deterministic`";
            let hint = "use `template` or `sections`, or `execution_mode: hybrid`".to_owned();
            report(rules, Code::ModelForbidden, "/summary_prompt", message, hint);
        }
    }
}
