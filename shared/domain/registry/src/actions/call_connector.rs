//! Calls one endpoint of a bound connector. Inputs and outputs are those of the endpoint, which only the connector knows:
//! the handler reads them itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Nothing;
use crate::{Action, CALL_CONNECTOR, TOOL_CONNECT};

/// The declaration.
#[derive(Debug)]
pub struct CallConnector;

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// The id of a connector bound to the profile.
    pub connector: String,
    /// The endpoint's name in the connector.
    pub endpoint: String,
}

/// What endpoints typically return.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The records, mapped to the connector's fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<Value>>,
    /// How many records there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Whether the source holds more than was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

impl Action for CallConnector {
    const NAME: &'static str = CALL_CONNECTOR;
    const FUNCTION: &'static str = TOOL_CONNECT;
    const DESCRIPTION: &'static str = "Calls an endpoint of a connector; its parameters are the inputs, its output schema the outputs.";
    type Inputs = Nothing;
    type Params = Params;
    type Output = Output;
}
