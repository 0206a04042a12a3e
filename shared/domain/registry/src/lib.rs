//! The registry: every action as one typed contract (F-037…F-041).
//!
//! The playbook validator, the REST and MCP tools, the model's tool schema, the permission filter, the composer's
//! drop-downs and the reference docs are all derived from [`Contract`].

pub mod action;
pub mod actions;
mod arguments;
mod catalogue;
mod contract;
mod data_type;
mod derive;
mod explain;
mod function_time;
mod infer;
mod output_schema;
pub mod shape;
pub mod talk;
mod typed;
mod warnings;

pub use arguments::arguments_schema;
pub use catalogue::{Registry, RegistryError};
pub use contract::{Contract, EndpointContract, Reach, Slot, record_of};
pub use countersign_document::nearest;
pub use countersign_model_list::ModelChoice;
pub use data_type::{DataType, Field};
pub use derive::data_type;
pub use explain::{Findings, Path, Problem, ProblemKind, Step, explain};
pub use function_time::{
    BackoffMultiplier, FIRST_PAUSE, FUNCTION_SECONDS, RESERVED, is_time_for, longest_step,
    most_retries, step_seconds,
};
pub use infer::{Inferred, InputTypes, field_type, records};
pub use output_schema::{OutputSchema, Shape};
pub use typed::{Action, Perform, arguments, arguments_of, contract_of};
pub use warnings::Warnings;

/// What the output of any step says of what it could not read: a model does not say it.
pub const SAID_OF_OUTPUTS: [&str; 6] =
    ["warnings", "warning_count", "errors", "files_failed", "files_read", "file_notes"];

/// The action whose inputs and outputs are those of a connector's endpoint.
pub const CALL_CONNECTOR: &str = "call_connector";

/// The action that sends a message through the connector of a service.
pub const SEND_CHANNEL_MESSAGE: &str = "send_channel_message";

/// The control action that runs its sub-steps side by side.
pub const PARALLEL: &str = "parallel";

/// The function that calls endpoints without an effect.
pub const TOOL_CONNECT: &str = "tool-connect";

/// The function that calls endpoints whose effect cannot be taken back.
pub const TOOL_CONNECT_WRITE: &str = "tool-connect-write";

/// The function of actions on files whose effect cannot be taken back.
pub const TOOL_FILES_WRITE: &str = "tool-files-write";

/// The actions that look for what is new: the steps that a look of a monitor carries out.
pub const DETECTIONS: [&str; 5] = [
    "detect_folder_changes",
    "detect_new_data",
    "detect_new_entities",
    "detect_new_files",
    "detect_new_team_posts",
];

/// The grant of actions that read the posts of a team.
pub const TEAM_POST_ACCESS: &str = "team_post_access";

/// Whether an action looks for what is new.
#[must_use]
pub fn detects(action: &str) -> bool {
    DETECTIONS.contains(&action)
}
