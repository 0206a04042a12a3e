//! Who may see a request for approval.

use countersign_approval::{ApprovalId, Request};
use countersign_identity::UserId;
use countersign_web::Problem;

use super::found;
use crate::Context;

/// A request, for somebody who may see it.
pub(super) async fn seen_by(
    ctx: &Context,
    id: &ApprovalId,
    person: &UserId,
) -> Result<Request, Problem> {
    let request = ctx.approvals.request(id).await?;
    found(request.filter(|request| may_see(request, person)))
}

/// Owner, approvers, and those it would be escalated to. A member who has started somebody else's agent reads of their run, and not
/// what it would send.
pub(super) fn may_see(request: &Request, person: &UserId) -> bool {
    let escalated = request.timing.escalation.iter().flat_map(|escalation| &escalation.to);
    request.owner == *person
        || request.policy.approvers.contains(person)
        || escalated.into_iter().any(|named| named == person)
}
