//! Finds passages in the documents of the run's owner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Action;

/// The declaration.
#[derive(Debug)]
pub struct SearchDocuments;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The words that are looked for, in any case of letters. A passage is better the more of them it has, and the rarer they are.
    #[schemars(length(min = 1, max = 1_000))]
    pub query: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// At most so many documents.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    pub max_results: u32,
    /// Only this folder.
    pub folder_id: Option<String>,
    /// Only files with these endings, such as `md`.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub file_types: Vec<String>,
}

fn ten() -> u32 {
    10
}

/// A document, with the passage of it that fits the query best.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FoundDocument {
    /// Its id, `doc_…`.
    pub document_id: String,
    /// Its title.
    pub title: String,
    /// The passage.
    pub snippet: String,
    /// The line of the document with which the passage begins, from 1.
    pub line: u64,
    /// How well the passage fits: comparable within one answer only.
    pub score: f64,
    /// The folder; empty without one.
    pub folder_path: String,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The documents, the best first.
    pub documents: Vec<FoundDocument>,
    /// How many there are here.
    pub count: u64,
    /// How they were found: by `words`.
    pub method: String,
    /// What was left out.
    pub warnings: Vec<String>,
    /// How many warnings there are.
    pub warning_count: u64,
}

impl Action for SearchDocuments {
    const NAME: &'static str = "search_documents";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str = "Finds the documents of the run's owner that have the words of a query, with the best passage of each.";
    const REFUSED: [&'static str; 3] = ["FILE_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;
}
