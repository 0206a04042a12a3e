//! Writes what was done into the profile's journal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Nothing;
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct WriteJournalEntry;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What was done and found, in a few sentences.
    #[schemars(length(min = 1))]
    pub summary: String,
    /// Single findings, as texts or records.
    pub detail_entries: Option<Vec<Value>>,
    /// Who and what it is about, as names or entities.
    pub entities_mentioned: Option<Vec<Value>>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The entry.
    pub journal_entry_id: String,
    /// Whether it was written.
    pub success: bool,
    /// What was left out of it.
    pub warnings: Vec<String>,
    /// How many warnings there are.
    pub warning_count: u64,
}

impl Action for WriteJournalEntry {
    const NAME: &'static str = "write_journal_entry";
    const FUNCTION: &'static str = "tool-journal";
    const DESCRIPTION: &'static str = "Writes an entry into the profile's journal.";
    const REFUSED: [&'static str; 3] = ["JOURNAL_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Nothing;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { writes: true, ..contract }
    }
}
