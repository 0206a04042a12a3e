//! `for_each`: one call for each item of a list.

use countersign_document::{Rules, Whole};
use schemars::JsonSchema;
use serde::Deserialize;

use super::report::check_free;
use super::text::ItemName;
use super::{Filled, Setting};

/// One call for each item of a list; all are signed together.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForEach {
    /// One reference to a list: an input, or the result of an earlier step.
    #[serde(rename = "in")]
    #[schemars(extend("x-hint" = "name the list: `in: \"{step.results}\"`"))]
    pub(crate) list: Filled,
    /// What references name the item by, in `inputs` and `key`; `item` when left out. Nothing else may have the name.
    #[serde(rename = "as")]
    pub(crate) item: Option<ItemName>,
    /// A text that refers to the item and names it; no two items may have the same. Left out, the item's number from 0.
    pub(crate) key: Option<Setting>,
    /// How many calls are made side by side.
    #[serde(default)]
    pub(crate) parallel: Whole<1, 10, 1>,
    /// The most items that the list may have.
    #[serde(default)]
    pub(crate) max: Whole<1, 1_000, 100>,
}

impl ForEach {
    /// What the item is called when `as` is left out.
    pub(crate) const ITEM: &'static str = "item";
    /// The longest time one call may take, seconds: one invocation makes several, and must have the time for the next.
    pub(super) const MAX_CALL: i64 = 240;

    pub(super) fn rules(&self, rules: &mut Rules<'_>) {
        if let Some(item) = &self.item {
            check_free(rules, "/as", item.as_str());
        }
    }
}
