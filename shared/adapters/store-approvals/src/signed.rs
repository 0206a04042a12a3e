//! The approvals as the step protocol asks for them.

use countersign_approval::RunId;
use countersign_approval::ports::{Answered, PortError, PortResult, Signatures, Signed};
use countersign_store_kit::StoreError;
use futures::TryFutureExt as _;

use crate::Approvals;

impl Signatures for Approvals {
    fn signed<'a>(&'a self, run: &'a RunId, step: &'a str) -> PortResult<'a, Vec<Signed>> {
        let found = self.signatures(run, step);
        let failed = |error: StoreError| PortError::of("looking for the signature", &error);
        Box::pin(found.map_err(failed))
    }

    fn answers<'a>(&'a self, run: &'a RunId, step: &'a str) -> PortResult<'a, Vec<Answered>> {
        Box::pin(async move {
            let places = self.places(run).await;
            let places = places.map_err(|error| PortError::of("looking for answers", &error))?;
            Ok(places.into_iter().flat_map(|place| place.answers(step)).collect())
        })
    }
}
