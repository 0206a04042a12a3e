//! Whom to mail about an open request: those who can decide it at this moment, and the owner of the run once too few can.

use countersign_approval::Request;
use countersign_approval::ports::{Occasion, PortError, PortResult, TooFew};
use countersign_identity::{Requirement, Rights, Role, UserId};
use countersign_store_approvals::Loaded;

use crate::clock::silent;
use crate::error::GateError;
use crate::recount::{entries, recount};
use crate::service::Gatekeeper;
use crate::signers::able;

/// Those of these people who could decide the request at this moment.
///
/// # Errors
/// [`PortError`] when the directory does not answer.
pub(crate) fn able_now<'a>(
    rights: &'a dyn Rights,
    request: &'a Request,
    people: Vec<UserId>,
) -> PortResult<'a, Vec<UserId>> {
    Box::pin(async move {
        let role = Requirement::role(Role::Reader);
        let requirement = request.requirement.as_ref().unwrap_or(&role);
        let entries = entries(rights, &people).await;
        let entries = entries.map_err(|error| PortError::of("looking up a person", &*error))?;
        Ok(entries.iter().filter_map(|entry| able(entry.as_ref(), requirement).ok()).collect())
    })
}

impl Gatekeeper {
    /// Mails those who have not decided and could at this moment; of them only those in `among`, when it is given. Tells the owner
    /// of the run once those who could are too few for the request to be approved. The people who were mailed.
    pub(crate) async fn ask_able(
        &self,
        loaded: Loaded,
        among: Option<&[UserId]>,
        occasion: Occasion,
    ) -> Result<Vec<UserId>, GateError> {
        let loaded = recount(self.rights.as_ref(), loaded).await?;
        let request = &loaded.request;
        let able = able_now(self.rights.as_ref(), request, silent(&loaded)).await?;
        let too_few = too_few(&loaded, able.len());
        let is_meant = |person: &UserId| among.is_none_or(|among| among.contains(person));
        let people: Vec<UserId> = able.into_iter().filter(is_meant).collect();
        // Listeners hear that it waits also where nobody is mailed.
        self.notifier.ask(request, &people, occasion).await?;
        if let Some(too_few) = too_few {
            self.notifier.too_few(request, too_few).await?;
        }
        Ok(people)
    }
}

/// How many could decide and how many it takes, when that is more.
fn too_few(loaded: &Loaded, able: usize) -> Option<TooFew> {
    let request = &loaded.request;
    let able = u32::try_from(able).unwrap_or(u32::MAX);
    let needed = request.policy.quorum.saturating_sub(request.approvals(&loaded.votes));
    (able < needed).then_some(TooFew { able, needed })
}
