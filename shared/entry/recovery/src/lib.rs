//! Starting a run, and starting it again when its execution is gone.
//!
//! A run is not its execution: executions are named `{run}-{attempt}`. When one fails, is aborted, times out or is lost
//! with the machine it ran on, the next attempt finds finished steps finished and open gates open. Two callers notice: a
//! rule on the state machine's status changes, within seconds, and the sweeper, within a minute.

mod error;
mod pauses;

use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_run::{Head, RunId, Stop, StopReason, execution_name};
use countersign_states::{ExecutionStatus, Machine};
use countersign_store_runs::RunStore;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

pub use error::RecoveryError;
pub use pauses::MAX_IDLE_ATTEMPTS;

/// How long a run may have no execution before the sweeper starts one: starting takes two steps.
pub const GRACE: SignedDuration = SignedDuration::from_secs(30);

/// How long a run that is to end may keep its execution before that is stopped; the next attempt then finishes it.
pub const STUCK: SignedDuration = SignedDuration::from_mins(10);

/// What was done about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovered {
    /// Its execution is there, or it is finished: nothing.
    Fine,
    /// The execution of this attempt was started.
    Started(u32),
    /// Somebody else was faster.
    Elsewhere,
    /// Its attempts bring nothing, not even its end: the next one waits.
    Resting,
}

/// The store and the machine of runs.
#[derive(Debug, Clone)]
pub struct Runner {
    runs: RunStore,
    machine: Machine,
}

impl Runner {
    /// A runner over these.
    #[must_use]
    pub fn new(runs: RunStore, machine: Machine) -> Self {
        Self { runs, machine }
    }

    /// The runner of the machine that the settings name.
    ///
    /// # Errors
    /// [`StartError`] when the setting is missing.
    pub fn open(boot: &Boot, runs: RunStore) -> Result<Self, StartError> {
        let machine = Machine::new(&boot.aws, boot.settings.need(Setting::RunMachineArn)?);
        Ok(Self::new(runs, machine))
    }

    /// Starts the execution of the head's attempt. Starting it twice is starting it once.
    pub fn start<'a>(&'a self, head: &'a Head) -> BoxFuture<'a, Result<(), RecoveryError>> {
        Box::pin(async move {
            let input = json!({ "run": head.run, "attempt": head.attempt });
            self.machine.start(&execution_name(&head.run, head.attempt), &input).await?;
            Ok(())
        })
    }

