//! What a run did, in figures: written with its end, so that a list of runs and statistics read nothing else (F-316, F-398).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::StepStatus;

/// The most calls, and the most problems, that a record names; the others are counted.
pub(crate) const MAX_NAMED: usize = 50;

/// The most characters of a message in a record; the step has the whole one.
pub(crate) const MAX_MESSAGE: usize = 300;

/// How the answer of a run is found (F-027, K-60).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// A deterministic playbook: its steps, and no model.
    Pipeline,
    /// A playbook in whose steps a model may take part.
    Playbook,
    /// One call that reads, without a playbook (F-031).
    Direct,
    /// A model looks for the answer with tools that read, without a playbook (F-030).
    Research,
}

/// A call of a connector by one step, or by its model; all pages of one call, and all items of a list, are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectorCall {
    /// The step.
    pub step: String,
    /// The connector.
    pub connector: String,
    /// Its endpoint.
    pub endpoint: String,
    /// What became of it: `done`, `failed`, `unknown`.
    pub status: StepStatus,
    /// From the start of the step to its answer, with every page and every repetition; none when nobody measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// How many records it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_count: Option<u64>,
    /// The stable code of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// What the steps found out about entities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntityCounts {
    /// How many different entities were resolved.
    pub resolved: u64,
    /// How many of them the knowledge graph did not have before the run.
    pub discovered: u64,
    /// How many names were merged into another by themselves.
    pub merged: u64,
    /// How many pairs were left to people.
    pub ambiguous: u64,
    /// How many relationships between entities the knowledge graph did not have before the run.
    #[serde(default)]
    pub relationships_discovered: u64,
}

/// How many results went to destinations of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DestinationCount {
    /// The kind: `document`, `chat`, …
    pub destination: String,
    /// `success`, `skipped` or `error`.
    pub status: String,
    /// How many.
    pub count: u64,
}

/// Why a step did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StepProblem {
    /// The step.
    pub step: String,
    /// The stable code.
    pub code: String,
    /// The same for people, at most 300 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// What tells people of the end of a run.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum EndPart {
    /// The entry in the agent's journal.
    Journal,
    /// The notification of somebody who is told.
    Notice,
    /// Their mail.
    Mail,
}

impl EndPart {
    /// The word of the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A part of the end of a run that could not be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotWritten {
    /// Which.
    pub what: EndPart,
    /// The stable code of why.
    pub code: String,
}

/// What a run did, in figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// The calls of connectors, in the order of the plan; the first 50.
    #[serde(default)]
    pub connectors_called: Vec<ConnectorCall>,
    /// How many more there were.
    #[serde(default)]
    pub connectors_left_out: u64,
    /// Entities.
    #[serde(default)]
    pub entities: EntityCounts,
    /// Where results went.
    #[serde(default)]
    pub output_destinations: Vec<DestinationCount>,
    /// The steps that failed, the first 50.
    #[serde(default)]
    pub error_details: Vec<StepProblem>,
    /// How many more there were.
    #[serde(default)]
    pub errors_left_out: u64,
    /// What could not be written at the end of the run; it is over all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_written: Vec<NotWritten>,
}

impl RunRecord {
    /// Counts a result that went, or should have gone, to a destination.
    pub fn add_destination(&mut self, destination: &str, status: &str) {
        let mut known = self.output_destinations.iter_mut();
        match known.find(|row| row.destination == destination && row.status == status) {
            Some(row) => row.count += 1,
            None => self.output_destinations.push(DestinationCount {
                destination: destination.to_owned(),
                status: status.to_owned(),
                count: 1,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_398_destinations_are_counted_by_kind_and_outcome() {
        let mut record = RunRecord::default();
        for (kind, status) in [("chat", "success"), ("document", "error"), ("chat", "success")] {
            record.add_destination(kind, status);
        }
        let counts: Vec<_> = record
            .output_destinations
            .iter()
            .map(|row| (row.destination.as_str(), row.status.as_str(), row.count))
            .collect();
        assert_eq!(counts, [("chat", "success", 2), ("document", "error", 1)]);
    }
}
