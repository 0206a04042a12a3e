//! One command at a time in a state folder, and one emulator.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Process, Stack, emulator};
use crate::error::CliError;

const SETTLES_WITHIN: Duration = Duration::from_secs(5);

/// The state folder as long as a command changes it; given back when it is dropped or the command ends in any way.
#[derive(Debug)]
pub(super) struct Held {
    _lock: File,
}

/// Holds a state folder for this command.
///
/// # Errors
/// [`CliError::Busy`] when another command holds it.
pub(super) fn hold(state: &Path) -> Result<Held, CliError> {
    let doing = |source| CliError::io(format!("locking `{}`", state.display()), source);
    let lock = open(&state.join("command.lock")).map_err(doing)?;
    match lock.try_lock() {
        Ok(()) => Ok(Held { _lock: lock }),
        Err(TryLockError::WouldBlock) => Err(CliError::Busy(state.to_owned())),
        Err(TryLockError::Error(source)) => Err(doing(source)),
    }
}

/// Waits until an emulator that has ended has given back its folder, and its port when it was killed: the last of its
/// threads does that, and a process that is no more than its entry may still have some.
pub(super) async fn settled(state: &Path, known: Option<&Stack>) {
    let killed = known
        .filter(|stack| stack.process.as_ref().is_some_and(|emulator| !emulator.is_alive()))
        .map(|stack| stack.port);
    let is_settled = || match require_unused(state) {
        Err(CliError::FolderInUse { process, .. }) => process.parse().is_ok_and(is_alive),
        _ => killed.is_none_or(|port| emulator::free_port(port).is_ok()),
    };
    let deadline = Instant::now() + SETTLES_WITHIN;
    while !is_settled() && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn is_alive(pid: u32) -> bool {
    Process::of(pid).is_some()
}

/// Refuses a folder that an emulator uses which no record names: a command was killed after it had started it.
///
/// # Errors
/// [`CliError::FolderInUse`] with the emulator's process.
pub(super) fn require_unused(state: &Path) -> Result<(), CliError> {
    let folder = state.join("aws");
    let doing = |source| CliError::io(format!("looking at `{}`", folder.display()), source);
    let path = folder.join("lock");
    if !path.exists() {
        return Ok(());
    }
    let lock = open(&path).map_err(doing)?;
    match lock.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            let holder = fs::read_to_string(&path).unwrap_or_default();
            Err(CliError::FolderInUse { folder, process: holder.trim().to_owned() })
        }
        Err(TryLockError::Error(source)) => Err(doing(source)),
    }
}

/// Whether the emulator that used the folder last could save everything at its stop.
pub(super) fn was_left_clean(state: &Path) -> bool {
    fs::read_to_string(state.join("aws/lock")).is_ok_and(|mark| mark.trim().is_empty())
}

fn open(path: &Path) -> std::io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

#[cfg(test)]
mod tests {
    use super::{hold, require_unused, settled};
    use crate::error::CliError;

    #[test]
    fn two_commands_do_not_change_a_folder_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = hold(folder.path()).unwrap();
        assert!(matches!(hold(folder.path()), Err(CliError::Busy(_))));
        drop(first);
        hold(folder.path()).unwrap();
    }

    #[tokio::test]
    async fn a_folder_that_is_about_to_be_given_back_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("aws")).unwrap();
        let path = folder.path().join("aws/lock");
        // As after a clean stop: nobody is named, and the lock is held for a moment longer.
        let held = std::fs::File::create(&path).unwrap();
        held.lock().unwrap();
        let given_back = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            drop(held);
        });
        settled(folder.path(), None).await;
        require_unused(folder.path()).unwrap();
        given_back.join().unwrap();
    }

    #[test]
    fn a_folder_that_an_unknown_emulator_uses_is_refused_with_its_process() {
        let folder = tempfile::tempdir().unwrap();
        require_unused(folder.path()).unwrap();
        std::fs::create_dir(folder.path().join("aws")).unwrap();
        let path = folder.path().join("aws/lock");
        std::fs::write(&path, "4711").unwrap();
        require_unused(folder.path()).unwrap();
        let held = std::fs::File::open(&path).unwrap();
        held.lock().unwrap();
        let refused = require_unused(folder.path()).unwrap_err();
        assert!(matches!(refused, CliError::FolderInUse { process, .. } if process == "4711"));
    }
}
