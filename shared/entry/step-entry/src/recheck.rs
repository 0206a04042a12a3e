//! Whether what was signed may still be sent, after a call has waited for a rate, a token or its source.

use std::fmt;

use countersign_failure::Class;
use countersign_identity::Requirement;
use countersign_plan::{PlanStep, requirement_of};
use countersign_registry::Contract;
use countersign_registry::action::{ActionError, Recheck};
use countersign_run::{Head, RUN_STOPPED};
use countersign_store_directory::Directory;
use countersign_store_runs::{RunStore, StepView};
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::context::Context;
use crate::error::StepError;
use crate::event::StepEvent;
use crate::rights::{MAX_RIGHTS_AGE, refused_by};

/// Reads the head of the run and the rights of whoever started it once more, when those that a step went by are old.
pub(crate) struct StillMay {
    runs: RunStore,
    rights: Directory,
    head: Head,
    attempt: u32,
    requirement: Requirement,
    what: String,
    read_at: Instant,
}

impl StillMay {
    /// For a step that read the rights at `read_at`, and the head before it sends.
    pub(crate) fn since(
        read_at: Instant,
        context: &Context,
        event: &StepEvent,
        view: &StepView,
        step: &PlanStep,
        contract: &Contract,
    ) -> Self {
        Self {
            runs: context.runs.clone(),
            rights: context.rights.clone(),
            head: view.head.clone(),
            attempt: event.attempt,
            requirement: requirement_of(step, contract),
            what: contract.name.clone(),
            read_at,
        }
    }

    async fn refused(&self) -> Result<Option<ActionError>, StepError> {
        let head = self.runs.head(&self.head.run).await?;
        let Some(head) = head.filter(|head| head.stop.is_none() && head.attempt == self.attempt)
        else {
            let message = "the run was ended before this was sent";
            return Ok(Some(ActionError::terminal(RUN_STOPPED, message)));
        };
        refused_by(&self.rights, &head, &self.requirement, &self.what).await
    }
}

impl Recheck for StillMay {
    fn refusal(&self) -> BoxFuture<'_, Option<ActionError>> {
        Box::pin(async move {
            if self.read_at.elapsed() <= MAX_RIGHTS_AGE {
                return None;
            }
            // What cannot be read permits nothing; and nothing was sent, so the outcome is known.
            let unread = |error: StepError| {
                let unread = ActionError::from_failure(&error);
                Some(ActionError { class: Class::Terminal, ..unread })
            };
            self.refused().await.unwrap_or_else(unread)
        })
    }
}

impl fmt::Debug for StillMay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StillMay").field("what", &self.what).finish_non_exhaustive()
    }
}
