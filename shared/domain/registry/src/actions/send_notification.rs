//! Tells the owner of a run something.

use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    Contract {
        inputs: vec![Slot::required("message", DataType::String, "What to say.")],
        params: vec![
            Slot::optional(
                "title",
                DataType::String,
                "A short heading; left out, the profile's name.",
            ),
            Slot::optional("priority", DataType::String, "How urgent it is.")
                .or("normal")
                .one_of(&["low", "normal", "high", "urgent"]),
            Slot::optional("action_url", DataType::String, "Where the reader can go on."),
            Slot::optional("action_label", DataType::String, "What the link is called."),
        ],
        outputs: vec![
            Slot::required("notification_id", DataType::String, "The notification."),
            Slot::required("success", DataType::Boolean, "Whether it was accepted."),
        ],
        writes: true,
        ..Contract::reading("send_notification", "tool-notify", "Notifies the owner of the run.")
    }
}
