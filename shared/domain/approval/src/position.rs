//! Where in a run a request stands, and the id that follows from it.

use countersign_run::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hashing::hash_bytes;
use crate::tenant::Tenant;

countersign_ids::prefixed_id! {
    /// One request for approval.
    pub struct ApprovalId("appr");
}

/// Where in a run the request stands. Never the retry: every attempt finds the same request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ApprovalPosition")]
pub struct Position {
    /// The run.
    pub run: RunId,
    /// The step's name in its plan.
    pub step: String,
    /// The iteration of a review loop.
    #[serde(default)]
    pub iteration: u32,
    /// The turn of an agent.
    #[serde(default)]
    pub turn: u32,
    /// The call within the turn.
    #[serde(default)]
    pub call: u32,
    /// Zero at first; one more each time a closed request no longer fits, because the arguments changed after it was
    /// approved, because somebody asked for changes, or because nobody knows whether the approved effect happened.
    #[serde(default)]
    pub round: u32,
}

impl Position {
    /// The gate of a step, in the first iteration.
    #[must_use]
    pub fn of_step(run: &RunId, step: &str) -> Self {
        Self { run: run.clone(), step: step.to_owned(), iteration: 0, turn: 0, call: 0, round: 0 }
    }

    /// The same place, one round later.
    #[must_use]
    pub fn next_round(&self) -> Self {
        Self { round: self.round.saturating_add(1), ..self.clone() }
    }

    /// The id of the request at this position: derived, so that opening twice finds the first.
    #[must_use]
    pub fn approval_id(&self, tenant: &Tenant) -> ApprovalId {
        let mut bytes = Vec::new();
        for text in [tenant.as_str(), self.run.as_str(), &self.step] {
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(0);
        }
        for number in [self.iteration, self.turn, self.call, self.round] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        ApprovalId::from_bytes(hash_bytes("countersign/v1/approval-id", &[&bytes]).head())
    }
}
