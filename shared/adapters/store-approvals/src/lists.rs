//! Lists of requests: what waits for a person, what a person's runs wait for.

use countersign_approval::{ApprovalId, Kind, Request, RunId, Status};
use countersign_identity::UserId;
use countersign_store_kit::{Page, Query, Window, Write};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::items::Body;
use crate::{Answer, Approvals, Result, keys};

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// The request.
    pub approval: ApprovalId,
    /// Its run.
    pub run: RunId,
    /// The step in its plan.
    pub step: String,
    /// What is signed.
    pub kind: Kind,
    /// One line.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// Whose run it is.
    pub owner: UserId,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it ends by itself.
    pub deadline: Timestamp,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
}

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestList {
    /// What waits, the nearest deadline first.
    Pending,
    /// What has ended, the newest first.
    Closed,
}

impl RequestList {
    fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Closed => "closed",
        }
    }
}

impl From<&Request> for Summary {
    fn from(request: &Request) -> Self {
        Self {
            approval: request.id.clone(),
            run: request.position.run.clone(),
            step: request.position.step.clone(),
            kind: request.kind,
            title: request.title.clone(),
            status: request.status,
            owner: request.owner.clone(),
            opened_at: request.opened_at,
            deadline: request.timing.deadline,
            closed_at: request.closed.as_ref().map(|closed| closed.at),
        }
    }
}

/// The rows of the owner and of every approver.
pub(crate) fn rows(request: &Request) -> Result<Vec<Write>> {
    let body = Body::of(&Summary::from(request))?;
    let is_open = request.closed.is_none();
    let shelf = if is_open { RequestList::Pending } else { RequestList::Closed };
    let sort = keys::place_of(request);
    let owner = Write::put(&keys::owner_row(&request.id), &body)?;
    let mut rows = vec![owner.indexed(&partition("OWNER", &request.owner, shelf), &sort)];
    for person in &request.policy.approvers {
        let row = Write::put(&keys::approver_row(&request.id, person), &body)?;
        rows.push(row.indexed(&partition("FOR", person, shelf), &sort));
    }
    Ok(rows)
}

fn partition(role: &str, person: &UserId, shelf: RequestList) -> String {
    format!("{role}#{person}#{}", shelf.name())
}

fn listed(role: &str, person: &UserId, shelf: RequestList) -> Query {
    let query = Query::index(&partition(role, person, shelf));
    if shelf == RequestList::Closed { query.descending() } else { query }
}

impl Approvals {
    /// Requests that `person` may be asked to decide, a page at a time.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer or the cursor is none of ours.
    pub fn for_approver(
        &self,
        person: &UserId,
        shelf: RequestList,
        window: Window,
    ) -> Answer<'_, Page<Summary>> {
        self.page_of(listed("FOR", person, shelf).within(window))
    }

    /// Requests of runs that `person` owns, a page at a time.
    ///
    /// # Errors
    /// As [`Approvals::for_approver`].
    pub fn of_owner(
        &self,
        person: &UserId,
        shelf: RequestList,
        window: Window,
    ) -> Answer<'_, Page<Summary>> {
        self.page_of(listed("OWNER", person, shelf).within(window))
    }
}
