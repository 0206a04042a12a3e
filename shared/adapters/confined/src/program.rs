//! The program that a child runs.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::process::{Child, Command};

use crate::limits::closed;

/// A program, and what it is told before the word that makes it a child.
#[derive(Debug)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
}

impl Program {
    /// This program itself. On Linux also when its file was replaced since: parent and child must be of one version.
    #[must_use]
    pub fn own() -> Self {
        let own = PathBuf::from("/proc/self/exe");
        let path = if own.exists() { own } else { std::env::current_exe().unwrap_or_default() };
        Self { path, arguments: Vec::new() }
    }

    /// Another one, with these arguments before the word: tests run in a program that is not a function.
    #[must_use]
    pub fn of(path: PathBuf, arguments: Vec<OsString>) -> Self {
        Self { path, arguments }
    }

    /// Starts a child that has nothing of this process but two pipes, bytes of memory and seconds of computing. It is killed when it is
    /// dropped.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&self, word: &str, memory: u64, seconds: u64) -> io::Result<Child> {
        // The credentials are in the memory of this process.
        closed()?;
        Command::new(&self.path)
            .args(&self.arguments)
            .arg(word)
            .arg(memory.to_string())
            .arg(seconds.to_string())
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}
