//! `/approvals` (F-357).

use countersign_approval::{RunId, Status};
use countersign_store_approvals::{RequestList, Summary};
use countersign_store_kit::Page as Stored;
use countersign_web::{FieldError, Page, Problem};
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;

use super::approval_view::QueueStatus;
use crate::Context;
use crate::documented::documented;
use crate::lists::{Asked, PageOf};
use crate::queries::ApprovalQuery;

/// What `status` of the list may be.
const STATUSES: [&str; 8] =
    ["pending", "closed", "approved", "denied", "timed_out", "expired", "superseded", "cancelled"];

/// A request in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ApprovalLine {
    #[serde(flatten)]
    summary: Summary,
    /// The agent whose run asks; null when the run is gone.
    agent_profile_id: Option<String>,
    /// The status in the words of a queue: `pending`, `approved`, `rejected`, `expired`.
    queue_status: QueueStatus,
}

documented!(ApprovalLine);

/// Requests for approval. `status` of a line is the exact word, `queue_status` the same in the four words of a queue.
#[utoipa::path(get, path = "/approvals", tag = "approvals", params(ApprovalQuery), responses((status = 200, body = Page<ApprovalLine>), (status = 403, description = "PERMISSION_DENIED"), (status = 422, description = "INVALID_INPUT: a role or a status that there is not")))]
pub(crate) async fn list(asked: Asked<ApprovalQuery>) -> PageOf<ApprovalLine> {
    let (ctx, person, query) = (&asked.ctx, &asked.owner, &asked.query);
    let profile = query.profile.as_ref().map(ToString::to_string);
    let filters = [
        ("role", query.role.as_deref()),
        ("status", query.status.as_deref()),
        ("profile", profile.as_deref()),
    ];
    let paging = asked.paging("approvals", &filters).await?;
    let (shelf, status) = wanted(query.status.as_deref())?;
    let as_owner = match query.role.as_deref() {
        None | Some("approver") => false,
        Some("owner") => true,
        Some(word) => return Err(choice("role", &["approver", "owner"], word)),
    };
    let read = |window| -> BoxFuture<'_, Result<_, Problem>> {
        Box::pin(async move {
            let page = if as_owner {
                ctx.approvals.of_owner(person, shelf, window).await?
            } else {
                ctx.approvals.for_approver(person, shelf, window).await?
            };
            Ok(Stored { items: lines(ctx, page.items).await?, next: page.next })
        })
    };
    let takes = |line: &ApprovalLine| {
        status.is_none_or(|status| line.summary.status == status)
            && profile.as_deref().is_none_or(|id| line.agent_profile_id.as_deref() == Some(id))
    };
    paging.page(paging.sifted(read, takes).await?)
}

fn choice(filter: &str, accepted: &[&str], found: &str) -> Problem {
    Problem::invalid(vec![FieldError::choice(filter, accepted, found)])
}

/// Which part of the list, and which of it.
fn wanted(status: Option<&str>) -> Result<(RequestList, Option<Status>), Problem> {
    match status {
        None | Some("pending") => Ok((RequestList::Pending, None)),
        Some("closed") => Ok((RequestList::Closed, None)),
        Some(word) => {
            let known = word.parse::<Status>().map_err(|_| choice("status", &STATUSES, word))?;
            Ok((RequestList::Closed, Some(known)))
        }
    }
}

/// The lines of requests, with the agents of their runs.
async fn lines(ctx: &Context, requests: Vec<Summary>) -> Result<Vec<ApprovalLine>, Problem> {
    let runs: Vec<&RunId> = requests.iter().map(|request| &request.run).collect();
    let heads = ctx.runs.heads(&runs).await?;
    let line = |summary: Summary| ApprovalLine {
        agent_profile_id: heads.get(&summary.run).map(|head| head.profile_id.clone()),
        queue_status: summary.status.into(),
        summary,
    };
    Ok(requests.into_iter().map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: Option<&str>, expect: Option<(RequestList, Option<Status>)>) {
        assert_eq!(wanted(word).ok(), expect, "{word:?}");
    }

    #[test]
    fn f_402_requests_are_listed_by_every_status_there_is() {
        check(None, Some((RequestList::Pending, None)));
        assert!(STATUSES.iter().all(|word| wanted(Some(word)).is_ok()));
        check(Some("pending"), Some((RequestList::Pending, None)));
        check(Some("closed"), Some((RequestList::Closed, None)));
        check(Some("denied"), Some((RequestList::Closed, Some(Status::Denied))));
        check(Some("timed_out"), Some((RequestList::Closed, Some(Status::TimedOut))));
        check(Some("waved through"), None);
        let problem = wanted(Some("waved through")).unwrap_err();
        let told = "must be one of `pending`, `closed`, `approved`, `denied`, `timed_out`, `expired`, `superseded`, `cancelled`, found `waved through`";
        assert_eq!(problem.errors[0].message, told);
    }
}
