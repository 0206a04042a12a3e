//! Which process is ours: an id is used again by others, so the time it was started is kept beside it.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::CliError;

/// Has this program write what a command reads, and read what it writes.
pub(crate) fn piped(command: &mut Command) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
}

/// A process that this program started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// When the system started it, in the system's own words.
    pub started: String,
}

impl Process {
    /// The process that has this id now, if there is one.
    #[must_use]
    pub fn of(pid: u32) -> Option<Self> {
        started(pid).map(|started| Self { pid, started })
    }

    /// Whether it is still there, and still the same one.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        started(self.pid).as_deref() == Some(self.started.as_str())
    }

    /// Asks it to end and waits until it has.
    ///
    /// # Errors
    /// [`CliError::WouldNotStop`] when it is still there after `patience`.
    pub async fn stop(&self, patience: Duration) -> Result<(), CliError> {
        if !self.is_alive() {
            return Ok(());
        }
        let asked = Command::new("kill").args(["-TERM", &self.pid.to_string()]).status();
        asked.map_err(|source| CliError::io("asking the local stack to stop", source))?;
        let deadline = Instant::now() + patience;
        while self.is_alive() {
            if Instant::now() >= deadline {
                return Err(CliError::WouldNotStop(self.pid, patience.as_secs()));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }
}

/// When a process was started; nothing when it has ended, also when only its entry is left.
fn started(pid: u32) -> Option<String> {
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        // The name, in parentheses, may hold anything; what follows it is separated by blanks.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        return (*fields.first()? != "Z")
            .then(|| fields.get(19).map(|ticks| (*ticks).to_owned()))?;
    }
    if std::path::Path::new("/proc/self/stat").exists() {
        return None;
    }
    let output =
        Command::new("ps").args(["-o", "stat=,lstart=", "-p", &pid.to_string()]).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!line.is_empty() && !line.starts_with('Z'))
        .then(|| line.split_once(' ').map(|(_, time)| time.trim().to_owned()))?
}

#[cfg(test)]
mod tests {
    use super::Process;
    use std::time::Duration;

    #[test]
    fn this_process_is_alive_and_another_start_is_not_it() {
        let me = Process::of(std::process::id()).unwrap();
        assert!(me.is_alive());
        assert!(!Process { started: "never".to_owned(), ..me }.is_alive());
    }

    #[tokio::test]
    async fn a_stopped_process_is_gone_and_stopping_it_again_is_nothing() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let process = Process::of(child.id()).unwrap();
        process.stop(Duration::from_secs(20)).await.unwrap();
        assert!(!process.is_alive());
        process.stop(Duration::from_secs(20)).await.unwrap();
        child.wait().unwrap();
    }
}
