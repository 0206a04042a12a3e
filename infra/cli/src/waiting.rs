//! Waiting for what others do.

use std::time::{Duration, Instant};

use crate::error::CliError;

/// Asks again and again, with a pause in between, until there is an answer.
///
/// # Errors
/// What `ask` fails with; [`CliError::Found`] with the text `late` when there is no answer within `patience`.
pub(crate) async fn answered<T>(
    patience: Duration,
    pause: Duration,
    late: &str,
    ask: impl AsyncFn() -> Result<Option<T>, CliError>,
) -> Result<T, CliError> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        if Instant::now() > deadline {
            return Err(CliError::Found(late.to_owned()));
        }
        tokio::time::sleep(pause).await;
    }
}
