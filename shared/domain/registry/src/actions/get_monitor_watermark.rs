//! Where a detection step of the run's monitor stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Nothing;
use crate::shape::{Date, Formed};
use crate::{Action, TOOL_CONNECT};

/// The declaration.
#[derive(Debug)]
pub struct GetMonitorWatermark;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The detection step.
    #[schemars(length(min = 1))]
    pub step_name: String,
}

/// What comes back; nothing in a run that is not a monitor's.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The value before what this run processes.
    pub watermark: Option<String>,
    /// When the step looked last.
    #[schemars(with = "Option<Date>")]
    pub last_checked_at: Option<String>,
    /// How many new items it found then.
    pub items_found_last: u64,
}

impl Action for GetMonitorWatermark {
    const NAME: &'static str = "get_monitor_watermark";
    const FUNCTION: &'static str = TOOL_CONNECT;
    const DESCRIPTION: &'static str = "Says where a detection step of the run's monitor stands.";
    const REFUSED: [&'static str; 3] = ["DETECT_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Nothing;
    type Output = Formed<Output>;
}
