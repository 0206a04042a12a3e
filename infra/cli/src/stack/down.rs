//! Stopping what `up` has started, and nothing else.

use std::path::Path;
use std::time::Duration;

use super::{Stack, folder};
use crate::console::Console;
use crate::error::CliError;

/// Stops the emulator; what it keeps stays. Says so when there was nothing to stop.
///
/// # Errors
/// [`CliError::Busy`] while another command changes the folder; [`CliError::WouldNotStop`] when it does not end within 30 seconds.
pub async fn down(state: &Path, console: &Console) -> Result<(), CliError> {
    let _held = folder::hold(state)?;
    let Some(mut stack) = Stack::load(state)? else {
        console.note("nothing to stop: no local stack was started here");
        return Ok(());
    };
    match stack.process.take() {
        Some(process) if process.is_alive() => {
            let step = console.step("stopping the local stack");
            process.stop(Duration::from_secs(30)).await?;
            if folder::was_left_clean(state) {
                step.done("the local stack is stopped; its state stays");
            } else {
                step.done("the local stack is stopped");
                console.note("not all of its state could be saved; what it has acknowledged in tables and objects is kept, and `emulator.log` names the rest");
            }
        }
        _ => console.note("nothing to stop: the local stack was not running"),
    }
    stack.save(state)
}
