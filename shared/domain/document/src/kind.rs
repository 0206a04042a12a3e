//! A kind of document.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::problem::Problem;
use crate::rules::Rules;
use crate::tree::{Limits, Tree};

/// A kind of document that people write.
pub trait Document: DeserializeOwned + JsonSchema + 'static {
    /// What it is called in messages, in its schema's `$id`, and as the key it may be written under.
    const KIND: &'static str;
    /// Counts changes of its shape after which older documents are refused.
    const MAJOR: u32 = 1;
    /// How large it may be.
    const LIMITS: Limits = Limits::DEFAULT;
    /// Whether it may be written under the one key [`Self::KIND`].
    const WRAPPED: bool = false;
    /// The code of a number outside its bounds.
    const OUT_OF_RANGE: &'static str = "type";

    /// Reports what needs more than one part of the document to be decided.
    fn rules(&self, rules: &mut Rules<'_>) {
        let _ = rules;
    }
}

/// What the rules of a document that was read from `written` say. Unlike [`crate::read_value`] this needs no schema.
#[must_use]
pub fn broken_rules<T: Document>(document: &T, written: Value) -> Vec<Problem> {
    let tree = Tree::of_value(written);
    let mut rules = Rules::new(&tree, &[]);
    document.rules(&mut rules);
    rules.into_found()
}
