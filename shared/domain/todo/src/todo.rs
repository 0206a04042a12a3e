//! One to-do.

use countersign_identity::UserId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::words::{Day, ListName, Tag};

countersign_ids::prefixed_id! {
    /// One to-do.
    pub struct TodoId("todo");
}

/// Where a to-do is in its life.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
#[schemars(rename = "TodoState")]
pub enum State {
    /// To be done some time.
    #[default]
    Todo,
    /// To be done next.
    Next,
    /// Waits for somebody or something.
    Waiting,
    /// Done.
    Done,
}

impl State {
    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How important a to-do is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[schemars(rename = "TodoPriority")]
pub enum Priority {
    /// First.
    A,
    /// Second.
    B,
    /// Third.
    C,
}

/// What was noted on a to-do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TodoNote")]
pub struct Note {
    /// When.
    pub at: Timestamp,
    /// What.
    pub text: String,
}

/// One to-do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    /// The id.
    pub id: TodoId,
    /// Whose it is.
    pub owner: UserId,
    /// One line.
    pub title: String,
    /// More about it; may be empty.
    pub body: String,
    /// Where it is in its life.
    pub state: State,
    /// How important it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The day by which it has to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Day>,
    /// The day on which to begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheduled: Option<Day>,
    /// Its tags, sorted, each once.
    #[serde(default)]
    pub tags: Vec<Tag>,
    /// The list it belongs to.
    pub file: ListName,
    /// What was noted on it, oldest first.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// The run that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// When it was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// One more with every change.
    pub version: u64,
}

impl Todo {
    /// How large its texts are, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let notes: usize = self.notes.iter().map(|note| note.text.len()).sum();
        self.title.len() + self.body.len() + notes
    }
}
