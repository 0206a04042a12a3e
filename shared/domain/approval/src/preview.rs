//! What people see of what they sign.

use countersign_effect::{Digest, row_leaf, tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::doubt::is_doubtful;
use crate::hashing::SubjectError;

/// How much JSON a preview may hold, in bytes: a request stays one small item.
const BUDGET: usize = 64 * 1024;

/// A snapshot, cut to the first rows (F-200). The digest covers all rows, whatever is shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ApprovalPreview")]
pub struct Preview {
    /// The first items, or the whole content when it is not a list; a text cut short when it is too long.
    pub shown: Value,
    /// How many items are shown whole.
    pub count: u64,
    /// How many there are.
    pub total: u64,
    /// How many of all items ask for a look, shown or not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub doubtful: u64,
    /// The Merkle root over all rows; a value that is not a list is one row. Absent in requests of version 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<Digest>,
    /// The step whose output holds all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Preview {
    /// Shows the first `limit` items of a list, fewer when they are long; nothing of nothing; anything else whole, or its
    /// beginning.
    ///
    /// # Errors
    /// [`SubjectError::Effect`] when a row has no canonical text.
    pub fn of(content: &Value, limit: u32) -> Result<Self, SubjectError> {
        let shown = match content {
            Value::Array(items) => Self::of_items(items, limit),
            Value::Null => Self::default(),
            other => Self::of_one(other),
        };
        Ok(Self { root: Some(Self::root_of(content)?), ..shown })
    }

    /// The Merkle root over the rows of a value.
    ///
    /// # Errors
    /// As [`Preview::of`].
    pub fn root_of(content: &Value) -> Result<Digest, SubjectError> {
        let leaves = match content {
            Value::Array(items) => items.iter().map(row_leaf).collect::<Result<Vec<_>, _>>()?,
            Value::Null => Vec::new(),
            other => vec![row_leaf(other)?],
        };
        Ok(tree::root(&leaves))
    }

    /// What the digest holds of it.
    pub(crate) fn summary(&self) -> Value {
        json!({ "count": self.total, "root": self.root })
    }

    /// Names the step whose output is shown.
    #[must_use]
    pub fn from_step(self, step: &str) -> Self {
        Self { source: Some(step.to_owned()), ..self }
    }

    fn of_items(items: &[Value], limit: u32) -> Self {
        let mut left = BUDGET;
        let fits = |item: &&Value| {
            let size = item.to_string().len();
            let fits = size <= left;
            left = left.saturating_sub(size);
            fits
        };
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let shown: Vec<Value> = items.iter().take(limit).take_while(fits).cloned().collect();
        let count = shown.len() as u64;
        let doubtful = items.iter().filter(|item| is_doubtful(item)).count() as u64;
        let total = items.len() as u64;
        Self { shown: Value::Array(shown), count, total, doubtful, ..Self::default() }
    }

    fn of_one(content: &Value) -> Self {
        let text = content.to_string();
        if text.len() <= BUDGET {
            return Self { shown: content.clone(), count: 1, total: 1, ..Self::default() };
        }
        let end = text.floor_char_boundary(BUDGET);
        let shown = Value::String(format!("{}…", &text[..end]));
        Self { shown, count: 0, total: 1, ..Self::default() }
    }

    /// `showing 10 of 512`, when something is left out.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        match (self.count, self.total) {
            (count, total) if count >= total => None,
            (0, 1) if self.shown.is_string() => Some("showing the beginning".to_owned()),
            (count, total) => Some(format!("showing {count} of {total}")),
        }
    }
}
