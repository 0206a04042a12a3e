//! The texts of signed effects: in the request while they are small, else in the data bucket.

use countersign_approval::{Kind, Request, StepEffects};
use countersign_effect::hash_parts;
use countersign_run::RunId;
use countersign_store_kit::StoreError;

use crate::{Result, RunStore};

/// Texts up to this many bytes in all are kept in the request itself.
const MAX_INLINE_BYTES: usize = 64 * 1024;

/// The most bytes that all effects of one request may have together.
pub const MAX_EFFECTS_BYTES: usize = 8 * 1024 * 1024;

impl RunStore {
    /// Puts the texts of a gate's effects into the bucket when they are too large for its request. The key, or none when
    /// they are small; the key follows from the texts, so that writing again changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the bucket does not answer.
    pub async fn keep_effects(
        &self,
        run: &RunId,
        step: &str,
        effects: &[StepEffects],
    ) -> Result<Option<String>> {
        if effects_bytes(effects) <= MAX_INLINE_BYTES {
            return Ok(None);
        }
        let text = serde_json::to_vec(effects).map_err(StoreError::encode)?;
        let key = format!("runs/{run}/gates/{step}/{}.json", hash_parts(&[&text]));
        self.blobs.put(&key, text, "application/json").await?;
        Ok(Some(key))
    }

    /// The effects a request asks people to sign, wherever they are kept. They are held against the roots that the digest
    /// covers, so that nobody is shown anything else than what is signed.
    ///
    /// # Errors
    /// [`StoreError`] when the bucket does not answer, or what it has is not what the request covers.
    pub async fn effects_of(&self, request: &Request) -> Result<Vec<StepEffects>> {
        let effects: Vec<StepEffects> = match &request.effects_at {
            None => request.effects.clone(),
            Some(key) => serde_json::from_slice(&self.blobs.get(key).await?)
                .map_err(|_| StoreError::Tampered(key.clone()))?,
        };
        if covers(request, &effects) {
            return Ok(effects);
        }
        Err(StoreError::Tampered(
            request.effects_at.clone().unwrap_or_else(|| request.id.to_string()),
        ))
    }
}

/// The bytes of all texts.
#[must_use]
pub fn effects_bytes(effects: &[StepEffects]) -> usize {
    effects.iter().flat_map(|step| &step.texts).map(String::len).sum()
}

/// Whether these are the very effects whose roots the request holds; of a question about outcomes, the very calls.
/// Requests of version 1 kept none.
fn covers(request: &Request, effects: &[StepEffects]) -> bool {
    if request.kind == Kind::Outcome {
        let leaves = effects.iter().flat_map(StepEffects::leaves);
        return leaves.eq(request.outcome.iter().map(|call| call.leaf));
    }
    request.v < 2
        || request.covers.len() == effects.len()
            && request.covers.iter().zip(effects).all(|(covered, step)| covered.is_of(step))
}
