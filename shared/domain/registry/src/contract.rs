//! The contract of an action.

use countersign_identity::{Requirement, Role};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::CALL_CONNECTOR;
use crate::data_type::{DataType, Field};

/// A named input, param or output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ActionSlot")]
pub struct Slot {
    /// The key.
    pub name: String,
    /// The type of its value.
    #[serde(rename = "type")]
    pub data_type: DataType,
    /// For inputs and params: whether a call without it is refused. For outputs: whether it is always present.
    #[serde(default)]
    pub required: bool,
    /// What holds when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The only values allowed, when there are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// JSON Schema, draft 2020-12, of the whole value, its parts included. Known of declared actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// One sentence for people and models.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// One action, typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ActionContract")]
pub struct Contract {
    /// The name used in playbooks, snake_case.
    pub name: String,
    /// What it does, in one sentence.
    pub description: String,
    /// Data wired from other steps.
    pub inputs: Vec<Slot>,
    /// Static settings.
    pub params: Vec<Slot>,
    /// What comes back.
    pub outputs: Vec<Slot>,
    /// Who may call it.
    pub requirement: Requirement,
    /// Whether it changes something outside its own run: saves, sends, records. Steps before it must not be skipped
    /// silently (K-50).
    #[serde(default)]
    pub writes: bool,
    /// Whether a test of an agent can do it: it then answers as it would and writes nothing (K-46).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearses: bool,
    /// Whether its effect cannot be taken back (K-25): it then needs a signature. Implies [`Contract::writes`].
    pub irreversible: bool,
    /// Whether it calls a model (K-58).
    pub uses_llm: bool,
    /// Grants the agent must have, such as `team_file_access`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// The folder of the Lambda that hosts it, such as `tool-data`; empty for control actions, which no Lambda runs.
    pub function: String,
}

/// The contract of a connector's endpoint, which is an action that is known only where the connector is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndpointContract {
    /// What it does, for people and models.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its arguments.
    pub inputs: Vec<Slot>,
    /// What comes back.
    pub outputs: Vec<Slot>,
    /// Whether its effect cannot be taken back: any request but GET and HEAD, unless it is a search marked safe.
    pub irreversible: bool,
    /// What else a call can read than its source, by what it is asked.
    #[serde(default, skip_serializing_if = "Reach::is_source")]
    pub reach: Reach,
}

/// What the arguments of an endpoint can have it read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Its source, as its author wrote the requests.
    #[default]
    Source,
    /// What its owner keeps: uploaded files; of an action, also graph, journal and to-dos.
    Files,
    /// Any page or search of the web.
    Web,
    /// Whatever a statement says that comes with the call.
    Statement,
}

impl Reach {
    /// Whether it reads its source only.
    #[must_use]
    pub fn is_source(&self) -> bool {
        *self == Self::Source
    }
}

impl EndpointContract {
    /// Why no model may ask for it; none when it may (K-40, K-44).
    #[must_use]
    pub fn not_a_tool(&self) -> Option<&'static str> {
        if self.irreversible {
            return Some("it has an effect; make it a step, which is signed");
        }
        (self.reach == Reach::Statement).then_some(
            "a model would write the statement; make it a step, with the statement in it",
        )
    }
}

impl From<Field> for Slot {
    /// The slot of a field that is always present.
    fn from(field: Field) -> Self {
        Self::required(&field.name, field.data_type, &field.description)
    }
}

impl Slot {
    /// A slot that must be filled, or an output that is always present.
    #[must_use]
    pub fn required(name: &str, data_type: DataType, description: &str) -> Self {
        Self { required: true, ..Self::optional(name, data_type, description) }
    }

    /// A slot that may be left out.
    #[must_use]
    pub fn optional(name: &str, data_type: DataType, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            data_type,
            required: false,
            default: None,
            choices: Vec::new(),
            schema: None,
            description: description.to_owned(),
        }
    }

    /// What holds when the slot is left out.
    #[must_use]
    pub fn or(mut self, default: impl Into<Value>) -> Self {
        self.default = Some(default.into());
        self
    }

    /// The only texts allowed.
    #[must_use]
    pub fn one_of(mut self, choices: &[&str]) -> Self {
        self.choices = choices.iter().map(|&choice| choice.to_owned()).collect();
        self
    }
}

impl Contract {
    /// An action that only reads, needs the role reader and no model. The other fields are set on top of it.
    #[must_use]
    pub fn reading(name: &str, function: &str, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            inputs: Vec::new(),
            params: Vec::new(),
            outputs: Vec::new(),
            requirement: Requirement::role(Role::Reader),
            writes: false,
            rehearses: false,
            irreversible: false,
            uses_llm: false,
            requires: Vec::new(),
            function: function.to_owned(),
        }
    }

    /// Whether inputs and outputs are decided by a connector's endpoint instead of by this contract.
    ///
    /// The outputs listed here are then what such endpoints typically return.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.name == CALL_CONNECTOR
    }

    /// Whether it answers as the step that calls it declares: what a model writes has no outputs of its own.
    #[must_use]
    pub fn answers_as_declared(&self) -> bool {
        self.uses_llm && self.outputs.is_empty()
    }

    /// Whether the engine itself carries it out, so that no Lambda hosts it.
    #[must_use]
    pub fn is_control(&self) -> bool {
        self.function.is_empty()
    }

    /// Everything a call takes: inputs and params.
    #[must_use]
    pub fn arguments(&self) -> Vec<Slot> {
        self.inputs.iter().chain(&self.params).cloned().collect()
    }

    /// What comes back, as one type: a record with the outputs as fields.
    #[must_use]
    pub fn output_type(&self) -> DataType {
        record_of(&self.outputs)
    }
}

/// The record whose fields are `slots`.
#[must_use]
pub fn record_of(slots: &[Slot]) -> DataType {
    let field = |slot: &Slot| Field {
        name: slot.name.clone(),
        data_type: slot.data_type.clone(),
        description: slot.description.clone(),
    };
    DataType::Record(slots.iter().map(field).collect())
}
