//! What became of one destination.

use countersign_failure::Class;
use countersign_registry::action::ActionError;
use serde_json::{Value, json};

/// What became of one destination.
pub(crate) enum Routed {
    Done(Value),
    /// Its condition does not hold; why it cannot be decided, if it cannot.
    Skipped(Option<String>),
    /// Some of it was written.
    Partly(Value, ActionError),
    Failed(ActionError),
}

impl Routed {
    /// The same with warnings in its details, where anything was written.
    pub(crate) fn warned(mut self, warnings: &[String]) -> Self {
        let details = match &mut self {
            Self::Done(details) | Self::Partly(details, _) => details.as_object_mut(),
            Self::Skipped(_) | Self::Failed(_) => None,
        };
        if let Some(details) = details.filter(|_| !warnings.is_empty()) {
            let known = details.entry("warnings").or_insert_with(|| json!([]));
            if let Some(known) = known.as_array_mut() {
                known.extend(warnings.iter().map(|warning| Value::from(warning.as_str())));
            }
        }
        self
    }

    /// Whether it failed by something that may pass by itself.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Self::Failed(error) | Self::Partly(_, error) if error.class == Class::Retryable)
    }
}
