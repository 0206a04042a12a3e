//! Reads what the profile did before.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Action;
use crate::shape::{Date, Formed};

/// The declaration.
#[derive(Debug)]
pub struct QueryJournal;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// Words the entry must contain.
    pub query: Option<String>,
    /// The first day.
    #[schemars(with = "Option<Date>")]
    pub date_from: Option<String>,
    /// The last day.
    #[schemars(with = "Option<Date>")]
    pub date_to: Option<String>,
    /// A name the entry must mention.
    pub entity_name: Option<String>,
    /// The task status of the entry.
    pub status: Option<String>,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// At most this many entries, newest first.
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: u64,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The entries, newest first.
    pub entries: Vec<Entry>,
    /// How many there are.
    pub count: u64,
    /// The days the entries span; empty when there are none.
    pub date_range: Days,
    /// Whether older entries match that are not among them.
    pub has_more: bool,
    /// That older entries were not looked at.
    pub warnings: Vec<String>,
}

/// An entry of the journal.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Entry {
    pub journal_entry_id: String,
    pub summary: String,
    #[schemars(with = "Date")]
    pub created_at: String,
    pub run_context: String,
    pub steps_completed: Vec<String>,
    pub entities_discovered: Vec<Value>,
    pub outputs_produced: Vec<Value>,
    pub task_status: String,
}

/// From the first to the last day.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Days {
    #[schemars(with = "Date")]
    pub from: String,
    #[schemars(with = "Date")]
    pub to: String,
}

fn twenty() -> u64 {
    20
}

impl Action for QueryJournal {
    const NAME: &'static str = "query_journal";
    const FUNCTION: &'static str = "tool-journal";
    const DESCRIPTION: &'static str = "Finds entries of the profile's journal.";
    const REFUSED: [&'static str; 3] = ["JOURNAL_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Formed<Output>;
}
