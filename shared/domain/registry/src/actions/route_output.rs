//! Sends data to destinations in the middle of a playbook.

use countersign_document::{Severity, broken_rules};
use countersign_identity::{Requirement, Role};
use countersign_report::{MAX_DESTINATIONS, WrittenDestination};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explain::{Path, Problem, ProblemKind};
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct RouteOutput;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What to write.
    pub data: Value,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Where to, each {type, format, condition, transforms, config}; left out, the profile's outputs.
    #[schemars(length(min = 1, max = MAX_DESTINATIONS))]
    pub destinations: Option<Vec<WrittenDestination>>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// One row per destination, whether it succeeded or not.
    pub routed_to: Vec<Routed>,
    /// Whether every destination was reached.
    pub success: bool,
    /// Records that were skipped for an earlier one of the same call, although they differ from it or have no key.
    pub warnings: Vec<String>,
    /// How many there are.
    pub warning_count: u64,
    /// The digests of the agent's destinations as they were then, in order, when the step names none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub agent_destinations: Vec<String>,
}

/// What became of one destination.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Routed {
    pub destination: &'static str,
    pub status: &'static str,
    pub details: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub error: Option<Value>,
}

impl Action for RouteOutput {
    const NAME: &'static str = "route_output";
    const FUNCTION: &'static str = "tool-output";
    const DESCRIPTION: &'static str = "Writes data to documents, tables, files or the chat.";
    const REFUSED: [&'static str; 3] = ["OUTPUT_INVALID"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { requirement: Requirement::role(Role::Analyst), writes: true, ..contract }
    }

    /// What the parts of a destination say about each other, as in a profile.
    fn rules(params: &Params) -> Vec<Problem> {
        let list = Path::of("destinations");
        let mut problems = Vec::new();
        for (n, written) in params.destinations.iter().flatten().enumerate() {
            let value = Value::Object(written.clone().into_written());
            let broken = broken_rules(written, value).into_iter().map(|found| {
                let place = list.entry(n).pointer(&found.pointer);
                let kind = match found.severity {
                    Severity::Warning => ProblemKind::NoEffect,
                    _ => ProblemKind::OutOfRange,
                };
                Problem::new(place, kind, found.message).hint(found.hint)
            });
            problems.extend(broken);
        }
        problems
    }
}
