//! How long the functions of actions run.

use std::time::Duration;

use countersign_document::Whole;

/// How many times as long as the one before each pause between the attempts of a step is.
pub type BackoffMultiplier = Whole<1, 10, 2>;

/// What is kept back of a function's time, to record what came of a step.
pub const RESERVED: Duration = Duration::from_secs(4);

/// The first pause between two attempts of a step; each further one is as many times longer as the step says.
pub const FIRST_PAUSE: Duration = Duration::from_millis(500);

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

/// Whether a pause before another attempt is begun: as long as it must be left for the attempt.
#[must_use]
pub fn is_time_for(pause: Duration, left: Duration) -> bool {
    left > pause * 2
}

/// How many of the retries that a step asks for can be made within so many seconds, even if each attempt fails at once.
#[must_use]
pub fn most_retries(asked: u32, multiplier: BackoffMultiplier, seconds: u32) -> u32 {
    let (mut left, mut pause) = (Duration::from_secs(seconds.into()), FIRST_PAUSE);
    for made in 0..asked {
        if !is_time_for(pause, left) {
            return made;
        }
        left = left.saturating_sub(pause);
        pause = pause.saturating_mul(multiplier.to());
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_024_pauses_leave_time_for_so_many_retries() {
        let check = |asked: u32, multiplier: i64, seconds: u32, expect: u32| {
            let written = serde_json::json!(multiplier);
            let multiplier: BackoffMultiplier = serde_json::from_value(written).unwrap();
            assert_eq!(most_retries(asked, multiplier, seconds), expect, "{asked} {multiplier:?}");
        };
        check(0, 10, 296, 0);
        check(5, 2, 296, 5);
        check(5, 3, 296, 5);
        check(5, 4, 296, 4);
        check(5, 5, 296, 4);
        check(5, 10, 296, 3);
        check(5, 10, 56, 2);
        check(5, 1, 1, 0);
        check(5, 1, 2, 2);
    }

    #[test]
    fn r_024_where_nothing_is_said_of_pauses_there_is_time_for_all_retries_in_every_function() {
        for (function, _) in FUNCTION_SECONDS {
            let seconds = step_seconds(function).unwrap();
            assert_eq!(most_retries(5, BackoffMultiplier::default(), seconds), 5, "{function}");
        }
    }
}
