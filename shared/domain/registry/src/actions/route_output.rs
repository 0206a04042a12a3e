//! Sends data to destinations in the middle of a playbook.

use std::borrow::Cow;

use countersign_identity::{Requirement, Role};
use countersign_report::{Destination, Format, fields};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
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
    #[schemars(length(min = 1))]
    pub destinations: Option<Vec<Written>>,
}

/// A destination as it is written. Profiles have the same; [`Destination`] reads it.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct Written(pub Value);

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// One row per destination, whether it succeeded or not.
    pub routed_to: Vec<Routed>,
    /// Whether every destination was reached.
    pub success: bool,
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

impl JsonSchema for Written {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Destination".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let formats = Format::CHOICES.map(|(word, _)| word);
        json_schema!({
            "type": "object",
            "properties": {
                "type": { "enum": ["document", "data_workspace_table", "chat", "file_export"] },
                "format": { "enum": formats },
                "condition": { "type": "string", "maxLength": 1000, "format": "condition" },
                "transforms": { "type": "array", "items": { "type": "object" } },
                "confirm": { "type": "boolean" },
                "config": { "type": "object" },
            },
            "required": ["type"],
            "additionalProperties": false,
        })
    }
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

    /// Transforms and settings of a destination are read as those of a profile are.
    fn rules(params: &Params) -> Vec<Problem> {
        let written = params.destinations.iter().flatten().map(|Written(value)| value.clone());
        let written: Vec<Value> = written.collect();
        let mut problems = Vec::new();
        let _ = Destination::read_all(&written, "destinations", &mut problems);
        problems.iter().map(problem).collect()
    }
}

fn problem(found: &fields::Problem) -> Problem {
    let path = Path::parse(&found.path);
    let (message, hint) = match found.message.split_once("; did you mean ") {
        Some((message, likely)) => (message, Some(format!("did you mean {likely}"))),
        None => (found.message.as_str(), None),
    };
    let name = path.what();
    let (kind, message) = match message {
        "is required" => (ProblemKind::Missing, format!("{name} is missing")),
        "is not a field here" => (ProblemKind::UnknownKey, format!("unknown key {name}")),
        _ if message.contains(" is not one of ") => {
            (ProblemKind::NotAChoice, format!("{name}: {message}"))
        }
        _ => (ProblemKind::OutOfRange, format!("{name} {message}")),
    };
    Problem::new(path, kind, message).hint(hint)
}
