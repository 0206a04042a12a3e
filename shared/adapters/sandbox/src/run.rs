//! The parent: starts a child for each piece of code, hears it, and ends it.

use std::sync::Arc;

use countersign_confined::{End, Program};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Child;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::child::{MAX_JOB, WORD};
use crate::error::SandboxError;
use crate::job::{Job, Ran, Said};

const MIB: u64 = 1024 * 1024;

/// What one child may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of memory.
    pub memory: u64,
    /// Seconds of computing.
    pub seconds: u64,
    /// Bytes of its answer.
    pub output: u64,
}

/// Two children are 256 MiB of the 512 MB of `tool-code`.
impl Default for Bounds {
    fn default() -> Self {
        Self { memory: 128 * MIB, seconds: 10, output: 4 * MIB }
    }
}

/// Runs code in children; one for the life of the process, because its clones share how many there are at once.
#[derive(Debug, Clone)]
pub struct Sandbox {
    program: Arc<Program>,
    bounds: Bounds,
    slots: Arc<Semaphore>,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::with_program(Program::own(), Bounds::default())
    }
}

impl Sandbox {
    /// Children at the same time.
    pub const AT_ONCE: usize = 2;

    /// A sandbox whose children run another program than this process: for tests, which run in a program that is not a function.
    #[must_use]
    pub fn with_program(program: Program, bounds: Bounds) -> Self {
        let slots = Arc::new(Semaphore::new(Self::AT_ONCE));
        Self { program: Arc::new(program), bounds, slots }
    }

    /// Runs code. When this future is dropped, the child is killed.
    ///
    /// # Errors
    /// [`SandboxError`] when it has no result.
    pub async fn run(&self, job: &Job, deadline: Instant) -> Result<Ran, SandboxError> {
        let running = async {
            // Nobody closes it.
            let _slot = self.slots.acquire().await;
            self.ask(job).await
        };
        let late = || Err(SandboxError::Limit("the time of its step".to_owned()));
        timeout_at(deadline, running).await.unwrap_or_else(|_| late())
    }

    async fn ask(&self, job: &Job) -> Result<Ran, SandboxError> {
        let not_run = |error: std::io::Error| SandboxError::NotRun(error.to_string());
        let text = serde_json::to_vec(job).map_err(|error| not_run(error.into()))?;
        if text.len() as u64 >= MAX_JOB {
            return Err(SandboxError::Limit(format!("{MAX_JOB} bytes of code and data")));
        }
        let Bounds { memory, seconds, output } = self.bounds;
        let mut child = self.program.start(WORD, memory, seconds).map_err(not_run)?;
        let said = heard(&mut child, &text, output).await.map_err(not_run)?;
        if said.len() as u64 > output {
            return Err(SandboxError::Limit(format!("{output} bytes of result")));
        }
        match serde_json::from_slice(&said) {
            Ok(Said::Ran(ran)) => Ok(ran),
            Ok(Said::Raised(message)) => Err(SandboxError::Raised(message)),
            Ok(Said::NotData(what)) => Err(SandboxError::NotData(what)),
            Err(_) => Err(self.ended(&child.wait().await.map_err(not_run)?.into())),
        }
    }

    fn ended(&self, end: &End) -> SandboxError {
        let Bounds { memory, seconds, .. } = self.bounds;
        match end {
            End::Memory => SandboxError::Limit(format!("{} MiB of memory", memory / MIB)),
            End::Computing => SandboxError::Limit(format!("{seconds} seconds of computing")),
            End::Panicked => {
                // It would again: the same code has the same end.
                tracing::error!("the interpreter panicked");
                let met = "the interpreter met something that it does not know, or too large";
                SandboxError::Raised(met.to_owned())
            }
            End::Other(status) => SandboxError::NotRun(format!("no answer ({status})")),
        }
    }
}

/// Gives a child its job, and hears what it says: at most one byte more than it may.
async fn heard(child: &mut Child, job: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (mut stdin, stdout) = pipes.ok_or_else(|| std::io::Error::other("it has no pipes"))?;
    // That it stopped listening is not an error here: its end says why.
    drop(stdin.write_all(job).await);
    drop(stdin);
    let mut said = Vec::new();
    stdout.take(most + 1).read_to_end(&mut said).await?;
    Ok(said)
}
