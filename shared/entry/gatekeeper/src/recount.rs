//! Which approvals count at this moment: those whose people could still give them.

use countersign_approval::ports::{PortError, PortResult};
use countersign_failure::{Class, Failure};
use countersign_identity::{DirectoryEntry, Rights, UserId};
use countersign_store_approvals::Loaded;
use futures::{StreamExt as _, TryStreamExt as _};

/// People who are looked up together.
const AT_ONCE: usize = 8;

/// Reads the rights of everybody who has approved the present version of an open request, and marks the approvals that they
/// could not give now. A request without approvals, and one that is closed, is as it was: nobody is looked up.
///
/// The marks are kept once a vote is recorded on the request that has them.
///
/// # Errors
/// [`PortError`], worth trying again, when the directory does not answer: nobody knows then how many approvals there are.
pub fn recount(rights: &dyn Rights, mut loaded: Loaded) -> PortResult<'_, Loaded> {
    Box::pin(async move {
        let people: Vec<_> = loaded.request.approved_by(&loaded.votes).into_iter().collect();
        let entries = entries(rights, &people).await.map_err(|error| unreadable(&*error))?;
        let found = people.iter().cloned().zip(entries);
        let found = found.filter_map(|(person, entry)| Some((person, entry?))).collect();
        loaded.request.mark_uncounted(&loaded.votes, &found);
        Ok(loaded)
    })
}

/// What the directory says of these people at this moment, in their order.
pub(crate) async fn entries(
    rights: &dyn Rights,
    people: &[UserId],
) -> Result<Vec<Option<DirectoryEntry>>, Box<dyn Failure>> {
    let reads: Vec<_> = people.iter().map(|person| rights.entry(person)).collect();
    futures::stream::iter(reads).buffered(AT_ONCE).try_collect().await
}

/// The directory did not answer: nobody's rights are known, so nobody decides.
pub(crate) fn unreadable(error: &dyn Failure) -> PortError {
    let mut port = PortError::of("reading the directory", error);
    port.class = Class::Retryable;
    port
}
