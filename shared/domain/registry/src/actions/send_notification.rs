//! Tells the owner of a run something.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::Problem;
use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct SendNotification;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// What to say.
    #[schemars(length(min = 1, max = 4000))]
    pub message: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// A short heading; left out, the profile's name.
    pub title: Option<String>,
    /// How urgent it is.
    #[serde(default)]
    pub priority: Priority,
    /// Where the reader can go on.
    #[schemars(extend("format" = "link"))]
    pub action_url: Option<String>,
    /// What the link is called.
    pub action_label: Option<String>,
}

/// How urgent a notification is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
    Urgent,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The notification.
    pub notification_id: String,
    /// Whether it was accepted.
    pub success: bool,
}

impl Action for SendNotification {
    const NAME: &'static str = "send_notification";
    const FUNCTION: &'static str = "tool-notify";
    const DESCRIPTION: &'static str = "Notifies the owner of the run.";
    const REFUSED: [&'static str; 3] = ["NOTIFICATION_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { writes: true, ..contract }
    }

    fn rules(params: &Params) -> Vec<Problem> {
        let is_unused = params.action_label.is_some() && params.action_url.is_none();
        let message = "`action_label` has no effect: there is no `action_url`";
        is_unused.then(|| Problem::without_effect("action_label", message)).into_iter().collect()
    }
}
