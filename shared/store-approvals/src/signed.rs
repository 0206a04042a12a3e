//! The approvals as the step protocol asks for them.

use countersign_approval::RunId;
use countersign_approval::ports::{PortError, PortResult, Signatures, Signed};

use crate::Approvals;

impl Signatures for Approvals {
    fn signed<'a>(&'a self, run: &'a RunId, step: &'a str) -> PortResult<'a, Vec<Signed>> {
        Box::pin(async move {
            let found = self.signatures(run, step).await;
            found.map_err(|error| PortError::of("looking for the signature", &error))
        })
    }
}