    /// Lets a finished run write again what it was asked to. The execution's name is none of an attempt.
    pub fn deliver<'a>(
        &'a self,
        head: &'a Head,
        n: usize,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), RecoveryError>> {
        Box::pin(async move {
            let name = format!("{}-out{n}-{}", head.run, now.as_millisecond());
            let input = json!({ "run": head.run, "attempt": head.attempt });
            self.machine.start(&name, &input).await?;
            Ok(())
        })
    }

    /// Looks at a run that is not finished, and starts what is missing.
    pub async fn check(&self, run: &RunId, now: Timestamp) -> Result<Recovered, RecoveryError> {
        let Some(head) = self.unfinished(run).await? else { return Ok(Recovered::Fine) };
        if now.duration_since(head.started_at) < GRACE {
            return Ok(Recovered::Fine);
        }
        match self.machine.status(&execution_name(run, head.attempt)).await? {
            ExecutionStatus::Running => self.unstick(&head, now).await,
            // The start was not reached, or the service has lost it: the same name starts it once, whoever asks.
            ExecutionStatus::Unknown => {
                self.start(&head).await?;
                Ok(Recovered::Started(head.attempt))
            }
            ExecutionStatus::Lost => self.again(&head, "the execution ended early", now).await,
            ExecutionStatus::Succeeded => {
                self.again(&head, "the execution ended without finishing the run", now).await
            }
        }
    }

    /// Starts the attempt after `attempt`. When the run has another one already, because somebody asked for changes or was faster
    /// here, that one is started: doing so twice is doing it once.
    pub async fn after(
        &self,
        run: &RunId,
        attempt: u32,
        reason: &str,
        now: Timestamp,
    ) -> Result<Recovered, RecoveryError> {
        let Some(head) = self.unfinished(run).await? else { return Ok(Recovered::Fine) };
        if head.attempt < attempt {
            return Ok(Recovered::Fine);
        }
        if head.attempt > attempt {
            self.start(&head).await?;
            return Ok(Recovered::Started(head.attempt));
        }
        self.again(&head, reason, now).await
    }

    /// Starts the next attempt of a run that rests before its pause is over, a minute after the last one at the earliest: somebody has
    /// mended what kept it from ending, and asks for its end. Nothing where it does not rest, or is at work.
    ///
    /// # Errors
    /// [`RecoveryError`] when the table or the service does not answer.
    pub async fn wake(&self, run: &RunId, now: Timestamp) -> Result<Recovered, RecoveryError> {
        let Some(head) = self.unfinished(run).await? else { return Ok(Recovered::Fine) };
        if !pauses::may_be_woken(&head, now) {
            return Ok(Recovered::Fine);
        }
        match self.machine.status(&execution_name(run, head.attempt)).await? {
            ExecutionStatus::Running | ExecutionStatus::Unknown => Ok(Recovered::Fine),
            ExecutionStatus::Lost | ExecutionStatus::Succeeded => {
                self.start_next(&head, "its end was asked for", now).await
            }
        }
    }

    async fn unfinished(&self, run: &RunId) -> Result<Option<Head>, RecoveryError> {
        Ok(self.runs.head(run).await?.filter(|head| head.finished_at.is_none()))
    }

    async fn again(
        &self,
        head: &Head,
        reason: &str,
        now: Timestamp,
    ) -> Result<Recovered, RecoveryError> {
        // A run that cannot even end is not chased in a circle, whoever notices: the sweeper comes back each minute.
        if let Some(until) = pauses::rests_until(head, now) {
            tracing::warn!(run = %head.run, attempt = head.attempt, %until, reason, "the run cannot be ended, and rests");
            return Ok(Recovered::Resting);
        }
        self.start_next(head, reason, now).await
    }

    async fn start_next(
        &self,
        head: &Head,
        reason: &str,
        now: Timestamp,
    ) -> Result<Recovered, RecoveryError> {
        // What happened to steps is progress; that an attempt was started is none.
        let all = self.runs.events(&head.run).await?;
        let events = all.iter().filter(|event| !event.step.is_empty()).count() as u64;
        let next = match self.runs.next_attempt(head, reason, events, now).await {
            Ok(next) => next,
            Err(error) if error.is_condition() => return Ok(Recovered::Elsewhere),
            Err(error) => return Err(error.into()),
        };
        if next.idle_attempts >= MAX_IDLE_ATTEMPTS {
            self.give_up(&next, now).await?;
        }
        if next.idle_attempts > MAX_IDLE_ATTEMPTS {
            tracing::error!(run = %head.run, attempt = next.attempt, reason, "RUN_NOT_ENDED: the run could not be ended, and is tried again");
        }
        self.start(&next).await?;
        tracing::info!(run = %head.run, attempt = next.attempt, reason, "started the next attempt");
        Ok(Recovered::Started(next.attempt))
    }

    /// A run that was told to end long ago and still has an execution waits for something that will not come.
    async fn unstick(&self, head: &Head, now: Timestamp) -> Result<Recovered, RecoveryError> {
        let stuck = head.stop.as_ref().is_some_and(|stop| now.duration_since(stop.at) > STUCK);
        if stuck {
            self.machine.stop(&execution_name(&head.run, head.attempt)).await?;
        }
        Ok(Recovered::Fine)
    }

    /// The next attempt then only finishes the run.
    async fn give_up(&self, head: &Head, now: Timestamp) -> Result<(), RecoveryError> {
        let message = format!("{MAX_IDLE_ATTEMPTS} attempts in a row brought nothing new");
        let stop =
            Stop { reason: StopReason::Broken, step: None, by: None, code: None, message, at: now };
        self.runs.stop(&head.run, &stop, head.attempt).await?;
        Ok(())
    }
}
