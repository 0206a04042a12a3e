//! Answers whose body is read piece by piece: retried like others, and once more from the start when they break off.

use countersign_connector::answer::{StatusMeaning, meaning};
use countersign_http_out::{Answer, Call as HttpCall, HttpError, Streaming};
use countersign_resilience::{CallFailure, Remedy, Tried};
use tokio::time::Instant;

use super::Caller;
use crate::error::ConnectError;

/// Bytes read of an answer that refuses: what it says of the reason.
const MAX_SAID: usize = 4_096;

impl Caller<'_> {
    /// An answer with a good status, after the retries that its failures allow. `tried` is the reading's own: whoever
    /// starts over because a body broke off has no more tries than others.
    pub(crate) async fn open_body(
        &self,
        http: &HttpCall,
        tried: &mut Tried,
    ) -> Result<Streaming, ConnectError> {
        loop {
            self.meter.permit(self.deadline).await?;
            let (timeout, left) = (self.timeout * tried.timeouts(), self.left());
            if left.is_zero() {
                return Err(self.out_of_time());
            }
            let begun = Instant::now();
            let http = HttpCall { timeout: timeout.min(left), ..http.clone() };
            let (error, answer) = match self.egress.open(http).await {
                Ok(open) if meaning(open.status) == StatusMeaning::Success => {
                    self.meter.answered(begun.elapsed());
                    return Ok(open);
                }
                Ok(open) => {
                    let answer = beginning(open).await;
                    (self.status_error(&answer, false), Some(answer))
                }
                // A source that had less than its usual time did not fail.
                Err(HttpError::Timeout { .. }) if left < timeout => (self.out_of_time(), None),
                Err(error) => (error.into(), None),
            };
            self.again(error, answer, tried).await?;
        }
    }

    /// Waits until the same may be asked again; the error when it may not.
    pub(crate) async fn again(
        &self,
        error: ConnectError,
        answer: Option<Answer>,
        tried: &mut Tried,
    ) -> Result<(), ConnectError> {
        let fault = match error.fault() {
            None => return Err(error),
            Some(CallFailure::Throttled { .. }) => {
                CallFailure::Throttled { retry_after: self.asked(&answer) }
            }
            Some(fault) => fault,
        };
        self.meter.failed(&error, fault);
        match tried.remedy(fault, false, self.left()) {
            Remedy::Again(pause) => {
                tokio::time::sleep(pause).await;
                Ok(())
            }
            Remedy::GiveUp | Remedy::InDoubt => Err(error),
        }
    }
}

async fn beginning(mut open: Streaming) -> Answer {
    let mut body = Vec::new();
    while body.len() < MAX_SAID
        && let Ok(Some(piece)) = open.chunk().await
    {
        body.extend_from_slice(&piece);
    }
    Answer { status: open.status, headers: open.headers, url: open.url, body }
}
