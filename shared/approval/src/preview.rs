//! What people see of what they sign.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How much JSON a preview may hold, in bytes: a request stays one small item.
const BUDGET: usize = 64 * 1024;

/// A snapshot, cut to the first rows (F-200). The digest covers all of what is signed, whatever is shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// The first items, or the whole content when it is no list; a text cut short when it is too long.
    pub shown: Value,
    /// How many items are shown whole.
    pub count: u64,
    /// How many there are.
    pub total: u64,
    /// The step whose output holds all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Preview {
    /// Shows the first `limit` items of a list, fewer when they are long; nothing of nothing; anything else whole, or its
    /// beginning.
    #[must_use]
    pub fn of(content: &Value, limit: u32) -> Self {
        match content {
            Value::Array(items) => Self::of_items(items, limit),
            Value::Null => Self { shown: Value::Null, count: 0, total: 0, source: None },
            other => Self::of_one(other),
        }
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
        Self { shown: Value::Array(shown), count, total: items.len() as u64, source: None }
    }

    fn of_one(content: &Value) -> Self {
        let text = content.to_string();
        if text.len() <= BUDGET {
            return Self { shown: content.clone(), count: 1, total: 1, source: None };
        }
        let end = text.floor_char_boundary(BUDGET);
        let shown = Value::String(format!("{}…", &text[..end]));
        Self { shown, count: 0, total: 1, source: None }
    }

    /// `showing 10 of 512`, when something is left out.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        match (self.count, self.total) {
            (count, total) if count >= total => None,
            (0, 1) => Some("showing the beginning".to_owned()),
            (count, total) => Some(format!("showing {count} of {total}")),
        }
    }
}
