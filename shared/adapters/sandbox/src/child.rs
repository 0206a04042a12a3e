//! The child: confines itself, reads the job, runs it, says what came of it.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use countersign_confined::confined;

use crate::interpret::interpret;
use crate::job::Job;

/// The word that makes a function the child that runs code.
pub(crate) const WORD: &str = "run-code";

/// The longest job, bytes.
pub(crate) const MAX_JOB: u64 = 16 * 1024 * 1024;

/// Runs code when this process was started for that; `None` when it was not. The first line of a function's `main`.
#[must_use]
pub fn child() -> Option<ExitCode> {
    let is_confined = confined(WORD)?;
    let done = is_confined && run().is_ok();
    Some(if done { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run() -> io::Result<()> {
    let mut text = Vec::new();
    io::stdin().lock().take(MAX_JOB).read_to_end(&mut text)?;
    let job: Job = serde_json::from_slice(&text)?;
    let mut said = serde_json::to_vec(&interpret(job))?;
    said.push(b'\n');
    io::stdout().lock().write_all(&said)
}
