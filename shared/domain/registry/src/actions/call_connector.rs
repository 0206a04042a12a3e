//! Calls one endpoint of a bound connector.

use crate::contract::{Contract, Slot};
use crate::data_type::DataType;
use crate::{CALL_CONNECTOR, TOOL_CONNECT};

pub(super) fn contract() -> Contract {
    Contract {
        params: vec![
            Slot::required(
                "connector",
                DataType::String,
                "The id of a connector bound to the profile.",
            ),
            Slot::required("endpoint", DataType::String, "The endpoint's name in the connector."),
        ],
        outputs: vec![
            Slot::optional(
                "results",
                DataType::array(DataType::Any),
                "The records, mapped to the connector's fields.",
            ),
            Slot::optional("count", DataType::Integer, "How many records there are."),
            Slot::optional(
                "has_more",
                DataType::Boolean,
                "Whether the source holds more than was read.",
            ),
        ],
        ..Contract::reading(
            CALL_CONNECTOR,
            TOOL_CONNECT,
            "Calls an endpoint of a connector; its parameters are the inputs, its output schema the outputs.",
        )
    }
}
