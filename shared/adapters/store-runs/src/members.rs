//! Runs that members of teams have started with agents of others, by member.

use countersign_identity::UserId;
use countersign_run::{Head, RunId, TeamId};
use countersign_store_kit::{Page, Query, Window, Write};
use serde::{Deserialize, Serialize};

use crate::{Result, RunStore, keys};

/// Where a run of a member is found.
#[derive(Serialize, Deserialize)]
struct OfMember {
    run: RunId,
}

impl RunStore {
    /// The runs of this agent that a member of a team has started, newest first.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn of_member(
        &self,
        (member, team, profile): (&UserId, &TeamId, &str),
        window: Window,
    ) -> Result<Page<Head>> {
        let query = Query::partition(&keys::of_member(member, team, profile));
        let found = self.table.query(query.consistent().descending().within(window));
        let found: Page<OfMember> = found.await?.decode(self.table.name())?;
        let runs: Vec<&RunId> = found.items.iter().map(|one| &one.run).collect();
        Ok(Page { items: self.heads_in_order(&runs).await?, next: found.next })
    }
}

/// What is written with the run of a member.
pub(crate) fn mark(head: &Head) -> Result<Option<Write>> {
    let (Some(team), Some(member)) = (&head.team_context, head.member()) else { return Ok(None) };
    let place =
        keys::run_of_member((member, &team.team_id, &head.profile_id), head.started_at, &head.run);
    Write::put(&place, &OfMember { run: head.run.clone() }).map(Some)
}
