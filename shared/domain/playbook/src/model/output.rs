//! What a run of a playbook gives back.

use countersign_wiring::{Reference, Template};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands in `output.template` for the sections.
pub const SECTIONS: &str = "sections";

/// What a run gives back (F-136).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PlaybookOutput")]
pub struct OutputDecl {
    /// `markdown | json | csv | structured`.
    pub format: OutputFormat,
    /// A text with references, resolved when the run is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Parts of the document, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Whether what was found goes into the knowledge graph.
    pub auto_enrich_graph: bool,
    /// Where the result is kept.
    pub save_to: SaveTo,
    /// The task of the model in the step `summary`. `sections` begin with the one that shows its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_prompt: Option<String>,
}

impl OutputDecl {
    /// What its template and its sections show.
    #[must_use]
    pub fn references(&self) -> Vec<Reference> {
        let template = self.template.as_deref().and_then(|text| Template::parse(text).ok());
        let in_template = template.iter().flat_map(Template::references).cloned();
        let sections = self.sections.iter().filter_map(|one| Reference::parse(&one.source).ok());
        in_template.chain(sections).collect()
    }
}

/// A part of the output document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PlaybookSection")]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// The reference it shows, without braces.
    pub source: String,
    /// How it is shown; left out, as the whole output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Whether it is left out when the condition of the step that it shows does not hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// The form of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// A document.
    #[default]
    Markdown,
    /// The values.
    Json,
    /// Rows.
    Csv,
    /// The values, by section.
    Structured,
}

/// Where the output is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaveTo {
    /// In the library.
    Document,
    /// In a workspace table.
    Workspace,
    /// In both.
    Both,
    /// Nowhere but in the run.
    #[default]
    None,
}
