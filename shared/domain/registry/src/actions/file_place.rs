//! Which files actions about files are about.

use countersign_document::{Refused, text_type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-refused" = { "team_docs": "teams have no files", "global_docs": "there are no documents that everybody has" }))]
pub enum FileScope {
    /// The documents of the run's owner.
    #[default]
    MyDocs,
}

/// Whose files are searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("x-refused" = { "team_docs": "teams have no files", "global_docs": "there are no documents that everybody has" }))]
pub enum SearchedScope {
    /// The documents of the run's owner.
    #[default]
    MyDocs,
    /// All that the run's owner can read; today their own.
    All,
}

text_type! {
    /// A team, of which there are none: it is refused where it is written.
    pub struct NoTeam { format: "no-team", code: "team", sample: "a", check: no_team }
}

fn no_team(_: &str) -> Result<(), Refused> {
    let refused = Refused::of_key("cannot be given: teams have no files");
    Err(refused.hint("leave it out".to_owned()))
}

/// A file, as lists of files say it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct File {
    /// Its id, `doc_…`.
    pub document_id: String,
    /// Its title.
    pub title: String,
    /// Its name.
    pub filename: String,
    /// Folder and name.
    pub path: String,
    /// The ending of its name, in lower case; empty without one.
    pub file_type: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// When it was made.
    pub created_at: String,
    /// When it was changed last.
    pub modified_at: String,
}
