//! How long the functions of actions run.

use std::time::Duration;

use countersign_document::Whole;

/// How many times as long as the one before each pause between the attempts of a step is.
pub type BackoffMultiplier = Whole<1, 10, 2>;

/// What is kept back of a function's time, to record what came of a step.
pub const RESERVED: Duration = Duration::from_secs(4);

/// How long each function that carries out actions runs at most, in seconds, as the template deploys it.
pub const FUNCTION_SECONDS: [(&str, u32); 12] = [
    (crate::TOOL_CONNECT, 300),
    (crate::TOOL_CONNECT_WRITE, 300),
    ("tool-code", 60),
    ("tool-data", 300),
    ("tool-files", 120),
    (crate::TOOL_FILES_WRITE, 120),
    ("tool-journal", 60),
    ("tool-knowledge", 300),
    ("tool-model", 300),
    ("tool-notify", 60),
    ("tool-output", 300),
    ("tool-web", 120),
];

/// No invocation of a step lives longer than this.
#[must_use]
pub fn longest_step() -> Duration {
    let seconds = FUNCTION_SECONDS.iter().map(|(_, seconds)| *seconds).max();
    Duration::from_secs(seconds.unwrap_or_default().into())
}

/// How long a step may take that this function carries out, all attempts together, in seconds. `None` for a function that
/// carries out no action.
#[must_use]
pub fn step_seconds(function: &str) -> Option<u32> {
    let (_, seconds) = FUNCTION_SECONDS.iter().find(|(name, _)| *name == function)?;
    let reserved = u32::try_from(RESERVED.as_secs()).unwrap_or(u32::MAX);
    Some(seconds.saturating_sub(reserved))
}
