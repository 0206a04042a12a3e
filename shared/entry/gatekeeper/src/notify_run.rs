//! After a request has ended: the run is told and woken, the clocks stop, listeners hear of it.

use countersign_approval::ports::PortError;
use countersign_approval::{Receipt, Request};
use countersign_failure::Failure;
use countersign_states::ResumeOutcome;
use countersign_store_approvals::TaskToken;
use serde_json::json;

use crate::clock;
use crate::error::GateError;
use crate::service::{Gatekeeper, complain};

impl Gatekeeper {
    /// Brings the end of a request to its run. `token` is that of a task that asks right now; otherwise the stored one.
    /// Says whether the run knows; if not, the request stays marked as unmoved.
    pub(crate) async fn settle(&self, request: &Request, token: Option<&TaskToken>) -> bool {
        match self.try_settle(request, token).await {
            Ok(moved) => {
                self.tidy(request).await;
                moved
            }
            Err(error) => {
                complain("the run has not heard of the decision yet", request, &error);
                false
            }
        }
    }

    /// As [`Gatekeeper::settle`], for a caller that can ask again.
    pub(crate) async fn try_settle(
        &self,
        request: &Request,
        token: Option<&TaskToken>,
    ) -> Result<bool, GateError> {
        // First the run's own record: a refused gate stops the run before any later step can read its head.
        self.runs.closed(request).await?;
        let woken = self.wake(request, token).await?;
        // After a wish for changes another execution carries the run, whether or not one waits at this request.
        if woken == ResumeOutcome::NotMovedYet
            && !request.is_revised()
            && !self.runs.is_over(&request.position.run).await?
        {
            tracing::info!(approval = %request.id, "nobody waits for the decision yet");
            return Ok(false);
        }
        let noted = self.records.moved(request).await;
        noted.map_err(GateError::doing("noting that the run has moved"))?;
        Ok(true)
    }

    async fn wake(
        &self,
        request: &Request,
        token: Option<&TaskToken>,
    ) -> Result<ResumeOutcome, GateError> {
        let stored = match token {
            Some(_) => None,
            None => {
                let stored = self.records.token(&request.id).await;
                stored.map_err(GateError::doing("reading who waits"))?
            }
        };
        let Some(token) = token.or(stored.as_ref()) else { return Ok(ResumeOutcome::NotMovedYet) };
        // The outcome and nothing else travels through the execution.
        let output = json!({ "decision": request.status });
        let woken = self.tasks.wake(token, &output).await;
        Ok(woken.map_err(|error| PortError::of("waking the run", &error))?)
    }

    /// Stops the clocks and tells listeners. Losing either hurts nobody: a late clock finds a closed request.
    async fn tidy(&self, request: &Request) {
        for once in clock::alarms(request) {
            if let Err(error) = self.alarms.clear(&once.name).await {
                tracing::warn!(approval = %request.id, code = error.code(), %error, "a clock goes on");
            }
        }
        if let Err(error) = self.notifier.closed(request).await {
            tracing::warn!(approval = %request.id, code = error.code(), %error, "listeners missed the end");
        }
    }

    /// Hands a receipt to the sealer; one that does not arrive stays marked as unsealed.
    pub(crate) async fn hand_over(&self, request: &Request, receipt: &Receipt) {
        if let Err(error) = self.ledger.hand_over(receipt).await {
            complain("a receipt waits to be sealed", request, &error.into());
        }
    }
}
