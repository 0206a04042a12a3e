//! The approvals as the step protocol asks for them.

use countersign_approval::RunId;
use countersign_approval::ports::{Answered, PortError, PortResult, Signatures, Signed};

use crate::Approvals;

impl Signatures for Approvals {
    fn signed<'a>(&'a self, run: &'a RunId, step: &'a str) -> PortResult<'a, Vec<Signed>> {
        Box::pin(async move {
            let found = self.signatures(run, step).await;
            found.map_err(|error| PortError::of("looking for the signature", &error))
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
