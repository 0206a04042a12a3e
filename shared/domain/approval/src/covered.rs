//! What one step is going to do, and what a signature covers of it.

use countersign_effect::{Digest, Effect, effect_leaf, tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hashing::SubjectError;

/// What one step is going to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepEffects {
    /// The step's name in its plan.
    pub step: String,
    /// The action it calls.
    pub action: String,
    /// The canonical text of each effect, in order ([`Effect::text`]).
    pub texts: Vec<String>,
}

/// A step whose effects the signature allows: what a step looks for before it acts, and what the digest holds of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl StepEffects {
    /// A step with one effect.
    ///
    /// # Errors
    /// [`SubjectError::Effect`] when the effect is too large to be signed.
    pub fn one(step: &str, action: &str, effect: &Effect) -> Result<Self, SubjectError> {
        Self::of(step, action, std::slice::from_ref(effect))
    }

    /// A step with these effects, in order.
    ///
    /// # Errors
    /// [`SubjectError::Effect`] when one is too large to be signed.
    pub fn of(step: &str, action: &str, effects: &[Effect]) -> Result<Self, SubjectError> {
        let texts = effects.iter().map(Effect::text).collect::<Result<_, _>>()?;
        Ok(Self { step: step.to_owned(), action: action.to_owned(), texts })
    }

    /// The hashes of its effects.
    #[must_use]
    pub fn leaves(&self) -> Vec<Digest> {
        self.texts.iter().map(|text| effect_leaf(text)).collect()
    }

    /// What a signature of all of them covers.
    #[must_use]
    pub fn covered(&self) -> Covered {
        Covered::without(self, &[])
    }
}

impl Covered {
    /// What a signature covers of these effects when the struck ones are left out.
    #[must_use]
    pub fn without(effects: &StepEffects, struck: &[u32]) -> Self {
        let leaves = effects.leaves();
        Self {
            step: effects.step.clone(),
            action: effects.action.clone(),
            count: leaves.len() as u64,
            root: tree::root(&left(&leaves, struck)),
            struck: struck.to_vec(),
        }
    }

    /// Whether this covers these effects: all of them but the struck ones, and nothing else.
    #[must_use]
    pub fn is_of(&self, effects: &StepEffects) -> bool {
        *self == Self::without(effects, &self.struck)
    }

    /// Whether an effect was struck; they are numbered from 0.
    #[must_use]
    pub fn is_struck(&self, n: usize) -> bool {
        self.struck.iter().any(|struck| *struck as usize == n)
    }

    /// How many effects are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.count.saturating_sub(self.struck.len() as u64)
    }

    /// The way from an effect, numbered from 0, to the root; none of an effect that was struck.
    #[must_use]
    pub fn path(&self, effects: &StepEffects, n: usize) -> Option<tree::Path> {
        let leaves = effects.leaves();
        if n >= leaves.len() || self.is_struck(n) {
            return None;
        }
        let place = (0..n).filter(|before| !self.is_struck(*before)).count();
        tree::path(&left(&leaves, &self.struck), place)
    }
}

fn left(leaves: &[Digest], struck: &[u32]) -> Vec<Digest> {
    let is_struck = |n: usize| struck.iter().any(|struck| *struck as usize == n);
    let all = leaves.iter().enumerate();
    all.filter(|(n, _)| !is_struck(*n)).map(|(_, leaf)| *leaf).collect()
}
