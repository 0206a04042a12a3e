//! What a signature covers of one step.

use countersign_effect::tree;
use serde::{Deserialize, Serialize};

use crate::subject::{Digest, StepEffects};

/// A step whose effects the signature allows: what a step looks for before it acts, and what the digest holds of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covered {
    /// The step's name.
    pub step: String,
    /// The action.
    pub action: String,
    /// How many effects it had when the request was opened.
    #[serde(default)]
    pub count: u64,
    /// The Merkle root over the effects that are not struck. In requests of version 1, a digest that allows nothing.
    #[serde(alias = "digest")]
    pub root: Digest,
    /// The effects that were struck, by their number in the opened list, ascending.
    #[serde(default)]
    pub struck: Vec<u32>,
}

impl Covered {
    /// Whether this covers these effects: all of them but the struck ones, and nothing else.
    #[must_use]
    pub fn is_of(&self, effects: &StepEffects) -> bool {
        let kept = |n: &usize| !self.struck.iter().any(|struck| *struck as usize == *n);
        let leaves = effects.leaves();
        let left: Vec<Digest> =
            (0..leaves.len()).filter(kept).filter_map(|n| leaves.get(n).copied()).collect();
        self.step == effects.step
            && self.action == effects.action
            && self.count == leaves.len() as u64
            && self.root == tree::root(&left)
    }
}
