//! The approvals as the step protocol asks for them.

use countersign_approval::ports::{Answered, PortError, PortResult, Signatures, Signed};
use countersign_approval::{Digest, RunId};

use crate::Approvals;

impl Signatures for Approvals {
    fn signed<'a>(
        &'a self,
        run: &'a RunId,
        step: &'a str,
        effect: &'a Digest,
    ) -> PortResult<'a, Vec<Signed>> {
        Box::pin(async move {
            let found = self.signatures(run, step, effect).await;
            let found =
                found.map_err(|error| PortError::of("looking for the signature", &error))?;
            let signed = |one: crate::Signature| Signed {
                approval: one.approval,
                receipt: one.receipt,
                at: one.at,
            };
            Ok(found.into_iter().map(signed).collect())
        })
    }

    fn answers<'a>(&'a self, run: &'a RunId, step: &'a str) -> PortResult<'a, Vec<Answered>> {
        Box::pin(async move {
            let places = self.places(run).await;
            let places = places.map_err(|error| PortError::of("looking for answers", &error))?;
            Ok(places.into_iter().flat_map(|place| place.answers(step)).collect())
        })
    }
}
