//! What of the end of a run could not be written. The run ends all the same: whatever is refused would be refused again each time, and
//! a run that cannot end starts again without end.

use countersign_failure::{Class, Failure as _, chain};
use countersign_run::{EndPart, NotWritten, RunId, RunRecord};

use crate::FinishError;

/// The parts that could not be written so far.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    rows: Vec<NotWritten>,
    /// Whether the owner has neither a notification nor a mail, because they could not be written.
    pub(crate) has_untold_owner: bool,
}

impl Unwritten {
    /// What was written; none, and noted, when trying again cannot help.
    ///
    /// # Errors
    /// The error itself when the same may succeed later.
    pub(crate) fn unless_never<T>(
        &mut self,
        run: &RunId,
        what: EndPart,
        written: Result<T, FinishError>,
    ) -> Result<Option<T>, FinishError> {
        let error = match written {
            Ok(value) => return Ok(Some(value)),
            Err(error) if error.class() == Class::Retryable || is_of_deployment(&error) => {
                return Err(error);
            }
            Err(error) => error,
        };
        let (part, code) = (what.as_str(), error.code());
        tracing::error!(%run, part, code, reason = %chain(&error), "END_NOT_WRITTEN: the run ends without it");
        let row = NotWritten { what, code: code.to_owned() };
        if !self.rows.contains(&row) {
            self.rows.push(row);
        }
        Ok(None)
    }

    /// The record with what is missing.
    pub(crate) fn noted_in(self, record: &RunRecord) -> RunRecord {
        RunRecord { not_written: self.rows, ..record.clone() }
    }
}

/// Parts of the codes by which AWS says that something of the deployment is missing or may not be used, such as a right or a key.
const OF_DEPLOYMENT: [&str; 5] =
    ["AccessDenied", "ResourceNotFound", "QueueDoesNotExist", "KMS", "UnrecognizedClient"];

/// Whether somebody mends the cause and the same then succeeds: the run waits for that, and everybody is told.
fn is_of_deployment(error: &FinishError) -> bool {
    let reason = chain(error);
    OF_DEPLOYMENT.iter().any(|part| reason.contains(part))
}

#[cfg(test)]
mod tests {
    use countersign_store_content::ContentError;
    use countersign_store_kit::StoreError;

    use super::*;

    fn refused() -> FinishError {
        let reason = "Item size has exceeded the maximum allowed size".to_owned();
        ContentError::Store(StoreError::Refused { table: "content".to_owned(), reason }).into()
    }

    fn busy() -> FinishError {
        let reason = "throttled".to_owned();
        ContentError::Store(StoreError::Unavailable { table: "content".to_owned(), reason }).into()
    }

    #[test]
    fn what_is_refused_each_time_does_not_keep_a_run_from_ending() {
        let (run, mut unwritten) = (RunId::from_bytes([1; 16]), Unwritten::default());
        let mut of = |what, written| unwritten.unless_never(&run, what, written);
        assert_eq!(of(EndPart::Notice, Ok(3)).unwrap(), Some(3));
        for _ in 0..2 {
            assert_eq!(of(EndPart::Notice, Err(refused())).unwrap(), None);
        }
        assert_eq!(of(EndPart::Mail, Err(refused())).unwrap(), None);
        let record = unwritten.noted_in(&RunRecord::default());
        let rows: Vec<_> =
            record.not_written.iter().map(|row| (row.what, row.code.as_str())).collect();
        let refused = "STORE_REFUSED";
        assert_eq!(rows, [(EndPart::Notice, refused), (EndPart::Mail, refused)]);
    }

    fn denied() -> FinishError {
        let reason = "AccessDeniedException: not authorized to perform dynamodb:PutItem".to_owned();
        ContentError::Store(StoreError::Refused { table: "content".to_owned(), reason }).into()
    }

    #[test]
    fn what_may_succeed_later_is_tried_again() {
        let (run, mut unwritten) = (RunId::from_bytes([1; 16]), Unwritten::default());
        for (error, code) in [(busy(), "STORE_UNAVAILABLE"), (denied(), "STORE_REFUSED")] {
            let tried: Result<Option<()>, _> =
                unwritten.unless_never(&run, EndPart::Journal, Err(error));
            assert_eq!(tried.unwrap_err().code(), code);
        }
        assert_eq!(unwritten.noted_in(&RunRecord::default()), RunRecord::default());
    }
}
